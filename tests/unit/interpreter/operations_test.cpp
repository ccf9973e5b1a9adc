// What each operation gives, against values worked out by hand.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/unit/interpreter/run_text.h"

namespace exhibit {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();

// Applies `statement`, which makes `r` from `x` and `y`, to the f32 buffers.
Floats OnFloats(const std::string& statement, const Floats& x,
                const Floats& y) {
  const std::string n = std::to_string(x.size());
  return BufferOf<Floats>(
      RunText(ProgramText("axis n = " + n + "\ninput a f32[" + n +
                              "]\ninput b f32[" + n + "]\noutput o f32[" + n +
                              "]\n",
                          "x: f32[n] = load a[0:n]\ny: f32[n] = load b[0:n]\n" +
                              statement + "store r -> o[0:n]\n"),
              {{"a", x}, {"b", y}}),
      "o");
}

Integers OnIntegers(const std::string& statement, const Integers& x,
                    const Integers& y) {
  const std::string n = std::to_string(x.size());
  return BufferOf<Integers>(
      RunText(ProgramText("axis n = " + n + "\ninput a i64[" + n +
                              "]\ninput b i64[" + n + "]\noutput o i64[" + n +
                              "]\n",
                          "x: i64[n] = load a[0:n]\ny: i64[n] = load b[0:n]\n" +
                              statement + "store r -> o[0:n]\n"),
              {{"a", x}, {"b", y}}),
      "o");
}

TEST(Operations, FloatArithmeticRoundsEachResult) {
  const Floats x = {1.0f, 1.0f, 6.0f};
  const Floats y = {0x1p-24f, 3.0f, -2.0f};
  EXPECT_EQ(OnFloats("r: f32[n] = add x, y\n", x, y), (Floats{1, 4, 4}));
  EXPECT_EQ(OnFloats("r: f32[n] = sub x, y\n", x, y),
            (Floats{0x1.fffffep-1f, -2, 8}));
  EXPECT_EQ(OnFloats("r: f32[n] = mul x, y\n", x, y),
            (Floats{0x1p-24f, 3, -12}));
  EXPECT_EQ(OnFloats("r: f32[n] = div x, y\n", x, y),
            (Floats{0x1p24f, 0x1.555556p-2f, -3}));
}

TEST(Operations, MaxTakesTheSecondUnlessTheFirstIsGreater) {
  const Floats r = OnFloats("r: f32[n] = max x, y\n", {1, kNan, 2, 0.0f, -0.0f},
                            {2, 5, kNan, -0.0f, 0.0f});
  EXPECT_EQ(r[0], 2);
  EXPECT_EQ(r[1], 5);
  EXPECT_TRUE(std::isnan(r[2]));
  EXPECT_TRUE(std::signbit(r[3]));
  EXPECT_FALSE(std::signbit(r[4]));
}

TEST(Operations, IntegersWrap) {
  EXPECT_EQ(OnIntegers("r: i64[n] = add x, y\n", {1, kGreatest}, {2, 1}),
            (Integers{3, kLeast}));
  EXPECT_EQ(OnIntegers("r: i64[n] = sub x, y\n", {1, kLeast}, {2, 1}),
            (Integers{-1, kGreatest}));
  EXPECT_EQ(OnIntegers("r: i64[n] = mul x, y\n", {-3, kLeast}, {2, -1}),
            (Integers{-6, kLeast}));
  EXPECT_EQ(OnIntegers("r: i64[n] = max x, y\n", {-3, 7}, {2, -1}),
            (Integers{2, 7}));
}

TEST(Operations, IntegerDivisionGoesTowardsZero) {
  EXPECT_EQ(OnIntegers("d: i64 = constant 3\nr: i64[n] = div x, d\n",
                       {7, -7, kLeast}, {0, 0, 0}),
            (Integers{2, -2, kLeast / 3}));
}

TEST(Operations, OnlyNotEqualHoldsWithANan) {
  const struct {
    const char* word;
    Floats expected;
  } cases[] = {
      {"lt", {1, 0, 0, 0}}, {"le", {1, 1, 0, 0}}, {"gt", {0, 0, 1, 0}},
      {"ge", {0, 1, 1, 0}}, {"eq", {0, 1, 0, 0}}, {"ne", {1, 0, 1, 1}},
  };
  for (const auto& [word, expected] : cases) {
    EXPECT_EQ(OnFloats("c: bool[n] = " + std::string(word) +
                           " x, y\nr: f32[n] = convert c\n",
                       {1, 2, 3, kNan}, {2, 2, 2, 2}),
              expected)
        << word;
  }
}

TEST(Operations, IntegersCompareAsIntegers) {
  const struct {
    const char* word;
    Integers expected;
  } cases[] = {
      {"lt", {1, 0, 0}}, {"le", {1, 1, 0}}, {"gt", {0, 0, 1}},
      {"ge", {0, 1, 1}}, {"eq", {0, 1, 0}}, {"ne", {1, 0, 1}},
  };
  // Neighbours that would be equal as f32.
  const Integers x = {kGreatest - 1, 5, kGreatest};
  const Integers y = {kGreatest, 5, kGreatest - 1};
  for (const auto& [word, expected] : cases) {
    EXPECT_EQ(OnIntegers("c: bool[n] = " + std::string(word) +
                             " x, y\nr: i64[n] = convert c\n",
                         x, y),
              expected)
        << word;
  }
}

TEST(Operations, AndAndSelectFollowTheirMasks) {
  const std::string masks =
      "zero: f32 = constant 0\np: bool[n] = gt x, zero\n"
      "q: bool[n] = gt y, zero\n";
  const Floats x = {1, 1, -1, -1};
  const Floats y = {2, -2, 2, -2};
  EXPECT_EQ(
      OnFloats(masks + "c: bool[n] = and p, q\nr: f32[n] = convert c\n", x, y),
      (Floats{1, 0, 0, 0}));
  EXPECT_EQ(OnFloats(masks + "r: f32[n] = select p, y, x\n", x, y),
            (Floats{2, -2, -1, -1}));
  EXPECT_EQ(OnFloats(masks + "t: bool = constant true\n"
                             "c: bool[n] = select p, q, t\n"
                             "r: f32[n] = convert c\n",
                     x, y),
            (Floats{1, 0, 1, 1}));
  EXPECT_EQ(OnIntegers("c: bool[n] = lt x, y\nr: i64[n] = select c, x, y\n",
                       {1, 5}, {2, 3}),
            (Integers{1, 3}));
}

TEST(Operations, ConvertRoundsIntegersToNearest) {
  EXPECT_EQ(
      BufferOf<Floats>(
          RunText(ProgramText("axis n = 3\ninput a i64[3]\noutput o f32[3]\n",
                              "x: i64[n] = load a[0:n]\n"
                              "r: f32[n] = convert x\nstore r -> o[0:n]\n"),
                  {{"a", Integers{-2, 16777217, 16777219}}}),
          "o"),
      (Floats{-2, 16777216, 16777220}));
}

TEST(Operations, ExpKeepsItsSpecialValues) {
  const Floats r = OnFloats("r: f32[n] = exp x\n", {0, 1, -kInf, kInf, kNan},
                            {0, 0, 0, 0, 0});
  EXPECT_EQ(r[0], 1);
  EXPECT_NEAR(r[1], 2.7182818f, 3e-7f);
  EXPECT_EQ(r[2], 0);
  EXPECT_EQ(r[3], kInf);
  EXPECT_TRUE(std::isnan(r[4]));
}

TEST(Operations, SqrtIsRoundedOnceAndKeepsTheSignOfZero) {
  const Floats r =
      OnFloats("r: f32[n] = sqrt x\n",
               {2, 0x1p-149f, 0x1.fffffep+127f, -0.0f, kInf, -1, kNan},
               {0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(r[0], 0x1.6a09e6p+0f);
  EXPECT_EQ(r[1], 0x1.6a09e6p-75f);
  EXPECT_EQ(r[2], 0x1.fffffep+63f);
  EXPECT_EQ(r[3], 0);
  EXPECT_TRUE(std::signbit(r[3]));
  EXPECT_EQ(r[4], kInf);
  EXPECT_TRUE(std::isnan(r[5]));
  EXPECT_TRUE(std::isnan(r[6]));
}

TEST(Operations, IotaCountsFromItsOffset) {
  EXPECT_EQ(OnIntegers("r: i64[n] = iota n from -1\n", {0, 0, 0}, {0, 0, 0}),
            (Integers{-1, 0, 1}));
  EXPECT_EQ(OnIntegers("f: i64 = constant 9223372036854775807\n"
                       "r: i64[n] = iota n from f\n",
                       {0, 0}, {0, 0}),
            (Integers{kGreatest, kLeast}));
}

TEST(Operations, ConstantsOfEachTypeFillTheirTile) {
  EXPECT_EQ(OnFloats("r: f32[n] = constant -0.5\n", {0, 0}, {0, 0}),
            (Floats{-0.5f, -0.5f}));
  EXPECT_EQ(OnIntegers("r: i64[n] = constant -7\n", {0, 0}, {0, 0}),
            (Integers{-7, -7}));
  EXPECT_EQ(OnFloats("c: bool[n] = constant true\nr: f32[n] = convert c\n",
                     {0, 0}, {0, 0}),
            (Floats{1, 1}));
}

TEST(Operations, OperandsBroadcastByAxisName) {
  // r[m, n] = row[m] - column[n], and the transpose of it.
  const std::string declarations =
      "axis m = 2\naxis n = 3\ninput a f32[2]\ninput b f32[3]\n"
      "output o f32[2, 3]\noutput t f32[3, 2]\n";
  const std::string body =
      "x: f32[m] = load a[0:m]\ny: f32[n] = load b[0:n]\n"
      "r: f32[m, n] = sub x, y\ns: f32[n, m] = sub x, y\n"
      "store r -> o[0:m, 0:n]\nstore s -> t[0:n, 0:m]\n";
  const auto outputs = RunText(ProgramText(declarations, body),
                               {{"a", Floats{10, 20}}, {"b", Floats{1, 2, 3}}});
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"), (Floats{9, 8, 7, 19, 18, 17}));
  EXPECT_EQ(BufferOf<Floats>(outputs, "t"), (Floats{9, 19, 8, 18, 7, 17}));
}

TEST(Operations, MmaMatchesItsOperandsByName) {
  // o[m, n] = c[n] + sum over k of a[m, k] * b[k, n].
  const auto outputs = RunText(
      ProgramText("axis m = 2\naxis n = 3\naxis k = 2\ninput a f32[2, 2]\n"
                  "input b f32[2, 3]\ninput c f32[3]\noutput o f32[2, 3]\n",
                  "x: f32[m, k] = load a[0:m, 0:k]\n"
                  "y: f32[k, n] = load b[0:k, 0:n]\nz: f32[n] = load c[0:n]\n"
                  "r: f32[m, n] = mma strict x, y, z\n"
                  "store r -> o[0:m, 0:n]\n"),
      {{"a", Floats{1, 2, 3, 4}},
       {"b", Floats{1, 10, 100, 2, 20, 200}},
       {"c", Floats{1000, 2000, 3000}}});
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"),
            (Floats{1005, 2050, 3500, 1011, 2110, 4100}));
}

TEST(Operations, MmaRightOperandMayLackAContractedAxis) {
  // o[n] = sum over k of a[k] * b[n].
  EXPECT_EQ(BufferOf<Floats>(
                RunText(ProgramText("axis n = 2\naxis k = 3\ninput a f32[3]\n"
                                    "input b f32[2]\noutput o f32[2]\n",
                                    "x: f32[k] = load a[0:k]\n"
                                    "y: f32[n] = load b[0:n]\n"
                                    "z: f32 = constant 1\n"
                                    "r: f32[n] = mma strict x, y, z\n"
                                    "store r -> o[0:n]\n"),
                        {{"a", Floats{1, 2, 3}}, {"b", Floats{1, 10}}}),
                "o"),
            (Floats{7, 61}));
}

TEST(Operations, EmptyAxesGiveSeedsAndNothing) {
  // k has no terms: the seed; z has no elements: nothing to do.
  const auto sound = RunText(
      ProgramText("axis n = 2\naxis k = 0\naxis z = 0\ninput a f32[0, 2]\n"
                  "input b f32[2]\noutput o f32[2]\noutput e f32[0, 2]\n",
                  "x: f32[k, n] = load a[0:k, 0:n]\n"
                  "y: f32[n] = load b[0:n]\n"
                  "r: f32[n] = mma strict x, y, y\nstore r -> o[0:n]\n"
                  "v: f32[z, n] = load a[1:z, 0:n]\n"
                  "s: f32[z, n] = add v, y\n"
                  "t: f32[z] = reduce sum sequential s over n\n"
                  "u: f32[z] = exp t\n"
                  "store s -> e[0:z, 0:n]\n"),
      {{"a", Floats{}}, {"b", Floats{4, 5}}});
  EXPECT_EQ(BufferOf<Floats>(sound, "o"), (Floats{4, 5}));
  EXPECT_EQ(BufferOf<Floats>(sound, "e"), Floats{});
}

}  // namespace
}  // namespace exhibit
