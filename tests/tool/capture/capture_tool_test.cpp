// exhibit-capture from outside: product, statuses, signals, full disks.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "manifests/file.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/tool/capture/capture_process.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

class CaptureToolTest : public testing::Test {
 protected:
  const Scratch scratch_;
  const std::string run_ = scratch_ / "run";
};

TEST_F(CaptureToolTest, TheProductIsTheManifestsDigestAndTheRun) {
  const std::string manifest = WriteExperiment(scratch_ / "m", {});
  const ToolEnd end = RunCapture({manifest, "-o", run_});
  EXPECT_EQ(end.status, 0) << end.talk;
  EXPECT_EQ(end.out, "manifest " + Sha256Hex(MustRead(manifest)) + "\nrun " +
                         run_ + "\n");
  EXPECT_EQ(MustRead(run_ + "/manifest.json"), MustRead(manifest));
  EXPECT_TRUE(PathExists(run_ + "/sources/exhibit/capture/main.cpp"));
}

TEST_F(CaptureToolTest, QuietSaysNothing) {
  const std::string manifest = WriteExperiment(scratch_ / "m", {});
  const ToolEnd end = RunCapture({manifest, "-o", run_, "--quiet"});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.talk, "");
}

TEST_F(CaptureToolTest, AFailedCaptureExitsWithOneAndKeepsItsRecords) {
  CustomExperiment experiment;
  experiment.baseline_symbol = "crashes";
  const ToolEnd end =
      RunCapture({WriteExperiment(scratch_ / "m", experiment), "-o", run_});
  EXPECT_EQ(end.status, 1);
  EXPECT_NE(end.talk.find("only/a crashed"), std::string::npos) << end.talk;
  EXPECT_EQ(MustReadCapture(run_, "only", "a").end.status, "crashed");
  EXPECT_EQ(MustReadCapture(run_, "only", "b").end.status, "completed");
}

TEST_F(CaptureToolTest, AViolatedExpectationExitsWithOne) {
  CustomExperiment experiment;
  experiment.candidate_symbol = "almost_twice";
  experiment.outputs = "bitwise-equal";
  const ToolEnd end =
      RunCapture({WriteExperiment(scratch_ / "m", experiment), "-o", run_});
  EXPECT_EQ(end.status, 1);
  EXPECT_NE(end.talk.find("bitwise-equal"), std::string::npos) << end.talk;
}

TEST_F(CaptureToolTest, WhatCannotStartIsSaidWithItsStatus) {
  const std::string manifest = WriteExperiment(scratch_ / "m", {});
  MustWrite(scratch_ / "other/letter.txt", "dear\n");
  MustWrite(scratch_ / "later.json", "{\"schema\":\"exhibit.manifest/2\"}");
  CustomExperiment lacking;
  lacking.input_file = "gone.npy";
  const std::string without_input = WriteExperiment(scratch_ / "n", lacking);
  const struct {
    std::vector<std::string> words;
    int status;
    const char* says;
  } cases[] = {
      {{manifest}, 2, "--output"},
      {{"-o", run_}, 2, "MANIFEST"},
      {{manifest, "-o", run_, "--jobs", "0"}, 2, "--jobs"},
      {{manifest, "-o", run_, "--jobs", "0x2"}, 2, "decimal"},
      {{scratch_ / "gone.json", "-o", run_}, 3, "gone.json"},
      {{manifest, "-o", scratch_ / "other"}, 3, "letter.txt"},
      {{manifest, "-o", scratch_ / "no/where"}, 3, "no/where"},
      {{manifest, "-o", "/proc/exhibit-run"}, 3, "/proc/exhibit-run"},
      {{without_input, "-o", run_}, 3, "gone.npy"},
      {{scratch_ / "later.json", "-o", run_}, 4, "exhibit.manifest/2"},
  };
  for (const auto& c : cases) {
    const ToolEnd end = RunCapture(c.words);
    EXPECT_EQ(end.status, c.status) << c.says << "\n" << end.talk;
    EXPECT_NE(end.talk.find(c.says), std::string::npos) << end.talk;
    EXPECT_NE(end.talk.find("exhibit-capture: error: "), std::string::npos);
    EXPECT_FALSE(PathExists(run_)) << c.says;
  }
}

TEST_F(CaptureToolTest, HelpShowsAnExample) {
  const ToolEnd end = RunCapture({"--help"});
  EXPECT_EQ(end.status, 0);
  EXPECT_NE(end.out.find("exhibit-capture manifests/quickstart.json -o"),
            std::string::npos);
}

