// What one case does to the judgement of another.

#include "audit/case_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/audit/run_fixture.h"

namespace exhibit {
namespace {

using testing::HonestRun;
using testing::kCaseName;
using testing::SubjectOf;
using testing::SyntheticRun;

// The evidence of `run` and a second case that is the same but for its name and
// what it is a null case of.
struct TwoCases {
  explicit TwoCases(SyntheticRun run, const std::string& null_of)
      : evidence(std::move(DecodeEvidence(SubjectOf(run.Seal())).evidence)),
        declared(*evidence.cases[0].declared) {
    declared.name = "other";
    declared.null_of = null_of;
    evidence.cases.push_back(evidence.cases[0]);
    evidence.cases[1].declared = &declared;
  }

  Judgement Judge() { return JudgeCases(evidence, findings); }

  Evidence evidence;
  ManifestCase declared;
  FindingList findings;
};

bool Has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

TEST(JudgeCases, AnUnsoundNullCaseStillStandsAgainstAClaim) {
  TwoCases two(HonestRun(), kCaseName);
  two.evidence.cases[1].sound = false;
  const Judgement judgement = two.Judge();
  ASSERT_EQ(judgement.cases.size(), 1U);
  const CaseDecision& decision = judgement.cases.at(kCaseName).decision;
  EXPECT_NE(decision.outcome, Outcome::kFaster);
  EXPECT_TRUE(Has(decision.reasons, reasons::kNullUnknown));
}

TEST(JudgeCases, AnUnsoundCaseKeepsItsPlaceInTheFamily) {
  TwoCases two(HonestRun(), "");
  two.evidence.manifest->family = "holm";
  const double both = two.Judge().cases.at(kCaseName).decision.p_value;
  two.evidence.cases[1].sound = false;
  const Judgement judgement = two.Judge();
  ASSERT_EQ(judgement.cases.size(), 1U);
  EXPECT_EQ(judgement.cases_tried, 2);
  EXPECT_EQ(judgement.cases.at(kCaseName).decision.p_value, both);
}

TEST(JudgeCases, ASplitPairThatNothingMakesUpForIsNotJudged) {
  SyntheticRun run = HonestRun();
  run.InterruptBefore(5);
  TwoCases two(std::move(run), "");
  EXPECT_EQ(two.Judge().cases.at(kCaseName).decision.outcome,
            Outcome::kInvalid);
  SyntheticRun whole = HonestRun();
  whole.InterruptBefore(6);
  TwoCases others(std::move(whole), "");
  EXPECT_EQ(others.Judge().cases.at(kCaseName).decision.outcome,
            Outcome::kFaster);
}

}  // namespace
}  // namespace exhibit
