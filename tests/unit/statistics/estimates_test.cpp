#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "audit/statistics/statistics.h"

namespace exhibit {
namespace {

// Visits with one sample each, in the order given: A B B A from baseline.
CaseSamples Visits(const std::vector<int64_t>& times_ns) {
  CaseSamples samples;
  for (size_t i = 0; i < times_ns.size(); ++i) {
    VisitSamples visit;
    visit.cycle = static_cast<int64_t>(i) / 4;
    visit.position = static_cast<int64_t>(i) % 4;
    visit.arm = ArmOfVisit(Arm::kBaseline, static_cast<int64_t>(i));
    visit.samples_ns = {times_ns[i]};
    visit.repetitions = 1;
    samples.visits.push_back(visit);
  }
  return samples;
}

CaseEstimates Estimate(const CaseSamples& samples) {
  auto found = EstimateCase(samples, DecisionRule{}, 1);
  EXPECT_TRUE(found.ok());
  return *found;
}

TEST(Estimates, SampleIsElapsedOverRepetitionsAndVisitTheirMedian) {
  CaseSamples samples = Visits({1, 1, 1, 1});
  samples.visits[0].samples_ns = {30, 10, 100, 20};
  samples.visits[0].repetitions = 4;
  EXPECT_EQ(Estimate(samples).visit_times_ns[0], (20.0 / 4 + 30.0 / 4) / 2);
}

TEST(Estimates, DriftIsTheMedianOfLateOverEarlyWithinAnArm) {
  // Baseline 100, 110 | 121, 130; candidate 50, 50 | 60, 55.
  const CaseEstimates got =
      Estimate(Visits({100, 50, 50, 110, 121, 60, 55, 130}));
  // 1.21, 1.3, 1.1, 130/110; 1.2, 1.1, 1.2, 1.1: the middle two.
  EXPECT_EQ(*got.drift, (130.0 / 110 + 1.2) / 2);
}

TEST(Estimates, DriftSkipsTheMiddleVisitOfAnOddCount) {
  // Baseline 100, (700), 120; one visit of the candidate gives no couple.
  CaseSamples samples = Visits({100, 50, 50, 700, 120});
  samples.visits.erase(samples.visits.begin() + 2);
  EXPECT_EQ(*Estimate(samples).drift, 1.2);
  EXPECT_FALSE(Estimate(Visits({100, 50})).drift.has_value());
}

TEST(Estimates, SelfRatiosHaveASignTestOfTheirOwn) {
  const CaseEstimates got =
      Estimate(Visits({100, 50, 51, 101, 102, 52, 53, 103}));
  EXPECT_EQ(got.self_signs.above, 3);
  EXPECT_EQ(got.self_signs.p_value, 0.25);
}

TEST(Estimates, PairRatioIsCandidateOverBaselineByArm) {
  // Baseline 100 and 80, candidate 50 and 20.
  const CaseEstimates found = Estimate(Visits({100, 50, 20, 80}));
  EXPECT_EQ(found.pair_ratios, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(found.reported_ratio, 0.375);
  EXPECT_EQ(found.ratio_min, 0.25);
  EXPECT_EQ(found.ratio_max, 0.5);
  EXPECT_EQ(found.baseline_time_ns, 90.0);
  EXPECT_EQ(found.candidate_time_ns, 35.0);
}

TEST(Estimates, StartingArmChangesNeitherRatioNorSide) {
  CaseSamples samples = Visits({50, 100, 80, 20});
  for (VisitSamples& visit : samples.visits) visit.arm = OtherArm(visit.arm);
  EXPECT_EQ(Estimate(samples).pair_ratios, (std::vector<double>{0.5, 0.25}));
}

TEST(Estimates, SelfPairsAreTheMiddleAndTheSeam) {
  const CaseEstimates found =
      Estimate(Visits({100, 50, 25, 80, 40, 10, 30, 7}));
  EXPECT_EQ(found.self_ratios, (std::vector<double>{0.5, 0.5, 3.0}));
}

TEST(Estimates, NoiseFloorIsTheScaledSpreadOfSelfRatios) {
  const CaseEstimates found =
      Estimate(Visits({100, 100, 110, 100, 120, 100, 100, 100}));
  // max(s, 1/s) - 1 is 0.1, 0.2 and 0; four pairs.
  const double deviation = 110.0 / 100 - 1.0;
  EXPECT_EQ(found.noise_floor, 1.48 * deviation * 1.25 / 2.0);
}

TEST(Estimates, InterruptionSplitsThePairItFallsInto) {
  CaseSamples samples = Visits({100, 50, 20, 80});
  for (size_t i = 1; i < 4; ++i) samples.visits[i].session = 1;
  const CaseEstimates found = Estimate(samples);
  EXPECT_EQ(found.pair_ratios, (std::vector<double>{0.25}));
  EXPECT_EQ(found.self_ratios.size(), 1u);
  EXPECT_EQ(found.split_pairs, 1);
  EXPECT_EQ(found.split_self_pairs, 0);
  EXPECT_EQ(found.baseline_time_ns, 90.0);  // Nothing is dropped.
}

TEST(Estimates, InterruptionAtTheSeamSplitsASelfPairOnly) {
  CaseSamples samples = Visits({100, 50, 20, 80, 100, 50, 20, 80});
  for (size_t i = 4; i < 8; ++i) samples.visits[i].session = 1;
  const CaseEstimates found = Estimate(samples);
  EXPECT_EQ(found.pair_ratios.size(), 4u);
  EXPECT_EQ(found.self_ratios.size(), 2u);
  EXPECT_EQ(found.split_self_pairs, 1);
}

TEST(Estimates, MissingVisitPairsWithNothing) {
  CaseSamples samples = Visits({100, 50, 20, 80});
  samples.visits.erase(samples.visits.begin() + 1);
  const CaseEstimates found = Estimate(samples);
  EXPECT_EQ(found.pair_ratios, (std::vector<double>{0.25}));
  EXPECT_TRUE(found.self_ratios.empty());
  EXPECT_FALSE(found.noise_floor.has_value());
}

TEST(Estimates, NoVisitsGiveNoNumbers) {
  const CaseEstimates found = Estimate(CaseSamples{});
  EXPECT_FALSE(found.reported_ratio.has_value());
  EXPECT_FALSE(found.baseline_time_ns.has_value());
}

TEST(Estimates, BadVisitsAreRejected) {
  using Damage = void (*)(std::vector<VisitSamples>&);
  const std::vector<Damage> damages = {
      [](auto& v) { v[1].samples_ns.clear(); },
      [](auto& v) { v[1].samples_ns[0] = 0; },
      [](auto& v) { v[1].samples_ns[0] = -5; },
      [](auto& v) { v[1].repetitions = 0; },
      [](auto& v) { v[1].position = 4; },
      [](auto& v) { v[1].position = -1; },
      [](auto& v) { v[0].cycle = -1; },
      [](auto& v) { v[1].position = 0; },
      [](auto& v) { v[3].cycle = 7, v[2].cycle = 8; },
      [](auto& v) { v[1].arm = Arm::kBaseline; },
      [](auto& v) { v[0].session = 3; },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    CaseSamples samples = Visits({100, 50, 20, 80});
    damages[i](samples.visits);
    auto found = EstimateCase(samples, DecisionRule{}, 1);
    ASSERT_FALSE(found.ok()) << i;
    EXPECT_EQ(found.error().kind, ErrorKind::kCorrupt) << i;
  }
}

TEST(Estimates, LimitsHoldAtTheirEdge) {
  CaseSamples samples = Visits({100, 50, 20, 80});
  samples.visits[2].samples_ns = {20, 20};
  const DecisionRule rule;
  EXPECT_TRUE(EstimateCase(samples, rule, 1, {4, 2}).ok());
  EXPECT_EQ(EstimateCase(samples, rule, 1, {3, 2}).error().kind,
            ErrorKind::kLimitExceeded);
  EXPECT_EQ(EstimateCase(samples, rule, 1, {4, 1}).error().kind,
            ErrorKind::kLimitExceeded);
}

TEST(Estimates, BadRuleIsRejected) {
  const CaseSamples samples = Visits({1, 1, 1, 1});
  EXPECT_FALSE(EstimateCase(samples, {.alpha = 0.0}, 1).ok());
  EXPECT_FALSE(EstimateCase(samples, {.alpha = 1.0}, 1).ok());
  EXPECT_FALSE(EstimateCase(samples, {.minimum_effect = -0.1}, 1).ok());
  EXPECT_FALSE(EstimateCase(samples, DecisionRule{}, 0).ok());
}

TEST(Bistable, TwoLevelsAreSeen) {
  EXPECT_TRUE(InTwoGroups({10.0, 10.1, 9.9, 14.0, 14.1, 10.0, 14.0}));
}

TEST(Bistable, OneStragglerIsNotALevel) {
  EXPECT_FALSE(InTwoGroups({10.0, 10.1, 9.9, 10.0, 10.0, 10.1, 90.0}));
}

TEST(Bistable, StepUnderATwentiethIsNotALevel) {
  EXPECT_FALSE(InTwoGroups({100, 100, 100, 104, 104, 104}));
  EXPECT_TRUE(InTwoGroups({100, 100, 100, 105, 105, 105}));
}

TEST(Bistable, EvenSpreadIsNotTwoLevels) {
  EXPECT_FALSE(InTwoGroups({10, 11, 12, 13, 14, 15, 16}));
  EXPECT_FALSE(InTwoGroups({10, 12, 14}));
  EXPECT_FALSE(InTwoGroups({}));
}

TEST(Fastest, RowBeatenByAnotherOfItsShapeIsMarked) {
  const std::vector<RowTimes> rows = {
      {"decode", 20, 18}, {"decode", 17, 30}, {"mha", 99, 98}};
  EXPECT_EQ(NotTheFastestSeen(rows), (std::vector<bool>{true, false, false}));
}

}  // namespace
}  // namespace exhibit