// A run whose second capture waits for a file to go.
class HeldCaptureTest : public CaptureToolTest {
 protected:
  HeldCaptureTest() {
    CustomExperiment experiment;
    experiment.candidate_symbol = "twice_when_released";
    start_ =
        CaptureStart({WriteExperiment(scratch_ / "m", experiment), "-o", run_});
    start_.environment["CAPTURE_TEST_HOLD"] = hold_;
    MustWrite(hold_, "");
  }

  // Stops the tool by `number` while the second capture is being made.
  ToolEnd Stop(int number) {
    ToolProcess tool(start_);
    AwaitFile(run_ + "/" + CapturePath("only", "a"));
    AwaitFile(run_ + "/captures/only/.b.partial/.build.json");
    tool.Signal(number);
    const ToolEnd end = tool.Await();
    EXPECT_FALSE(PathExists(run_ + "/captures/only/b"));
    return end;
  }

  void ResumeAndCompare() {
    auto before = Snapshot(run_);
    before.erase(kAttemptsPath);
    std::erase_if(before, [](const auto& file) {
      return file.first.find(".partial/") != std::string::npos;
    });
    EXPECT_EQ(unlink(hold_.c_str()), 0);
    const ToolEnd end = ToolProcess(start_).Await();
    EXPECT_EQ(end.status, 0) << end.talk;
    const auto after = Snapshot(run_);
    for (const auto& [path, bytes] : before) {
      const auto kept = after.find(path);
      ASSERT_NE(kept, after.end()) << path;
      EXPECT_EQ(kept->second, bytes) << path;
    }
    for (const auto& [path, bytes] : after) {
      EXPECT_EQ(path.find(".partial/"), std::string::npos) << path;
    }
    EXPECT_EQ(MustReadCapture(run_, "only", "b").attempt, 1);
  }

  const std::string hold_ = scratch_ / "hold";
  ToolStart start_;
};

TEST_F(HeldCaptureTest, AKilledRunIsResumedAndKeepsItsCapturesByteForByte) {
  EXPECT_EQ(Stop(SIGKILL).status, 128 + SIGKILL);
  ResumeAndCompare();
}

TEST_F(HeldCaptureTest, AnInterruptedRunSaysSoAndIsResumed) {
  const ToolEnd end = Stop(SIGINT);
  EXPECT_EQ(end.status, 130);
  EXPECT_NE(end.talk.find("to go on: exhibit-capture "), std::string::npos)
      << end.talk;
  const auto attempts =
      DecodeAttempts(MustRead(run_ + "/" + kAttemptsPath), kAttemptsPath);
  ASSERT_TRUE(attempts.ok());
  EXPECT_EQ(attempts->back().result, "interrupted");
  ResumeAndCompare();
}

TEST_F(HeldCaptureTest, ATerminatedRunEndsWithItsSignalsStatus) {
  EXPECT_EQ(Stop(SIGTERM).status, 143);
}

TEST_F(HeldCaptureTest, ASecondToolOnOneRunIsRefused) {
  ToolProcess first(start_);
  AwaitFile(run_ + "/" + CapturePath("only", "a"));
  const ToolEnd second = RunCapture(start_.words);
  EXPECT_EQ(second.status, 3);
  EXPECT_NE(second.talk.find("in use"), std::string::npos) << second.talk;
  EXPECT_EQ(unlink(hold_.c_str()), 0);
  EXPECT_EQ(first.Await().status, 0);
}

TEST_F(CaptureToolTest, AFullDiskIsAnErrorThatCanBeResumedFrom) {
  const std::string manifest = WriteExperiment(scratch_ / "m", {});
  // Bytes after the end of an ELF file mean nothing, but do not fit.
  std::string library = MustRead(scratch_ / "m/kernels.so");
  library.resize(size_t{1} << 20);
  MustReplace(scratch_ / "m/kernels.so", library);
  ToolStart start = CaptureStart({manifest, "-o", run_});
  start.file_bytes_max = library.size() - 1;
  const ToolEnd full = ToolProcess(start).Await();
  EXPECT_EQ(full.status, 3) << full.talk;
  EXPECT_NE(full.talk.find("File too large"), std::string::npos) << full.talk;
  EXPECT_TRUE(PathExists(run_ + "/" + kFreezePath));
  EXPECT_FALSE(PathExists(run_ + "/captures/only/a"));
  const ToolEnd resumed = RunCapture(start.words);
  EXPECT_EQ(resumed.status, 0) << resumed.talk;
  for (const auto& [path, bytes] : Snapshot(run_)) {
    EXPECT_EQ(path.find(".partial/"), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace exhibit
