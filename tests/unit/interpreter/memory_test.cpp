// Buffers, definition time, carries, instances and limits.

#include <cstdint>

#include "audit/interpreter/interpreter.h"
#include "audit/reference/exact_math.h"
#include "compiler/tile/text.h"
#include "tests/unit/interpreter/run_text.h"

namespace exhibit {
namespace {

std::string MessageOf(const Result<Buffers>& outputs) {
  return outputs.ok() ? "it ran" : outputs.error().message;
}

// Copies a[from .. from + 3] to o[to .. to + 3] of a buffer filled before.
Result<Buffers> Copy(const std::string& from, const std::string& to) {
  return RunText(
      ProgramText("axis n = 4\ninput a f32[4]\ninout o f32[4]\n",
                  "f: i64 = constant " + from + "\nt: i64 = constant " + to +
                      "\nx: f32[n] = load a[f:n]\nstore x -> o[t:n]\n"),
      {{"a", Floats{1, 2, 3, 4}}, {"o", Floats{9, 9, 9, 9}}});
}

TEST(Memory, LoadsOutsideGiveZeroAndStoresOutsideAreSkipped) {
  const struct {
    const char* from;
    const char* to;
    Floats expected;
  } cases[] = {
      {"0", "0", {1, 2, 3, 4}},
      {"1", "0", {2, 3, 4, 0}},
      {"-1", "0", {0, 1, 2, 3}},
      {"4", "0", {0, 0, 0, 0}},
      {"-4", "0", {0, 0, 0, 0}},
      {"0", "3", {9, 9, 9, 1}},
      {"0", "-3", {4, 9, 9, 9}},
      {"0", "4", {9, 9, 9, 9}},
      {"0", "-4", {9, 9, 9, 9}},
      {"9223372036854775807", "0", {0, 0, 0, 0}},
      {"-9223372036854775808", "0", {0, 0, 0, 0}},
      {"0", "9223372036854775807", {9, 9, 9, 9}},
      {"0", "-9223372036854775808", {9, 9, 9, 9}},
  };
  for (const auto& [from, to, expected] : cases) {
    EXPECT_EQ(BufferOf<Floats>(Copy(from, to), "o"), expected)
        << from << " to " << to;
  }
}

TEST(Memory, TailsAreCutInEveryDimension) {
  // 2 x 2 tiles over 3 x 3, each transposed on its way.
  const auto outputs = RunText(
      "exhibit.tile/1\nprogram p\naxis m = 2\naxis n = 2\ninput a f32[3, 3]\n"
      "output o f32[3, 3]\nparallel i < 2, j < 2 {\n"
      "  two: i64 = constant 2\n  r: i64 = mul i, two\n  c: i64 = mul j, two\n"
      "  x: f32[n, m] = load a[r:m, c:n]\n  store x -> o[c:n, r:m]\n}\n",
      {{"a", Floats{1, 2, 3, 4, 5, 6, 7, 8, 9}}});
  // Separated by i along the columns and by j along the rows.
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"),
            (Floats{1, 4, 7, 2, 5, 8, 3, 6, 9}));
}

TEST(Memory, DimensionWithoutAnAxisIsOneIndex) {
  const auto outputs = RunText(
      ProgramText("axis n = 2\ninput a f32[3, 2]\noutput o f32[2]\n"
                  "output q f32[2]\n",
                  "x: f32[n] = load a[1, 0:n]\ny: f32[n] = load a[3, 0:n]\n"
                  "store x -> o[0:n]\nstore y -> q[0:n]\n"),
      {{"a", Floats{1, 2, 3, 4, 5, 6}}});
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"), (Floats{3, 4}));
  EXPECT_EQ(BufferOf<Floats>(outputs, "q"), (Floats{0, 0}));
}

TEST(Memory, StoreDoesNotChangeATileLoadedBefore) {
  const auto outputs =
      RunText(ProgramText("axis n = 2\ninout c f32[2]\noutput o f32[2]\n",
                          "x: f32[n] = load c[0:n]\nzero: f32[n] = constant 0\n"
                          "store zero -> c[0:n]\ny: f32[n] = load c[0:n]\n"
                          "r: f32[n] = sub x, y\nstore r -> o[0:n]\n"),
              {{"c", Floats{5, 6}}});
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"), (Floats{5, 6}));
  EXPECT_EQ(BufferOf<Floats>(outputs, "c"), (Floats{0, 0}));
}

TEST(Memory, AllCarriesUpdateAtOnce) {
  // (a, b) becomes (b, a + b).
  const auto outputs = RunText(
      ProgramText("output o f32[2]\n",
                  "zero: f32 = constant 0\none: f32 = constant 1\n"
                  "pipeline s < 10 {\n  carry a: f32 = zero\n"
                  "  carry b: f32 = one\n  c: f32 = add a, b\n"
                  "  yield b, c\n}\nstore a -> o[0]\nstore b -> o[1]\n"),
      {});
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"), (Floats{55, 89}));
}

TEST(Memory, CarriesMaySwap) {
  const auto outputs =
      RunText(ProgramText("axis n = 2\noutput o i64[2, 2]\n",
                          "x: i64[n] = constant 1\ny: i64[n] = iota n from 7\n"
                          "pipeline s < 3 {\n  carry a: i64[n] = x\n"
                          "  carry b: i64[n] = y\n  yield b, a\n}\n"
                          "store a -> o[0, 0:n]\nstore b -> o[1, 0:n]\n"),
              {});
  EXPECT_EQ(BufferOf<Integers>(outputs, "o"), (Integers{7, 8, 1, 1}));
}

TEST(Memory, PipelineWithoutTripsLeavesTheInitialTiles) {
  const auto outputs =
      RunText(ProgramText("output o f32[1]\n",
                          "x: f32 = constant 3\ny: f32 = constant 4\n"
                          "pipeline s < 0 {\n  carry a: f32 = x\n  yield y\n}\n"
                          "store a -> o[0]\n"),
              {});
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"), (Floats{3}));
}

TEST(Memory, PipelinesNestAndCountTheirTrips) {
  // Sum over s < 3 and t < 4 of 10 * s + t.
  const auto outputs = RunText(
      ProgramText("output o i64[1]\n",
                  "zero: i64 = constant 0\nten: i64 = constant 10\n"
                  "pipeline s < 3 {\n  carry a: i64 = zero\n"
                  "  u: i64 = mul s, ten\n  pipeline t < 4 {\n"
                  "    carry b: i64 = a\n    v: i64 = add u, t\n"
                  "    w: i64 = add b, v\n    yield w\n  }\n  yield b\n}\n"
                  "store a -> o[0]\n"),
      {});
  EXPECT_EQ(BufferOf<Integers>(outputs, "o"), (Integers{138}));
}

TEST(Memory, EveryInstanceRunsWithItsIndices) {
  const auto outputs = RunText(
      "exhibit.tile/1\nprogram p\noutput o i64[2, 3]\n"
      "parallel i < 2, j < 3 {\n  ten: i64 = constant 10\n"
      "  r: i64 = mul i, ten\n  x: i64 = add r, j\n  store x -> o[i, j]\n}\n",
      {});
  EXPECT_EQ(BufferOf<Integers>(outputs, "o"), (Integers{0, 1, 2, 10, 11, 12}));
}

TEST(Memory, ElementThatNobodyWritesIsAnError) {
  const auto outputs =
      RunText(ProgramText("axis n = 2\noutput o f32[2, 3]\n",
                          "x: f32[n] = constant 1\nstore x -> o[0:n, 0]\n"
                          "store x -> o[0:n, 1]\nstore x -> o[1:n, 2]\n"),
              {});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(outputs.error().message,
            "no instance writes element [0,2] of buffer \"o\"");
}

TEST(Memory, InputsMustBeThoseDeclared) {
  const std::string text = ProgramText("input a f32[2]\noutput o f32[1]\n",
                                       "x: f32 = load a[0]\nstore x -> o[0]\n");
  EXPECT_TRUE(RunText(text, {{"a", Floats{1, 2}}}).ok());
  const struct {
    Buffers inputs;
    const char* message;
  } cases[] = {
      {{}, "buffer \"a\" is missing"},
      {{{"a", Floats{1}}}, "buffer \"a\" has 2 elements, not 1"},
      {{{"a", Integers{1, 2}}}, "buffer \"a\" is of f32"},
      {{{"a", Floats{1, 2}}, {"o", Floats{0}}},
       "buffer \"o\" is an output, but was given"},
      {{{"a", Floats{1, 2}}, {"b", Floats{0}}},
       "2 buffers were given, 1 are declared"},
  };
  for (const auto& [inputs, message] : cases) {
    const auto outputs = RunText(text, inputs);
    EXPECT_EQ(MessageOf(outputs), message);
    ASSERT_FALSE(outputs.ok());
    EXPECT_EQ(outputs.error().kind, ErrorKind::kInvalidArgument);
  }
}

TEST(Memory, ProgramThatMeansNothingIsRefused) {
  tile::Program program;
  program.name = "p";
  program.body.push_back({tile::Store{17, {3, {}}}});
  const auto outputs = RunProgram(program, {});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::kInvalidArgument);
}

