// What an audit judges: every file of a run or a bundle, read once.
//
// The bytes that are hashed are the bytes that are decoded later: a file is
// read, hashed and, where a stage will decode it, kept, in one pass. Nothing
// is extracted and nothing of it is executed. Attachments, logs, listings and
// sources other than tile programs are hashed and not kept.

#ifndef EXHIBIT_AUDIT_SUBJECT_H_
#define EXHIBIT_AUDIT_SUBJECT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "archive/limits.h"
#include "audit/finding.h"
#include "manifests/result.h"

namespace exhibit {

// Where the files lie that the manifest names as source.
inline constexpr char kManifestSources[] = "sources/manifest/";

struct SubjectLimits {
  ArchiveLimits archive;
  // Of all files that are kept to be decoded; what passes it is a finding.
  uint64_t kept_bytes_max = uint64_t{8} << 30;
};

struct SubjectFile {
  std::string sha256;
  uint64_t size_bytes = 0;
  std::optional<std::string> bytes;  // Present when kept.
};

enum class SubjectKind { kRun, kBundle };

struct Subject {
  SubjectKind kind = SubjectKind::kRun;
  std::map<std::string, SubjectFile> files;  // By path relative to the run.
  std::string content_id;  // "" when the archives cannot be read to the end.

  // Of a bundle: what stands beside the subject; absent when it is not there.
  std::optional<std::string> stored_audit;
  std::optional<std::string> stored_report;
  enum class Seal { kNone, kSound, kUnsound } seal = Seal::kNone;
  std::vector<std::string> seal_differences;

  // What reading alone has shown: stages shape and digests.
  FindingList findings;

  // Null when there is no such file.
  const SubjectFile* Find(const std::string& path) const;
  // The kept bytes of a file, or null.
  const std::string* Bytes(const std::string& path) const;
};

// Reads the folder `path`, a run or a bundle.
//
// What its contents cause is a finding of the subject. Fails only when there
// is no such folder (kNotFound) or the system refuses to read it (kIo).
Result<Subject> LoadSubject(const std::string& path,
                            const SubjectLimits& limits = {});

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_SUBJECT_H_
