// Captures that compile and link.

#include <gtest/gtest.h>

#include "manifests/file.h"
#include "manifests/run_layout.h"
#include "tests/tool/capture/capture_process.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

const std::string kQuickstart =
    std::string(EXHIBIT_SOURCE_DIR) + "/manifests/quickstart.json";

TEST(CaptureWithCompiler, QuickstartGivesEqualBitsAndTheSameFilesTwice) {
  const Scratch scratch;
  const ToolEnd first = RunCapture({kQuickstart, "-o", scratch / "one"});
  ASSERT_EQ(first.status, 0) << first.talk;
  const ToolEnd second =
      RunCapture({kQuickstart, "-o", scratch / "two", "--jobs", "2"});
  ASSERT_EQ(second.status, 0) << second.talk;
  for (const char* name : {"decode", "prefill"}) {
    const CaptureRecord r1 = MustReadCapture(scratch / "one", name, "r1");
    const CaptureRecord r4 = MustReadCapture(scratch / "one", name, "r4");
    ASSERT_EQ(r1.outputs.size(), 1u);
    EXPECT_EQ(r1.outputs[0].jit_sha256, r1.outputs[0].prepared_sha256);
    EXPECT_EQ(r1.outputs, r4.outputs);
    EXPECT_EQ(r1.symbol, "attention.packet_batch.blocks");
    for (const char* variant : {"r1", "r4"}) {
      const std::string folder = CaptureFolder(name, variant) + "/";
      for (const char* file : {"kernel.ll", "kernel.o", "kernel.s", "kernel.so",
                               "program.tile", "realization.json"}) {
        EXPECT_EQ(MustRead(scratch / ("one/" + folder + file)),
                  MustRead(scratch / ("two/" + folder + file)))
            << folder << file;
      }
    }
    EXPECT_NE(
        MustRead(scratch / ("one/" + CaptureFolder(name, "r1")) + "/kernel.o"),
        MustRead(scratch / ("one/" + CaptureFolder(name, "r4")) + "/kernel.o"));
  }
}

TEST(CaptureWithCompiler, AnObjectIsLinkedAndBothAreKept) {
  const Scratch scratch;
  CustomExperiment experiment;
  experiment.library = "kernels.o";
  const std::string manifest = WriteExperiment(scratch / "m", experiment);
  const std::string object = MustRead(CAPTURE_TEST_OBJECT);
  MustWrite(scratch / "m/kernels.o", object);
  const ToolEnd end = RunCapture({manifest, "-o", scratch / "run"});
  ASSERT_EQ(end.status, 0) << end.talk;
  const std::string folder = scratch / ("run/" + CaptureFolder("only", "a"));
  EXPECT_EQ(MustRead(folder + "/kernel.o"), object);
  const CaptureRecord record = MustReadCapture(scratch / "run", "only", "a");
  ASSERT_EQ(record.files.size(), 2u);
  EXPECT_EQ(record.end.status, "completed");
  EXPECT_EQ(record.outputs.at(0).jit_sha256, "");
}

TEST(CaptureWithCompiler, WhatIsNoObjectIsRefusedAndRecorded) {
  const Scratch scratch;
  CustomExperiment experiment;
  experiment.library = "kernels.o";
  const std::string manifest = WriteExperiment(scratch / "m", experiment);
  MustWrite(scratch / "m/kernels.o", "not an object\n");
  const ToolEnd end = RunCapture({manifest, "-o", scratch / "run"});
  EXPECT_EQ(end.status, 1) << end.talk;
  const CaptureRecord record = MustReadCapture(scratch / "run", "only", "a");
  EXPECT_EQ(record.end.status, "refused");
  EXPECT_TRUE(record.files.empty());
}

}  // namespace
}  // namespace exhibit
