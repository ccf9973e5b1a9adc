// Reads a tar stream member by member; extracts nothing.
//
// Accepts exactly what TarWriter writes. Which members there must be, in which
// order and of which sizes, is the business of archive/evidence_reader.h.
// Normative: archive/FORMAT.md, "Tar layer".

#ifndef EXHIBIT_ARCHIVE_TAR_READER_H_
#define EXHIBIT_ARCHIVE_TAR_READER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "archive/bytes.h"
#include "archive/tar_header.h"
#include "manifests/result.h"

namespace exhibit {

// As a source it gives the contents of the current member.
class TarReader : public ByteSource {
 public:
  // `source` must outlive the reader. `name` opens every message.
  TarReader(ByteSource& source, std::string name);

  // Goes to the next member, over what was not read of this one. Nothing when
  // the stream has ended properly, with no byte after its end.
  //
  // Fails with kCorrupt (offset in the tar stream, member, value).
  Result<std::optional<TarMember>> Next();

  Result<size_t> Read(char* data, size_t size) override;
  // In the tar stream: where the next Read begins.
  uint64_t offset() const { return offset_; }

 private:
  std::string Where() const;
  Status ReadExactly(char* data, size_t size, const char* what);
  Status FinishMember();
  Status FinishStream();

  ByteSource& source_;
  const std::string name_;
  TarMember member_;
  uint64_t offset_ = 0;  // In the tar stream.
  uint64_t left_ = 0;    // Of the current member.
  bool ended_ = false;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_TAR_READER_H_