TEST(Limits, OperationsAreCountedToTheLast) {
  // An instance, a constant, the pipeline, five trips with a carry and one
  // addition each, and a store.
  const std::string text =
      ProgramText("output o f32[1]\n",
                  "x: f32 = constant 1\npipeline s < 5 {\n  carry a: f32 = x\n"
                  "  b: f32 = add a, x\n  yield b\n}\nstore a -> o[0]\n");
  const int64_t k = kStatementOperations;
  const int64_t needed =
      k + (k + 1) + (k + 2) + 5 * ((k + 2) + (k + 1)) + (k + 1);
  EXPECT_TRUE(RunText(text, {}, {.operation_count_max = needed}).ok());
  int64_t left = -1;
  const auto outputs = RunText(
      text, {}, {.operation_count_max = needed - 1, .operations_left = &left});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_EQ(left, 0);
  EXPECT_TRUE(
      RunText(text, {},
              {.operation_count_max = needed + 7, .operations_left = &left})
          .ok());
  EXPECT_EQ(left, 7);
}

TEST(Limits, AnExpCostsWhatItTakes) {
  const std::string text =
      ProgramText("output o f32[1]\n",
                  "x: f32 = constant 1\ny: f32 = exp x\nstore y -> o[0]\n");
  const auto spent = [&](auto run) {
    InterpreterLimits limits;
    int64_t left = 0;
    limits.operations_left = &left;
    EXPECT_TRUE(run(limits).ok());
    return limits.operation_count_max - left;
  };
  const int64_t others = 4 * kStatementOperations + 2;
  EXPECT_EQ(spent([&](const InterpreterLimits& limits) {
              return RunText(text, {}, limits);
            }),
            others + kExpF32Operations);
  const tile::Program program = *tile::ReadProgram(text, "p.tile");
  EXPECT_EQ(spent([&](const InterpreterLimits& limits) {
              return EvaluateProgram(program, {}, limits);
            }),
            others + kExpOperations);
}

