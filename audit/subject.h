// What an audit judges: every file of a run or a bundle.
//
// The bytes that are hashed are the bytes that are decoded later: in one pass a
// file is read, hashed and, where a stage will decode it, kept. Arrays are kept
// as far as there is room; the others are read again when a stage asks, and
// hashed again on their way. Nothing is extracted and nothing of it is
// executed. Attachments, logs, listings and sources other than tile programs
// are hashed and not kept.

#ifndef EXHIBIT_AUDIT_SUBJECT_H_
#define EXHIBIT_AUDIT_SUBJECT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/bytes.h"
#include "archive/evidence_files.h"
#include "archive/limits.h"
#include "audit/finding.h"
#include "audit/operation_budget.h"
#include "manifests/npy_header.h"
#include "manifests/result.h"

namespace exhibit {

// Where the files lie that the manifest names as source.
inline constexpr char kManifestSources[] = "sources/manifest/";

struct SubjectLimits {
  ArchiveLimits archive;
  // Of records, program texts and objects together, which are kept; what
  // passes it is a finding.
  uint64_t kept_bytes_max = uint64_t{1} << 30;
  // Of arrays together; what passes it is read again.
  uint64_t arrays_bytes_max = uint64_t{96} << 20;
  // What is computed again, over all cases: operations (OperationBudget), and
  // bytes that one computation holds.
  uint64_t operation_count_max = uint64_t{1} << 46;
  uint64_t computing_bytes_max = uint64_t{4} << 30;
  // Of a bundle the above is less, by the bytes of its evidence.tar.xz, so that
  // a small file cannot ask for much: this many free, and so many times those
  // of the archive; and the same for one record.
  uint64_t kept_bytes_free = uint64_t{8} << 20;
  uint64_t kept_ratio_max = 64;
  uint64_t arrays_bytes_free = uint64_t{16} << 20;
  uint64_t arrays_ratio_max = 16;
  // Operations grow with the square: of the sides of what is multiplied, work
  // is the cube and bytes are the square, and attention is worse.
  uint64_t operation_count_free = uint64_t{1} << 29;
  uint64_t operation_square_divisor = uint64_t{1} << 7;
  uint64_t computing_bytes_free = uint64_t{32} << 20;
  uint64_t computing_ratio_max = 64;
  uint64_t record_bytes_free = uint64_t{1} << 20;
  uint64_t record_ratio_max = 2;
  // JSON values of all records together; of visits, which are mostly alike, an
  // archive holds one in two bytes.
  uint64_t record_values_max = uint64_t{1} << 26;
  uint64_t record_values_free = 50'000;
  uint64_t record_values_ratio_max = 1;
};

struct SubjectFile {
  std::string sha256;
  uint64_t size_bytes = 0;
  std::optional<std::string> bytes;  // Present when kept.
  uint64_t tar_offset = 0;           // Of the contents, in a bundle.
  // Of an array that was read; absent where `bytes` tell.
  std::optional<Result<NpyHeader>> array_header;
};

enum class SubjectKind { kRun, kBundle };

struct Subject {
  SubjectKind kind = SubjectKind::kRun;
  std::map<std::string, SubjectFile> files;  // By path relative to the run.
  std::string content_id;  // "" when the archives cannot be read to the end.

  // Of a bundle: what stands beside the subject; absent when it is not there.
  std::optional<std::string> stored_audit;
  std::optional<std::string> stored_report;
  std::optional<std::string> stored_claims;
  std::optional<std::string> stored_signature;
  enum class Seal { kNone, kSound, kUnsound } seal = Seal::kNone;
  std::vector<std::string> seal_differences;

  // Reads what was not kept; null where all is.
  std::shared_ptr<EvidenceFiles> again;
  // Why a file could not be read again.
  std::shared_ptr<std::optional<Error>> failure =
      std::make_shared<std::optional<Error>>();

  // Limits of what later stages do; a subject made by hand has those of a run.
  uint64_t record_values_max = SubjectLimits().record_values_max;
  // What may be computed again, over all cases, and the bytes that one
  // computation may hold.
  std::shared_ptr<OperationBudget> operations =
      std::make_shared<OperationBudget>(
          static_cast<int64_t>(SubjectLimits().operation_count_max));
  int64_t computing_bytes_max =
      static_cast<int64_t>(SubjectLimits().computing_bytes_max);
  // What may have to be decoded in front of a file that is read again.
  uint64_t bytes_before_max = 0;

  // What reading alone has shown: stages shape and digests.
  FindingList findings;

  // Null when there is no such file.
  const SubjectFile* Find(const std::string& path) const;
  // The kept bytes of a file, or null.
  const std::string* Bytes(const std::string& path) const;
  // The contents of an array, kept or not; null when there is none, when it
  // cannot be read, which is noted, or when `operations` do not suffice to read
  // it and to look at each of its bytes. The subject must outlive the source.
  std::unique_ptr<ByteSource> Open(const std::string& path) const;
  // Remembers the first error of the file system after loading. An audit during
  // which there was one has no result.
  void NoteFailure(const Error& error) const;
};

// Reads the folder `path`, a run or a bundle.
//
// What its contents cause is a finding of the subject. Fails only when there
// is no such folder (kNotFound) or the system refuses to read it (kIo).
Result<Subject> LoadSubject(const std::string& path,
                            const SubjectLimits& limits = {});

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_SUBJECT_H_
