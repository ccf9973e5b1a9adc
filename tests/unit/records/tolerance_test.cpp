#include "manifests/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace exhibit {
namespace {

constexpr Tolerance kTolerance = {.absolute = 0.25, .relative = 0.5};

TEST(Tolerance, TheBoundItselfPassesAndTheNextFloatFails) {
  const std::vector<double> expected = {2.0};
  const std::vector<float> at = {3.25F};
  EXPECT_TRUE(CheckTolerance(at, expected, kTolerance).ok());
  const std::vector<float> beyond = {std::nextafter(3.25F, 4.0F)};
  const auto result = CheckTolerance(beyond, expected, kTolerance);
  EXPECT_EQ(result.failed_elements, 1);
  EXPECT_EQ(result.first_failed, 0);
  EXPECT_GT(*result.max_error, 1.25);
}

TEST(Tolerance, WhatIsNotFiniteFailsHoweverWideTheTolerance) {
  const Tolerance wide = {.absolute = 1e30, .relative = 1};
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  for (double bad : {nan, inf, -inf}) {
    const std::vector<float> actual = {1.0F, static_cast<float>(bad)};
    const std::vector<double> expected = {1.0, 1.0};
    const auto result = CheckTolerance(actual, expected, wide);
    EXPECT_EQ(result.failed_elements, 1);
    EXPECT_EQ(result.first_failed, 1);
    EXPECT_FALSE(result.max_error.has_value());
    const std::vector<float> one = {1.0F};
    const std::vector<double> unexpected = {bad};
    EXPECT_FALSE(CheckTolerance(one, unexpected, kTolerance).ok() &&
                 std::isnan(bad));
  }
}

TEST(Tolerance, AFailureNamesBufferIndexAndBothValues) {
  const std::vector<float> actual = {1.0F, 9.5F};
  const std::vector<double> expected = {1.0, 1.5};
  const auto result = CheckTolerance(actual, expected, kTolerance);
  EXPECT_EQ(DescribeFailure("output", actual, expected, result),
            "output: 1 of 2 elements outside tolerance, first [1]: got 9.5, "
            "expected 1.5");
}

TEST(Tolerance, TwoLengthsAreABug) {
  EXPECT_THROW(
      CheckTolerance(std::vector<float>(2), std::vector<double>(3), kTolerance),
      std::logic_error);
}

}  // namespace
}  // namespace exhibit
