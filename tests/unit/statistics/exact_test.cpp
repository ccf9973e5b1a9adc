#include "audit/statistics/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace exhibit {
namespace {

TEST(Median, OddCountTakesTheMiddle) { EXPECT_EQ(Median({3, 1, 2}), 2.0); }

TEST(Median, EvenCountTakesTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Median({9, 1, 2, 4}), 3.0);
}

TEST(Median, OfNothingIsABug) { EXPECT_THROW(Median({}), std::logic_error); }

TEST(SignTest, SixAgreeingPairsHaveOneThirtySecond) {
  const SignTest test =
      TestSigns(std::vector<double>{0.9, 0.8, 0.99, 0.7, 0.5, 0.95});
  EXPECT_EQ(test.below, 6);
  EXPECT_EQ(test.above, 0);
  EXPECT_EQ(test.p_value, 1.0 / 32);
}

TEST(SignTest, MatchesTheBinomialByHand) {
  EXPECT_EQ(SignTestPValue(8, 1), 2.0 * 9 / 256);
  EXPECT_EQ(SignTestPValue(10, 2), 2.0 * 56 / 1024);
  EXPECT_EQ(SignTestPValue(4, 2), 1.0);
}

TEST(SignTest, TieCountsAgainstTheMajority) {
  const SignTest test =
      TestSigns(std::vector<double>{0.9, 0.9, 0.9, 0.9, 0.9, 1.0});
  EXPECT_EQ(test.ties, 1);
  EXPECT_EQ(test.p_value, SignTestPValue(6, 1));
}

TEST(SignTest, OfNothingSaysNothing) { EXPECT_EQ(TestSigns({}).p_value, 1.0); }

TEST(SignTest, NonPositiveRatioIsABug) {
  EXPECT_THROW(TestSigns(std::vector<double>{0.0}), std::logic_error);
  EXPECT_THROW(TestSigns(std::vector<double>{std::nan("")}), std::logic_error);
}

TEST(RatioEstimate, OfTwoIsTheMiddleOfThreeAverages) {
  const RatioEstimate found =
      EstimateRatio(std::vector<double>{0.25, 1.0}, 0.05);
  EXPECT_EQ(found.estimate, 0.5);  // 0.25, sqrt(0.25), 1.
  EXPECT_FALSE(found.interval.has_value());
}

TEST(RatioEstimate, IntervalOfSixIsTheRangeOfThePairs) {
  const std::vector<double> ratios{0.97, 0.93, 0.99, 0.95, 0.96, 0.9};
  const RatioEstimate found = EstimateRatio(ratios, 0.05);
  ASSERT_TRUE(found.interval.has_value());
  EXPECT_EQ(found.interval->low, 0.9);
  EXPECT_EQ(found.interval->high, 0.99);
  EXPECT_EQ(found.interval->coverage, 1.0 - 2.0 / 64);
}

TEST(RatioEstimate, FivePairsHaveNoIntervalAtFivePerCent) {
  const std::vector<double> five{0.9, 0.9, 0.9, 0.9, 0.9};
  EXPECT_FALSE(EstimateRatio(five, 0.05).interval.has_value());
  // 2 / 2^5 is allowed by its own level and by no smaller one.
  EXPECT_TRUE(EstimateRatio(five, 2.0 / 32).interval.has_value());
}

// Counts subsets of {1..n} by brute force, independently of the recursion.
double SubsetTail(int n, int sum_max) {
  int count = 0;
  for (int subset = 0; subset < (1 << n); ++subset) {
    int sum = 0;
    for (int j = 0; j < n; ++j) sum += (subset >> j & 1) * (j + 1);
    count += sum <= sum_max;
  }
  return static_cast<double>(count) / (1 << n);
}

TEST(RatioEstimate, IntervalRankIsTheLargestThatKeepsTheLevel) {
  for (int n = 6; n <= 14; ++n) {
    std::vector<double> ratios;
    for (int i = 0; i < n; ++i) ratios.push_back(1.0 + 0.01 * i);
    const RatioEstimate found = EstimateRatio(ratios, 0.05);
    ASSERT_TRUE(found.interval.has_value());
    int k = 0;
    while (2 * SubsetTail(n, k) <= 0.05) ++k;
    EXPECT_EQ(found.interval->coverage, 1.0 - 2 * SubsetTail(n, k - 1)) << n;
    int not_above = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = i; j < n; ++j) {
        not_above += std::sqrt(ratios[i] * ratios[j]) <= found.interval->low;
      }
    }
    EXPECT_GE(not_above, k) << n;
  }
}

TEST(RatioEstimate, LargestCountKeepsItsLevel) {
  std::vector<double> ratios(kObservationCountMax, 1.25);
  const RatioEstimate found = EstimateRatio(ratios, 0.05);
  ASSERT_TRUE(found.interval.has_value());
  EXPECT_EQ(found.estimate, 1.25);
  EXPECT_GE(found.interval->coverage, 0.95);
  EXPECT_LT(found.interval->coverage, 0.951);
  ratios.push_back(1.25);
  EXPECT_THROW(EstimateRatio(ratios, 0.05), std::logic_error);
}

TEST(Holm, StepsDownAndNeverDecreases) {
  const std::vector<double> p{0.04, 0.01, 0.03, 0.5};
  const std::vector<double> adjusted = AdjustHolm(p);
  EXPECT_EQ(adjusted[1], 4 * 0.01);
  EXPECT_EQ(adjusted[2], 3 * 0.03);
  EXPECT_EQ(adjusted[0], 3 * 0.03);  // 2 * 0.04 is less.
  EXPECT_EQ(adjusted[3], 0.5);
}

TEST(MinimumPairs, IsWhereTwoHalvingsPassBelowAlpha) {
  EXPECT_EQ(*MinimumPairs(0.05), 6);
  EXPECT_EQ(*MinimumPairs(0.01), 8);
  // Below, not at: six pairs have exactly 1/32.
  EXPECT_EQ(*MinimumPairs(1.0 / 32), 7);
  EXPECT_EQ(*MinimumPairs(0.05, 6), 8);  // 2^-7 < 0.05 / 6 < 2^-6.
}

TEST(MinimumPairs, RefusesWhatCannotBe) {
  EXPECT_EQ(MinimumPairs(0.0).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(MinimumPairs(1.0).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(MinimumPairs(std::nan("")).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(MinimumPairs(0.05, 0).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(MinimumPairs(5e-324).error().kind, ErrorKind::kLimitExceeded);
}

TEST(FalseClaims, ChanceGrowsWithTheCases) {
  EXPECT_EQ(ChanceOfFalseClaim(0.05, 0), 0.0);
  EXPECT_NEAR(ChanceOfFalseClaim(0.05, 1), 0.05, 1e-15);
  EXPECT_NEAR(ChanceOfFalseClaim(0.05, 6), 0.2649, 1e-4);
}

}  // namespace
}  // namespace exhibit
