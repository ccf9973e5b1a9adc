// Whole captures of the test kernels, in this process.

#include "capture/capture_run.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>

#include "manifests/host/attempt_log.h"
#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

// Long for a loaded machine; only a hang takes all of it.
constexpr int64_t kTimeoutNs = 5'000'000'000;

class CaptureRunTest : public testing::Test {
 protected:
  CaptureRunTest() { MustWrite(scratch_ / "own/README.md", "own\n"); }

  CaptureRequest Request(const CustomExperiment& experiment) {
    CaptureRequest request;
    request.manifest_path = WriteExperiment(scratch_ / "m", experiment);
    request.run_path = run_;
    request.tool = TestTool();
    request.own_source = {scratch_ / "own",
                          ContentId({{"README.md", Sha256Hex("own\n")}})};
    request.timeout_ns_min = kTimeoutNs;
    return request;
  }

  // The end of a capture whose candidate enters at `symbol`.
  ProcessEnd EndOf(const std::string& symbol) {
    CustomExperiment experiment;
    experiment.candidate_symbol = symbol;
    const auto summary = CaptureRun(Request(experiment));
    EXPECT_TRUE(summary.ok()) << (summary.ok() ? "" : summary.error().message);
    if (!summary.ok()) return ProcessEnd();
    EXPECT_EQ(summary->captures_made, 2);
    EXPECT_EQ(summary->invalid.size(), 1u);
    const CaptureRecord record = MustReadCapture(run_, "only", "b");
    EXPECT_TRUE(record.outputs.empty());
    EXPECT_EQ(record.files.size(), 1u);
    EXPECT_FALSE(record.process.command.empty());
    EXPECT_EQ(MustReadCapture(run_, "only", "a").end.status, "completed");
    return record.end;
  }

  std::string ErrorOf(const CaptureRequest& request) {
    const auto summary = CaptureRun(request);
    EXPECT_FALSE(summary.ok());
    return summary.ok() ? "" : summary.error().message;
  }

  const Scratch scratch_;
  const std::string run_ = scratch_ / "run";
};

TEST_F(CaptureRunTest, TwoLibrariesBecomeAWholeRun) {
  CustomExperiment experiment;
  experiment.outputs = "bitwise-equal";
  experiment.capacity = "equal";
  experiment.sources = {"kernels.c"};
  experiment.attachments = {"build.log"};
  const auto summary = CaptureRun(Request(experiment));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->captures_made, 2);
  EXPECT_TRUE(summary->invalid.empty());
  const CaptureRecord record = MustReadCapture(run_, "only", "b");
  EXPECT_EQ(record.end.status, "completed");
  EXPECT_EQ(record.end.reason, "");
  EXPECT_EQ(record.symbol, "twice");
  EXPECT_EQ(record.freeze_sha256, Sha256Hex(MustRead(run_ + "/freeze.json")));
  EXPECT_EQ(record.case_sha256,
            Sha256Hex(MustRead(run_ + "/" + CasePath("only"))));
  ASSERT_EQ(record.outputs.size(), 1u);
  EXPECT_EQ(record.outputs[0].jit_sha256, "");
  EXPECT_TRUE(
      PathExists(run_ + "/" + ArrayPath(record.outputs[0].prepared_sha256)));
  EXPECT_EQ(MustRead(run_ + "/" + LibraryPath("only", "b")),
            MustRead(scratch_ / "m/kernels.so"));
}

TEST_F(CaptureRunTest, TheFolderOfARunHoldsNothingBesideItsFiles) {
  const auto summary = CaptureRun(Request({}));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : Snapshot(run_)) {
    if (path.rfind("arrays/", 0) != 0) paths.push_back(path);
  }
  EXPECT_EQ(paths,
            (std::vector<std::string>{
                "attempts.jsonl", "captures/only/a/capture.json",
                "captures/only/a/kernel.so", "captures/only/b/capture.json",
                "captures/only/b/kernel.so", "cases/only/case.json",
                "freeze.json", "manifest.json", "sources/exhibit/README.md"}));
}

TEST_F(CaptureRunTest, TheProcessThatCalledTheLibraryIsDescribed) {
  ASSERT_TRUE(CaptureRun(Request({})).ok());
  const CaptureRecord record = MustReadCapture(run_, "only", "a");
  ASSERT_EQ(record.files.size(), 1u);
  bool mapped = false;
  for (const MappedFile& file : record.process.mapped_files) {
    mapped = mapped || file.sha256 == record.files[0].sha256;
  }
  EXPECT_TRUE(mapped);
  for (const std::string& word : record.process.command) {
    EXPECT_EQ(word.find(scratch_.path()), std::string::npos) << word;
  }
}

