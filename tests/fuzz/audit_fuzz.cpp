// The whole audit of a run that lies in memory: whatever its files are, there
// is a result, the same twice, that can be written and printed.
//
// The input is a sequence of parts (property.h): path, bytes, path, bytes ...
// They are audited as they are, and once more with most of the digest chain
// corrected, as a forger would: else little but broken chains would be found.

#include <map>

#include "audit/audit.h"
#include "audit/beside.h"
#include "audit/quality.h"
#include "audit/report.h"
#include "audit/table.h"
#include "manifests/content_id.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

using Files = std::map<std::string, std::string>;

Files ReadFiles(std::string_view bytes) {
  Files files;
  while (!bytes.empty()) {
    const std::string path(fuzz::TakePart(bytes));
    const std::string contents(fuzz::TakePart(bytes));
    if (bytes.size() < 4) bytes = {};
    if (IsRunPath(path)) files[path] = contents;
  }
  return files;
}

// Sets fields of the record at `path`, where it is an object that has them.
void SetDigests(Files& files, const std::string& path,
                const std::map<std::string, std::string>& digests) {
  const auto file = files.find(path);
  if (file == files.end()) return;
  Result<Json> record = ParseJson(file->second, path);
  if (!record.ok() || record->AsObject() == nullptr) return;
  for (const auto& [name, digest] : digests) {
    const auto field = record->AsObject()->find(name);
    if (field != record->AsObject()->end()) field->second = digest;
  }
  file->second = EncodeJson(*record);
}

std::string DigestOf(const Files& files, const std::string& path) {
  const auto file = files.find(path);
  return file == files.end() ? "" : Sha256Hex(file->second);
}

// Each kind of record after those that it names.
void Chain(Files& files) {
  SetDigests(files, kFreezePath,
             {{"manifest_sha256", DigestOf(files, kManifestPath)}});
  std::map<std::string, std::string> digests = {
      {"freeze_sha256", DigestOf(files, kFreezePath)}};
  for (const char* kind : {"/case.json", "/capture.json", "/plan.json",
                           "/calibration-", "/visit-"}) {
    const std::string_view name = kind;
    for (auto& [path, bytes] : files) {
      if (path.find(name) == std::string::npos) continue;
      SetDigests(files, path, digests);
      const std::string sha256 = Sha256Hex(bytes);
      if (name == "/case.json") digests["case_sha256"] = sha256;
      if (name == "/plan.json") digests["plan_sha256"] = sha256;
      digests["previous_sha256"] = sha256;
    }
  }
}

Subject SubjectOf(const Files& files) {
  Subject subject;
  FileDigests digests;
  for (const auto& [path, bytes] : files) {
    digests[path] = Sha256Hex(bytes);
    SubjectFile& file = subject.files[path];
    file.sha256 = digests[path];
    file.size_bytes = bytes.size();
    file.bytes = bytes;
  }
  subject.content_id = ContentId(digests);
  return subject;
}

void Check(const Files& files) {
  const Subject subject = SubjectOf(files);
  const AuditResult result = Audit(subject);
  // The corpus has no run that is whole.
  fuzz::Require(result.verdict != Verdict::kVerified,
                "a run that lacks files is not verified");
  const std::string bytes = EncodeJson(result.json);
  fuzz::Require(ParseJson(bytes, "audit.json").ok(), "the result is JSON");
  fuzz::Require(EncodeJson(Audit(subject).json) == bytes,
                "the same subject has the same audit");
  const Result<std::string> beside = RenderBeside(result.json, result.json);
  for (const char c : RenderReport(result.json) + RenderTable(result.json) +
                          RenderQuality(result.json) +
                          (beside.ok() ? *beside : "")) {
    fuzz::Require(c == '\n' || static_cast<unsigned char>(c) >= ' ',
                  "what is printed holds no control character");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Files files = ReadFiles(fuzz::TextOf(data, size));
  Check(files);
  Chain(files);
  Check(files);
  return 0;
}
