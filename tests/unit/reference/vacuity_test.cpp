#include "audit/reference/vacuity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace exhibit {
namespace {

// 1, 2, ..., count, far from zero and from one another.
std::vector<double> Spread(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) values.push_back(i);
  return values;
}

TEST(Vacuity, SpreadOutputIsAccepted) {
  EXPECT_TRUE(CheckNotVacuous(Spread(100), {1e-6, 1e-5}).ok());
}

TEST(Vacuity, FivePerCentNearZeroIsTheMostAllowed) {
  std::vector<double> values = Spread(40);
  values[0] = values[1] = 1e-7;
  EXPECT_TRUE(CheckNotVacuous(values, {1e-6, 1e-5}).ok());
  values[2] = -1e-7;
  const Status refused = CheckNotVacuous(values, {1e-6, 1e-5});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("3 of 40"), std::string::npos);
}

TEST(Vacuity, ConstantOutputIsRefused) {
  const std::vector<double> values(50, 3.25);
  EXPECT_FALSE(CheckNotVacuous(values, {1e-6, 1e-5}).ok());
}

// It need not be the mean that every element accepts.
TEST(Vacuity, WhatOneNumberAnswersIsRefused) {
  std::vector<double> values(64, 6.0);
  values[0] = 15.9;
  EXPECT_FALSE(CheckNotVacuous(values, {5.0, 0.0}).ok());
  EXPECT_TRUE(CheckNotVacuous(values, {4.9, 0.0}).ok());
  std::vector<double> relative(64, 2.9);
  relative[3] = 1.0;
  EXPECT_FALSE(CheckNotVacuous(relative, {0.0, 0.499}).ok());
  EXPECT_TRUE(CheckNotVacuous(relative, {0.0, 0.48}).ok());
}

TEST(Vacuity, OneElementAwayFromTheMeanIsEnough) {
  std::vector<double> values(50, 3.25);
  values[7] = 3.26;
  EXPECT_TRUE(CheckNotVacuous(values, {1e-6, 1e-5}).ok());
}

TEST(Vacuity, RelativeToleranceOfOneAcceptsZero) {
  EXPECT_FALSE(CheckNotVacuous(Spread(10), {0.0, 1.0}).ok());
}

TEST(Vacuity, EmptyAndNonFiniteOutputsAreRefused) {
  EXPECT_FALSE(CheckNotVacuous({}, {1e-6, 1e-5}).ok());
  std::vector<double> values = Spread(10);
  for (double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    values[3] = bad;
    EXPECT_FALSE(CheckNotVacuous(values, {1e-6, 1e-5}).ok());
  }
}

}  // namespace
}  // namespace exhibit
