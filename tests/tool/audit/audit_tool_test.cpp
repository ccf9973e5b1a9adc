// exhibit-audit from outside: what it prints and how it exits, on runs and on
// bundles.

#include <gtest/gtest.h>

#include <filesystem>

#include "archive/pack.h"
#include "archive/seal.h"
#include "archive/sign.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/tool/audit/tool_run.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

constexpr char kPrivateKey[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";

class AuditTool : public ::testing::Test {
 protected:
  void SetUp() override {
    files_ = HonestRun().Seal();
    WriteRun(files_, folder_ / "run");
  }

  ToolEnd Audit(const std::string& words) {
    return RunIn(folder_, "exhibit-audit " + words + " 2>talk");
  }
  std::string Talk() { return ReadBytes(folder_ / "talk"); }

  void Pack() {
    PackOptions options;
    options.producer.tool = {"exhibit-archive", "0.1.0", Sha256Hex("tool"),
                             Sha256Hex("source")};
    options.producer.source_commit = "unknown";
    const auto packed = PackRun(folder_ / "run", folder_ / "bundle", options);
    ASSERT_TRUE(packed.ok()) << packed.error().message;
  }

  // As `exhibit run` does: pack, audit, seal.
  void PackAndSeal() {
    Pack();
    WriteBytes(folder_ / "a.json", Audit("bundle").out);
    WriteBytes(folder_ / "r.md", Audit("--report bundle").out);
    SealOptions options;
    options.audit_file = folder_ / "a.json";
    options.report_file = folder_ / "r.md";
    const auto sealed = SealBundle(folder_ / "bundle", options);
    ASSERT_TRUE(sealed.ok()) << sealed.error().message;
  }

  ScratchFolder folder_;
  RunFiles files_;
};

TEST_F(AuditTool, HonestRunIsVerified) {
  const ToolEnd end = Audit("run");
  EXPECT_EQ(end.status, 0) << Talk();
  EXPECT_TRUE(end.out.find("\"verdict\":\"verified\"") != std::string::npos);
}

TEST_F(AuditTool, SameBytesFromAnyFolderAndLocale) {
  const ToolEnd here = Audit("run");
  const ToolEnd there =
      RunIn(folder_, "cd / && LC_ALL=C.UTF-8 TZ=Asia/Tokyo exhibit-audit '" +
                         (folder_ / "run") + "' 2>/dev/null");
  EXPECT_EQ(here.out, there.out);
}

TEST_F(AuditTool, FindingExitsOne) {
  std::filesystem::remove(folder_ / ("run/" + PlanPath(kCaseName)));
  const ToolEnd end = Audit("--table run");
  EXPECT_EQ(end.status, 1) << Talk();
  EXPECT_TRUE(end.out.find("file-missing") != std::string::npos) << end.out;
}

TEST_F(AuditTool, UnknownSchemaExitsFour) {
  std::string visit = files_[VisitPath(kCaseName, 11)];
  visit.replace(visit.find("exhibit.visit/1"), 15, "exhibit.visit/7");
  WriteBytes(folder_ / ("run/" + VisitPath(kCaseName, 11)), visit);
  EXPECT_EQ(Audit("run").status, 4) << Talk();
}

TEST_F(AuditTool, MissingFolderExitsThree) {
  const ToolEnd end = Audit("absent");
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.out, "");
  EXPECT_TRUE(Talk().starts_with("exhibit-audit: error: ")) << Talk();
}

TEST_F(AuditTool, WrongWordsExitTwo) {
  EXPECT_EQ(Audit("").status, 2);
  EXPECT_EQ(Audit("--expect-manifest 12 run").status, 2);
  EXPECT_EQ(Audit("--table --report run").status, 2);
  const std::string digest(64, 'a');
  for (const std::string& words :
       {std::string("--key k.pem"), std::string("--claims c.json"),
        "--expect-content " + digest, "--expect-manifest " + digest}) {
    EXPECT_EQ(Audit("--beside run run " + words).status, 2) << words;
    EXPECT_TRUE(Talk().find("speak of one subject") != std::string::npos)
        << Talk();
  }
}

TEST_F(AuditTool, PublishedDigestTiesTheManifest) {
  const std::string sha256 = Sha256Hex(files_[kManifestPath]);
  EXPECT_EQ(Audit("--expect-manifest " + sha256 + " run").status, 0);
  EXPECT_EQ(Audit("--expect-manifest " + Sha256Hex("") + " run").status, 1);
  EXPECT_EQ(Audit("--expect-content " + Sha256Hex("") + " run").status, 1);
}

