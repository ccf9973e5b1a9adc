#include "archive/bundle.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>

#include "archive/seal.h"
#include "archive/unpack.h"
#include "manifests/file.h"
#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

namespace fs = std::filesystem;

const EvidenceVisitor kIgnore = [](const EvidenceFile&, ByteSource&) {
  return Ok();
};

// The least that can be taken for an audit of a run.
std::string AuditOf(const std::string& content_id) {
  return "{\"content_id\":\"" + content_id +
         "\",\"schema\":\"exhibit.audit/1\"}\n";
}

// A run and, once packed, its bundle.
class BundleTest : public testing::Test {
 protected:
  BundleTest() { WriteRun(run_, SampleFiles()); }

  void Pack() {
    const auto report = PackRun(run_, bundle_, TestPackOptions());
    ASSERT_TRUE(report.ok()) << report.error().message;
  }
  void ExpectPackFails(ErrorKind kind, const std::string& part,
                       const PackOptions& options = TestPackOptions()) {
    const auto report = PackRun(run_, bundle_, options);
    ASSERT_FALSE(report.ok()) << part;
    EXPECT_EQ(report.error().kind, kind) << report.error().message;
    EXPECT_NE(report.error().message.find(part), std::string::npos)
        << report.error().message;
    EXPECT_EQ(scratch_.Names(), std::vector<std::string>{"run"});
  }
  void ExpectDoesNotVerify(ErrorKind kind, const std::string& part) {
    const auto read = VerifyBundle(bundle_, {}, kIgnore);
    ASSERT_FALSE(read.ok()) << part;
    EXPECT_EQ(read.error().kind, kind) << read.error().message;
    EXPECT_NE(read.error().message.find(part), std::string::npos)
        << read.error().message;
  }
  std::string InBundle(const std::string& name) { return bundle_ + "/" + name; }
  void Replace(const std::string& name, const std::string& bytes) {
    fs::remove(InBundle(name));
    WriteBytes(InBundle(name), bytes);
  }
  // The bundle of `streams`, with the provenance it has already.
  void ReplaceStreams(const Members& evidence, const Members& sources) {
    Replace(kEvidenceName, XzBytes(TarBytes(evidence)));
    Replace(kSourcesName, GzipBytes(TarBytes(sources)));
  }

  const ScratchFolder scratch_;
  const std::string run_ = scratch_ / "run";
  const std::string bundle_ = scratch_ / "bundle";
};

TEST_F(BundleTest, APackedRunIsExactlyTheTwoStreamsAndProvenance) {
  Pack();
  EXPECT_EQ(ReadBytes(InBundle(kEvidenceName)),
            XzBytes(TarBytes(EvidenceMembers(SampleFiles()))));
  EXPECT_EQ(ReadBytes(InBundle(kSourcesName)),
            GzipBytes(TarBytes(SourceMembers(SampleFiles()))));
  EXPECT_EQ(ReadBytes(InBundle(kProvenanceName)),
            EncodeProvenance(
                DescribePacking(Sha256Hex(IndexOf(SampleFiles())),
                                Sha256Hex(SampleFiles().at("manifest.json")),
                                TestPackOptions().producer)));
  const auto names = ListBundle(bundle_);
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(*names, (std::vector<std::string>{kEvidenceName, kProvenanceName,
                                              kSourcesName}));
}

TEST_F(BundleTest, TheReportNamesTheRun) {
  const auto report = PackRun(run_, bundle_, TestPackOptions());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->content_id, Sha256Hex(IndexOf(SampleFiles())));
  EXPECT_EQ(report->file_count, 9);
  uint64_t contents_bytes = 0;
  for (const auto& [path, bytes] : SampleFiles())
    contents_bytes += bytes.size();
  EXPECT_EQ(report->contents_bytes, contents_bytes);
}

