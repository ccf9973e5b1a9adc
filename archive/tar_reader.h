// Reads a tar stream member by member; extracts nothing.
//
// Accepts exactly what TarWriter writes. Which members there must be, and in
// which order, is the business of archive/evidence_reader.h.
// Normative: archive/FORMAT.md, "Tar layer".

#ifndef EXHIBIT_ARCHIVE_TAR_READER_H_
#define EXHIBIT_ARCHIVE_TAR_READER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "archive/bytes.h"
#include "archive/limits.h"
#include "archive/tar_header.h"
#include "manifests/result.h"

namespace exhibit {

// As a source it gives the contents of the current member.
class TarReader : public ByteSource {
 public:
  // `source` must outlive the reader. `name` opens every message.
  TarReader(ByteSource& source, std::string name, const ArchiveLimits& limits);

  // Goes to the next member, over what was not read of this one. Nothing when
  // the stream has ended properly, with no byte after its end.
  //
  // Fails with kCorrupt (offset in the tar stream, member, value) or
  // kLimitExceeded.
  Result<std::optional<TarMember>> Next();

  Result<size_t> Read(char* data, size_t size) override;

 private:
  std::string Where() const;
  Status ReadExactly(char* data, size_t size, const char* what);
  Status FinishMember();
  Status FinishStream();
  Status Admit(const TarMember& member);

  ByteSource& source_;
  const std::string name_;
  const ArchiveLimits limits_;
  TarMember member_;
  uint64_t offset_ = 0;  // In the tar stream.
  uint64_t left_ = 0;    // Of the current member.
  uint64_t member_count_ = 0;
  uint64_t contents_bytes_ = 0;
  bool ended_ = false;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_TAR_READER_H_
