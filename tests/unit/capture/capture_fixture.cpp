#include "tests/unit/capture/capture_fixture.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "audit/reference/sine_input.h"
#include "manifests/file.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"

namespace exhibit {

Scratch::Scratch() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "capture-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
  EXPECT_FALSE(path_.empty());
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string MustRead(const std::string& path) {
  Result<std::string> bytes = ReadFile(path, uint64_t{1} << 30);
  EXPECT_TRUE(bytes.ok()) << (bytes.ok() ? "" : bytes.error().message);
  return bytes.ok() ? *bytes : std::string();
}

void MustWrite(const std::string& path, const std::string& bytes) {
  const Status folders =
      CreateFolders(std::filesystem::path(path).parent_path().string());
  ASSERT_TRUE(folders.ok()) << folders.error().message;
  const Status written = PublishFile(path, bytes);
  ASSERT_TRUE(written.ok()) << written.error().message;
}

void MustReplace(const std::string& path, const std::string& bytes) {
  ASSERT_EQ(::unlink(path.c_str()), 0) << path;
  MustWrite(path, bytes);
}

std::map<std::string, std::string> Snapshot(const std::string& root) {
  std::map<std::string, std::string> files;
  const Result<std::vector<std::string>> paths = ListFiles(root);
  EXPECT_TRUE(paths.ok()) << root;
  if (!paths.ok()) return files;
  for (const std::string& path : *paths) {
    files[path] = MustRead(root + "/" + path);
  }
  return files;
}

std::string ManifestText(const CustomExperiment& e) {
  const auto variant = [&e](const std::string& symbol) {
    return Json(Json::Object{{"library", e.library},
                             {"symbol", symbol},
                             {"workspace_bytes", e.workspace_bytes}});
  };
  const auto buffer = [](const char* name, const char* role) {
    return Json(Json::Object{{"dtype", "f32"},
                             {"name", name},
                             {"role", role},
                             {"shape", Json::Array{kElements}}});
  };
  Json::Object files{{"y", "y.npy"}};
  if (!e.input_file.empty()) files["x"] = e.input_file;
  Json::Array attachments;
  for (const std::string& path : e.attachments) {
    attachments.push_back(
        Json::Object{{"path", path}, {"role", "log"}, {"note", "of a test"}});
  }
  const Json only(Json::Object{
      {"name", "only"},
      {"buffers", Json::Array{buffer("x", "input"), buffer("y", "output")}},
      {"dispatch", kElements},
      {"files", std::move(files)}});
  const Json manifest(Json::Object{
      {"schema", "exhibit.manifest/1"},
      {"name", "doubling"},
      {"question", "Is one as good as the other?"},
      {"program", "custom"},
      {"variants", Json::Object{{"a", variant(e.baseline_symbol)},
                                {"b", variant(e.candidate_symbol)}}},
      {"baseline", "a"},
      {"candidate", "b"},
      {"cases", Json::Array{only}},
      {"inputs", Json::Object{{"generator", "sine"}}},
      {"tolerance", Json::Object{{"absolute", e.absolute}, {"relative", 1e-5}}},
      {"expect",
       Json::Object{{"outputs", e.outputs}, {"capacity", e.capacity}}},
      {"replay",
       Json::Object{{"cycles", 3}, {"samples", 3}, {"timeout_s", e.timeout_s}}},
      {"decision",
       Json::Object{
           {"rule", "pairs/1"}, {"alpha", 0.05}, {"minimum_effect", 0.01}}},
      {"sources", Json::Array(e.sources.begin(), e.sources.end())},
      {"attachments", std::move(attachments)}});
  return EncodeJson(manifest);
}

std::string ExpectedFile() {
  std::vector<double> expected;
  for (const float x : SineInput(0, kElements)) expected.push_back(2.0 * x);
  return EncodeNpy(
      {DType::kF64, {static_cast<uint64_t>(kElements)}, BytesOf(expected)});
}

std::string WriteExperiment(const std::string& folder,
                            const CustomExperiment& experiment) {
  MustWrite(folder + "/manifest.json", ManifestText(experiment));
  MustWrite(folder + "/y.npy", ExpectedFile());
  MustWrite(folder + "/kernels.so", MustRead(CAPTURE_TEST_KERNELS));
  for (const std::string& path : experiment.sources) {
    MustWrite(folder + "/" + path, "the text of " + path + "\n");
  }
  for (const std::string& path : experiment.attachments) {
    MustWrite(folder + "/" + path, "the text of " + path + "\n");
  }
  return folder + "/manifest.json";
}

ToolIdentity TestTool() {
  return {"exhibit-capture", "0.1.0", std::string(64, 'a'),
          std::string(64, 'b')};
}

CaptureRecord MustReadCapture(const std::string& run,
                              const std::string& case_name,
                              const std::string& variant) {
  const std::string path = CapturePath(case_name, variant);
  Result<CaptureRecord> record =
      DecodeCapture(MustRead(run + "/" + path), path);
  EXPECT_TRUE(record.ok()) << (record.ok() ? "" : record.error().message);
  return record.ok() ? *record : CaptureRecord();
}

}  // namespace exhibit
