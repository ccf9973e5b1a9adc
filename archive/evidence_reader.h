// One way to look at the files of a run, whether it is packed or not.
//
// Files are shown in archive order, as streams; nothing is extracted, nothing
// is written. Each file is hashed on its way. What the bytes of a bundle or a
// run cause is an error here only when reading on would make no sense; that a
// digest differs is left to the caller to judge.
// Normative: archive/FORMAT.md, "Members".

#ifndef EXHIBIT_ARCHIVE_EVIDENCE_READER_H_
#define EXHIBIT_ARCHIVE_EVIDENCE_READER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "archive/bytes.h"
#include "archive/limits.h"
#include "manifests/content_id.h"
#include "manifests/result.h"

namespace exhibit {

struct EvidenceFile {
  std::string path;  // Relative to the run.
  uint64_t size_bytes = 0;
  uint64_t tar_offset = 0;  // Of the contents in their tar stream, if any.
};

// Sees one file. Needs not read `contents` to the end, must not keep it. An
// error ends the reading and is passed on.
using EvidenceVisitor =
    std::function<Status(const EvidenceFile& file, ByteSource& contents)>;

struct EvidenceSummary {
  FileDigests found;       // Of the bytes that were read.
  FileDigests stated;      // What index.sha256 says; for a run, what was found.
  std::string content_id;  // Of `stated`.
  uint64_t contents_bytes = 0;
};

// Reads the two archives in the folder `bundle` and nothing else there.
//
// Fails with kCorrupt (file, offset, member, value) on what is no bundle, with
// kLimitExceeded, or with kIo.
Result<EvidenceSummary> ReadBundle(const std::string& bundle,
                                   const ArchiveLimits& limits,
                                   const EvidenceVisitor& visitor);

// The same from the two tar streams, already decompressed; `evidence` is read
// to its end first.
Result<EvidenceSummary> ReadTarStreams(ByteSource& evidence,
                                       ByteSource& sources,
                                       const ArchiveLimits& limits,
                                       const EvidenceVisitor& visitor);

// Reads the files of the folder `run`: regular files only, no symbolic links.
Result<EvidenceSummary> ReadRun(const std::string& run,
                                const ArchiveLimits& limits,
                                const EvidenceVisitor& visitor);

// How `found` differs from what the list called `name` states: one sentence
// per path, sorted by path; empty when they are equal.
std::vector<std::string> DigestDifferences(const FileDigests& stated,
                                           const FileDigests& found,
                                           const std::string& name);

// The same for a summary and its index; empty when the summary is sound.
std::vector<std::string> IndexDifferences(const EvidenceSummary& summary);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_EVIDENCE_READER_H_
