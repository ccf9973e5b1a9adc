#include "capture/frozen_files.h"

#include <algorithm>
#include <utility>

#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/json.h"
#include "manifests/named_file.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

// Collects files under their paths in the run, within the limits.
class Gatherer {
 public:
  // Reads `from` and keeps it as `path`.
  Status Add(const std::string& from, const std::string& path) {
    EXHIBIT_RETURN_IF_ERROR(CheckNew(path));
    return Keep(path, ReadFile(from, kSourceFileBytesMax));
  }

  // The same of a file that the manifest names.
  Status Add(const NamedFile& from, const std::string& path) {
    EXHIBIT_RETURN_IF_ERROR(CheckNew(path));
    return Keep(path, ReadNamedFile(from, kSourceFileBytesMax));
  }

  FileEntry EntryOf(const std::string& path) const {
    const std::string& bytes = files_.bytes.at(path);
    return {path, Sha256Hex(bytes), static_cast<int64_t>(bytes.size())};
  }

  FrozenFiles& files() { return files_; }

 private:
  Status CheckNew(const std::string& path) const {
    if (!IsRunPath(path)) {
      return Error{ErrorKind::kInvalidArgument,
                   QuoteText(path) + " cannot be a path of a run",
                   "Use at most 96 bytes of A-Z a-z 0-9 . _ / - in all, and no "
                   "component that is . or .. or starts with -."};
    }
    if (files_.bytes.count(path) != 0) {
      return Error{ErrorKind::kInvalidArgument,
                   QuoteText(path) + " is named twice",
                   "Name each source and attachment once."};
    }
    return Ok();
  }

  Status Keep(const std::string& path, Result<std::string> bytes) {
    if (!bytes.ok()) return bytes.error();
    total_bytes_ += bytes->size();
    if (total_bytes_ > kFrozenBytesMax) {
      return Error{ErrorKind::kLimitExceeded,
                   "sources and attachments pass " +
                       std::to_string(kFrozenBytesMax) + " bytes with " +
                       QuoteText(path),
                   "Name fewer or smaller files."};
    }
    files_.bytes.emplace(path, std::move(*bytes));
    return Ok();
  }

  FrozenFiles files_;
  uint64_t total_bytes_ = 0;
};

Status AddOwnSource(const OwnSource& own, Gatherer& gatherer) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                           ListFiles(own.folder));
  FileDigests digests;
  for (const std::string& path : paths) {
    const std::string in_run = "sources/exhibit/" + path;
    EXHIBIT_RETURN_IF_ERROR(gatherer.Add(own.folder + "/" + path, in_run));
    const FileEntry entry = gatherer.EntryOf(in_run);
    digests[path] = entry.sha256;
    gatherer.files().sources.push_back(entry);
  }
  const std::string found = ContentId(digests);
  if (found != own.content_id) {
    return Error{ErrorKind::kCorrupt,
                 "Exhibit's own source beside the tools has content id " +
                     found + ", but this tool was built from " + own.content_id,
                 "Build or install Exhibit again."};
  }
  return Ok();
}

}  // namespace

Result<FrozenFiles> GatherFrozenFiles(const Manifest& manifest,
                                      const std::string& manifest_folder,
                                      const OwnSource& own) {
  Gatherer gatherer;
  const std::vector<std::string> sources = FrozenSources(manifest);
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string in_run = "sources/manifest/" + sources[i];
    // Those behind the listed ones are the texts of cases.
    const std::string field = i < manifest.sources.size()
                                  ? "sources[" + std::to_string(i) + "]"
                                  : "text";
    EXHIBIT_RETURN_IF_ERROR(
        gatherer.Add({manifest_folder, field, sources[i]}, in_run));
    gatherer.files().sources.push_back(gatherer.EntryOf(in_run));
  }
  EXHIBIT_RETURN_IF_ERROR(AddOwnSource(own, gatherer));
  for (size_t i = 0; i < manifest.attachments.size(); ++i) {
    const ManifestAttachment& attachment = manifest.attachments[i];
    const std::string in_run = "attachments/" + attachment.path;
    const std::string field = "attachments[" + std::to_string(i) + "].path";
    EXHIBIT_RETURN_IF_ERROR(
        gatherer.Add({manifest_folder, field, attachment.path}, in_run));
    const FileEntry entry = gatherer.EntryOf(in_run);
    gatherer.files().attachments.push_back({entry.path, entry.sha256,
                                            entry.bytes, attachment.role,
                                            attachment.note});
  }
  FrozenFiles& files = gatherer.files();
  const auto by_path = [](const auto& a, const auto& b) {
    return a.path < b.path;
  };
  std::sort(files.sources.begin(), files.sources.end(), by_path);
  std::sort(files.attachments.begin(), files.attachments.end(), by_path);
  return std::move(files);
}

}  // namespace exhibit
