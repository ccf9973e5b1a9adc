// Every way a kernel can go wrong after its capture went well: the visit is
// recorded with its reason, the cohort is invalid, and the record stays.

#include <gtest/gtest.h>
#include <signal.h>

#include "manifests/file.h"
#include "replay_process.h"
#include "run_builder.h"

namespace exhibit {
namespace {

struct Fault {
  std::string kernel;
  std::string record;  // That of the bad visit, without its folder.
  std::string status;
  std::string reason;  // A part of it.
  int64_t signal = 0;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.kernel; }

class FaultyKernel : public testing::TestWithParam<Fault> {
 protected:
  FaultyKernel() : folder_(MakeTemporaryFolder()) {}
  ~FaultyKernel() override { RemoveFolder(folder_); }
  std::string folder_;
};

TEST_P(FaultyKernel, MakesItsVisitAndTheCohortInvalid) {
  const Fault& fault = GetParam();
  std::string run = folder_ + "/run";
  // Both arms, so that the starting arm does not matter.
  BuildRun({.folder = run,
            .baseline = fault.kernel,
            .candidate = fault.kernel,
            .timeout_s = fault.status == "timed-out" ? 1 : 60});
  ToolEnd end = RunReplay({run, "--quiet"});
  EXPECT_EQ(end.status, 1) << end.talk;
  EXPECT_NE(end.talk.find("the cohort is invalid"), std::string::npos);
  EXPECT_NE(end.talk.find(fault.reason), std::string::npos) << end.talk;
  VisitRecord visit = ReadVisitRecord(run, "replays/n200/" + fault.record);
  EXPECT_EQ(visit.end.status, fault.status);
  EXPECT_NE(visit.end.reason.find(fault.reason), std::string::npos)
      << visit.end.reason;
  EXPECT_EQ(visit.end.signal, fault.signal);
  std::vector<AttemptRecord> attempts = ReadAttemptRecords(run);
  EXPECT_EQ(attempts.back().stage, "replay");
  EXPECT_EQ(attempts.back().result, "invalid");
  EXPECT_EQ(attempts.back().message.find(folder_), std::string::npos);

  // Once more: refused, and nothing but the trace of the try is added.
  std::map<std::string, std::string> before = ReadTree(run);
  EXPECT_EQ(RunReplay({run, "--quiet"}).status, 1);
  std::map<std::string, std::string> after = ReadTree(run);
  before.erase("attempts.jsonl");
  after.erase("attempts.jsonl");
  EXPECT_EQ(before, after);
  EXPECT_EQ(ReadAttemptRecords(run).size(), attempts.size() + 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultyKernel,
    testing::Values(
        Fault{"writes_nan.so", "calibration-0.json", "failed-check",
              "after warm-up: output: 1 of 200 elements"},
        // Its old output is still right after warm-up: only the refill before
        // a sample shows it.
        Fault{"writes_nothing.so", "visit-0000.json", "failed-check",
              "after sample 0: output: 200 of 200 elements"},
        Fault{"writes_zeros.so", "calibration-0.json", "failed-check",
              "elements outside tolerance"},
        Fault{"writes_past_end.so", "calibration-0.json", "failed-check",
              "the guard around buffer 'output' was overwritten"},
        Fault{"writes_past_workspace.so", "calibration-0.json", "failed-check",
              "the guard around buffer 'workspace' was overwritten"},
        Fault{"changes_input.so", "calibration-0.json", "crashed",
              "signal 11 while writing input buffer 'x'", SIGSEGV},
        Fault{"reads_past_end.so", "calibration-0.json", "crashed",
              "signal 11 while reading past the end of input buffer 'x'",
              SIGSEGV},
        Fault{"changes_launch.so", "calibration-0.json", "crashed",
              "signal 11 while writing the launch structures", SIGSEGV},
        Fault{"crashes.so", "calibration-0.json", "crashed",
              "signal 11 while writing through a null pointer", SIGSEGV},
        Fault{"aborts.so", "calibration-0.json", "crashed", "signal 6",
              SIGABRT},
        Fault{"never_returns.so", "calibration-0.json", "timed-out",
              "killed after its time limit of 1000 ms", SIGKILL},
        Fault{"exits.so", "calibration-0.json", "exited",
              "exited with status 0 without reporting"},
        Fault{"wrong_element.so", "calibration-0.json", "failed-check",
              "after warm-up: output: 1 of 200 elements outside tolerance, "
              "first [199]"},
        Fault{"leaves_a_child.so", "calibration-0.json", "disturbed",
              "the kernel did not stay one thread: a process that it started "
              "is left"},
        Fault{"leaves_a_thread.so", "calibration-0.json", "disturbed",
              "the kernel did not stay one thread: a thread that it started is "
              "left"},
        Fault{"joins_a_thread.so", "calibration-0.json", "disturbed",
              "the kernel did not stay one thread: other threads ran for "},
        Fault{"waits_for_a_child.so", "calibration-0.json", "disturbed",
              "the kernel did not stay one thread: it ran another process"},
        Fault{"takes_memory.so", "calibration-0.json", "crashed",
              "signal 11 while writing through a null pointer", SIGSEGV},
        Fault{"wrong_at_once.so", "calibration-0.json", "failed-check",
              "after the first call: output: 1 of 200"}),
    [](const testing::TestParamInfo<Fault>& of) {
      return of.param.kernel.substr(0, of.param.kernel.find('.'));
    });

class ReplayFault : public testing::Test {
 protected:
  ReplayFault() : folder_(MakeTemporaryFolder()), run_(folder_ + "/run") {}
  ~ReplayFault() override { RemoveFolder(folder_); }
  std::string folder_;
  std::string run_;
};

TEST_F(ReplayFault, FailedVisitKeepsItsOutputsAndGuards) {
  BuildRun({.folder = run_,
            .baseline = "writes_past_end.so",
            .candidate = "writes_past_end.so"});
  EXPECT_EQ(RunReplay({run_}).status, 1);
  VisitRecord visit = ReadVisitRecord(run_, "replays/n200/calibration-0.json");
  ASSERT_EQ(visit.guards.size(), 2u);
  EXPECT_EQ(visit.guards[0].buffer, "output");
  EXPECT_FALSE(visit.guards[0].intact);
  EXPECT_TRUE(visit.guards[1].intact);
  EXPECT_TRUE(PathExists(run_ + "/arrays/" + visit.guards[0].sha256 + ".npy"));
  ASSERT_EQ(visit.outputs.size(), 1u);
  EXPECT_TRUE(
      PathExists(run_ + "/arrays/" + visit.outputs[0].last_sha256 + ".npy"));
}

TEST_F(ReplayFault, OtherCasesGoOnAfterOneFailed) {
  // One arm of each case is bad, so each case stops at its first bad visit.
  BuildRun({.folder = run_,
            .candidate = "writes_zeros.so",
            .cases = {"first", "second"}});
  EXPECT_EQ(RunReplay({run_}).status, 1);
  EXPECT_TRUE(PathExists(run_ + "/replays/second/calibration-0.json"));
  EXPECT_FALSE(PathExists(run_ + "/replays/first/visit-0000.json"));
  EXPECT_NE(ReadAttemptRecords(run_).back().message.find("case 'second'"),
            std::string::npos);
}

TEST_F(ReplayFault, MemoryThatAKernelKeepsIsRecorded) {
  for (const std::string kernel : {"leaks.so", "good.so"}) {
    run_ = folder_ + "/" + kernel;
    BuildRun({.folder = run_,
              .baseline = kernel,
              .candidate = kernel,
              .warmup_ms = 20});
    ToolEnd end = RunReplay({run_, "--quiet"});
    ASSERT_EQ(end.status, 0) << end.talk;
    VisitRecord visit =
        ReadVisitRecord(run_, "replays/n200/calibration-1.json");
    std::optional<int64_t> growth = visit.counters.at("memory_growth_bytes");
    ASSERT_TRUE(growth.has_value());
    if (kernel == "good.so") {
      EXPECT_LT(*growth, 1 << 20);
    } else {
      // Half of it: the kernel of the system counts pages in batches.
      EXPECT_GE(*growth, 32768 * visit.warmup_calls);
    }
  }
}

TEST_F(ReplayFault, NoiseDoesNotReachTheResult) {
  BuildRun({.folder = run_, .baseline = "talks.so", .candidate = "good.so"});
  ToolEnd end = RunReplay({run_, "--quiet"});
  EXPECT_EQ(end.status, 0) << end.talk;
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(end.talk, "");
}

TEST_F(ReplayFault, ChangedLibraryEndsBeforeAnythingRuns) {
  BuildRun({.folder = run_});
  ASSERT_TRUE(AppendFile(run_ + "/captures/n200/one/kernel.so", "x").ok());
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("kernel.so"), std::string::npos);
  EXPECT_FALSE(PathExists(run_ + "/replays"));
}

TEST_F(ReplayFault, ChangedArrayEndsBeforeAnythingRuns) {
  BuildRun({.folder = run_});
  for (const auto& [path, bytes] : ReadTree(run_)) {
    if (!path.starts_with("arrays/")) continue;
    ASSERT_TRUE(AppendFile(run_ + "/" + path, "x").ok());
  }
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("error: arrays/"), std::string::npos) << end.talk;
  EXPECT_FALSE(PathExists(run_ + "/replays"));
}

TEST_F(ReplayFault, TornTraceOfAttemptsEndsBeforeAnythingRuns) {
  BuildRun({.folder = run_});
  ASSERT_TRUE(AppendFile(run_ + "/attempts.jsonl", "{\"attempt\":1").ok());
  ToolEnd end = RunReplay({run_});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.talk.find("attempts.jsonl"), std::string::npos) << end.talk;
  EXPECT_FALSE(PathExists(run_ + "/replays"));
}

TEST_F(ReplayFault, MissingCpuFlagIsARefusedVisit) {
  BuildRun({.folder = run_, .capture = [](CaptureRecord& record) {
              record.required_cpu_flags = {"avx1024"};
            }});
  EXPECT_EQ(RunReplay({run_}).status, 1);
  VisitRecord visit = ReadVisitRecord(run_, "replays/n200/calibration-0.json");
  EXPECT_EQ(visit.end.status, "refused");
  EXPECT_NE(visit.end.reason.find("avx1024"), std::string::npos);
  EXPECT_EQ(visit.end.reason.find(folder_), std::string::npos);
}

TEST_F(ReplayFault, MissingSymbolIsARefusedVisit) {
  BuildRun({.folder = run_, .capture = [](CaptureRecord& record) {
              record.symbol = "nowhere";
            }});
  EXPECT_EQ(RunReplay({run_}).status, 1);
  VisitRecord visit = ReadVisitRecord(run_, "replays/n200/calibration-0.json");
  EXPECT_EQ(visit.end.status, "refused");
  EXPECT_NE(visit.end.reason.find("nowhere"), std::string::npos);
}

}  // namespace
}  // namespace exhibit
