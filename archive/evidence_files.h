// Single files of a run or bundle again, after all of it was read once.
//
// Nothing is extracted: a file of a bundle is decoded from the start of the xz
// block in which it begins. So a reader needs not hold what it has seen.

#ifndef EXHIBIT_ARCHIVE_EVIDENCE_FILES_H_
#define EXHIBIT_ARCHIVE_EVIDENCE_FILES_H_

#include <memory>
#include <string>

#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "archive/limits.h"
#include "archive/xz_index.h"
#include "manifests/result.h"

namespace exhibit {

class EvidenceFiles {
 public:
  enum class Form { kRun, kBundle };
  // Of the folder `folder`, which ReadRun or ReadBundle has read.
  EvidenceFiles(Form form, std::string folder, const ArchiveLimits& limits)
      : form_(form), folder_(std::move(folder)), limits_(limits) {}

  // Reads what is needed to find files in a bundle. Fails as XzIndex::Read
  // does.
  Status Prepare();

  // The contents of `file`, which a visitor was shown and which is none of the
  // sources; a source must not outlive this. Fails as XzIndex does, and its
  // source with kIo when the bytes are no longer those that have `sha256`,
  // which it knows at its end.
  Result<std::unique_ptr<ByteSource>> Open(const EvidenceFile& file,
                                           const std::string& sha256);

 private:
  Result<std::unique_ptr<ByteSource>> OpenContents(const EvidenceFile& file);

  const Form form_;
  const std::string folder_;
  const ArchiveLimits limits_;
  std::unique_ptr<XzIndex> index_;  // Read when it is first needed.
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_EVIDENCE_FILES_H_
