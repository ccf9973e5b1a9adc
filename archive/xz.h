// The .xz layer: one stream of blocks of a fixed size.
//
// The bytes written depend on the contents and on the version of liblzma, not
// on the number of threads: the blocks are the same for any number.
// Normative: archive/FORMAT.md, "xz layer".

#ifndef EXHIBIT_ARCHIVE_XZ_H_
#define EXHIBIT_ARCHIVE_XZ_H_

#include <cstdint>
#include <memory>
#include <string>

#include "archive/bytes.h"
#include "archive/limits.h"
#include "manifests/result.h"

namespace exhibit {

inline constexpr uint64_t kXzBlockBytes = uint64_t{4} << 20;
inline constexpr uint32_t kXzPreset = 1;
inline constexpr char kXzCheckName[] = "crc64";
inline constexpr int kXzThreadsMax = 64;

class XzSink : public ByteSink {
 public:
  // `sink` must outlive this. `threads` is 1..kXzThreadsMax; anything else is
  // a bug. Fails with kIo when there is not enough memory.
  static Result<std::unique_ptr<XzSink>> Create(ByteSink& sink, int threads);
  ~XzSink() override;

  Status Write(std::string_view bytes) override;
  // Writes the end of the stream. Nothing may be written afterwards.
  Status Finish();

 private:
  struct State;
  explicit XzSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The contents of the one xz stream in `source`.
//
// Read fails with kCorrupt on anything but one whole stream with the expected
// check, also on a byte after it, and with kLimitExceeded. The decoder uses
// one thread and runs none of its own.
class XzSource : public ByteSource {
 public:
  // `source` must outlive this. `name` opens every message.
  static Result<std::unique_ptr<XzSource>> Create(ByteSource& source,
                                                  std::string name,
                                                  const ArchiveLimits& limits);
  ~XzSource() override;

  Result<size_t> Read(char* data, size_t size) override;

 private:
  struct State;
  explicit XzSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The version of liblzma that runs, such as "5.4.1".
std::string XzLibraryVersion();

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_XZ_H_