TEST_F(BundleTest, NoByteDependsOnThreadsTimesModesOrDirectoryOrder) {
  Pack();
  const std::string other_run = scratch_ / "other-run";
  const Files files = SampleFiles();
  for (auto at = files.rbegin(); at != files.rend(); ++at) {
    const std::string path = other_run + "/" + at->first;
    WriteBytes(path, at->second);
    fs::last_write_time(path, fs::file_time_type(std::chrono::hours(1)));
    fs::permissions(path, fs::perms::owner_all);
  }
  const std::string other = scratch_ / "other-bundle";
  const mode_t mask = umask(0077);
  const auto report = PackRun(other_run, other, TestPackOptions(4));
  umask(mask);
  ASSERT_TRUE(report.ok()) << report.error().message;
  for (const char* name : {kEvidenceName, kSourcesName, kProvenanceName}) {
    EXPECT_EQ(ReadBytes(other + "/" + name), ReadBytes(InBundle(name))) << name;
  }
}

TEST_F(BundleTest, ARunWithoutSourcesHasAnEmptySourcesArchive) {
  fs::remove_all(run_ + "/sources");
  Pack();
  EXPECT_EQ(ReadBytes(InBundle(kSourcesName)), GzipBytes(TarBytes({})));
  EXPECT_TRUE(VerifyBundle(bundle_, {}, kIgnore).ok());
}

TEST_F(BundleTest, AnExistingBundleIsNotTouched) {
  WriteBytes(InBundle("precious"), "x");
  const auto report = PackRun(run_, bundle_, TestPackOptions());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(ReadBytes(InBundle("precious")), "x");
  EXPECT_EQ(scratch_.Names(), (std::vector<std::string>{"bundle", "run"}));
}

TEST_F(BundleTest, WhatIsNoRunIsRefused) {
  fs::remove(run_ + "/manifest.json");
  ExpectPackFails(ErrorKind::kNotFound, "has no manifest.json");
  fs::remove_all(run_);
  const auto report = PackRun(run_, bundle_, TestPackOptions());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::kNotFound);
}

TEST_F(BundleTest, PathsThatCannotBeArchivedAreRefused) {
  const std::string too_long(97, 'x');
  for (const std::string& name :
       {std::string("a b"), std::string("caf\xc3\xa9"), std::string("-dash"),
        too_long}) {
    WriteBytes(run_ + "/" + name, "");
    ExpectPackFails(ErrorKind::kCorrupt, "cannot be archived");
    fs::remove(run_ + "/" + name);
  }
  WriteBytes(run_ + "/Manifest.json", "");
  ExpectPackFails(ErrorKind::kCorrupt, "by case only");
}

TEST_F(BundleTest, LinksAndSpecialFilesAreRefused) {
  fs::create_symlink("manifest.json", run_ + "/link");
  ExpectPackFails(ErrorKind::kCorrupt, "link");
  fs::remove(run_ + "/link");
  ASSERT_EQ(mkfifo((run_ + "/pipe").c_str(), 0600), 0);
  ExpectPackFails(ErrorKind::kCorrupt, "pipe");
}

TEST_F(BundleTest, LimitsAreKeptWhenPacking) {
  PackOptions options = TestPackOptions();
  options.limits.member_bytes_max = 999;
  ExpectPackFails(ErrorKind::kLimitExceeded, "arrays/odd.npy", options);
  options = TestPackOptions();
  options.limits.member_count_max = 8;
  ExpectPackFails(ErrorKind::kLimitExceeded, "8", options);
  options = TestPackOptions();
  options.limits.contents_bytes_max = 1500;
  ExpectPackFails(ErrorKind::kLimitExceeded, "1500", options);
}

TEST_F(BundleTest, ARunThatChangesWhileItIsPackedIsAnError) {
  PackOptions options = TestPackOptions();
  options.watch.on_file = [&](int64_t, int64_t, const std::string& what) {
    if (what == "pack logs/capture.log") {
      WriteBytes(run_ + "/logs/capture.log", "said NOTHING\n");
    }
  };
  ExpectPackFails(ErrorKind::kIo, "changed while", options);
  options.watch.on_file = [&](int64_t, int64_t, const std::string& what) {
    if (what == "compare logs/capture.log") {
      WriteBytes(run_ + "/logs/capture.log", "said anything\n");
    }
  };
  ExpectPackFails(ErrorKind::kIo, "changed while", options);
}

