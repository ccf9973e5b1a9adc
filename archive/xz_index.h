// Where the blocks of an .xz file lie, to begin reading anywhere.
//
// Normative: archive/FORMAT.md, "xz layer".

#ifndef EXHIBIT_ARCHIVE_XZ_INDEX_H_
#define EXHIBIT_ARCHIVE_XZ_INDEX_H_

#include <cstdint>
#include <memory>
#include <string>

#include "archive/bytes.h"
#include "archive/limits.h"
#include "manifests/result.h"

namespace exhibit {

class XzIndex {
 public:
  // Reads the index at the end of `file`, which must be one whole stream: what
  // XzSource has read to its end. `name` opens every message.
  //
  // Fails with kCorrupt on anything else, and with kLimitExceeded when the
  // index takes more memory than `limits` gives a decoder or a block holds more
  // than limits.block_bytes_max.
  static Result<std::unique_ptr<XzIndex>> Read(FileSource& file,
                                               std::string name,
                                               const ArchiveLimits& limits);
  ~XzIndex();

  // The contents from `offset` on, to the end of the stream. The index must
  // outlive the source. An offset past the end is kCorrupt; damage is
  // found by the check of a block, at its end.
  Result<std::unique_ptr<ByteSource>> OpenAt(FileSource file,
                                             uint64_t offset) const;

 private:
  struct State;
  class Source;
  explicit XzIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_XZ_INDEX_H_
