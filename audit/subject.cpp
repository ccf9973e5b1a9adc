#include "audit/subject.h"

#include <sys/stat.h>

#include <algorithm>
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

// A derived file is small; a larger one was not written by an audit. It stands
// in the bundle as it is, but may be sparse.
constexpr uint64_t kDerivedBytesMax = uint64_t{256} << 20;
constexpr uint64_t kDerivedBytesFree = uint64_t{16} << 20;
constexpr uint64_t kDerivedRatioMax = 16;

bool IsArray(const EvidenceFile& file) {
  return file.path.starts_with("arrays/");
}

// The most bytes that a file may have to be kept; 0 when none decodes it.
uint64_t KeptBytesMax(const EvidenceFile& file) {
  const std::string& path = file.path;
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

// `bytes_free` and `ratio_max` times the size of the archive.
uint64_t Share(uint64_t archive_bytes, uint64_t bytes_free,
               uint64_t ratio_max) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  if (ratio_max > 0 && archive_bytes > (kMost - bytes_free) / ratio_max) {
    return kMost;
  }
  return bytes_free + archive_bytes * ratio_max;
}

// `limits` where the subject is a bundle with so large an archive; of a run
// nothing is smaller than it looks.
SubjectLimits LimitsOf(SubjectLimits limits,
                       std::optional<uint64_t> archive_bytes) {
  if (!archive_bytes) return limits;
  const auto lower = [&](uint64_t& most, uint64_t free, uint64_t ratio_max) {
    most = std::min(most, Share(*archive_bytes, free, ratio_max));
  };
  lower(limits.kept_bytes_max, limits.kept_bytes_free, limits.kept_ratio_max);
  lower(limits.arrays_bytes_max, limits.arrays_bytes_free,
        limits.arrays_ratio_max);
  // As the ratio is A / divisor, that is the square.
  lower(limits.operation_count_max, limits.operation_count_free,
        *archive_bytes / limits.operation_square_divisor);
  lower(limits.computing_bytes_max, limits.computing_bytes_free,
        limits.computing_ratio_max);
  lower(limits.record_values_max, limits.record_values_free,
        limits.record_values_ratio_max);
  return limits;
}

class Loader {
 public:
  // `archive_bytes` of a bundle.
  Loader(const SubjectLimits& limits, std::optional<uint64_t> archive_bytes,
         Subject& subject)
      : limits_(LimitsOf(limits, archive_bytes)),
        record_bytes_max_(kRecordBytesMax),
        subject_(subject) {
    subject.operations = std::make_shared<OperationBudget>(
        static_cast<int64_t>(limits_.operation_count_max));
    subject.record_values_max = limits_.record_values_max;
    subject.computing_bytes_max =
        static_cast<int64_t>(limits_.computing_bytes_max);
    if (!archive_bytes) return;
    subject.bytes_before_max = limits_.archive.block_bytes_max;
    record_bytes_max_ = std::min(record_bytes_max_,
                                 Share(*archive_bytes, limits.record_bytes_free,
                                       limits.record_ratio_max));
  }

  Status Visit(const EvidenceFile& file, ByteSource& contents) {
    SubjectFile entry;
    entry.size_bytes = file.size_bytes;
    entry.tar_offset = file.tar_offset;
    if (IsArray(file)) {
      EXHIBIT_RETURN_IF_ERROR(VisitArray(file, contents, entry));
      subject_.files[file.path] = std::move(entry);
      return Ok();
    }
    uint64_t bytes_max = KeptBytesMax(file);
    if (bytes_max == kRecordBytesMax) bytes_max = record_bytes_max_;
    if (bytes_max > 0 && Admit(file, bytes_max)) {
      EXHIBIT_ASSIGN_OR_RETURN(entry.bytes,
                               ReadSized(contents, file.size_bytes));
    }
    subject_.files[file.path] = std::move(entry);
    return Ok();
  }

  // Whether every file that a stage may ask for is kept.
  bool kept_all() const { return kept_all_; }

 private:
  // Takes the header, and the rest while there is room for it.
  Status VisitArray(const EvidenceFile& file, ByteSource& contents,
                    SubjectFile& entry) {
    if (file.size_bytes > kArrayFileBytesMax) {
      ReportOverLimit(file, kArrayFileBytesMax);
      return Ok();
    }
    std::string bytes(static_cast<size_t>(std::min<uint64_t>(
                          file.size_bytes, kNpyHeaderBytesMax)),
                      '\0');
    EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                             ReadFully(contents, bytes.data(), bytes.size()));
    bytes.resize(got);
    entry.array_header = DecodeNpyHeader(bytes, file.size_bytes, file.path);
    if (!entry.array_header->ok()) return Ok();
    if (file.size_bytes > limits_.arrays_bytes_max - arrays_bytes_) {
      kept_all_ = false;
      return Ok();
    }
    arrays_bytes_ += file.size_bytes;
    bytes.resize(static_cast<size_t>(file.size_bytes));
    EXHIBIT_ASSIGN_OR_RETURN(
        const size_t rest,
        ReadFully(contents, bytes.data() + got, bytes.size() - got));
    bytes.resize(got + rest);
    entry.bytes = std::move(bytes);
    return Ok();
  }

  bool Admit(const EvidenceFile& file, uint64_t bytes_max) {
    if (file.size_bytes <= bytes_max &&
        file.size_bytes <= limits_.kept_bytes_max - kept_bytes_) {
      kept_bytes_ += file.size_bytes;
      return true;
    }
    ReportOverLimit(file, bytes_max);
    return false;
  }

  void ReportOverLimit(const EvidenceFile& file, uint64_t bytes_max) {
    subject_.findings.Add({.code = "over-limit",
                           .path = file.path,
                           .message = "the file passes a limit of the audit",
                           .expected = std::to_string(bytes_max),
                           .found = std::to_string(file.size_bytes)});
  }

  const SubjectLimits limits_;
  uint64_t record_bytes_max_;
  Subject& subject_;
  uint64_t kept_bytes_ = 0;
  uint64_t arrays_bytes_ = 0;
  bool kept_all_ = true;
};

