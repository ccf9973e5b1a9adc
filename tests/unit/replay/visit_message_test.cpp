#include "replay/visit_message.h"

#include <gtest/gtest.h>

#include "manifests/sha256.h"

namespace exhibit {
namespace {

ToolIdentity Tool() {
  return {"exhibit-replay", "0.1.0", Sha256Hex("a"), Sha256Hex("b")};
}

VisitRecord Draft() {
  VisitRecord record;
  record.kind = "timed";
  record.plan_sha256 = Sha256Hex("plan");
  record.previous_sha256 = Sha256Hex("previous");
  record.case_name = "c";
  record.arm = "baseline";
  record.variant = "v";
  record.library_sha256 = Sha256Hex("library");
  record.symbol = "entry";
  record.end.status = "completed";
  record.tool = Tool();
  return record;
}

VisitTask Task() {
  VisitTask task;
  task.run = "/a folder/run";
  task.tolerance = {1e-6, 0};
  task.plan.freeze_sha256 = Sha256Hex("freeze");
  task.plan.case_name = "c";
  task.plan.baseline = {"v", Sha256Hex("1"), Sha256Hex("2")};
  task.plan.candidate = {"w", Sha256Hex("3"), Sha256Hex("4")};
  task.plan.starting_arm = "baseline";
  task.plan.isolation = "process";
  task.plan.timing_scope = "native-entry-host-wall";
  task.plan.tool = Tool();
  task.case_record.freeze_sha256 = Sha256Hex("freeze");
  task.case_record.case_name = "c";
  task.case_record.program = "custom";
  task.case_record.tool = Tool();
  task.capture.freeze_sha256 = Sha256Hex("freeze");
  task.capture.case_sha256 = Sha256Hex("case");
  task.capture.case_name = "c";
  task.capture.variant = "v";
  task.capture.kind = "library";
  task.capture.symbol = "entry";
  task.capture.end.status = "completed";
  task.capture.tool = Tool();
  task.draft = Draft();
  return task;
}

TEST(VisitMessage, TaskComesBackAsItWas) {
  std::string bytes = EncodeVisitTask(Task());
  Result<VisitTask> task = DecodeVisitTask(bytes);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->run, "/a folder/run");
  EXPECT_EQ(task->tolerance.absolute, 1e-6);
  EXPECT_EQ(task->tolerance.relative, 0);
  EXPECT_EQ(EncodeVisitTask(*task), bytes);
}

TEST(VisitMessage, ReportComesBackAsItWas) {
  VisitReport report{Draft(), "maps\n", {std::string("\0\n1", 3), ""}};
  std::string bytes = EncodeVisitReport(report);
  Result<VisitReport> read = DecodeVisitReport(bytes);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->maps, "maps\n");
  EXPECT_EQ(read->arrays, report.arrays);
  EXPECT_EQ(EncodeVisitReport(*read), bytes);
}

TEST(VisitMessage, EveryTruncationIsCorrupt) {
  for (const std::string& bytes :
       {EncodeVisitTask(Task()),
        EncodeVisitReport({Draft(), "maps", {"array"}})}) {
    for (size_t length = 0; length < bytes.size(); ++length) {
      std::string_view cut = std::string_view(bytes).substr(0, length);
      EXPECT_FALSE(UnpackParts(cut).ok()) << length;
      EXPECT_FALSE(DecodeVisitTask(cut).ok()) << length;
      EXPECT_FALSE(DecodeVisitReport(cut).ok()) << length;
    }
  }
}

TEST(Parts, ComeBackAsTheyWere) {
  for (const std::vector<std::string>& parts :
       {std::vector<std::string>{}, std::vector<std::string>{""},
        std::vector<std::string>{"a\n", "", std::string("\0", 1)}}) {
    Result<std::vector<std::string>> read = UnpackParts(PackParts(parts));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, parts);
  }
}

TEST(Parts, OtherSpellingsAreRejected) {
  for (const char* bytes :
       {"", "1", "01\n1\na", "1\n+1\na", "1\n1\nab", "1\n2\na", "-1\n",
        " 1\n1\na", "1\n1 \na", "4097\n", "18446744073709551616\n",
        "1\n18446744073709551615\na"}) {
    Result<std::vector<std::string>> read = UnpackParts(bytes);
    ASSERT_FALSE(read.ok()) << bytes;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << bytes;
  }
}

}  // namespace
}  // namespace exhibit