TEST_F(CaptureRunTest, AWorkspaceIsOfferedAsDeclared) {
  CustomExperiment experiment;
  experiment.baseline_symbol = "twice_in_workspace";
  experiment.workspace_bytes = kElements * 4;
  const auto summary = CaptureRun(Request(experiment));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_TRUE(summary->invalid.empty());
  EXPECT_EQ(MustReadCapture(run_, "only", "a").workspace_bytes, 256);
}

TEST_F(CaptureRunTest, TwoJobsMakeTheSameCapturesAsOne) {
  CaptureRequest request = Request({});
  request.jobs = 2;
  const auto summary = CaptureRun(request);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->captures_made, 2);
  EXPECT_EQ(MustReadCapture(run_, "only", "a").outputs,
            MustReadCapture(run_, "only", "b").outputs);
}

TEST_F(CaptureRunTest, ACrashIsTheCapturesRecordedEnd) {
  const ProcessEnd end = EndOf("crashes");
  EXPECT_EQ(end.status, "crashed");
  EXPECT_EQ(end.signal, SIGABRT);
}

TEST_F(CaptureRunTest, AWriteToAnInputIsACrashThatNamesTheBuffer) {
  const ProcessEnd end = EndOf("writes_to_its_input");
  EXPECT_EQ(end.status, "crashed");
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_NE(end.reason.find("'x'"), std::string::npos) << end.reason;
}

TEST_F(CaptureRunTest, AHangIsTimedOut) {
  const ProcessEnd end = EndOf("hangs");
  EXPECT_EQ(end.status, "timed-out");
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(CaptureRunTest, AnExitWithoutAReportIsRecorded) {
  const ProcessEnd end = EndOf("leaves");
  EXPECT_EQ(end.status, "exited");
  EXPECT_EQ(end.exit_status, 3);
}

TEST_F(CaptureRunTest, ANanFailsTheCheckAndNamesItsElement) {
  const ProcessEnd end = EndOf("makes_nan");
  EXPECT_EQ(end.status, "failed-check");
  EXPECT_NE(end.reason.find("[7]"), std::string::npos) << end.reason;
}

TEST_F(CaptureRunTest, AnUnwrittenElementFailsTheCheck) {
  EXPECT_EQ(EndOf("forgets_the_last").status, "failed-check");
}

TEST_F(CaptureRunTest, AWrongResultFailsTheCheck) {
  EXPECT_EQ(EndOf("thrice").status, "failed-check");
}

TEST_F(CaptureRunTest, AWritePastTheOutputIsSeenInItsGuard) {
  const ProcessEnd end = EndOf("writes_past_the_output");
  EXPECT_EQ(end.status, "failed-check");
  EXPECT_NE(end.reason.find("guard"), std::string::npos) << end.reason;
}

TEST_F(CaptureRunTest, AMissingSymbolIsRefused) {
  const ProcessEnd end = EndOf("not_there");
  EXPECT_EQ(end.status, "refused");
  EXPECT_NE(end.reason.find("not_there"), std::string::npos) << end.reason;
}

TEST_F(CaptureRunTest, OtherBitsViolateAnExpectationOfEqualBits) {
  CustomExperiment experiment;
  experiment.candidate_symbol = "almost_twice";
  experiment.outputs = "bitwise-equal";
  const auto summary = CaptureRun(Request(experiment));
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ASSERT_EQ(summary->invalid.size(), 1u);
  EXPECT_NE(summary->invalid[0].find("bitwise-equal"), std::string::npos);
  EXPECT_EQ(MustReadCapture(run_, "only", "b").end.status, "completed");
  const auto attempts = AttemptLog::Read(run_);
  ASSERT_TRUE(attempts.ok());
  EXPECT_EQ(attempts->back().result, "invalid");
  EXPECT_EQ(attempts->back().message, summary->invalid[0]);
}

TEST_F(CaptureRunTest, AVacuousOracleEndsTheAttemptBeforeAnyCapture) {
  CustomExperiment experiment;
  experiment.absolute = 100;
  const std::string message = ErrorOf(Request(experiment));
  EXPECT_NE(message.find("case only"), std::string::npos) << message;
  EXPECT_FALSE(PathExists(run_ + "/captures"));
  const auto attempts = AttemptLog::Read(run_);
  ASSERT_TRUE(attempts.ok());
  ASSERT_EQ(attempts->size(), 2u);
  EXPECT_EQ(attempts->back().result, "error");
  EXPECT_EQ(attempts->back().message, message);
}

TEST_F(CaptureRunTest, AMissingInputIsFoundOutBeforeThereIsARun) {
  CustomExperiment experiment;
  experiment.input_file = "gone.npy";
  EXPECT_NE(ErrorOf(Request(experiment)).find("gone.npy"), std::string::npos);
  EXPECT_FALSE(PathExists(run_));
}

TEST_F(CaptureRunTest, AnInterruptionLeavesARunThatIsResumedByteForByte) {
  CaptureRequest request = Request({});
  std::atomic<int> finished = 0;
  request.talk.progress = [&](int64_t, int64_t, const std::string&) {
    ++finished;
  };
  request.interrupted = [&] { return finished > 0; };
  const auto first = CaptureRun(request);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_TRUE(first->interrupted);
  EXPECT_EQ(first->captures_made, 1);
  auto before = Snapshot(run_);
  request.interrupted = nullptr;
  const auto second = CaptureRun(request);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->captures_kept, 1);
  EXPECT_EQ(second->captures_made, 1);
  const auto after = Snapshot(run_);
  before.erase(kAttemptsPath);
  for (const auto& [path, bytes] : before) {
    EXPECT_EQ(after.at(path), bytes) << path;
  }
  EXPECT_EQ(MustReadCapture(run_, "only", "a").attempt, 0);
  EXPECT_EQ(MustReadCapture(run_, "only", "b").attempt, 1);
}

