#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "audit/statistics/statistics.h"

namespace exhibit {
namespace {

// One cycle per two ratios: the baseline takes 1e6 ns but for `wobble`, which
// is added to its second visit and so shows in the self pairs.
CaseSamples WithRatios(const std::vector<double>& ratios,
                       double wobble = 0.001) {
  CaseSamples samples;
  for (size_t i = 0; i < ratios.size() * 2; ++i) {
    VisitSamples visit;
    visit.cycle = static_cast<int64_t>(i / 4);
    visit.position = static_cast<int64_t>(i % 4);
    visit.arm = ArmOfVisit(Arm::kBaseline, static_cast<int64_t>(i));
    double time = 1e6 * (i % 4 >= 2 ? 1.0 + wobble : 1.0);
    if (visit.arm == Arm::kCandidate) time *= ratios[i / 2];
    visit.samples_ns = {static_cast<int64_t>(time)};
    visit.repetitions = 1;
    samples.visits.push_back(visit);
  }
  return samples;
}

CaseEstimates Estimate(const CaseSamples& samples,
                       const DecisionRule& rule = {}, int64_t cases = 1) {
  auto found = EstimateCase(samples, rule, cases);
  EXPECT_TRUE(found.ok());
  return *found;
}

CaseDecision Decide(const CaseSamples& samples, const DecisionRule& rule = {}) {
  const std::vector<CaseEstimates> cases{Estimate(samples, rule)};
  return DecideCases(cases, rule).cases[0];
}

bool Has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Decision, SixAgreeingPairsBeyondTheFloorAreFaster) {
  const CaseDecision got =
      Decide(WithRatios({0.95, 0.96, 0.94, 0.955, 0.95, 0.948}));
  EXPECT_EQ(got.outcome, Outcome::kFaster);
  EXPECT_EQ(got.p_value, 1.0 / 32);
  EXPECT_FALSE(got.cycles_to_decide.has_value());
}

TEST(Decision, SixAgreeingPairsAboveOneAreSlower) {
  EXPECT_EQ(Decide(WithRatios({1.05, 1.06, 1.04, 1.05, 1.05, 1.05})).outcome,
            Outcome::kSlower);
}

TEST(Decision, EffectWithinMinimumIsNoClaim) {
  const CaseDecision got =
      Decide(WithRatios({0.995, 0.996, 0.994, 0.995, 0.995, 0.995}));
  EXPECT_EQ(got.outcome, Outcome::kSame);
  EXPECT_EQ(got.reasons, std::vector<std::string>{reasons::kInside});
}

TEST(Decision, EffectWithinTheFloorIsNoClaim) {
  const CaseDecision got =
      Decide(WithRatios({0.95, 0.96, 0.94, 0.955, 0.95, 0.948}, 0.2));
  EXPECT_EQ(got.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(Has(got.reasons, reasons::kWithinFloor));
  ASSERT_TRUE(got.cycles_to_decide.has_value());
  EXPECT_GT(*got.cycles_to_decide, 3);
}

TEST(Decision, OneDissentingPairOfSixIsInconclusive) {
  const CaseDecision got =
      Decide(WithRatios({0.95, 0.96, 0.94, 0.955, 0.95, 1.02}));
  EXPECT_EQ(got.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(Has(got.reasons, reasons::kNotSignificant));
  EXPECT_TRUE(Has(got.remarks, remarks::kRangeCrossesOne));
  // One in six against: of twelve pairs two, of eight and ten also two.
  EXPECT_LT(SignTestPValue(12, 2), 0.05);
  EXPECT_GT(SignTestPValue(10, 2), 0.05);
  EXPECT_EQ(got.cycles_to_decide, 6);
}

TEST(Decision, FourPairsNameTheCyclesThatWouldDecide) {
  const CaseDecision got = Decide(WithRatios({0.95, 0.96, 0.94, 0.955}));
  EXPECT_EQ(got.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(Has(got.reasons, reasons::kNoInterval));
  EXPECT_EQ(got.cycles_to_decide, 3);
}

TEST(Decision, EvenSplitWithALargeEstimateNamesNoCycles) {
  const CaseDecision got =
      Decide(WithRatios({0.5, 0.5, 0.5, 1.01, 1.01, 1.01}));
  EXPECT_EQ(got.outcome, Outcome::kInconclusive);
  EXPECT_FALSE(got.cycles_to_decide.has_value());
}

TEST(Decision, BistableSamplesShowNoRatio) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 0.9});
  for (size_t i : {1u, 5u}) {
    const int64_t time = samples.visits[i].samples_ns[0];
    samples.visits[i].samples_ns = {time, time, time, 2 * time, 2 * time};
  }
  const CaseDecision got = Decide(samples);
  EXPECT_EQ(got.outcome, Outcome::kNotComparable);
  EXPECT_FALSE(ShowsRatio(got.outcome));
  EXPECT_EQ(got.reasons, std::vector<std::string>{reasons::kBistableCandidate});
  EXPECT_EQ(got.p_value, 1.0);
}

TEST(Decision, OneBistableVisitIsNotACase) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 0.9});
  const int64_t time = samples.visits[1].samples_ns[0];
  samples.visits[1].samples_ns = {time, time, time, 2 * time, 2 * time};
  EXPECT_EQ(Decide(samples).outcome, Outcome::kFaster);
}

