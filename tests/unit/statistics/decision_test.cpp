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

// The samples of the visits `indices`: some of the visit's own time, the rest
// `factor` times that.
CaseSamples InTwoStates(const std::vector<size_t>& indices, int64_t factor) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 0.9});
  for (const size_t i : indices) {
    const int64_t time = samples.visits[i].samples_ns[0];
    samples.visits[i].samples_ns = {time, time, time, factor * time,
                                    factor * time};
  }
  return samples;
}

TEST(Decision, SamplesOrdersOfMagnitudeApartShowNoRatio) {
  const CaseDecision got = Decide(InTwoStates({1, 2, 5, 6, 9, 10}, 10));
  EXPECT_EQ(got.outcome, Outcome::kNotComparable);
  EXPECT_FALSE(ShowsRatio(got.outcome));
  EXPECT_EQ(got.reasons, std::vector<std::string>{reasons::kBistableCandidate});
  EXPECT_EQ(got.p_value, 1.0);
}

TEST(Decision, SamplesOfANeighbourThatDoublesTimesAreRemarkedOnly) {
  const CaseDecision got = Decide(InTwoStates({1, 5, 6}, 2));
  EXPECT_EQ(got.outcome, Outcome::kFaster);
  EXPECT_TRUE(Has(got.remarks, remarks::kSamplesInGroupsCandidate));
  EXPECT_FALSE(Has(got.remarks, remarks::kSamplesInGroupsBaseline));
  EXPECT_TRUE(Has(got.remarks, remarks::kMarkedVisits));
}

// Visits that a busy guest once gave, halved: the last two of the candidate
// shared their core with someone the kernel did not know of.
TEST(Decision, VisitsThatSharedTheirCoreHideNoPlainMeasurement) {
  CaseSamples samples = WithRatios({0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  samples.visits[9].samples_ns = {557'000,   639'000, 1'039'000, 1'008'000,
                                  1'057'000, 580'000, 561'000};
  samples.visits[10].samples_ns = {970'000, 567'000, 566'000,  560'000,
                                   642'000, 984'000, 1'034'000};
  const CaseDecision got = Decide(samples);
  EXPECT_EQ(got.outcome, Outcome::kFaster);
  EXPECT_TRUE(Has(got.remarks, remarks::kSamplesInGroupsCandidate));
}

TEST(Decision, OneVisitInTwoGroupsIsNotRemarkedAsItsArm) {
  const CaseDecision got = Decide(InTwoStates({1}, 2));
  EXPECT_EQ(got.outcome, Outcome::kFaster);
  EXPECT_FALSE(Has(got.remarks, remarks::kSamplesInGroupsCandidate));
}

TEST(Decision, VisitTimesInTwoGroupsAreRemarked) {
  const CaseDecision got = Decide(WithRatios({0.9, 0.9, 0.9, 0.8, 0.8, 0.8}));
  EXPECT_EQ(got.outcome, Outcome::kFaster);
  EXPECT_TRUE(Has(got.remarks, remarks::kVisitsInGroupsCandidate));
  EXPECT_FALSE(Has(got.remarks, remarks::kVisitsInGroupsBaseline));
}

CaseSamples WithoutProcessor(size_t visits) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 0.9});
  for (size_t i = 0; i < visits; ++i) {
    samples.visits[i].conditions.cpu_time_ns = 1;
    samples.visits[i].conditions.involuntary_switches = 1;
  }
  return samples;
}

TEST(Decision, HostIsDisturbedWhenMostVisitsLostTheirProcessor) {
  const CaseDecision half = Decide(WithoutProcessor(6));
  EXPECT_EQ(half.outcome, Outcome::kFaster);
  EXPECT_TRUE(Has(half.remarks, remarks::kMarkedVisits));
  const CaseDecision most = Decide(WithoutProcessor(7));
  EXPECT_EQ(most.outcome, Outcome::kNotComparable);
  EXPECT_EQ(most.reasons, std::vector<std::string>{reasons::kDisturbedHost});
}

TEST(Decision, CohortWhoseHalvesDifferIsRemarkedAsDrift) {
  CaseSamples samples = WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 0.9});
  for (size_t i = 6; i < 12; ++i) samples.visits[i].samples_ns[0] *= 2;
  EXPECT_TRUE(Has(Decide(samples).remarks, remarks::kDrift));
  EXPECT_FALSE(Has(Decide(WithRatios({0.9, 0.9, 0.9, 0.9, 0.9, 0.9})).remarks,
                   remarks::kDrift));
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

// A comparison of 5% and a null case of it that shows `null_ratio`.
Decisions WithNullCase(double null_ratio, const DecisionRule& rule = {}) {
  CaseSamples real = WithRatios({0.95, 0.951, 0.949, 0.95, 0.95, 0.95});
  real.name = "real";
  const double r = null_ratio;
  CaseSamples null = WithRatios({r, r + 0.0002, r - 0.0002, r, r, r});
  null.name = "null";
  null.null_of = "real";
  const std::vector<CaseEstimates> cases{Estimate(real, rule),
                                         Estimate(null, rule)};
  return DecideCases(cases, rule);
}

TEST(NullCase, SmallerEffectThanTheCaseLetsItClaim) {
  const Decisions got = WithNullCase(1.02);
  EXPECT_EQ(got.cases[0].outcome, Outcome::kFaster);
  EXPECT_NEAR(*got.cases[0].null_effect, 0.02, 0.001);
}

TEST(NullCase, LargerEffectThanTheCaseForbidsItsClaim) {
  const Decisions got = WithNullCase(1.06);
  EXPECT_EQ(got.cases[0].outcome, Outcome::kInconclusive);
  EXPECT_TRUE(Has(got.cases[0].reasons, reasons::kWithinNull));
  EXPECT_FALSE(got.cases[0].cycles_to_decide.has_value());
}

TEST(NullCase, IsNeverFasterOrSlower) {
  const CaseDecision got = WithNullCase(1.06).cases[1];
  EXPECT_EQ(got.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(Has(got.reasons, reasons::kIsNull));
  EXPECT_TRUE(Has(got.remarks, remarks::kNullToldApart));
  EXPECT_FALSE(got.null_effect.has_value());
  EXPECT_FALSE(got.cycles_to_decide.has_value());
  EXPECT_EQ(WithNullCase(1.001).cases[1].outcome, Outcome::kSame);
}

TEST(NullCase, IsNoCaseOfTheFamily) {
  const DecisionRule holm{.family = Family::kHolm};
  const Decisions got = WithNullCase(1.02, holm);
  EXPECT_EQ(got.cases_tried, 1);
  EXPECT_EQ(got.cases[0].p_value, 1.0 / 32);
  EXPECT_EQ(WithNullCase(1.02).chance_of_false_claim,
            ChanceOfFalseClaim(0.05, 1));
}

TEST(NullCase, ThatCannotBeComparedForbidsTheClaim) {
  CaseSamples real = WithRatios({0.95, 0.951, 0.949, 0.95, 0.95, 0.95});
  real.name = "real";
  CaseSamples null = WithRatios({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  null.null_of = "real";
  null.disturbances = {"disturbed"};
  const std::vector<CaseEstimates> cases{Estimate(real), Estimate(null)};
  const CaseDecision got = DecideCases(cases, DecisionRule{}).cases[0];
  EXPECT_EQ(got.outcome, Outcome::kInconclusive);
  EXPECT_TRUE(Has(got.reasons, reasons::kNullUnknown));
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
