#include "capture/worker_report.h"

#include <gtest/gtest.h>

namespace exhibit {
namespace {

CallReport SampleReport() {
  CallReport report;
  report.failure = "output: a guard zone beside it was written to";
  report.outputs = {{"y", "first bytes"}, {"z", std::string("\0\n{}", 4)}};
  report.process.command = {"exhibit-capture", "--worker", "call"};
  report.process.environment = {{"LANG", "C"}};
  report.process.mapped_files = {{"libc.so.6", std::string(64, 'c'), "1f"}};
  return report;
}

TEST(CallReport, RoundTrips) {
  const CallReport report = SampleReport();
  const auto read = DecodeCallReport(EncodeCallReport(report));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->failure, report.failure);
  EXPECT_EQ(read->process, report.process);
  EXPECT_FALSE(read->could_not.has_value());
  ASSERT_EQ(read->outputs.size(), 2u);
  EXPECT_EQ(read->outputs[0].npy, "first bytes");
  EXPECT_EQ(read->outputs[1].name, "z");
  EXPECT_EQ(read->outputs[1].npy, report.outputs[1].npy);
}

TEST(CallReport, AnErrorOfTheMachineKeepsItsKind) {
  CallReport report;
  report.could_not = Error{ErrorKind::kIo, "cannot write", "free some space"};
  const auto read = DecodeCallReport(EncodeCallReport(report));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read->could_not.has_value());
  EXPECT_EQ(read->could_not->kind, ErrorKind::kIo);
  EXPECT_EQ(read->could_not->message, "cannot write");
  EXPECT_EQ(read->could_not->hint, "free some space");
}

TEST(CallReport, EveryTruncationIsCorrupt) {
  const std::string bytes = EncodeCallReport(SampleReport());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto read = DecodeCallReport(bytes.substr(0, length));
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << length;
  }
  EXPECT_FALSE(DecodeCallReport(bytes + "x").ok());
}

TEST(CallReport, AnUnknownKindOfErrorIsCorrupt) {
  const auto read = DecodeCallReport(
      R"({"could_not":{"hint":"","kind":6,"message":""},"failure":"",)"
      R"("outputs":[],"process":{"command":[],"environment":{},)"
      R"("mapped_files":[]}})"
      "\n");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
}

TEST(WorkerTask, RoundTripsAndRefusesEveryTruncation) {
  const WorkerTask task{"out/run",    "decode",
                        "r1",         "out/run/captures/x",
                        "kernels.so", std::string(64, 'a')};
  const std::string bytes = EncodeTask(task);
  const auto read = DecodeTask(bytes);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(EncodeTask(*read), bytes);
  EXPECT_EQ(read->folder, task.folder);
  for (size_t length = 0; length + 1 < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeTask(bytes.substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(DecodeTask("{}\n").ok());
}

TEST(BuildFacts, RoundTripsAndRefusesEveryTruncation) {
  const BuildFacts facts{"entry", 4096, {"avx2", "sse2"}, std::string(64, 'd'),
                         {{"emit", 12}, {"jit", 0}}};
  const std::string bytes = EncodeBuildFacts(facts);
  const auto read = DecodeBuildFacts(bytes);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(EncodeBuildFacts(*read), bytes);
  EXPECT_EQ(read->required_cpu_flags, facts.required_cpu_flags);
  EXPECT_EQ(read->build_ns, facts.build_ns);
  for (size_t length = 0; length + 1 < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeBuildFacts(bytes.substr(0, length)).ok()) << length;
  }
}

}  // namespace
}  // namespace exhibit
