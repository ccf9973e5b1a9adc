#include "audit/reference/exact_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "audit/reference/mpfr_math.h"
#include "audit/reference/sine_input.h"

namespace exhibit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Exp, SpecialArgumentsHaveTheirValues) {
  EXPECT_EQ(ExpRounded(0.0), 1.0);
  EXPECT_EQ(ExpRounded(-0.0), 1.0);
  EXPECT_EQ(ExpRounded(-kInfinity), 0.0);
  EXPECT_EQ(ExpRounded(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(ExpRounded(std::nan(""))));
}

TEST(Exp, KnownValuesAreCorrectlyRounded) {
  EXPECT_EQ(ExpRounded(1.0), 0x1.5bf0a8b145769p+1);
  EXPECT_EQ(ExpRounded(-1.0), 0x1.78b56362cef38p-2);
}

TEST(Exp, EdgesOfTheRangeRoundOnce) {
  EXPECT_EQ(ExpRounded(0x1.62e42fefa39efp+9), 0x1.fffffffffff2ap+1023);
  EXPECT_EQ(ExpRounded(0x1.62e42fefa39fp+9), kInfinity);
  EXPECT_EQ(ExpRounded(-0x1.74910d52d3051p+9), 0x1p-1074);
  EXPECT_EQ(ExpRounded(-0x1.74910d52d3053p+9), 0.0);
  EXPECT_EQ(ExpRounded(-746.5), 0.0);
  EXPECT_EQ(ExpRounded(711.0), kInfinity);
}

TEST(Exp, NeighboursOfZeroRoundAroundOne) {
  EXPECT_EQ(ExpRounded(0x1p-1074), 1.0);
  EXPECT_EQ(ExpRounded(-0x1p-1074), 1.0);
  EXPECT_EQ(ExpRounded(0x1p-53), 0x1.0000000000001p+0);  // Just past the tie.
  EXPECT_EQ(ExpRounded(-0x1p-54), 1.0);                  // Just before it.
}

TEST(Exp, AgreesWithMpfrAllOverTheRange) {
  std::mt19937_64 random(7);
  for (double span : {1e-12, 1e-3, 1.0, 40.0, 760.0}) {
    for (int i = 0; i < 20000; ++i) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      const double x = (2.0 * unit - 1.0) * span;
      ASSERT_EQ(ExpRounded(x), ExpByMpfr(x)) << std::hexfloat << x;
    }
  }
}

TEST(Exp, AgreesWithMpfrOnAnyBits) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (std::isnan(x)) continue;
    ASSERT_EQ(ExpRounded(x), ExpByMpfr(x)) << std::hexfloat << x;
  }
}

TEST(Sine, SpecialArgumentsHaveTheirValues) {
  EXPECT_EQ(std::bit_cast<uint32_t>(SinRounded(0.0f)), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(SinRounded(-0.0f)), 0x80000000u);
  EXPECT_TRUE(std::isnan(SinRounded(std::nanf(""))));
  EXPECT_TRUE(std::isnan(SinRounded(std::numeric_limits<float>::infinity())));
}

TEST(Sine, LeastSubnormalIsItsOwnSine) {
  EXPECT_EQ(SinRounded(0x1p-149f), 0x1p-149f);
  EXPECT_EQ(SinRounded(-0x1p-149f), -0x1p-149f);
}

TEST(Sine, AgreesWithMpfrOnAnyBits) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 200000; ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(x)) continue;
    const float got = SinRounded(x);
    ASSERT_EQ(std::bit_cast<uint32_t>(got),
              std::bit_cast<uint32_t>(SinByMpfr(x)))
        << std::hexfloat << x;
  }
}

TEST(Sine, AgreesWithMpfrNearMultiplesOfHalfPi) {
  const double half_pi = 0x1.921fb54442d18p+0;
  for (int k = 1; k < 5000000; k = k < 1000 ? k + 1 : k + 997) {
    float x = static_cast<float>(k * half_pi);
    ASSERT_EQ(SinRounded(x), SinByMpfr(x)) << std::hexfloat << x;
    x = std::nextafterf(x, 0.0f);
    ASSERT_EQ(SinRounded(-x), SinByMpfr(-x)) << std::hexfloat << x;
  }
}

TEST(SineInput, FrequencyHasItsCheckValue) {
  EXPECT_EQ(SineFrequency(2), 0x1.6e978cp-3f);
}

TEST(SineInput, ElementsFollowTheDefinition) {
  for (int64_t j = 0; j < 3; ++j) {
    const auto values = SineInput(j, 400000);
    ASSERT_EQ(values.size(), 400000u);
    const float c = 0.3f * static_cast<float>(j);
    for (uint64_t i : {0u, 1u, 2u, 77u, 65535u, 394175u, 399999u}) {
      const float product = static_cast<float>(i) * SineFrequency(j);
      const float argument = product + c;
      EXPECT_EQ(values[i], SinByMpfr(argument)) << j << " " << i;
    }
  }
}

TEST(SineInput, FirstElementOfTheFirstArrayIsZero) {
  EXPECT_EQ(SineInput(0, 1), std::vector<float>{0.0f});
  EXPECT_TRUE(SineInput(0, 0).empty());
}

}  // namespace
}  // namespace exhibit
