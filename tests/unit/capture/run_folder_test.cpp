#include "capture/run_folder.h"

#include <gtest/gtest.h>

#include <functional>

#include "manifests/host/attempt_log.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

RunContents SampleContents() {
  RunContents contents;
  contents.manifest_bytes = "{ \"as\": \"typed\" }\n";
  contents.files.bytes = {{"sources/exhibit/a.cpp", "a\n"},
                          {"attachments/build.log", "log\n"}};
  contents.files.sources = {{"sources/exhibit/a.cpp", Sha256Hex("a\n"), 2}};
  contents.files.attachments = {
      {"attachments/build.log", Sha256Hex("log\n"), 4, "log", ""}};
  contents.host.cpu_model = "a CPU";
  contents.host.boot_id_sha256 = std::string(64, 'e');
  contents.tool = TestTool();
  return contents;
}

// The message with which `contents` is refused for the run at `path`.
std::string RefusalOf(const std::string& path, const RunContents& contents) {
  const auto before = Snapshot(path);
  const Result<OpenRun> run = OpenOrCreateRun(path, contents);
  EXPECT_FALSE(run.ok());
  EXPECT_EQ(Snapshot(path), before) << "a refused run was changed";
  if (run.ok()) return "";
  EXPECT_EQ(run.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(run.error().hint, "");
  return run.error().message;
}

TEST(RunFolder, ANewRunHoldsTheManifestAsTypedAndItsFirstRecord) {
  const Scratch scratch;
  const RunContents contents = SampleContents();
  const Result<OpenRun> run = OpenOrCreateRun(scratch / "run", contents);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(MustRead(scratch / "run/manifest.json"), contents.manifest_bytes);
  EXPECT_EQ(MustRead(scratch / "run/sources/exhibit/a.cpp"), "a\n");
  EXPECT_EQ(MustRead(scratch / "run/attachments/build.log"), "log\n");
  const std::string freeze = MustRead(scratch / "run/freeze.json");
  EXPECT_EQ(run->freeze_sha256, Sha256Hex(freeze));
  EXPECT_EQ(run->freeze.manifest_sha256, Sha256Hex(contents.manifest_bytes));
  EXPECT_EQ(run->freeze.sources, contents.files.sources);
  EXPECT_EQ(run->freeze.attachments, contents.files.attachments);
}

TEST(RunFolder, TheSameContentsOpenAnUnfinishedRunUnchanged) {
  const Scratch scratch;
  ASSERT_TRUE(OpenOrCreateRun(scratch / "run", SampleContents()).ok());
  const auto before = Snapshot(scratch / "run");
  const Result<OpenRun> again =
      OpenOrCreateRun(scratch / "run", SampleContents());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(Snapshot(scratch / "run"), before);
}

TEST(RunFolder, EveryDifferenceIsRefusedAndNamed) {
  const Scratch scratch;
  ASSERT_TRUE(OpenOrCreateRun(scratch / "run", SampleContents()).ok());
  const struct {
    const char* says;
    std::function<void(RunContents&)> change;
  } cases[] = {
      {"its manifest", [](RunContents& c) { c.manifest_bytes += " "; }},
      {"another build",
       [](RunContents& c) { c.tool.sha256 = std::string(64, 'c'); }},
      {"sources/exhibit/a.cpp was frozen with",
       [](RunContents& c) { c.files.sources[0].sha256 = Sha256Hex("b\n"); }},
      {"sources/exhibit/a.cpp was frozen and is gone",
       [](RunContents& c) { c.files.sources.clear(); }},
      {"sources/manifest/b.c was not frozen",
       [](RunContents& c) {
         c.files.sources.push_back(
             {"sources/manifest/b.c", Sha256Hex("b\n"), 2});
       }},
      {"attachments/build.log was described otherwise",
       [](RunContents& c) { c.files.attachments[0].note = "edited"; }},
      {"another boot",
       [](RunContents& c) { c.host.boot_id_sha256 = std::string(64, 'f'); }},
      {"another CPU model",
       [](RunContents& c) { c.host.cpu_model = "another CPU"; }},
      {"another host", [](RunContents& c) { c.host.cpu_flags = {"sse2"}; }},
  };
  for (const auto& c : cases) {
    RunContents contents = SampleContents();
    c.change(contents);
    const std::string message = RefusalOf(scratch / "run", contents);
    EXPECT_NE(message.find(c.says), std::string::npos) << message;
  }
}

TEST(RunFolder, AFolderThatIsSomethingElseIsRefused) {
  const Scratch scratch;
  MustWrite(scratch / "mine/letter.txt", "dear\n");
  const std::string message = RefusalOf(scratch / "mine", SampleContents());
  EXPECT_NE(message.find("letter.txt"), std::string::npos) << message;
}

TEST(RunFolder, AFileInItsPlaceIsRefused) {
  const Scratch scratch;
  MustWrite(scratch / "file", "not a folder\n");
  EXPECT_FALSE(OpenOrCreateRun(scratch / "file", SampleContents()).ok());
  EXPECT_EQ(MustRead(scratch / "file"), "not a folder\n");
}

TEST(RunFolder, ARunKilledBeforeItsFirstRecordIsFinished) {
  const Scratch scratch;
  const RunContents contents = SampleContents();
  MustWrite(scratch / "run/manifest.json", contents.manifest_bytes);
  MustWrite(scratch / "run/sources/exhibit/a.cpp", "a\n");
  const Result<OpenRun> run = OpenOrCreateRun(scratch / "run", contents);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(MustRead(scratch / "run/attachments/build.log"), "log\n");
}

TEST(RunFolder, ARunKilledBeforeItsFirstRecordKeepsItsManifest) {
  const Scratch scratch;
  MustWrite(scratch / "run/manifest.json", "{}\n");
  const std::string message = RefusalOf(scratch / "run", SampleContents());
  EXPECT_NE(message.find("manifest.json"), std::string::npos) << message;
}

TEST(RunFolder, ARunWhoseCapturesAreAllMadeIsRefused) {
  const Scratch scratch;
  ASSERT_TRUE(OpenOrCreateRun(scratch / "run", SampleContents()).ok());
  Result<AttemptLog> log = AttemptLog::Start(scratch / "run", "capture", TestTool());
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log->End("done", "").ok());
  const std::string message = RefusalOf(scratch / "run", SampleContents());
  EXPECT_NE(message.find("all captures"), std::string::npos) << message;
}

TEST(RunFolder, ARunInUseIsRefused) {
  const Scratch scratch;
  const Result<OpenRun> first =
      OpenOrCreateRun(scratch / "run", SampleContents());
  ASSERT_TRUE(first.ok());
  const std::string message = RefusalOf(scratch / "run", SampleContents());
  EXPECT_NE(message.find("in use"), std::string::npos) << message;
}

}  // namespace
}  // namespace exhibit
