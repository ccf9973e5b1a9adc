// The .gz layer: one member with a header of ten fixed bytes.
//
// Normative: archive/FORMAT.md, "gzip layer".

#ifndef EXHIBIT_ARCHIVE_GZIP_H_
#define EXHIBIT_ARCHIVE_GZIP_H_

#include <memory>
#include <string>

#include "archive/bytes.h"
#include "archive/limits.h"
#include "manifests/result.h"

namespace exhibit {

inline constexpr int kGzipLevel = 9;

class GzipSink : public ByteSink {
 public:
  // `sink` must outlive this. Fails with kIo when there is not enough memory.
  static Result<std::unique_ptr<GzipSink>> Create(ByteSink& sink);
  ~GzipSink() override;

  Status Write(std::string_view bytes) override;
  // Writes the end of the member. Nothing may be written afterwards.
  Status Finish();

 private:
  struct State;
  explicit GzipSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The contents of the one gzip member in `source`.
//
// Read fails with kCorrupt on anything but one whole member with the fixed
// header, also on a byte after it, and with kLimitExceeded.
class GzipSource : public ByteSource {
 public:
  // `source` must outlive this. `name` opens every message.
  static Result<std::unique_ptr<GzipSource>> Create(
      ByteSource& source, std::string name, const ArchiveLimits& limits);
  ~GzipSource() override;

  Result<size_t> Read(char* data, size_t size) override;

 private:
  struct State;
  explicit GzipSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The version of zlib that runs, such as "1.2.13".
std::string GzipLibraryVersion();

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_GZIP_H_
