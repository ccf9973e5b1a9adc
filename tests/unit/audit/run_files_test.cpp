// For every file of a run: removed, changed by one bit, and one file too many.

#include <gtest/gtest.h>

#include <filesystem>

#include "manifests/run_layout.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

// Whether any finding names the file, as its place or in what it says.
bool Names(const AuditResult& result, const std::string& path) {
  return DescribeFindings(result).find(path) != std::string::npos;
}

TEST(RunFiles, EachRemovedFileIsNamed) {
  const RunFiles honest = HonestRun().Seal();
  for (const auto& [path, bytes] : honest) {
    RunFiles files = honest;
    files.erase(path);
    const AuditResult result = Audit(SubjectOf(files));
    EXPECT_EQ(result.verdict, Verdict::kFailed) << path;
    EXPECT_TRUE(Names(result, path)) << path << DescribeFindings(result);
  }
}

TEST(RunFiles, EachFlippedBitIsNamed) {
  const RunFiles honest = HonestRun().Seal();
  for (const auto& [path, bytes] : honest) {
    RunFiles files = honest;
    files[path][0] = static_cast<char>(files[path][0] ^ 1);
    const AuditResult result = Audit(SubjectOf(files));
    EXPECT_EQ(result.verdict, Verdict::kFailed) << path;
    EXPECT_TRUE(Names(result, path)) << path << DescribeFindings(result);
  }
}

TEST(RunFiles, EachExtraFileIsNamed) {
  const RunFiles honest = HonestRun().Seal();
  for (const std::string path :
       {"extra", "arrays/extra.npy", "cases/other/case.json",
        "captures/tiny/old/kernel.o", "captures/tiny/third/capture.json",
        "captures/tiny/old/notes.txt", "replays/tiny/visit-0099.json",
        "replays/tiny/visit-00.json", "replays/tiny/calibration-2.json",
        "sources/exhibit/extra", "attachments/extra", "logs/extra"}) {
    RunFiles files = honest;
    files[path] = "extra\n";
    const AuditResult result = Audit(SubjectOf(files));
    EXPECT_EQ(result.verdict, Verdict::kFailed) << path;
    EXPECT_TRUE(Names(result, path)) << path << DescribeFindings(result);
  }
}

TEST(RunFiles, AFileThatIsListedTwiceOrElsewhereIsNamed) {
  const RunFiles honest = HonestRun().Seal();
  const std::string path = CapturePath("tiny", "old");
  const CaptureRecord capture = *DecodeCapture(honest.at(path), path);
  FileEntry elsewhere = capture.files.front();
  elsewhere.path = kManifestPath;
  for (const FileEntry& more : {capture.files.front(), elsewhere}) {
    CaptureRecord record = capture;
    record.files.push_back(more);
    RunFiles files = honest;
    files[path] = EncodeCapture(record);
    EXPECT_TRUE(Names(Audit(SubjectOf(files)), "lists it twice"));
  }
  FreezeRecord freeze = *DecodeFreeze(honest.at(kFreezePath), kFreezePath);
  freeze.sources.push_back(freeze.sources.front());
  RunFiles files = honest;
  files[kFreezePath] = EncodeFreeze(freeze);
  EXPECT_TRUE(Names(Audit(SubjectOf(files)), "lists it twice"));
}

// It must not make room for all the visits before it.
TEST(RunFiles, AVisitFarBeyondTheOthersIsAnExtraFile) {
  for (const char* path :
       {"replays/tiny/visit-0042.json", "replays/tiny/visit-19999.json"}) {
    RunFiles files = HonestRun().Seal();
    files[path] = files.at("replays/tiny/visit-0011.json");
    const AuditResult result = Audit(SubjectOf(files));
    EXPECT_EQ(CodesOf(result), std::vector<std::string>{"file-extra"}) << path;
    EXPECT_TRUE(Names(result, path));
  }
}

TEST(RunFiles, ArrayThatNothingRefersToIsNamed) {
  RunFiles files = HonestRun().Seal();
  SyntheticRun scratch;
  const std::string npy = OutputNpy(std::vector<float>(16, 1.0F));
  const std::string path = ArrayPath(scratch.AddArray(npy));
  files[path] = npy;
  const AuditResult result = Audit(SubjectOf(files));
  EXPECT_EQ(CodesOf(result), std::vector<std::string>{"array-unreferenced"});
  EXPECT_TRUE(Names(result, path));
}

class LoadedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "audit-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string root_;
};

TEST_F(LoadedRun, FolderGivesTheSameBytesAsItsFiles) {
  const RunFiles files = HonestRun().Seal();
  WriteRun(files, root_);
  const Result<Subject> subject = LoadSubject(root_);
  ASSERT_TRUE(subject.ok()) << subject.error().message;
  EXPECT_EQ(EncodeJson(Audit(*subject).json),
            EncodeJson(Audit(SubjectOf(files)).json));
}

TEST_F(LoadedRun, MissingFolderIsAnErrorAndNoFinding) {
  const Result<Subject> subject = LoadSubject(root_ + "/absent");
  ASSERT_FALSE(subject.ok());
  EXPECT_EQ(subject.error().kind, ErrorKind::kNotFound);
}

TEST_F(LoadedRun, SymbolicLinkIsAFinding) {
  WriteRun(HonestRun().Seal(), root_);
  std::filesystem::create_symlink("manifest.json", root_ + "/link");
  const Result<Subject> subject = LoadSubject(root_);
  ASSERT_TRUE(subject.ok());
  EXPECT_EQ(CodesOf(Audit(*subject)),
            std::vector<std::string>{"archive-unsound"});
}

TEST_F(LoadedRun, FolderWithOnlyASealIsABundleWithoutItsSubject) {
  WriteRun({{"SHA256SUMS", ""}}, root_);
  const Result<Subject> subject = LoadSubject(root_);
  ASSERT_TRUE(subject.ok()) << subject.error().message;
  EXPECT_EQ(subject->kind, SubjectKind::kBundle);
  EXPECT_EQ(Audit(*subject).verdict, Verdict::kFailed);
}

TEST_F(LoadedRun, FilesPastTheLimitAreFindings) {
  WriteRun(HonestRun().Seal(), root_);
  SubjectLimits limits;
  limits.kept_bytes_max = 100;
  const Result<Subject> subject = LoadSubject(root_, limits);
  ASSERT_TRUE(subject.ok());
  const AuditResult result = Audit(*subject);
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_NE(DescribeFindings(result).find("over-limit"), std::string::npos);
}

}  // namespace
}  // namespace exhibit::testing
