// The order of roundings, which is part of a program.

#include <cmath>

#include "tests/unit/interpreter/run_text.h"

namespace exhibit {
namespace {

// mma `permission` of a[k] and b[k] on the seed.
Result<Buffers> Dot(const std::string& permission, const Floats& a,
                    const Floats& b, float seed) {
  const std::string k = std::to_string(a.size());
  return RunText(
      ProgramText("axis k = " + k + "\ninput a f32[" + k + "]\ninput b f32[" +
                      k + "]\ninput c f32[1]\noutput o f32[1]\n",
                  "x: f32[k] = load a[0:k]\ny: f32[k] = load b[0:k]\n"
                  "z: f32 = load c[0]\nr: f32 = mma " +
                      permission + " x, y, z\nstore r -> o[0]\n"),
      {{"a", a}, {"b", b}, {"c", Floats{seed}}});
}

Floats Reduced(const std::string& kind, const std::string& order,
               const Floats& a) {
  const std::string n = std::to_string(a.size());
  return BufferOf<Floats>(
      RunText(ProgramText("axis n = " + n + "\ninput a f32[" + n +
                              "]\noutput o f32[1]\n",
                          "x: f32[n] = load a[0:n]\nr: f32 = reduce " + kind +
                              " " + order + " x over n\nstore r -> o[0]\n"),
              {{"a", a}}),
      "o");
}

TEST(Order, StrictRoundsTheProductAndFmaDoesNot) {
  const float above = 1 + 0x1p-23f;
  const float below = 1 - 0x1p-23f;
  EXPECT_EQ(BufferOf<Floats>(Dot("strict", {above}, {below}, -1), "o"),
            (Floats{0}));
  EXPECT_EQ(BufferOf<Floats>(Dot("strict", {below}, {above}, -1), "o"),
            (Floats{0}));
  EXPECT_EQ(BufferOf<Floats>(Dot("fma", {above}, {below}, -1), "o"),
            (Floats{-0x1p-46f}));
  EXPECT_EQ(BufferOf<Floats>(Dot("fma", {below}, {above}, -1), "o"),
            (Floats{-0x1p-46f}));
}

TEST(Order, RelaxedIsRefused) {
  const auto outputs = Dot("relaxed", {1}, {1}, 0);
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(outputs.error().message,
            "mma \"r\" is relaxed, so more than one result is right");
}

TEST(Order, MmaAddsAscendingFromTheSeed) {
  const Floats ones = {1, 1, 1};
  // ((2^24 + 1) + 1) - 2^24: each 1 is lost; descending none would be.
  EXPECT_EQ(
      BufferOf<Floats>(Dot("strict", {1, 1, -0x1p24f}, ones, 0x1p24f), "o"),
      (Floats{0}));
  EXPECT_EQ(
      BufferOf<Floats>(Dot("strict", {-0x1p24f, 1, 1}, ones, 0x1p24f), "o"),
      (Floats{2}));
}

TEST(Order, SeveralContractedAxesGoRowMajorInLeftOrder) {
  // Left [k, l] in order: 2^24, -2^24, 1, 0. Right is stored the other way.
  const auto run = [](const std::string& left, const std::string& view) {
    return BufferOf<Floats>(
        RunText(ProgramText("axis k = 2\naxis l = 2\ninput a f32[2, 2]\n"
                            "input b f32[2, 2]\noutput o f32[1]\n",
                            "x: f32[" + left + "] = load a[" + view +
                                "]\ny: f32[l, k] = load b[0:l, 0:k]\n"
                                "z: f32 = constant 0\n"
                                "r: f32 = mma strict x, y, z\n"
                                "store r -> o[0]\n"),
                {{"a", Floats{0x1p24f, -0x1p24f, 1, 0}},
                 {"b", Floats{1, 1, 1, 1}}}),
        "o");
  };
  EXPECT_EQ(run("k, l", "0:k, 0:l"), (Floats{1}));
  // The same numbers, but taken 2^24, 1, -2^24, 0: the 1 is lost.
  EXPECT_EQ(run("l, k", "0:k, 0:l"), (Floats{0}));
}

TEST(Order, ReduceInSequenceStartsFromElementZero) {
  EXPECT_EQ(Reduced("sum", "sequential", {0x1p24f, 1, 1, -0x1p24f}),
            (Floats{0}));
  EXPECT_TRUE(std::signbit(Reduced("sum", "sequential", {-0.0f, -0.0f})[0]));
  EXPECT_EQ(Reduced("max", "sequential", {-3, -1, -2}), (Floats{-1}));
}

TEST(Order, ReduceAsTreeTakesIAndIPlusHalf) {
  // (2^24 + -2^24) + (1 + 1) of four elements.
  EXPECT_EQ(Reduced("sum", "tree", {0x1p24f, 1, -0x1p24f, 1}), (Floats{2}));
  // Of five, half is 4: (a0+a4), a1, a2, a3; then ((a0+a4)+a2) + (a1+a3).
  EXPECT_EQ(Reduced("sum", "tree", {0x1p24f, 1, 1, 1, -0x1p24f}), (Floats{3}));
  // Of six: a0+a4, a1+a5; (2^24 + 1 is 2^24) and then - 2^24 from a2.
  EXPECT_EQ(Reduced("sum", "tree", {0x1p24f, 3, -0x1p24f, 5, 1, 7}),
            (Floats{15}));
  EXPECT_EQ(Reduced("sum", "tree", {7}), (Floats{7}));
  EXPECT_EQ(Reduced("max", "tree", {1, 5, 2}), (Floats{5}));
}

TEST(Order, ReducesOfANanFollowMax) {
  const float nan = std::nanf("");
  // max(acc, element) gives the element where either is a NaN.
  EXPECT_EQ(Reduced("max", "sequential", {nan, 2, 1}), (Floats{2}));
  EXPECT_EQ(Reduced("max", "sequential", {5, nan, 1}), (Floats{1}));
  EXPECT_EQ(Reduced("max", "tree", {nan, 3, 4, 2}), (Floats{4}));
  EXPECT_TRUE(std::isnan(Reduced("max", "tree", {1, 2, 3, nan})[0]));
}

TEST(Order, ReduceOverAnOuterAxisKeepsTheOthers) {
  const auto outputs =
      RunText(ProgramText("axis m = 2\naxis n = 3\ninput a f32[2, 3]\n"
                          "output o f32[3]\noutput q f32[2]\n",
                          "x: f32[m, n] = load a[0:m, 0:n]\n"
                          "r: f32[n] = reduce sum sequential x over m\n"
                          "s: f32[m] = reduce max tree x over n\n"
                          "store r -> o[0:n]\nstore s -> q[0:m]\n"),
              {{"a", Floats{1, 9, 3, 4, 5, 6}}});
  EXPECT_EQ(BufferOf<Floats>(outputs, "o"), (Floats{5, 14, 9}));
  EXPECT_EQ(BufferOf<Floats>(outputs, "q"), (Floats{9, 6}));
}

}  // namespace
}  // namespace exhibit