TEST(Limits, EndlessLoopsEnd) {
  const auto outputs = RunText(
      "exhibit.tile/1\nprogram p\nparallel i < 4294967295 {\n"
      "pipeline s < 2147483648 {\n  pipeline t < 2147483648 {\n  }\n}\n}\n",
      {}, {.operation_count_max = 100'000});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_EQ(outputs.error().message,
            "the program takes more than 100000 operations");
}

TEST(Limits, LargeMmaIsRefusedBeforeItStarts) {
  // 2^40 terms.
  const auto outputs = RunText(
      ProgramText("axis m = 1048576\naxis k = 1048576\noutput o f32[1]\n",
                  "x: f32[k] = constant 1\nz: f32 = constant 0\n"
                  "r: f32[m] = mma strict x, x, z\n"
                  "y: f32 = reduce sum tree r over m\nstore y -> o[0]\n"),
      {});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::kLimitExceeded);
}

TEST(Limits, MemoryIsCountedToTheByte) {
  // Index, constant, step, argument and result; the update; the output.
  const std::string text = ProgramText(
      "axis n = 3\ninout c i64[3]\noutput o f32[3]\n",
      "x: f32[n] = constant 1\npipeline s < 1 {\n  carry a: f32[n] = x\n"
      "  yield a\n}\nstore a -> o[0:n]\n");
  const int64_t needed = 8 + 12 + 8 + 12 + 12 + 12 + 3 * 5 + 3 * 9;
  const Buffers inputs = {{"c", Integers{1, 2, 3}}};
  EXPECT_TRUE(RunText(text, inputs, {.memory_bytes_max = needed}).ok());
  const auto outputs = RunText(text, inputs, {.memory_bytes_max = needed - 1});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_EQ(outputs.error().message,
            "the program needs " + std::to_string(needed) +
                " bytes of memory, the limit is " + std::to_string(needed - 1));
}

}  // namespace
}  // namespace exhibit
