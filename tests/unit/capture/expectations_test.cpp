#include "capture/expectations.h"

#include <gtest/gtest.h>

#include "manifests/records.h"
#include "manifests/run_layout.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

struct Arm {
  std::string name;
  std::string kind = "tile";
  std::string status = "completed";
  char output = 'a';  // Digest digit of its output.
  int64_t snapshot_bytes = 64;
  int64_t workspace_bytes = 0;
};

void WriteArm(const Scratch& run, const Arm& arm) {
  CaptureRecord record;
  record.freeze_sha256 = record.case_sha256 = std::string(64, 'f');
  record.case_name = "only";
  record.variant = arm.name;
  record.kind = arm.kind;
  record.end.status = arm.status;
  record.workspace_bytes = arm.workspace_bytes;
  record.tool = TestTool();
  if (arm.status == "completed") {
    record.outputs = {{"y", "", std::string(64, arm.output)}};
  }
  MustWrite(run / CapturePath("only", arm.name), EncodeCapture(record));
  if (arm.kind != "tile") return;
  MustWrite(run / (CaptureFolder("only", arm.name) + "/realization.json"),
            EncodeJson(Json::Object{
                {"private_workspace_bytes", arm.workspace_bytes},
                {"required_cpu_flags", Json::Array()},
                {"static_snapshot_bytes_per_worker", arm.snapshot_bytes}}));
}

Manifest Expecting(const std::string& outputs, const std::string& capacity) {
  Manifest manifest;
  manifest.baseline = "a";
  manifest.candidate = "b";
  manifest.expect_outputs = outputs;
  manifest.expect_capacity = capacity;
  ManifestCase only;
  only.name = "only";
  manifest.cases = {only};
  return manifest;
}

std::vector<std::string> Violations(const Arm& a, const Arm& b,
                                    const Manifest& manifest) {
  const Scratch run;
  WriteArm(run, a);
  WriteArm(run, b);
  const auto violations = ViolatedExpectations(manifest, run.path());
  EXPECT_TRUE(violations.ok())
      << (violations.ok() ? "" : violations.error().message);
  return violations.ok() ? *violations : std::vector<std::string>();
}

TEST(Expectations, EqualArmsViolateNothing) {
  EXPECT_TRUE(Violations({.name = "a"}, {.name = "b"},
                         Expecting("bitwise-equal", "equal"))
                  .empty());
}

TEST(Expectations, OtherBitsCountOnlyWhereEqualBitsWereExpected) {
  const Arm a{.name = "a"}, b{.name = "b", .output = 'b'};
  EXPECT_EQ(Violations(a, b, Expecting("bitwise-equal", "any")).size(), 1u);
  EXPECT_TRUE(Violations(a, b, Expecting("within-tolerance", "any")).empty());
}

TEST(Expectations, CapacityIsSnapshotsAndWorkspace) {
  const Arm a{.name = "a"};
  const Arm b{.name = "b", .snapshot_bytes = 128, .workspace_bytes = 256};
  const auto both = Violations(a, b, Expecting("bitwise-equal", "equal"));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[0].find("static_snapshot_bytes_per_worker"),
            std::string::npos);
  EXPECT_NE(both[0].find("64 and 128"), std::string::npos) << both[0];
  EXPECT_NE(both[1].find("private_workspace_bytes"), std::string::npos);
  EXPECT_TRUE(Violations(a, b, Expecting("bitwise-equal", "any")).empty());
}

TEST(Expectations, ALibraryIsKnownByItsWorkspaceAlone) {
  const Arm a{.name = "a", .kind = "library", .workspace_bytes = 64};
  Arm b{.name = "b", .kind = "library", .workspace_bytes = 64};
  EXPECT_TRUE(Violations(a, b, Expecting("bitwise-equal", "equal")).empty());
  b.workspace_bytes = 128;
  EXPECT_EQ(Violations(a, b, Expecting("bitwise-equal", "equal")).size(), 1u);
}

TEST(Expectations, ALibraryCannotStateTheSnapshotsOfATileVariant) {
  const auto violations =
      Violations({.name = "a"}, {.name = "b", .kind = "library"},
                 Expecting("bitwise-equal", "equal"));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_NE(violations[0].find("not reported"), std::string::npos);
}

TEST(Expectations, AnArmThatDidNotCompleteIsNotCompared) {
  EXPECT_TRUE(
      Violations({.name = "a"},
                 {.name = "b", .status = "crashed", .snapshot_bytes = 1},
                 Expecting("bitwise-equal", "equal"))
          .empty());
}

}  // namespace
}  // namespace exhibit
