#include "archive/bundle.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>

#include "archive/bytes.h"
#include "archive/run_order.h"
#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/json.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kProvenanceBytesMax = uint64_t{1} << 20;
constexpr uint64_t kSealBytesMax = uint64_t{64} << 10;
constexpr uint64_t kDerivedFileBytesMax = uint64_t{256} << 20;
constexpr const char* kSubjectNames[] = {kEvidenceName, kSourcesName,
                                         kProvenanceName};
constexpr const char* kOtherNames[] = {kClaimsName, kAuditName, kReportName,
                                       kSealName, kSignatureName};

template <size_t kCount>
bool IsOneOf(const std::string& name, const char* const (&names)[kCount]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// What a file of a bundle may have, so that hashing one comes to an end.
uint64_t FileBytesMax(const std::string& name) {
  if (name == kProvenanceName) return kProvenanceBytesMax;
  if (name == kSealName) return kSealBytesMax;
  if (name == kAuditName || name == kReportName) return kDerivedFileBytesMax;
  return ArchiveLimits().contents_bytes_max;
}

Error FirstDifference(const std::vector<std::string>& differences) {
  std::string message = differences.front();
  if (differences.size() > 1) {
    message +=
        " (and " + std::to_string(differences.size() - 1) + " more like it)";
  }
  return Error{ErrorKind::kCorrupt, message,
               "the bundle was changed after it was packed; fetch it again"};
}

Status CheckProvenance(const std::string& bundle,
                       const EvidenceSummary& summary) {
  EXHIBIT_ASSIGN_OR_RETURN(const Provenance provenance, ReadProvenance(bundle));
  const auto differs = [](const std::string& what, const std::string& says,
                          const std::string& is) {
    return Error{ErrorKind::kCorrupt,
                 std::string(kProvenanceName) + ": " + what + " is " +
                     QuoteText(says) + ", the evidence has " + is,
                 ""};
  };
  if (provenance.content_id != summary.content_id) {
    return differs("content_id", provenance.content_id, summary.content_id);
  }
  const auto manifest = summary.found.find(kManifestPath);
  const std::string digest =
      manifest == summary.found.end() ? "none" : manifest->second;
  if (provenance.manifest_sha256 != digest) {
    return differs("manifest_sha256", provenance.manifest_sha256, digest);
  }
  return Ok();
}

// What is in the folder, by name: whether it is a regular file. The order in
// which a file system lists must not be seen in anything that is said.
Result<std::map<std::string, bool>> EntriesOf(const std::string& bundle) {
  std::error_code code;
  std::map<std::string, bool> entries;
  fs::directory_iterator at(bundle, code);
  for (; !code && at != fs::directory_iterator(); at.increment(code)) {
    if (entries.size() == kBundleEntriesMax) {
      return Error{ErrorKind::kLimitExceeded,
                   bundle + ": holds more than " +
                       std::to_string(kBundleEntriesMax) + " files",
                   ""};
    }
    const auto type = at->symlink_status(code).type();
    if (code) break;
    entries.emplace(at->path().filename().string(),
                    type == fs::file_type::regular);
  }
  if (!code) return entries;
  const bool absent = code == std::errc::no_such_file_or_directory;
  return Error{absent ? ErrorKind::kNotFound : ErrorKind::kIo,
               bundle + ": cannot list the folder: " + code.message(), ""};
}

}  // namespace

bool LooksLikeBundle(const std::string& folder) {
  const auto holds = [&folder](const char* name) {
    return PathExists(folder + "/" + name);
  };
  if (holds(kManifestPath)) return false;
  if (holds(kEvidenceName)) return true;
  if (holds(kFreezePath)) return false;
  return holds(kSourcesName) || holds(kProvenanceName) || holds(kSealName);
}

Result<std::vector<std::string>> ListBundle(const std::string& bundle) {
  EXHIBIT_ASSIGN_OR_RETURN(const auto entries, EntriesOf(bundle));
  std::vector<std::string> names, strange;
  for (const auto& [name, is_regular] : entries) {
    const bool known =
        IsOneOf(name, kSubjectNames) || IsOneOf(name, kOtherNames);
    (known ? names : strange).push_back(name);
    if (known && !is_regular) {
      return Error{ErrorKind::kCorrupt, name + " is not a regular file", ""};
    }
  }
  if (!strange.empty()) {
    const size_t more = strange.size() - 1;
    return Error{ErrorKind::kCorrupt,
                 "holds " + QuoteText(strange.front()) +
                     (more == 0 ? ", which is"
                                : " and " + std::to_string(more) +
                                      " more files that are") +
                     " no part of a bundle",
                 "Move it out; the list of files of a bundle is closed."};
  }
  for (const char* const name : kSubjectNames) {
    if (!std::binary_search(names.begin(), names.end(), name)) {
      return Error{ErrorKind::kCorrupt, std::string(name) + " is missing",
                   "a bundle is what exhibit-archive pack writes"};
    }
  }
  return names;
}