TEST_F(BundleTest, StoppingLeavesNothingBehind) {
  for (const int stop_at : {0, 5, 20}) {
    int asked = 0;
    PackOptions options = TestPackOptions();
    options.watch.is_stopped = [&] { return asked++ >= stop_at; };
    ExpectPackFails(ErrorKind::kIo, "stopped", options);
  }
}

TEST_F(BundleTest, StepsCountEveryPassOverEveryFile) {
  std::vector<int64_t> seen;
  PackOptions options = TestPackOptions();
  options.watch.on_file = [&](int64_t done, int64_t total, const std::string&) {
    EXPECT_EQ(total, 27);
    seen.push_back(done);
  };
  ASSERT_TRUE(PackRun(run_, bundle_, options).ok());
  ASSERT_EQ(seen.size(), 27u);
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], static_cast<int64_t>(i));
  }
}

// Lets no file of this process grow beyond some bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

TEST_F(BundleTest, ADiskThatFillsUpLeavesNothingBehind) {
  ASSERT_TRUE(PackRun(run_, bundle_, TestPackOptions()).ok());
  const uint64_t evidence_bytes = fs::file_size(InBundle(kEvidenceName));
  fs::remove_all(bundle_);
  for (uint64_t bytes = 0; bytes < evidence_bytes; bytes += 97) {
    Status status;
    {
      const FileSizeLimit limit(bytes);
      const auto report = PackRun(run_, bundle_, TestPackOptions());
      if (!report.ok()) status = report.error();
    }
    ASSERT_FALSE(status.ok()) << bytes;
    EXPECT_EQ(status.error().kind, ErrorKind::kIo) << status.error().message;
    EXPECT_EQ(scratch_.Names(), std::vector<std::string>{"run"}) << bytes;
  }
}

TEST_F(BundleTest, AMissingFileOfTheSubjectIsNoticed) {
  for (const char* name : {kEvidenceName, kSourcesName, kProvenanceName}) {
    fs::remove_all(bundle_);
    Pack();
    fs::remove(InBundle(name));
    ExpectDoesNotVerify(ErrorKind::kCorrupt, name + std::string(" is missing"));
  }
}

TEST_F(BundleTest, AnythingElseInTheFolderIsNoticed) {
  Pack();
  WriteBytes(InBundle("notes.txt"), "");
  ExpectDoesNotVerify(ErrorKind::kCorrupt, "no part of a bundle");
  fs::remove(InBundle("notes.txt"));
  fs::create_symlink(kProvenanceName, InBundle(kAuditName));
  ExpectDoesNotVerify(ErrorKind::kCorrupt, "not a regular file");
  fs::remove(InBundle(kAuditName));
  fs::create_directory(InBundle(kReportName));
  ExpectDoesNotVerify(ErrorKind::kCorrupt, "not a regular file");
}