TEST(Decision, DisturbanceMakesNotComparableAndIsQuoted) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 1.1});
  samples.disturbances = {"device-fault"};
  const CaseDecision got = Decide(samples);
  EXPECT_EQ(got.outcome, Outcome::kNotComparable);
  EXPECT_EQ(got.reasons, std::vector<std::string>{"device-fault"});
  EXPECT_TRUE(got.remarks.empty());
}

TEST(Decision, InvalidOutranksEverything) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 0.9});
  samples.disturbances = {"device-fault"};
  samples.invalid_reasons = {"visit 3 crashed"};
  const CaseDecision got = Decide(samples);
  EXPECT_EQ(got.outcome, Outcome::kInvalid);
  EXPECT_EQ(got.reasons, std::vector<std::string>{"visit 3 crashed"});
}

TEST(Decision, CaseWithoutPairsIsInconclusive) {
  const CaseDecision got = Decide(CaseSamples{});
  EXPECT_EQ(got.outcome, Outcome::kInconclusive);
  EXPECT_EQ(got.reasons, std::vector<std::string>{reasons::kNoPairs});
}

TEST(Decision, ClaimOnIdenticalObjectsIsRemarked) {
  CaseSamples samples = WithRatios({0.95, 0.96, 0.94, 0.955, 0.95, 0.948});
  samples.objects = CaseSamples::Objects::kIdentical;
  const CaseDecision got = Decide(samples);
  EXPECT_TRUE(Has(got.remarks, remarks::kIdentical));
  EXPECT_TRUE(Has(got.remarks, remarks::kClaimOnIdentical));
}

TEST(Decision, TiesSplitsAndGroupsAreRemarked) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.901, 1.0, 1.0, 1.0});
  samples.visits.back().session = 1;
  const CaseDecision got = Decide(samples);
  EXPECT_TRUE(Has(got.remarks, remarks::kTies));
  EXPECT_TRUE(Has(got.remarks, remarks::kSplit));
  EXPECT_TRUE(Has(got.remarks, remarks::kTwoGroups));
  EXPECT_TRUE(std::is_sorted(got.remarks.begin(), got.remarks.end()));
}

TEST(Decision, OneSidedSelfRatiosAreRemarked) {
  std::vector<double> ratios(8, 0.9);
  CaseSamples samples = WithRatios(ratios);
  int64_t extra = 0;
  for (VisitSamples& visit : samples.visits) {
    visit.samples_ns[0] += 5000 * ++extra;
  }
  EXPECT_TRUE(Has(Decide(samples).remarks, remarks::kSelfDrift));
}

TEST(Family, HolmWithholdsWhatOneCaseAloneWouldClaim) {
  const DecisionRule plain;
  const DecisionRule holm{.family = Family::kHolm};
  const CaseSamples fast = WithRatios({0.95, 0.96, 0.94, 0.955, 0.95, 0.948});
  const std::vector<CaseEstimates> two(2, Estimate(fast));
  const Decisions without = DecideCases(two, plain);
  EXPECT_EQ(without.cases[0].outcome, Outcome::kFaster);
  EXPECT_NEAR(without.chance_of_false_claim, 0.0975, 1e-12);
  const std::vector<CaseEstimates> corrected(2, Estimate(fast, holm, 2));
  const Decisions with = DecideCases(corrected, holm);
  EXPECT_EQ(with.cases[0].outcome, Outcome::kInconclusive);
  EXPECT_EQ(with.cases[0].p_value, 2.0 / 32);
  EXPECT_EQ(with.cases[0].cycles_to_decide, 4);
  EXPECT_EQ(with.chance_of_false_claim, 0.05);
  EXPECT_EQ(with.cases_tried, 2);
}

TEST(Family, CaseThatShowsNoRatioDoesNotSoftenTheCorrection) {
  const DecisionRule holm{.family = Family::kHolm};
  const CaseSamples fast = WithRatios({0.95, 0.96, 0.94, 0.955, 0.95, 0.948});
  CaseSamples disturbed = fast;
  disturbed.disturbances = {"disturbed-host"};
  const std::vector<CaseEstimates> cases{Estimate(disturbed, holm, 2),
                                         Estimate(fast, holm, 2)};
  EXPECT_EQ(DecideCases(cases, holm).cases[1].p_value, 2.0 / 32);
}

TEST(Plan, TooFewCyclesAreRefusedWithTheNumberNeeded) {
  EXPECT_TRUE(CheckPlanCanDecide(3, 6, DecisionRule{}).ok());
  const Status refused = CheckPlanCanDecide(2, 6, DecisionRule{});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("6 pairs"), std::string::npos);
  EXPECT_FALSE(CheckPlanCanDecide(3, 6, {.family = Family::kHolm}).ok());
  EXPECT_TRUE(CheckPlanCanDecide(4, 6, {.family = Family::kHolm}).ok());
}

TEST(Outcome, NamesAreThoseOfTheDesign) {
  EXPECT_EQ(OutcomeName(Outcome::kFaster), "faster");
  EXPECT_EQ(OutcomeName(Outcome::kSlower), "slower");
  EXPECT_EQ(OutcomeName(Outcome::kSame), "same");
  EXPECT_EQ(OutcomeName(Outcome::kInconclusive), "inconclusive");
  EXPECT_EQ(OutcomeName(Outcome::kNotComparable), "not-comparable");
  EXPECT_EQ(OutcomeName(Outcome::kInvalid), "invalid");
}

}  // namespace
}  // namespace exhibit
