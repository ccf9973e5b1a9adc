#include "manifests/host/attempt_log.h"

#include <gtest/gtest.h>

#include "capture/run_folder.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

TEST(AttemptLog, StartAndEndBecomeTwoLinesOfOneChain) {
  const Scratch run;
  Result<AttemptLog> log = AttemptLog::Start(run.path(), "capture", TestTool());
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log->End("done", "").ok());
  const auto attempts = AttemptLog::Read(run.path());
  ASSERT_TRUE(attempts.ok()) << attempts.error().message;
  ASSERT_EQ(attempts->size(), 2u);
  EXPECT_EQ((*attempts)[0].event, "start");
  EXPECT_EQ((*attempts)[0].previous_sha256, Sha256Hex(""));
  EXPECT_EQ((*attempts)[1].event, "end");
  EXPECT_EQ((*attempts)[1].result, "done");
  EXPECT_EQ((*attempts)[1].previous_sha256,
            Sha256Hex(EncodeAttempt((*attempts)[0])));
}

TEST(AttemptLog, AStartAfterAKilledAttemptTakesTheNextNumber) {
  const Scratch run;
  ASSERT_TRUE(AttemptLog::Start(run.path(), "capture", TestTool()).ok());
  const Result<AttemptLog> second =
      AttemptLog::Start(run.path(), "capture", TestTool());
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->attempt(), 1);
}

TEST(AttemptLog, ARunWithoutAttemptsHasNone) {
  const Scratch run;
  const auto attempts = AttemptLog::Read(run.path());
  ASSERT_TRUE(attempts.ok());
  EXPECT_TRUE(attempts->empty());
}

TEST(AttemptLog, AChangedLineIsCorruptAndNothingIsAppendedToIt) {
  const Scratch run;
  MustWrite(run / kAttemptsPath, "{}\n");
  const Result<AttemptLog> log =
      AttemptLog::Start(run.path(), "capture", TestTool());
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(MustRead(run / kAttemptsPath), "{}\n");
}

AttemptRecord Event(const std::string& stage, const std::string& event,
                    const std::string& result) {
  AttemptRecord record;
  record.stage = stage;
  record.event = event;
  record.result = result;
  return record;
}

TEST(CaptureIsFinished, OnlyAfterAnEndThatMadeEveryCapture) {
  const AttemptRecord start = Event("capture", "start", "");
  EXPECT_FALSE(CaptureIsFinished({}));
  EXPECT_FALSE(CaptureIsFinished({start}));
  for (const char* result : {"interrupted", "error"}) {
    EXPECT_FALSE(CaptureIsFinished({start, Event("capture", "end", result)}));
  }
  for (const char* result : {"done", "invalid"}) {
    EXPECT_TRUE(CaptureIsFinished({start, Event("capture", "end", result)}));
  }
}

TEST(CaptureIsFinished, WhateverReplayDidAfterwards) {
  EXPECT_TRUE(CaptureIsFinished(
      {Event("capture", "start", ""), Event("capture", "end", "done"),
       Event("replay", "start", ""), Event("replay", "end", "error")}));
}

}  // namespace
}  // namespace exhibit