// Whatever the order in which the folder lists them.
TEST_F(BundleTest, OfManyStrangeFilesTheFirstByNameIsNamed) {
  Pack();
  for (const int number : {7, 3, 9, 1, 8, 5}) {
    WriteBytes(InBundle("extra-" + std::to_string(number)), "x");
  }
  const auto names = ListBundle(bundle_);
  ASSERT_FALSE(names.ok());
  EXPECT_EQ(names.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(names.error().message.find("holds \"extra-1\" and 5 more"),
            std::string::npos)
      << names.error().message;
}

TEST_F(BundleTest, NoFolderIsNotFound) {
  ExpectDoesNotVerify(ErrorKind::kNotFound, "bundle");
  EXPECT_FALSE(LooksLikeBundle(bundle_));
  EXPECT_FALSE(LooksLikeBundle(run_));
  Pack();
  EXPECT_TRUE(LooksLikeBundle(bundle_));
}

TEST_F(BundleTest, BundleIsToldByItsSubjectAndNotByWhatMayLieAnywhere) {
  Pack();
  fs::remove(InBundle(kEvidenceName));
  EXPECT_TRUE(LooksLikeBundle(bundle_)) << "its evidence was lost";
  fs::remove(InBundle(kSourcesName));
  fs::remove(InBundle(kProvenanceName));
  for (const char* name : {kAuditName, kReportName, kClaimsName}) {
    WriteBytes(InBundle(name), "{}");
  }
  EXPECT_FALSE(LooksLikeBundle(bundle_)) << "nothing of the subject is there";
  WriteBytes(InBundle(kSealName), "");
  EXPECT_TRUE(LooksLikeBundle(bundle_)) << "it was sealed once";
  for (const char* name : {"manifest.json", "freeze.json"}) {
    WriteBytes(InBundle(kProvenanceName), "{}");
    WriteBytes(InBundle(name), "{}");
    EXPECT_FALSE(LooksLikeBundle(bundle_)) << "a run with stray files";
    fs::remove(InBundle(name));
  }
}

TEST_F(BundleTest, EvidenceOfAnotherRunIsNoticedByProvenance) {
  Pack();
  Files other = SampleFiles();
  other["logs/capture.log"] = "other\n";
  ReplaceStreams(EvidenceMembers(other), SourceMembers(other));
  ExpectDoesNotVerify(ErrorKind::kCorrupt, "content_id");
}

TEST_F(BundleTest, AFileThatDoesNotMatchTheIndexIsNoticed) {
  Pack();
  Members evidence = EvidenceMembers(SampleFiles());
  evidence[1].second += " ";
  ReplaceStreams(evidence, SourceMembers(SampleFiles()));
  ExpectDoesNotVerify(ErrorKind::kCorrupt, "manifest.json: has SHA-256");
}

TEST_F(BundleTest, ProvenanceWithAnotherManifestIsNoticed) {
  Pack();
  Provenance provenance = *ReadProvenance(bundle_);
  provenance.manifest_sha256 = std::string(64, '0');
  Replace(kProvenanceName, EncodeProvenance(provenance));
  ExpectDoesNotVerify(ErrorKind::kCorrupt, "manifest_sha256");
}

TEST_F(BundleTest, SealingClosesTheBundle) {
  Pack();
  const std::string content_id = Sha256Hex(IndexOf(SampleFiles()));
  const std::string audit = AuditOf(content_id);
  const std::string report = "# Report\n\nContent id: " + content_id + "\n";
  WriteBytes(scratch_ / "a", audit);
  WriteBytes(scratch_ / "r", report);
  EXPECT_EQ(SealDifferences(bundle_).error().kind, ErrorKind::kNotFound);
  SealOptions options;
  options.audit_file = scratch_ / "a";
  options.report_file = scratch_ / "r";
  const auto sealed = SealBundle(bundle_, options);
  ASSERT_TRUE(sealed.ok()) << sealed.error().message;
  EXPECT_EQ(*sealed, content_id);
  std::string expected;
  for (const char* name : {kAuditName, kEvidenceName, kProvenanceName,
                           kReportName, kSourcesName}) {
    expected += Sha256Hex(ReadBytes(InBundle(name))) + "  " + name + "\n";
  }
  EXPECT_EQ(ReadBytes(InBundle(kSealName)), expected);
  EXPECT_EQ(ReadBytes(InBundle(kAuditName)), audit);
  EXPECT_EQ(ReadBytes(InBundle(kReportName)), report);
  EXPECT_TRUE(SealDifferences(bundle_)->empty());
  EXPECT_TRUE(VerifyBundle(bundle_, {}, kIgnore).ok());
}

TEST_F(BundleTest, DerivedFilesThatStandThereAreSealedToo) {
  Pack();
  WriteBytes(InBundle(kAuditName), "{}\n");
  ASSERT_TRUE(SealBundle(bundle_, {}).ok());
  EXPECT_NE(ReadBytes(InBundle(kSealName)).find("  audit.json\n"),
            std::string::npos);
}

TEST_F(BundleTest, SealingTwiceIsRefused) {
  Pack();
  ASSERT_TRUE(SealBundle(bundle_, {}).ok());
  const std::string seal = ReadBytes(InBundle(kSealName));
  const auto again = SealBundle(bundle_, {});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(ReadBytes(InBundle(kSealName)), seal);
}

TEST_F(BundleTest, SealingThatFailsLeavesTheBundleAsItWas) {
  Pack();
  const auto names = *ListBundle(bundle_);
  WriteBytes(scratch_ / "a", AuditOf(Sha256Hex(IndexOf(SampleFiles()))));
  SealOptions options;
  options.audit_file = scratch_ / "a";
  options.report_file = scratch_ / "absent";
  EXPECT_EQ(SealBundle(bundle_, options).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(*ListBundle(bundle_), names);
  // A derived file is not overwritten.
  WriteBytes(InBundle(kAuditName), "mine");
  options.report_file = "";
  EXPECT_EQ(SealBundle(bundle_, options).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(ReadBytes(InBundle(kAuditName)), "mine");
}

TEST_F(BundleTest, WhatIsNoAuditOfThisBundleIsNotSealed) {
  Pack();
  const auto names = *ListBundle(bundle_);
  const std::string content_id = Sha256Hex(IndexOf(SampleFiles()));
  SealOptions options;
  options.audit_file = scratch_ / "a";
  for (const std::string& audit :
       {std::string(), std::string("{}\n"), std::string("[]\n"),
        std::string("# Report of ") + content_id, AuditOf(std::string(64, 'a')),
        "{\"content_id\":\"" + content_id + "\",\"schema\":\"other/1\"}\n"}) {
    std::filesystem::remove(scratch_ / "a");
    WriteBytes(scratch_ / "a", audit);
    const auto sealed = SealBundle(bundle_, options);
    ASSERT_FALSE(sealed.ok()) << audit;
    EXPECT_EQ(sealed.error().kind, ErrorKind::kCorrupt) << audit;
    EXPECT_NE(sealed.error().hint, "") << audit;
    EXPECT_EQ(*ListBundle(bundle_), names) << audit;
  }
  options.audit_file = "";
  options.report_file = scratch_ / "r";
  WriteBytes(scratch_ / "r", "# Report of " + std::string(64, 'a'));
  EXPECT_EQ(SealBundle(bundle_, options).error().kind, ErrorKind::kCorrupt);
}

TEST_F(BundleTest, ClaimsStandBesideTheSubjectAndAreSealed) {
  const std::string claims = "{\"schema\":\"exhibit.claims/1\"}\n";
  WriteBytes(scratch_ / "claims", claims);
  PackOptions options = TestPackOptions();
  options.claims_file = scratch_ / "claims";
  const auto packed = PackRun(scratch_ / "run", bundle_, options);
  ASSERT_TRUE(packed.ok()) << packed.error().message;
  EXPECT_EQ(packed->content_id, Sha256Hex(IndexOf(SampleFiles())));
  EXPECT_EQ(ReadBytes(InBundle(kClaimsName)), claims);
  ASSERT_TRUE(SealBundle(bundle_, {}).ok());
  EXPECT_NE(ReadBytes(InBundle(kSealName)).find(kClaimsName),
            std::string::npos);
  WriteBytes(InBundle(kClaimsName), claims + " ");
  EXPECT_EQ(SealDifferences(bundle_)->size(), 1U);
}

TEST_F(BundleTest, WhatIsNoClaimsFileIsNotPacked) {
  for (const char* claims :
       {"", "{}", "[]", "{\"schema\":1}", "{\"schema\":\"exhibit.audit/1\"}"}) {
    std::filesystem::remove(scratch_ / "claims");
    WriteBytes(scratch_ / "claims", claims);
    PackOptions options = TestPackOptions();
    options.claims_file = scratch_ / "claims";
    EXPECT_EQ(PackRun(scratch_ / "run", bundle_, options).error().kind,
              ErrorKind::kCorrupt)
        << claims;
    EXPECT_FALSE(PathExists(bundle_));
  }
}

TEST_F(BundleTest, ClaimsOfAnotherSchemaAreUnsupportedAndItIsQuoted) {
  WriteBytes(scratch_ / "claims", "{\"schema\":\"exhibit.claims/2\"}");
  PackOptions options = TestPackOptions();
  options.claims_file = scratch_ / "claims";
  const auto packed = PackRun(scratch_ / "run", bundle_, options);
  ASSERT_FALSE(packed.ok());
  EXPECT_EQ(packed.error().kind, ErrorKind::kUnsupported);
  EXPECT_TRUE(packed.error().message.ends_with(
      ": schema is \"exhibit.claims/2\", expected exhibit.claims/1"))
      << packed.error().message;
  EXPECT_FALSE(PathExists(bundle_));
}

TEST_F(BundleTest, ASubjectThatDoesNotHoldIsNotSealed) {
  Pack();
  Members evidence = EvidenceMembers(SampleFiles());
  evidence[1].second += " ";
  ReplaceStreams(evidence, SourceMembers(SampleFiles()));
  EXPECT_EQ(SealBundle(bundle_, {}).error().kind, ErrorKind::kCorrupt);
  EXPECT_FALSE(PathExists(InBundle(kSealName)));
}

TEST_F(BundleTest, EveryDifferenceFromTheSealIsNamed) {
  Pack();
  WriteBytes(InBundle(kAuditName), "{}\n");
  ASSERT_TRUE(SealBundle(bundle_, {}).ok());
  Replace(kAuditName, "[]\n");
  WriteBytes(InBundle(kReportName), "");
  const auto differences = SealDifferences(bundle_);
  ASSERT_TRUE(differences.ok());
  ASSERT_EQ(differences->size(), 2u);
  EXPECT_EQ((*differences)[0].find("audit.json: has SHA-256"), 0u);
  EXPECT_EQ((*differences)[1], "report.md: does not stand in SHA256SUMS");
  ExpectDoesNotVerify(ErrorKind::kCorrupt, "and 1 more");
  Replace(kSealName, "no digest\n");
  ExpectDoesNotVerify(ErrorKind::kCorrupt, kSealName);
}

TEST_F(BundleTest, UnpackingGivesTheRunBack) {
  Pack();
  const std::string again = scratch_ / "again";
  const auto unpacked = UnpackBundle(bundle_, again, {});
  ASSERT_TRUE(unpacked.ok()) << unpacked.error().message;
  EXPECT_EQ(*unpacked, Sha256Hex(IndexOf(SampleFiles())));
  const auto paths = ListFiles(again);
  ASSERT_TRUE(paths.ok());
  EXPECT_EQ(paths->size(), SampleFiles().size());
  for (const auto& [path, bytes] : SampleFiles()) {
    EXPECT_EQ(ReadBytes(again + "/" + path), bytes) << path;
  }
  // Packed again it is the same bundle.
  const std::string repacked = scratch_ / "repacked";
  ASSERT_TRUE(PackRun(again, repacked, TestPackOptions()).ok());
  for (const char* name : {kEvidenceName, kSourcesName, kProvenanceName}) {
    EXPECT_EQ(ReadBytes(repacked + "/" + name), ReadBytes(InBundle(name)));
  }
}

TEST_F(BundleTest, ABundleThatDoesNotHoldIsNotUnpacked) {
  Pack();
  Members evidence = EvidenceMembers(SampleFiles());
  evidence.back().second += " ";
  ReplaceStreams(evidence, SourceMembers(SampleFiles()));
  EXPECT_EQ(UnpackBundle(bundle_, scratch_ / "again", {}).error().kind,
            ErrorKind::kCorrupt);
  EXPECT_EQ(scratch_.Names(), (std::vector<std::string>{"bundle", "run"}));
}

TEST_F(BundleTest, UnpackingOverSomethingIsRefused) {
  Pack();
  EXPECT_EQ(UnpackBundle(bundle_, run_, {}).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(UnpackBundle(bundle_, scratch_ / "no/such/folder", {}).error().kind,
            ErrorKind::kNotFound);
  EXPECT_EQ(UnpackBundle(bundle_, "", {}).error().kind,
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(scratch_.Names(), (std::vector<std::string>{"bundle", "run"}));
}

TEST_F(BundleTest, ADiskThatFillsUpLeavesNoRunBehind) {
  Pack();
  Status status;
  {
    const FileSizeLimit limit(600);
    const auto unpacked = UnpackBundle(bundle_, scratch_ / "again", {});
    if (!unpacked.ok()) status = unpacked.error();
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kIo);
  EXPECT_EQ(scratch_.Names(), (std::vector<std::string>{"bundle", "run"}));
}

}  // namespace
}  // namespace exhibit