TEST_F(AuditTool, RunAndBundleGiveTheSameBytes) {
  const ToolEnd of_run = Audit("run");
  PackAndSeal();
  const ToolEnd sealed = Audit("bundle");
  EXPECT_EQ(sealed.status, 0) << Talk();
  EXPECT_EQ(of_run.out, sealed.out);
  EXPECT_EQ(ReadBytes(folder_ / "bundle/audit.json"), sealed.out);
  EXPECT_EQ(
      RunIn(folder_, "exhibit-audit bundle | cmp - bundle/audit.json").status,
      0);
}

TEST_F(AuditTool, UnsealedBundleIsVerifiedWithAWarning) {
  Pack();
  EXPECT_EQ(Audit("bundle").status, 0) << Talk();
  EXPECT_TRUE(Talk().find("not sealed") != std::string::npos) << Talk();
}

TEST_F(AuditTool, EditedReportIsAFinding) {
  PackAndSeal();
  WriteBytes(folder_ / "bundle/report.md", "All is well.\n");
  const ToolEnd end = Audit("--table bundle");
  EXPECT_EQ(end.status, 1);
  EXPECT_TRUE(end.out.find("derived-differs  report.md: this file beside the "
                           "evidence is not what") != std::string::npos)
      << end.out;
  EXPECT_TRUE(end.out.find("seal-unsound  SHA256SUMS") != std::string::npos)
      << end.out;
}

TEST_F(AuditTool, EditedAuditIsAFinding) {
  PackAndSeal();
  WriteBytes(folder_ / "bundle/audit.json", "{}\n");
  const ToolEnd end = Audit("--table bundle");
  EXPECT_EQ(end.status, 1);
  EXPECT_TRUE(end.out.find("derived-differs  audit.json") != std::string::npos)
      << end.out;
}

// The derived files of a sound subject beside one that is not.
TEST_F(AuditTool, DerivedFilesOfAFailedSubjectAreHeldAgainstItOnce) {
  PackAndSeal();
  std::string bytes = ReadBytes(folder_ / "bundle/provenance.json");
  const std::string key = "\"content_id\":\"";
  bytes.replace(bytes.find(key) + key.size(), 64, std::string(64, 'a'));
  WriteBytes(folder_ / "bundle/provenance.json", bytes);
  const ToolEnd end = Audit("--table bundle");
  EXPECT_EQ(end.status, 1);
  const size_t first = end.out.find("derived-differs");
  ASSERT_NE(first, std::string::npos) << end.out;
  EXPECT_EQ(end.out.find("derived-differs", first + 1), std::string::npos)
      << end.out;
}

TEST_F(AuditTool, NotComparableRunIsPackedSealedAndVerifiedWithoutARatio) {
  SyntheticRun run = HonestRun();
  for (VisitRecord& visit : run.visits) visit.counts.migrations = 1;
  std::filesystem::remove_all(folder_ / "run");
  WriteRun(run.Seal(), folder_ / "run");
  PackAndSeal();
  for (VisitRecord& visit : run.visits) visit.counts.migrations = 2;
  std::filesystem::create_directory(folder_ / "other");
  WriteRun(run.Seal(), folder_ / "other");
  for (const char* words : {"bundle", "--table bundle", "--report bundle",
                            "--check bundle", "--beside other bundle"}) {
    const ToolEnd end = Audit(words);
    EXPECT_EQ(end.status, 0) << Talk();
    EXPECT_TRUE(end.out.find("not-comparable") != std::string::npos) << end.out;
    // Of 0.9: neither the ratio nor its inverse.
    EXPECT_EQ(end.out.find("0.9000"), std::string::npos) << end.out;
    EXPECT_EQ(end.out.find("1.1111"), std::string::npos) << end.out;
  }
}

TEST_F(AuditTool, CheckRemarksOnTheDataAndExitsZero) {
  const ToolEnd lines = Audit("--check run");
  EXPECT_EQ(lines.status, 0) << Talk();
  EXPECT_TRUE(lines.out.find("no-dissenting-pair-allowed: 6 pairs") !=
              std::string::npos)
      << lines.out;
  EXPECT_TRUE(lines.out.find("fix: set replay.cycles to 5,") !=
              std::string::npos)
      << lines.out;
  const ToolEnd json = Audit("--check --json run");
  EXPECT_TRUE(json.out.starts_with("[{\"case\":")) << json.out;
  EXPECT_EQ(Audit("--json run").status, 2);
}

