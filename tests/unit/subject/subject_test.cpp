#include "audit/subject.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "archive/pack.h"
#include "audit/audit.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

namespace fs = std::filesystem;

class SubjectTest : public ::testing::Test {
 protected:
  SubjectTest() {
    std::string name = (fs::temp_directory_path() / "exhibit-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(Run());
    WriteRun(HonestRun().Seal(), Run());
    PackOptions options;
    options.producer.tool = {"exhibit-archive", "0", std::string(64, 'a'),
                             std::string(64, 'b')};
    options.producer.source_commit = "unknown";
    const auto packed = PackRun(Run(), Bundle(), options);
    EXPECT_TRUE(packed.ok()) << packed.error().message;
  }
  ~SubjectTest() override { fs::remove_all(folder_); }

  std::string Run() const { return folder_ + "/run"; }
  std::string Bundle() const { return folder_ + "/bundle"; }
  static std::string AuditOf(const Subject& subject) {
    return EncodeJson(Audit(subject).json);
  }

  std::string folder_;
};

SubjectLimits HoldingNoArrays() {
  SubjectLimits limits;
  limits.arrays_bytes_max = 0;
  return limits;
}

TEST_F(SubjectTest, ArraysThatAreReadAgainGiveTheSameAudit) {
  for (const std::string& path : {Run(), Bundle()}) {
    const auto kept = LoadSubject(path);
    const auto again = LoadSubject(path, HoldingNoArrays());
    ASSERT_TRUE(kept.ok() && again.ok()) << path;
    const std::string audit = AuditOf(*kept);
    EXPECT_NE(audit.find("\"verdict\":\"verified\""), std::string::npos);
    EXPECT_EQ(AuditOf(*again), audit);
    EXPECT_FALSE(*again->failure);
    size_t held = 0;
    for (const auto& [name, file] : again->files) {
      if (name.starts_with("arrays/") && file.bytes) ++held;
    }
    EXPECT_EQ(held, 0U);
  }
}

TEST_F(SubjectTest, AnArrayThatChangesMeanwhileEndsTheAudit) {
  const auto subject = LoadSubject(Run(), HoldingNoArrays());
  ASSERT_TRUE(subject.ok());
  for (const auto& [path, file] : subject->files) {
    if (!path.starts_with("arrays/")) continue;
    // Another last byte, and nothing else.
    std::fstream stream(Run() + "/" + path,
                        std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(-1, std::ios::end);
    stream.put('\x55');
  }
  Audit(*subject);
  ASSERT_TRUE(*subject->failure);
  EXPECT_EQ((*subject->failure)->kind, ErrorKind::kIo);
}

TEST_F(SubjectTest, WhatASmallBundleGrowsToIsNotAllHeld) {
  SubjectLimits limits;
  limits.kept_bytes_free = 0;
  limits.kept_ratio_max = 1;
  const auto bundle = LoadSubject(Bundle(), limits);
  ASSERT_TRUE(bundle.ok());
  EXPECT_NE(DescribeFindings(Audit(*bundle)).find("over-limit"),
            std::string::npos);
  // A run is as large as it looks.
  const auto run = LoadSubject(Run(), limits);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(Audit(*run).verdict, Verdict::kVerified);
}

// Of the one oracle of the run, of shape [1,2,1,2,3,4,4].
constexpr uint64_t kInputBytes = 3 * 128 + 4 * (16 + 12 + 12);
constexpr uint64_t kOracleBytes = 8 * 16;

TEST_F(SubjectTest, WhatIsComputedAgainIsLimitedToTheLastOperation) {
  SubjectLimits limits;
  limits.operation_count_max = 1'000'000;
  const auto audit = [&] {
    const auto subject = LoadSubject(Run(), limits);
    EXPECT_TRUE(subject.ok());
    const AuditResult result = Audit(*subject);
    return std::pair(CodesOf(result), subject->operations->left());
  };
  const auto [codes, left] = audit();
  ASSERT_EQ(codes, std::vector<std::string>{});
  // Five visible pairs for each of two heads at least, and the inputs.
  ASSERT_GT(1'000'000 - left, 2 * 5 * (4 + 4 + 512) + (16 + 12 + 12) * 32);
  limits.operation_count_max = static_cast<uint64_t>(1'000'000 - left);
  EXPECT_EQ(audit(), (std::pair(codes, int64_t{0})));
  // Wherever they come to an end, it is the one thing that is said.
  const uint64_t all = limits.operation_count_max;
  for (const uint64_t some : {all - 1, all - 100, all / 2, uint64_t{0}}) {
    limits.operation_count_max = some;
    EXPECT_EQ(audit().first, std::vector<std::string>{"over-limit"}) << some;
  }
}

TEST_F(SubjectTest, WhatIsComputedAgainIsLimitedToTheLastByte) {
  SubjectLimits limits;
  limits.computing_bytes_max = kInputBytes + kOracleBytes;
  const auto enough = LoadSubject(Run(), limits);
  ASSERT_TRUE(enough.ok());
  EXPECT_EQ(Audit(*enough).verdict, Verdict::kVerified);
  for (const uint64_t bytes :
       {kInputBytes + kOracleBytes - 1, kInputBytes - 1}) {
    limits.computing_bytes_max = bytes;
    const auto less = LoadSubject(Run(), limits);
    ASSERT_TRUE(less.ok());
    EXPECT_EQ(CodesOf(Audit(*less)), std::vector<std::string>{"over-limit"});
  }
}

TEST_F(SubjectTest, ASmallBundleMayAskForLessComputing) {
  const auto run = LoadSubject(Run());
  const auto bundle = LoadSubject(Bundle());
  ASSERT_TRUE(run.ok() && bundle.ok());
  const auto bytes =
      static_cast<int64_t>(fs::file_size(Bundle() + "/evidence.tar.xz"));
  EXPECT_EQ(bundle->operations->left(),
            (int64_t{1} << 29) + bytes * (bytes / 128));
  EXPECT_EQ(bundle->computing_bytes_max, (int64_t{32} << 20) + 64 * bytes);
  EXPECT_EQ(run->operations->left(), int64_t{1} << 46);
  EXPECT_EQ(run->computing_bytes_max, int64_t{4} << 30);
}

TEST_F(SubjectTest, ValuesOfRecordsAreLimitedToTheLast) {
  const auto codes_with = [&](uint64_t values) {
    SubjectLimits limits;
    limits.record_values_max = values;
    const auto subject = LoadSubject(Run(), limits);
    EXPECT_TRUE(subject.ok());
    return CodesOf(Audit(*subject));
  };
  uint64_t too_few = 0;
  uint64_t enough = 100'000;
  while (enough - too_few > 1) {
    const uint64_t middle = (too_few + enough) / 2;
    (codes_with(middle).empty() ? enough : too_few) = middle;
  }
  // Twelve visits, two calibrations and the rest have some thousand.
  EXPECT_GT(enough, 1000u);
  EXPECT_LT(enough, 10'000u);
  const std::vector<std::string> codes = codes_with(enough - 1);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "over-limit"), 1);
}

TEST_F(SubjectTest, BlocksThatAreTooLargeToBeginInAreAFinding) {
  SubjectLimits limits = HoldingNoArrays();
  limits.archive.block_bytes_max = 100;
  const auto subject = LoadSubject(Bundle(), limits);
  ASSERT_TRUE(subject.ok());
  const AuditResult result = Audit(*subject);
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_NE(DescribeFindings(result).find("over-limit"), std::string::npos);
}

}  // namespace
}  // namespace exhibit::testing
