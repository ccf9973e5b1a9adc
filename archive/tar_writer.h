// Writes members to a tar stream, in the order they are given in.
//
// The stream depends on paths, contents and order and on nothing else.
// Normative: archive/FORMAT.md, "Tar layer".

#ifndef EXHIBIT_ARCHIVE_TAR_WRITER_H_
#define EXHIBIT_ARCHIVE_TAR_WRITER_H_

#include "archive/bytes.h"
#include "archive/tar_header.h"
#include "manifests/result.h"

namespace exhibit {

class TarWriter {
 public:
  // `sink` must outlive the writer.
  explicit TarWriter(ByteSink& sink) : sink_(sink) {}

  // Adds `member` with the contents of `contents`. Fails with kIo when there
  // are not exactly member.size_bytes of them: the file changed meanwhile.
  Status Add(const TarMember& member, ByteSource& contents);

  // Writes the end of the stream. Nothing may be added afterwards.
  Status Finish();

 private:
  ByteSink& sink_;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_TAR_WRITER_H_
