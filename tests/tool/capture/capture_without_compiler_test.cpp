// What a build without the compiler refuses, by name.

#include <gtest/gtest.h>

#include "manifests/file.h"
#include "tests/tool/capture/capture_process.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

TEST(WithoutCompiler, ATileVariantIsUnsupportedByName) {
  const Scratch scratch;
  const ToolEnd end = RunCapture(
      {std::string(EXHIBIT_SOURCE_DIR) + "/manifests/quickstart.json", "-o",
       scratch / "run"});
  EXPECT_EQ(end.status, 4) << end.talk;
  EXPECT_NE(end.talk.find("variant r1"), std::string::npos) << end.talk;
  EXPECT_FALSE(PathExists(scratch / "run"));
}

TEST(WithoutCompiler, AnObjectIsUnsupportedByName) {
  const Scratch scratch;
  CustomExperiment experiment;
  experiment.library = "kernels.o";
  const ToolEnd end = RunCapture(
      {WriteExperiment(scratch / "m", experiment), "-o", scratch / "run"});
  EXPECT_EQ(end.status, 4) << end.talk;
  EXPECT_NE(end.talk.find("kernels.o"), std::string::npos) << end.talk;
}

}  // namespace
}  // namespace exhibit