// An error that the subject's contents caused becomes a finding.
Status Judge(const Error& error, const std::string& path,
             FindingList& findings) {
  switch (error.kind) {
    case ErrorKind::kIo:
      return error;
    case ErrorKind::kLimitExceeded:
      findings.AddError("over-limit", path, error);
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

// A file that may stand beside the subject.
struct Beside {
  const char* name;
  uint64_t bytes_max;
};

Status LoadBeside(const std::string& path, const Beside& beside,
                  std::optional<std::string>& bytes, FindingList& findings) {
  auto file = FileSource::Open(path, beside.name);
  if (!file.ok()) {
    if (file.error().kind == ErrorKind::kNotFound) return Ok();
    return Judge(file.error(), beside.name, findings);
  }
  auto read = ReadAll(*file, beside.name, beside.bytes_max);
  if (!read.ok()) return Judge(read.error(), beside.name, findings);
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
                  Subject& subject) {
  auto names = ListBundle(path);
  if (!names.ok()) {
    EXHIBIT_RETURN_IF_ERROR(Judge(names.error(), "", subject.findings));
  }
  EXHIBIT_RETURN_IF_ERROR(LoadSeal(path, subject));
  const auto load = [&](const Beside& beside,
                        std::optional<std::string>& bytes) {
    return LoadBeside(path, beside, bytes, subject.findings);
  };
  // Without it ReadBundle says what is wrong.
  const auto evidence = FileSource::Open(path, kEvidenceName);
  const uint64_t archive_bytes = evidence.ok() ? evidence->size_bytes() : 0;
  const uint64_t derived_bytes_max =
      std::min(kDerivedBytesMax,
               Share(archive_bytes, kDerivedBytesFree, kDerivedRatioMax));
  EXHIBIT_RETURN_IF_ERROR(
      load({kAuditName, derived_bytes_max}, subject.stored_audit));
  EXHIBIT_RETURN_IF_ERROR(
      load({kReportName, derived_bytes_max}, subject.stored_report));
  EXHIBIT_RETURN_IF_ERROR(
      load({kClaimsName, kClaimsFileBytesMax}, subject.stored_claims));
  EXHIBIT_RETURN_IF_ERROR(
      load({kSignatureName, kSignatureBytesMax}, subject.stored_signature));
  Loader loader(limits, archive_bytes, subject);
  auto summary =
      ReadBundle(path, limits.archive,
                 [&](const EvidenceFile& file, ByteSource& contents) {
                   return loader.Visit(file, contents);
                 });
  if (!summary.ok()) {
    return Judge(summary.error(), "", subject.findings);
  }
  TakeSummary(*summary, subject);
  if (!loader.kept_all()) {
    auto again = std::make_shared<EvidenceFiles>(EvidenceFiles::Form::kBundle,
                                                 path, limits.archive);
    const Status ready = again->Prepare();
    if (ready.ok()) {
      subject.again = std::move(again);
    } else {
      EXHIBIT_RETURN_IF_ERROR(
          Judge(ready.error(), kEvidenceName, subject.findings));
    }
  }
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

std::unique_ptr<ByteSource> Subject::Open(const std::string& path) const {
  const SubjectFile* file = Find(path);
  if (file == nullptr || (!file->bytes && !again)) return nullptr;
  const uint64_t before =
      file->bytes ? 0 : std::min(file->tar_offset, bytes_before_max);
  if (!operations->Take(static_cast<int64_t>(file->size_bytes + before))) {
    return nullptr;
  }
  if (file->bytes) return std::make_unique<StringSource>(*file->bytes);
  auto source =
      again->Open({path, file->size_bytes, file->tar_offset}, file->sha256);
  if (source.ok()) return std::move(*source);
  NoteFailure(source.error());
  return nullptr;
}

void Subject::NoteFailure(const Error& error) const {
  if (!*failure) *failure = error;
}

Result<Subject> LoadSubject(const std::string& path,
                            const SubjectLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(CheckIsFolder(path));
  const bool is_bundle = LooksLikeBundle(path);
  // A run that lost one of its two first files is still a run, and judged.
  if (!is_bundle && !PathExists(path + "/" + kManifestPath) &&
      !PathExists(path + "/" + kFreezePath)) {
    return Error{ErrorKind::kNotFound,
                 path + ": neither a run nor a bundle: it has no " +
                     kManifestPath + " and no evidence.tar.xz",
                 "Name the folder that exhibit-capture made, or the one that "
                 "exhibit-archive pack made; ./exhibit run calls them run and "
                 "bundle."};
  }
  Subject subject;
  if (is_bundle) {
    subject.kind = SubjectKind::kBundle;
    EXHIBIT_RETURN_IF_ERROR(LoadBundle(path, limits, subject));
    return subject;
  }
  subject.again = std::make_shared<EvidenceFiles>(EvidenceFiles::Form::kRun,
                                                  path, limits.archive);
  Loader loader(limits, std::nullopt, subject);
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
