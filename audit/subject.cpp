#include "audit/subject.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "archive/bundle.h"
#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "archive/provenance.h"
#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/manifest.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// A derived file is small; a larger one was not written by an audit.
constexpr uint64_t kDerivedBytesMax = uint64_t{256} << 20;

// The most bytes that a file may have to be kept; 0 when none decodes it.
uint64_t KeptBytesMax(const EvidenceFile& file) {
  const std::string& path = file.path;
  if (path.starts_with("arrays/")) return kArrayFileBytesMax;
  if (path.ends_with(".o") || path.ends_with(".so")) {
    return path.starts_with("captures/") ? kLibraryBytesMax : 0;
  }
  // The text of a case, perhaps; too large a one is then missed by its case.
  if (path.starts_with(kManifestSources) && path.ends_with(".tile") &&
      file.size_bytes <= ManifestLimits::kProgramBytesMax) {
    return ManifestLimits::kProgramBytesMax;
  }
  const bool record = path == kManifestPath || path == kFreezePath ||
                      path == kAttemptsPath || path.starts_with("cases/") ||
                      path.starts_with("captures/") ||
                      path.starts_with("replays/");
  const bool decoded = path.ends_with(".json") || path.ends_with(".jsonl") ||
                       path.ends_with(".tile");
  return record && decoded ? kRecordBytesMax : 0;
}

class Loader {
 public:
  Loader(const SubjectLimits& limits, Subject& subject)
      : limits_(limits), subject_(subject) {}

  Status Visit(const EvidenceFile& file, ByteSource& contents) {
    SubjectFile entry;
    entry.size_bytes = file.size_bytes;
    const uint64_t bytes_max = KeptBytesMax(file);
    if (bytes_max > 0 && Admit(file, bytes_max)) {
      EXHIBIT_ASSIGN_OR_RETURN(entry.bytes,
                               ReadAll(contents, file.path, bytes_max));
    }
    subject_.files[file.path] = std::move(entry);
    return Ok();
  }

 private:
  bool Admit(const EvidenceFile& file, uint64_t bytes_max) {
    if (file.size_bytes <= bytes_max &&
        file.size_bytes <= limits_.kept_bytes_max - kept_bytes_) {
      kept_bytes_ += file.size_bytes;
      return true;
    }
    subject_.findings.Add({.code = "over-limit",
                           .path = file.path,
                           .message = "the file passes a limit of the audit",
                           .expected = std::to_string(bytes_max),
                           .found = std::to_string(file.size_bytes)});
    return false;
  }

  const SubjectLimits& limits_;
  Subject& subject_;
  uint64_t kept_bytes_ = 0;
};

// An error that the subject's contents caused becomes a finding.
Status Judge(const Error& error, const std::string& path,
             FindingList& findings) {
  switch (error.kind) {
    case ErrorKind::kIo:
      return error;
    case ErrorKind::kLimitExceeded:
      findings.Add(
          {.code = "over-limit", .path = path, .message = error.message});
      return Ok();
    default:
      findings.AddError("archive-unsound", path, error);
      return Ok();
  }
}

Status CheckIsFolder(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    return Error{errno == ENOENT || errno == ENOTDIR ? ErrorKind::kNotFound
                                                     : ErrorKind::kIo,
                 path + ": cannot be read: " + std::strerror(errno),
                 "Name the folder of a run or of a bundle."};
  }
  if (!S_ISDIR(status.st_mode)) {
    return Error{ErrorKind::kNotFound, path + ": is not a folder",
                 "Name the folder of a run or of a bundle."};
  }
  return Ok();
}

// Any file that only a bundle has: a bundle without its evidence must not be
// taken for a strange run.
bool IsBundle(const std::string& path) {
  if (PathExists(path + "/" + kManifestPath)) return false;
  for (const char* name : {kEvidenceName, kSourcesName, kProvenanceName,
                           kAuditName, kReportName, kSealName}) {
    if (PathExists(path + "/" + name)) return true;
  }
  return false;
}

void TakeSummary(const EvidenceSummary& summary, Subject& subject) {
  subject.content_id = summary.content_id;
  for (const auto& [path, sha256] : summary.found) {
    subject.files[path].sha256 = sha256;
  }
  for (const auto& [path, sha256] : summary.stated) {
    const SubjectFile* file = subject.Find(path);
    if (file == nullptr) {
      subject.findings.Add({.code = "file-missing",
                            .path = path,
                            .message = "index.sha256 names it"});
    } else if (file->sha256 != sha256) {
      subject.findings.Add({.code = "index-differs",
                            .path = path,
                            .message = "index.sha256 states another digest",
                            .expected = sha256,
                            .found = file->sha256});
    }
  }
  for (const auto& [path, sha256] : summary.found) {
    if (summary.stated.contains(path)) continue;
    subject.findings.Add({.code = "file-extra",
                          .path = path,
                          .message = "index.sha256 does not name it",
                          .found = sha256});
  }
}

