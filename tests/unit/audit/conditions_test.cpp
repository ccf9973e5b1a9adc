// What ran beside the visits: marked, published, and never a reason to drop.

#include <gtest/gtest.h>

#include "audit/json_view.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

Json CaseOf(SyntheticRun& run) {
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  return ListAt(result.json, "cases").front();
}

// The marks of visit 5 after `edit`.
template <typename Edit>
std::string MarksAfter(const Edit& edit) {
  SyntheticRun run = HonestRun();
  edit(run.visits[5]);
  const Json c = CaseOf(run);
  EXPECT_EQ(TextAt(c, "outcome"), "faster");
  EXPECT_EQ(ListAt(c, "visit_times_ns").size(), run.visits.size());
  EXPECT_EQ(ListAt(c, "marked_visits").size(), 1U);
  const Json& marked = ListAt(c, "marked_visits").front();
  EXPECT_EQ(TextAt(marked, "visit"), "5");
  EXPECT_EQ(TextAt(marked, "arm"), run.visits[5].arm);
  return JoinedAt(marked, "marks");
}

TEST(MarkedVisits, QuietRunHasNone) {
  SyntheticRun run = HonestRun();
  const Json c = CaseOf(run);
  EXPECT_TRUE(ListAt(c, "marked_visits").empty());
  EXPECT_EQ(JoinedAt(c, "remarks"), "");
}

TEST(MarkedVisits, EachConditionOfARecordHasItsMark) {
  EXPECT_EQ(MarksAfter([](VisitRecord& v) { v.counts.migrations = 1; }),
            "migrated");
  EXPECT_EQ(MarksAfter([](VisitRecord& v) { v.counts.major_faults = 1; }),
            "major-faults");
  EXPECT_EQ(MarksAfter([](VisitRecord& v) { v.counts.minor_faults = 100'000; }),
            "minor-faults");
  EXPECT_EQ(
      MarksAfter([](VisitRecord& v) { v.counts.involuntary_switches = 2; }),
      "context-switches");
  EXPECT_EQ(
      MarksAfter([](VisitRecord& v) { v.counters["task_clock_ns"] = 1000; }),
      "cpu-time-lost");
  EXPECT_EQ(MarksAfter([](VisitRecord& v) {
              v.before.frequency_khz = 3'000'000;
              v.after.frequency_khz = 2'000'000;
            }),
            "frequency-changed");
}

TEST(MarkedVisits, RemarkStandsBesideTheRow) {
  SyntheticRun run = HonestRun();
  run.visits[0].counts.major_faults = 3;
  EXPECT_EQ(JoinedAt(CaseOf(run), "remarks"), "marked-visits");
}

TEST(DisturbedHost, CaseWithoutItsProcessorIsNotComparable) {
  SyntheticRun run = HonestRun();
  for (size_t i = 0; i < 7; ++i) run.visits[i].counts.migrations = 1;
  const Json c = CaseOf(run);
  EXPECT_EQ(TextAt(c, "outcome"), "not-comparable");
  EXPECT_EQ(JoinedAt(c, "reasons"), "disturbed-host");
  EXPECT_TRUE(JsonAt(c, "ratios").is_null());
  EXPECT_EQ(ListAt(c, "marked_visits").size(), 7U);
}

TEST(ChangedHost, OtherSystemLibraryIsNotComparable) {
  SyntheticRun run = HonestRun();
  for (VisitRecord& visit : run.visits) {
    const std::string digest(64, visit.index < 6 ? 'a' : 'b');
    visit.process.mapped_files = {{"libc.so.6", digest, ""}};
  }
  const Json c = CaseOf(run);
  EXPECT_EQ(TextAt(c, "outcome"), "not-comparable");
  EXPECT_EQ(JoinedAt(c, "reasons"),
            "host-changed: libc.so.6 differs from visit 6 on");
  EXPECT_TRUE(JsonAt(c, "ratios").is_null());
}

TEST(ChangedHost, OtherClockIsNotComparable) {
  SyntheticRun run = HonestRun();
  run.visits.back().clock.resolution_ns = 4'000'000;
  EXPECT_EQ(JoinedAt(CaseOf(run), "reasons"),
            "host-changed: the clock differs from visit 11 on");
}

TEST(ChangedHost, AStepSeenALittleLargerIsNoOtherClock) {
  SyntheticRun run = HonestRun();
  run.visits[7].clock.resolution_ns = 4 * run.visits[6].clock.resolution_ns;
  EXPECT_EQ(JoinedAt(CaseOf(run), "reasons").find("host-changed"),
            std::string::npos);
}

TEST(ChangedHost, FileThatOneArmAloneNeedsIsNoChange) {
  SyntheticRun run = HonestRun();
  for (VisitRecord& visit : run.visits) {
    if (visit.arm != "candidate") continue;
    visit.process.mapped_files = {{"libfast.so.1", std::string(64, 'a'), ""}};
  }
  EXPECT_EQ(TextAt(CaseOf(run), "outcome"), "faster");
}

TEST(Timing, ClockStandsBesideTheShortestSample) {
  SyntheticRun run = HonestRun();
  run.visits[3].before.load_1m = 1.5;
  run.visits[4].before.load_1m = 0.5;
  const Json c = CaseOf(run);
  EXPECT_EQ(TextAt(c, "timing.clock_resolution_ns"), "1");
  EXPECT_EQ(TextAt(c, "timing.clock_overhead_ns"), "20");
  EXPECT_EQ(NumberAt(c, "timing.shortest_sample_ns"),
            900.0 * *NumberAt(c, "timing.repetitions") + 1);
  EXPECT_EQ(TextAt(c, "timing.load_1m_max"), "1.5");
}

TEST(NullControls, SelfPairsHaveTheirTestAndDriftBesideTheRatio) {
  SyntheticRun run = HonestRun();
  const Json c = CaseOf(run);
  EXPECT_EQ(ListAt(c, "ratios.self_pairs").size(), 5U);
  EXPECT_EQ(TextAt(c, "ratios.self_sign_test.above"), "5");
  EXPECT_EQ(TextAt(c, "ratios.self_sign_test.p_value"), "0.0625");
  EXPECT_NEAR(*NumberAt(c, "ratios.drift"), 1.0, 1e-4);
}

}  // namespace
}  // namespace exhibit::testing