// Stops a run after its first capture.
class ResumedCaptureTest : public CaptureRunTest {
 protected:
  CaptureRequest Interrupted(const CustomExperiment& experiment) {
    CaptureRequest request = Request(experiment);
    bool stop = false;
    request.talk.progress = [&](int64_t, int64_t, const std::string&) {
      stop = true;
    };
    request.interrupted = [&] { return stop; };
    const auto summary = CaptureRun(request);
    EXPECT_TRUE(summary.ok() && summary->interrupted);
    request.talk.progress = nullptr;
    request.interrupted = nullptr;
    return request;
  }
};

TEST_F(ResumedCaptureTest, AChangedManifestIsRefused) {
  const CaptureRequest request = Interrupted({});
  MustReplace(request.manifest_path, MustRead(request.manifest_path) + "\n");
  EXPECT_NE(ErrorOf(request).find("manifest"), std::string::npos);
}

TEST_F(ResumedCaptureTest, AChangedSourceIsRefused) {
  CustomExperiment experiment;
  experiment.sources = {"kernels.c"};
  const CaptureRequest request = Interrupted(experiment);
  MustReplace(scratch_ / "m/kernels.c", "edited\n");
  EXPECT_NE(ErrorOf(request).find("sources/manifest/kernels.c"),
            std::string::npos);
}

TEST_F(ResumedCaptureTest, AChangedLibraryIsRefused) {
  const CaptureRequest request = Interrupted({});
  // Bytes after the end of an ELF file change nothing but its digest.
  MustReplace(scratch_ / "m/kernels.so",
              MustRead(scratch_ / "m/kernels.so") + " ");
  EXPECT_NE(ErrorOf(request).find("kernels.so"), std::string::npos);
}

TEST_F(ResumedCaptureTest, AnotherToolBuildIsRefused) {
  CaptureRequest request = Interrupted({});
  request.tool.sha256 = std::string(64, 'c');
  EXPECT_NE(ErrorOf(request).find("another build"), std::string::npos);
}

TEST_F(ResumedCaptureTest, WhatADeadAttemptLeftHalfMadeIsRemoved) {
  const CaptureRequest request = Interrupted({});
  MustWrite(run_ + "/captures/only/.b.partial/kernel.so", "half");
  ASSERT_TRUE(CaptureRun(request).ok());
  EXPECT_FALSE(PathExists(run_ + "/captures/only/.b.partial"));
  EXPECT_EQ(MustReadCapture(run_, "only", "b").end.status, "completed");
}

TEST_F(ResumedCaptureTest, AnArrayThatNoRecordNamesIsRemovedAndOthersStay) {
  const CaptureRequest request = Interrupted({});
  auto before = Snapshot(run_ + "/arrays");
  const std::string orphan = run_ + "/" + ArrayPath(std::string(64, '0'));
  MustWrite(orphan, "of a dead attempt\n");
  ASSERT_TRUE(CaptureRun(request).ok());
  EXPECT_FALSE(PathExists(orphan));
  for (const auto& [path, bytes] : before) {
    EXPECT_TRUE(PathExists(run_ + "/arrays/" + path)) << path;
  }
}

TEST_F(ResumedCaptureTest, ACaptureThatFailedIsNotTriedAgain) {
  CustomExperiment experiment;
  experiment.baseline_symbol = "crashes";
  const CaptureRequest request = Interrupted(experiment);
  const auto summary = CaptureRun(request);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->captures_kept, 1);
  EXPECT_EQ(summary->invalid.size(), 1u);
  EXPECT_EQ(MustReadCapture(run_, "only", "a").end.status, "crashed");
}

TEST_F(ResumedCaptureTest, AFinishedRunIsRefused) {
  const CaptureRequest request = Interrupted({});
  ASSERT_TRUE(CaptureRun(request).ok());
  const auto before = Snapshot(run_);
  EXPECT_NE(ErrorOf(request).find("all captures"), std::string::npos);
  EXPECT_EQ(Snapshot(run_), before);
}

}  // namespace
}  // namespace exhibit