Status LoadProvenance(const std::string& path, Subject& subject) {
  auto provenance = ReadProvenance(path);
  if (!provenance.ok()) {
    const Error& error = provenance.error();
    if (error.kind == ErrorKind::kIo ||
        error.kind == ErrorKind::kLimitExceeded) {
      return Judge(error, kProvenanceName, subject.findings);
    }
    subject.findings.AddError("provenance-malformed", kProvenanceName, error);
    return Ok();
  }
  const auto compare = [&](const char* field, const std::string& stated,
                           const std::string& found) {
    if (stated == found) return;
    subject.findings.Add({.code = "provenance-differs",
                          .path = kProvenanceName,
                          .field = field,
                          .message = "it speaks of another run",
                          .expected = found,
                          .found = stated});
  };
  compare("content_id", provenance->content_id, subject.content_id);
  const SubjectFile* manifest = subject.Find(kManifestPath);
  if (manifest != nullptr) {
    compare("manifest_sha256", provenance->manifest_sha256, manifest->sha256);
  }
  return Ok();
}

Status LoadDerived(const std::string& path, const char* name,
                   std::optional<std::string>& bytes, FindingList& findings) {
  auto file = FileSource::Open(path, name);
  if (!file.ok()) {
    if (file.error().kind == ErrorKind::kNotFound) return Ok();
    return Judge(file.error(), name, findings);
  }
  auto read = ReadAll(*file, name, kDerivedBytesMax);
  if (!read.ok()) return Judge(read.error(), name, findings);
  bytes = std::move(*read);
  return Ok();
}

Status LoadSeal(const std::string& path, Subject& subject) {
  auto differences = SealDifferences(path);
  if (differences.ok()) {
    subject.seal_differences = std::move(*differences);
  } else if (differences.error().kind == ErrorKind::kNotFound) {
    subject.seal = Subject::Seal::kNone;
    return Ok();
  } else if (differences.error().kind == ErrorKind::kIo) {
    return differences.error();
  } else {
    subject.seal_differences = {differences.error().message};
  }
  subject.seal = subject.seal_differences.empty() ? Subject::Seal::kSound
                                                  : Subject::Seal::kUnsound;
  return Ok();
}

Status LoadBundle(const std::string& path, const SubjectLimits& limits,
                  Loader& loader, Subject& subject) {
  auto names = ListBundle(path);
  if (!names.ok()) {
    EXHIBIT_RETURN_IF_ERROR(Judge(names.error(), "", subject.findings));
  }
  EXHIBIT_RETURN_IF_ERROR(LoadSeal(path, subject));
  EXHIBIT_RETURN_IF_ERROR(
      LoadDerived(path, kAuditName, subject.stored_audit, subject.findings));
  EXHIBIT_RETURN_IF_ERROR(
      LoadDerived(path, kReportName, subject.stored_report, subject.findings));
  auto summary =
      ReadBundle(path, limits.archive,
                 [&](const EvidenceFile& file, ByteSource& contents) {
                   return loader.Visit(file, contents);
                 });
  if (!summary.ok()) {
    return Judge(summary.error(), "", subject.findings);
  }
  TakeSummary(*summary, subject);
  return LoadProvenance(path, subject);
}

}  // namespace

const SubjectFile* Subject::Find(const std::string& path) const {
  const auto found = files.find(path);
  return found == files.end() ? nullptr : &found->second;
}

const std::string* Subject::Bytes(const std::string& path) const {
  const SubjectFile* file = Find(path);
  return file != nullptr && file->bytes ? &*file->bytes : nullptr;
}

Result<Subject> LoadSubject(const std::string& path,
                            const SubjectLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(CheckIsFolder(path));
  // A run that lost one of its two first files is still a run, and judged.
  if (!IsBundle(path) && !PathExists(path + "/" + kManifestPath) &&
      !PathExists(path + "/" + kFreezePath)) {
    return Error{ErrorKind::kNotFound,
                 path + ": neither a run nor a bundle: it has no " +
                     kManifestPath + " and no evidence.tar.xz",
                 ""};
  }
  Subject subject;
  Loader loader(limits, subject);
  if (IsBundle(path)) {
    subject.kind = SubjectKind::kBundle;
    EXHIBIT_RETURN_IF_ERROR(LoadBundle(path, limits, loader, subject));
    return subject;
  }
  auto summary = ReadRun(path, limits.archive,
                         [&](const EvidenceFile& file, ByteSource& contents) {
                           return loader.Visit(file, contents);
                         });
  if (!summary.ok()) {
    EXHIBIT_RETURN_IF_ERROR(Judge(summary.error(), "", subject.findings));
    return subject;
  }
  TakeSummary(*summary, subject);
  return subject;
}

}  // namespace exhibit