Result<std::string> HashFile(const std::string& folder,
                             const std::string& name) {
  EXHIBIT_ASSIGN_OR_RETURN(FileSource file, FileSource::Open(folder, name));
  if (file.size_bytes() > FileBytesMax(name)) {
    return Error{ErrorKind::kLimitExceeded,
                 name + ": has " + std::to_string(file.size_bytes()) +
                     " bytes, at most " + std::to_string(FileBytesMax(name)),
                 ""};
  }
  HashingSource hashed(file);
  EXHIBIT_ASSIGN_OR_RETURN(const uint64_t size_bytes, Drain(hashed));
  (void)size_bytes;
  return hashed.FinishHex();
}

Result<FileDigests> HashSealed(const std::string& bundle) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListBundle(bundle));
  FileDigests digests;
  for (const std::string& name : names) {
    if (name == kSealName || name == kSignatureName) continue;
    EXHIBIT_ASSIGN_OR_RETURN(digests[name], HashFile(bundle, name));
  }
  return digests;
}

Result<Provenance> ReadProvenance(const std::string& bundle) {
  EXHIBIT_ASSIGN_OR_RETURN(FileSource file,
                           FileSource::Open(bundle, kProvenanceName));
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadAll(file, kProvenanceName, kProvenanceBytesMax));
  return DecodeProvenance(bytes, kProvenanceName);
}

Result<std::vector<std::string>> SealDifferences(const std::string& bundle) {
  EXHIBIT_ASSIGN_OR_RETURN(FileSource file,
                           FileSource::Open(bundle, kSealName));
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadAll(file, kSealName, kSealBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(FileDigests stated, DecodeIndex(bytes, kSealName));
  EXHIBIT_ASSIGN_OR_RETURN(const FileDigests found, HashSealed(bundle));
  std::vector<std::string> differences;
  for (const char* name : {kSealName, kSignatureName}) {
    if (stated.erase(name) == 0) continue;
    differences.push_back(std::string(name) + ": may not stand in " +
                          kSealName + ", which is not made over it");
  }
  for (std::string& other : DigestDifferences(stated, found, kSealName)) {
    differences.push_back(std::move(other));
  }
  return differences;
}

namespace {

Result<EvidenceSummary> VerifyContents(const std::string& bundle,
                                       const ArchiveLimits& limits,
                                       const EvidenceVisitor& visitor) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListBundle(bundle));
  if (std::binary_search(names.begin(), names.end(), kSealName)) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> differences,
                             SealDifferences(bundle));
    if (!differences.empty()) return FirstDifference(differences);
  }
  EXHIBIT_ASSIGN_OR_RETURN(EvidenceSummary summary,
                           ReadBundle(bundle, limits, visitor));
  const std::vector<std::string> differences = IndexDifferences(summary);
  if (!differences.empty()) return FirstDifference(differences);
  EXHIBIT_RETURN_IF_ERROR(CheckProvenance(bundle, summary));
  return summary;
}

}  // namespace

Result<EvidenceSummary> VerifyBundle(const std::string& bundle,
                                     const ArchiveLimits& limits,
                                     const EvidenceVisitor& visitor) {
  EXHIBIT_RETURN_IF_ERROR(CheckIsBundle(bundle));
  const Result<EvidenceSummary> summary =
      VerifyContents(bundle, limits, visitor);
  // What the system refuses may be about a file that the visitor writes.
  if (summary.ok() || summary.error().kind == ErrorKind::kIo) return summary;
  return InFolder(bundle, summary.error());
}

Result<EvidenceSummary> VerifyBundle(const std::string& bundle,
                                     const ArchiveLimits& limits,
                                     Steps& steps) {
  return VerifyBundle(
      bundle, limits,
      [&steps](const EvidenceFile& file, ByteSource& contents) -> Status {
        EXHIBIT_RETURN_IF_ERROR(steps.Next("verify " + StepName(file.path)));
        StoppableSource stoppable(contents, steps);
        const Result<uint64_t> size_bytes = Drain(stoppable);
        if (!size_bytes.ok()) return size_bytes.error();
        return Ok();
      });
}

}  // namespace exhibit
