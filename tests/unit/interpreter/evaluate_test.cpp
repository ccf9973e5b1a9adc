// The same programs in FP64: what EvaluateProgram rounds, and to what.

#include <cmath>
#include <limits>

#include "audit/reference/exact_math.h"
#include "tests/unit/interpreter/run_text.h"

namespace exhibit {
namespace {

using Doubles = std::vector<double>;

Doubles Evaluate(const std::string& body, const Floats& x,
                 const InterpreterLimits& limits = {}) {
  const std::string n = std::to_string(x.size());
  const auto program = tile::ReadProgram(
      ProgramText("axis n = " + n + "\ninput a f32[" + n + "]\noutput o f32[" +
                      n + "]\n",
                  "x: f32[n] = load a[0:n]\n" + body + "store r -> o[0:n]\n"),
      "test");
  if (!program.ok()) {
    ADD_FAILURE() << program.error().message;
    return {};
  }
  const auto outputs = EvaluateProgram(*program, {{"a", x}}, limits);
  if (!outputs.ok()) {
    ADD_FAILURE() << outputs.error().message;
    return {};
  }
  return std::get<Doubles>(outputs->at("o"));
}

TEST(Evaluate, InputsAndConstantsAreTheF32NumbersTheyAre) {
  EXPECT_EQ(Evaluate("r: f32[n] = constant 0.1\n", {1}),
            (Doubles{double{0.1f}}));
  EXPECT_EQ(Evaluate("c: f32 = constant 1\nr: f32[n] = mul x, c\n", {0.3f}),
            (Doubles{double{0.3f}}));
}

TEST(Evaluate, EveryOperationIsRoundedToBinary64) {
  EXPECT_EQ(Evaluate("c: f32 = constant 1\nr: f32[n] = div c, x\n", {3}),
            (Doubles{1.0 / 3.0}));
  EXPECT_EQ(Evaluate("c: f32 = constant 1\nr: f32[n] = add c, x\n", {0x1p-40f}),
            (Doubles{1.0 + 0x1p-40}));
  EXPECT_EQ(Evaluate("r: f32[n] = sqrt x\n", {2}), (Doubles{std::sqrt(2.0)}));
  EXPECT_EQ(Evaluate("r: f32[n] = exp x\n", {0.75f, -3}),
            (Doubles{ExpRounded(0.75), ExpRounded(-3)}));
  EXPECT_EQ(Evaluate("d: i64[n] = iota n from 16777217\n"
                     "r: f32[n] = convert d\n",
                     {0}),
            (Doubles{16777217}));
}

TEST(Evaluate, OrderIsThatOfTheProgram) {
  const Floats x = {0x1p60f, 1, -0x1p60f, 1};
  const auto sum = [&](const std::string& order) {
    return Evaluate("s: f32 = reduce sum " + order +
                        " x over n\nz: f32[n] = constant 0\n"
                        "r: f32[n] = add z, s\n",
                    x)[0];
  };
  // Ascending, the first one is swallowed; halving, neither is.
  EXPECT_EQ(sum("sequential"), 1);
  EXPECT_EQ(sum("tree"), 2);
}

TEST(Evaluate, AnMmaFusesOnlyWhereItSaysSo) {
  const auto rest = [](const std::string& permission) {
    return Evaluate(
        "one: f32 = constant 1\nless: f32 = constant -1\n"
        "third: f32[n] = div one, x\nr: f32[n] = mma " +
            permission + " third, x, less\n",
        {3});
  };
  EXPECT_EQ(rest("strict"), (Doubles{0}));
  EXPECT_EQ(rest("fma"), (Doubles{-0x1p-54}));
}

TEST(Evaluate, MemoryIsThatOfBinary64) {
  const auto program = tile::ReadProgram(
      ProgramText("axis n = 64\ninput a f32[64]\noutput o f32[64]\n",
                  "x: f32[n] = load a[0:n]\nstore x -> o[0:n]\n"),
      "test");
  ASSERT_TRUE(program.ok());
  const Buffers inputs = {{"a", Floats(64, 1.0f)}};
  // The tile and the output of f32, their marks, and i.
  const InterpreterLimits narrow{.memory_bytes_max = 64 * 4 + 64 * 5 + 8};
  EXPECT_TRUE(RunProgram(*program, inputs, narrow).ok());
  const auto refused = EvaluateProgram(*program, inputs, narrow);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kLimitExceeded);
}

TEST(Evaluate, RefusesWhatRunProgramRefuses) {
  const auto program = tile::ReadProgram(
      ProgramText("axis n = 2\ninput a f32[2]\noutput o f32[3]\n",
                  "x: f32[n] = load a[0:n]\nstore x -> o[0:n]\n"),
      "test");
  ASSERT_TRUE(program.ok());
  const auto gap = EvaluateProgram(*program, {{"a", Floats{1, 2}}});
  ASSERT_FALSE(gap.ok());
  EXPECT_NE(gap.error().message.find("element [2]"), std::string::npos)
      << gap.error().message;
  EXPECT_FALSE(EvaluateProgram(*program, {}).ok());
}

}  // namespace
}  // namespace exhibit
