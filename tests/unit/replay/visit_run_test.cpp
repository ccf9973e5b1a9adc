// A visit under a clock that follows a script: what it times, and what makes
// the visit `disturbed`.

#include "replay/visit_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "audit/statistics/statistics.h"
#include "manifests/npy.h"
#include "manifests/visit_order.h"

namespace exhibit {
namespace {

// The time of the script. A call of the entry takes `call_ns` of it.
int64_t now_ns = 0;
int64_t call_ns = 0;
int64_t calls = 0;
std::function<void()> after_call;

void Entry(const exhibit_buffer* buffers, void*, const exhibit_launch*,
           uint32_t) {
  const float* x = static_cast<const float*>(buffers[0].data);
  float* output = static_cast<float*>(buffers[1].data);
  output[0] = 2 * x[0];
  now_ns += call_ns;
  ++calls;
  if (after_call) after_call();
}

class ScriptedClock : public VisitClock {
 public:
  int64_t RawNs() override { return now_ns; }
  int64_t SuspendedNs() override { return suspended_ns; }
  ClockFacts Facts() override { return facts; }

  int64_t suspended_ns = 0;
  ClockFacts facts = {"CLOCK_MONOTONIC_RAW", 1, 20};
};

class VisitRun : public testing::Test {
 protected:
  VisitRun() {
    now_ns = 1'000'000'000;
    call_ns = 100'000;
    calls = 0;
    after_call = nullptr;
    task_.plan.samples = 5;
    task_.plan.warmup_ns = 2'000'000;
    task_.draft.repetitions = 10;
    task_.tolerance = {1e-6, 1e-6};
  }

  VisitRecord Run() {
    Result<GuardedBuffers> buffers = GuardedBuffers::Create(
        {{.name = "x",
          .role = "input",
          .shape = {1},
          .bytes = BytesOf(std::vector<float>{3.0f})},
         {.name = "output", .role = "output", .shape = {1}, .bytes = ""}},
        {});
    if (!buffers.ok()) throw std::runtime_error(buffers.error().message);
    Result<VisitReport> report =
        RunVisitCalls(task_, {.entry = Entry,
                              .buffers = std::move(*buffers),
                              .expected = {{"output", {6.0}}},
                              .clock = clock_});
    if (!report.ok()) throw std::runtime_error(report.error().message);
    return report->record;
  }