TEST_F(AuditTool, TableSaysWhoSignedAndAuditJsonDoesNot) {
  PackAndSeal();
  const auto signature_line = [this](const std::string& words) {
    const std::string table = Audit("--table " + words + " bundle").out;
    const size_t at = table.find("\nsignature: ") + 1;
    return table.substr(at, table.find('\n', at) - at);
  };
  EXPECT_EQ(signature_line(""),
            "signature: unsigned; nothing tells who stands behind the run");
  WriteBytes(folder_ / "key.pem", kPrivateKey);
  SignOptions options;
  options.key_file = folder_ / "key.pem";
  const auto made = SignBundle(folder_ / "bundle", options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(signature_line("").starts_with("signature: signed by key " +
                                             made->key_id + "; key not given"))
      << signature_line("");
  RunIn(folder_, "openssl pkey -in key.pem -pubout -out public.pem");
  EXPECT_EQ(signature_line("--key public.pem"),
            "signature: signed by key " + made->key_id +
                ", the one given with --key");
  EXPECT_EQ(Talk(), "");
  const ToolEnd report = Audit("--report --key public.pem bundle");
  EXPECT_TRUE(report.out.find("\nSignature: signed by key " + made->key_id) !=
              std::string::npos)
      << report.out;
  // Sealed before the signature, they are the same after it.
  EXPECT_EQ(Audit("bundle").out, ReadBytes(folder_ / "bundle/audit.json"));
  EXPECT_TRUE(Talk().find("signature: signed by key") != std::string::npos);
  EXPECT_EQ(Audit("--report bundle").out,
            ReadBytes(folder_ / "bundle/report.md"));
}

TEST_F(AuditTool, BesidePrintsTwoSubjectsOfOneManifest) {
  SyntheticRun run = HonestRun();
  for (int64_t& sample : run.visits.back().samples_ns) sample += 1;
  std::filesystem::remove_all(folder_ / "run");
  WriteRun(run.Seal(), folder_ / "run");
  Pack();
  WriteRun(files_, folder_ / "run");
  const ToolEnd end = Audit("--beside run bundle");
  EXPECT_EQ(end.status, 0) << Talk();
  EXPECT_TRUE(end.out.find("A outcome") != std::string::npos) << end.out;
  EXPECT_TRUE(end.out.find("B outcome") != std::string::npos) << end.out;
  EXPECT_EQ(Audit("--table --beside run bundle").status, 2);
  EXPECT_EQ(Audit("--beside absent bundle").status, 3);
}

TEST_F(AuditTool, BesideRefusesOneRunTwice) {
  Pack();
  EXPECT_EQ(Audit("--beside run bundle").status, 2);
  EXPECT_TRUE(Talk().find("one and the same run") != std::string::npos)
      << Talk();
}

TEST_F(AuditTool, BesideRefusesAnotherManifest) {
  std::filesystem::copy(folder_ / "run", folder_ / "other",
                        std::filesystem::copy_options::recursive);
  WriteBytes(folder_ / "other/manifest.json",
             ReadBytes(folder_ / "run/manifest.json") + "\n");
  EXPECT_EQ(Audit("--beside run other").status, 2);
  EXPECT_TRUE(Talk().find("not two runs of one manifest") != std::string::npos)
      << Talk();
}

TEST_F(AuditTool, ProvenanceOfAnotherRunIsAFinding) {
  Pack();
  std::string bytes = ReadBytes(folder_ / "bundle/provenance.json");
  const std::string key = "\"content_id\":\"";
  bytes.replace(bytes.find(key) + key.size(), 64, std::string(64, 'a'));
  WriteBytes(folder_ / "bundle/provenance.json", bytes);
  const ToolEnd end = Audit("--table bundle");
  EXPECT_EQ(end.status, 1);
  EXPECT_TRUE(end.out.find("provenance-differs") != std::string::npos)
      << end.out;
}

TEST_F(AuditTool, EachFileOfABundleIsMissed) {
  for (const char* name :
       {"evidence.tar.xz", "sources.tar.gz", "provenance.json"}) {
    Pack();
    std::filesystem::remove(folder_ / (std::string("bundle/") + name));
    const ToolEnd end = Audit("--table bundle");
    EXPECT_EQ(end.status, 1) << name;
    EXPECT_TRUE(end.out.find(name) != std::string::npos) << end.out;
    std::filesystem::remove_all(folder_ / "bundle");
  }
}

TEST_F(AuditTool, FileThatNoBundleHasIsAFinding) {
  Pack();
  WriteBytes(folder_ / "bundle/notes.txt", "extra\n");
  EXPECT_EQ(Audit("bundle").status, 1);
}

// Damage anywhere in the archive is found, whatever layer it hits first.
TEST_F(AuditTool, FlippedByteOfTheEvidenceIsFound) {
  Pack();
  const std::string path = folder_ / "bundle/evidence.tar.xz";
  const std::string honest = ReadBytes(path);
  for (size_t at = 0; at < honest.size(); at += honest.size() / 12) {
    std::string bytes = honest;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    WriteBytes(path, bytes);
    EXPECT_EQ(Audit("bundle").status, 1) << "offset " << at;
  }
}

}  // namespace
}  // namespace exhibit::testing
