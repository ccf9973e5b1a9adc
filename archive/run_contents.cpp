#include "archive/run_contents.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "archive/bytes.h"
#include "archive/run_order.h"
#include "manifests/folder_kind.h"
#include "manifests/manifest.h"
#include "manifests/records.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr std::string_view kCaptureFiles[] = {
    "capture.json", "kernel.ll",    "kernel.o",        "kernel.s",
    "kernel.so",    "program.tile", "realization.json"};

using Paths = std::set<std::string>;

bool IsArrayPath(const std::string& path) {
  constexpr std::string_view kFolder = "arrays/";
  if (!path.starts_with(kFolder)) return false;
  const std::string name = path.substr(kFolder.size());
  return name.ends_with(".npy") &&
         IsSha256Hex(std::string_view(name).substr(0, name.size() - 4));
}

// "<prefix>N.json" with the number spelt as `path_of` spells it.
template <typename PathOf>
bool IsNumbered(const std::string& path, const std::string& prefix,
                PathOf path_of) {
  if (!path.starts_with(prefix)) return false;
  int64_t number = 0;
  const auto end = std::from_chars(path.data() + prefix.size(),
                                   path.data() + path.size(), number);
  return end.ec == std::errc() && number >= 0 && path_of(number) == path;
}

bool IsReplayFile(const std::string& path, const std::string& name) {
  const std::string folder = ReplayFolder(name) + "/";
  return path == PlanPath(name) ||
         IsNumbered(path, folder + "visit-",
                    [&](int64_t i) { return VisitPath(name, i); }) ||
         IsNumbered(path, folder + "calibration-",
                    [&](int64_t i) { return CalibrationPath(name, i); });
}

// The paths whose names are known before anything ran.
Paths NamedPaths(const Manifest& manifest, const FreezeRecord& freeze) {
  Paths paths = {kManifestPath, kFreezePath, kAttemptsPath};
  for (const FileEntry& source : freeze.sources) paths.insert(source.path);
  for (const Attachment& file : freeze.attachments) paths.insert(file.path);
  for (const ManifestCase& c : manifest.cases) {
    paths.insert(CasePath(c.name));
    for (const ManifestVariant& variant : manifest.variants) {
      for (const std::string_view name : kCaptureFiles) {
        paths.insert(CaptureFolder(c.name, variant.name) + "/" +
                     std::string(name));
      }
    }
  }
  return paths;
}

bool IsAskedFor(const std::string& path, const Paths& named,
                const Manifest& manifest) {
  return named.contains(path) || IsArrayPath(path) ||
         std::any_of(manifest.cases.begin(), manifest.cases.end(),
                     [&path](const ManifestCase& c) {
                       return IsReplayFile(path, c.name);
                     });
}

void AddUnfinished(const Manifest& manifest, const Paths& found,
                   std::vector<std::string>& sentences) {
  for (const ManifestCase& c : manifest.cases) {
    for (const ManifestVariant& variant : manifest.variants) {
      const std::string path = CapturePath(c.name, variant.name);
      if (!found.contains(path)) sentences.push_back(path + " is missing");
    }
    const int64_t planned = 4 * manifest.cycles;
    int64_t visits = 0;
    for (int64_t i = 0; i < planned; ++i) {
      if (found.contains(VisitPath(c.name, i))) ++visits;
    }
    if (visits < planned) {
      sentences.push_back("case " + c.name + " has " + std::to_string(visits) +
                          " of " + std::to_string(planned) + " timed visits");
    }
  }
}

Result<std::string> ReadRecord(const std::string& run, const char* path) {
  EXHIBIT_ASSIGN_OR_RETURN(FileSource file, FileSource::Open(run, path));
  return ReadAll(file, path, kRecordBytesMax);
}

}  // namespace

Result<RunContents> LookAtRun(const std::string& run,
                              const ArchiveLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(CheckIsRun(run));
  const Result<std::vector<RunFile>> files = ListRun(run, limits);
  if (!files.ok()) return InFolder(run, files.error());
  EXHIBIT_ASSIGN_OR_RETURN(const std::string text,
                           ReadRecord(run, kManifestPath));
  RunContents contents;
  const Result<Manifest> manifest = ParseManifest(text, kManifestPath);
  const Result<std::string> freeze_text = ReadRecord(run, kFreezePath);
  const Result<FreezeRecord> freeze =
      freeze_text.ok() ? DecodeFreeze(*freeze_text, kFreezePath)
                       : Result<FreezeRecord>(freeze_text.error());
  const std::string sha256 = Sha256Hex(text);
  if (freeze.ok() && freeze->manifest_sha256 != sha256) {
    contents.frozen_manifest_sha256 = freeze->manifest_sha256;
    contents.found_manifest_sha256 = sha256;
  }
  if (!manifest.ok() || !freeze.ok()) {
    contents.unknown =
        manifest.ok() ? freeze.error().message : manifest.error().message;
    return contents;
  }
  const Paths named = NamedPaths(*manifest, *freeze);
  Paths found;
  for (const RunFile& file : *files) {
    found.insert(file.path);
    if (!IsAskedFor(file.path, named, *manifest)) {
      contents.stray.push_back(file.path);
    }
  }
  std::sort(contents.stray.begin(), contents.stray.end());
  AddUnfinished(*manifest, found, contents.unfinished);
  return contents;
}

}  // namespace exhibit