  ScriptedClock clock_;
  VisitTask task_;
};

TEST_F(VisitRun, SamplesAreWhatTheClockSaysOfTheRepetitions) {
  VisitRecord record = Run();
  EXPECT_EQ(record.end.status, "completed");
  EXPECT_EQ(record.first_call_ns, 100'000);
  EXPECT_EQ(record.probe_ns, 100'000);
  EXPECT_GE(record.warmup_ns, 2'000'000);
  EXPECT_EQ(record.samples_ns, std::vector<int64_t>(5, 1'000'000));
  EXPECT_EQ(calls, 1 + record.warmup_calls + 5 * 10);
}

TEST_F(VisitRun, ClockThatGoesBackDisturbsTheVisit) {
  struct Row {
    int64_t at_call;
    size_t samples;  // Kept: those before.
  };
  for (const Row& row : {Row{1, 0}, Row{5, 0}, Row{0, 2}}) {
    calls = 0;
    after_call = nullptr;
    int64_t at = row.at_call;
    if (at == 0) at = 1 + Run().warmup_calls + 2 * 10 + 3;  // Third sample.
    calls = 0;
    after_call = [at] {
      if (calls == at) now_ns -= 5'000'000;
    };
    VisitRecord record = Run();
    EXPECT_EQ(record.end.status, "disturbed") << at;
    EXPECT_NE(record.end.reason.find("the clock went back by "),
              std::string::npos)
        << record.end.reason;
    EXPECT_EQ(record.samples_ns.size(), row.samples) << at;
  }
}

// One slice of another process may be all of a short warm-up.
TEST_F(VisitRun, LongInterruptionOfAShortWarmUpDoesNotSpoilTheProbe) {
  task_.plan.warmup_ns = 1'000'000;
  after_call = [] {
    if (calls == 3) now_ns += 30'000'000;
  };
  EXPECT_EQ(Run().probe_ns, 100'000);
}

TEST_F(VisitRun, WarmUpOfASlowKernelEnds) {
  call_ns = 400'000'000;
  task_.draft.repetitions = 1;
  VisitRecord record = Run();
  EXPECT_EQ(record.warmup_calls, 1);
  EXPECT_EQ(record.probe_ns, 400'000'000);
}

TEST_F(VisitRun, SuspendedHostDisturbsTheVisit) {
  after_call = [this] {
    if (calls == 30) clock_.suspended_ns += 3'000'000'000;
  };
  VisitRecord record = Run();
  EXPECT_EQ(record.end.status, "disturbed");
  EXPECT_EQ(record.end.reason, "the host was suspended for 3000 ms");
  EXPECT_EQ(record.samples_ns.size(), 5u);
}

TEST_F(VisitRun, SuspensionBeforeTheVisitDoesNotMatter) {
  clock_.suspended_ns = 3'000'000'000;
  EXPECT_EQ(Run().end.status, "completed");
}

TEST_F(VisitRun, OneShortCallUnderACoarseClockDisturbsTheVisit) {
  task_.draft.repetitions = 1;
  clock_.facts.resolution_ns = 4'000'000;
  VisitRecord record = Run();
  EXPECT_EQ(record.end.status, "disturbed");
  EXPECT_EQ(record.end.reason,
            "a sample of 1 calls took 100000 ns, too little for a clock that "
            "needs " +
                std::to_string(kClockMargin * 4'000'020) + " ns");
  EXPECT_EQ(record.samples_ns.size(), 1u);
}

TEST_F(VisitRun, SampleAtTheMarginIsLongEnoughAndOneBelowIsNot) {
  task_.draft.repetitions = 1;
  task_.plan.warmup_ns = 1000;
  call_ns = kClockMargin * (1 + 20);
  EXPECT_EQ(Run().end.status, "completed");
  --call_ns;
  EXPECT_EQ(Run().end.status, "disturbed");
}

TEST_F(VisitRun, WrongOutputIsWorseThanADisturbance) {
  task_.tolerance = {0, 0};
  after_call = [this] { clock_.suspended_ns += 1'000'000'000; };
  VisitTask task = task_;
  Result<GuardedBuffers> buffers = GuardedBuffers::Create(
      {{.name = "x",
        .role = "input",
        .shape = {1},
        .bytes = BytesOf(std::vector<float>{3.0f})},
       {.name = "output", .role = "output", .shape = {1}, .bytes = ""}},
      {});
  ASSERT_TRUE(buffers.ok());
  Result<VisitReport> report =
      RunVisitCalls(task, {.entry = Entry,
                           .buffers = std::move(*buffers),
                           .expected = {{"output", {7.0}}},
                           .clock = clock_});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->record.end.status, "failed-check");
}

// A host that becomes slower, at a steady rate, while the arms take turns.
TEST_F(VisitRun, SteadySlowDownCancelsInThePairRatios) {
  constexpr double kEffect = 0.02;    // The candidate takes less by this.
  constexpr double kPerSecond = 0.2;  // Slower by this, every second.
  for (double effect : {0.0, kEffect}) {
    now_ns = 0;
    CaseSamples samples;
    samples.name = "drift";
    for (int64_t visit = 0; visit < 4 * 6; ++visit) {
      Arm arm = ArmOfVisit(Arm::kBaseline, visit);
      double base_ns = 100'000 * (arm == Arm::kCandidate ? 1 - effect : 1.0);
      after_call = [base_ns] {
        double seconds = static_cast<double>(now_ns) * 1e-9;
        call_ns = static_cast<int64_t>(base_ns * (1 + kPerSecond * seconds));
      };
      after_call();
      now_ns += 20'000'000;  // Between the visits.
      VisitRecord record = Run();
      ASSERT_EQ(record.end.status, "completed") << record.end.reason;
      samples.visits.push_back({.cycle = visit / 4,
                                .position = visit % 4,
                                .arm = arm,
                                .samples_ns = record.samples_ns,
                                .repetitions = record.repetitions,
                                .conditions = {}});
    }
    Result<CaseEstimates> estimates = EstimateCase(samples, {}, 1);
    ASSERT_TRUE(estimates.ok()) << estimates.error().message;
    // Over the run the host has become slower by a fifth of a per cent for each
    // hundredth of a second: far more than the effect.
    ASSERT_TRUE(estimates->drift.has_value());
    EXPECT_GT(*estimates->drift, 1.03);
    auto [least, most] = std::minmax_element(estimates->pair_ratios.begin(),
                                             estimates->pair_ratios.end());
    EXPECT_GT(*most - *least, 0.004);  // The drift is in every pair,
    EXPECT_NEAR(*estimates->reported_ratio, 1 - effect, 2e-4);  // not in them.
    EXPECT_NEAR(estimates->rank->estimate, 1 - effect, 2e-4);
    CaseDecision decision = DecideCases({&*estimates, 1}, {}).cases[0];
    EXPECT_EQ(decision.outcome == Outcome::kFaster, effect > 0);
  }
}

}  // namespace
}  // namespace exhibit
