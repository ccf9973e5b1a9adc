// How archives reach the targets: in pieces of any size.

#ifndef EXHIBIT_TESTS_FUZZ_ARCHIVE_INPUT_H_
#define EXHIBIT_TESTS_FUZZ_ARCHIVE_INPUT_H_

#include <algorithm>
#include <string_view>

#include "archive/bytes.h"
#include "archive/limits.h"

namespace exhibit::fuzz {

// Gives `bytes`, never more than `piece_bytes` at a time.
class PieceSource : public ByteSource {
 public:
  PieceSource(std::string_view bytes, size_t piece_bytes)
      : source_(bytes), piece_bytes_(piece_bytes) {}
  Result<size_t> Read(char* data, size_t size) override {
    return source_.Read(data, std::min(size, piece_bytes_));
  }

 private:
  StringSource source_;
  size_t piece_bytes_;
};

// Small enough that an input which expands takes no time.
inline ArchiveLimits SmallLimits() {
  ArchiveLimits limits;
  limits.member_count_max = 1000;
  limits.member_bytes_max = 1 << 20;
  limits.contents_bytes_max = 4 << 20;
  limits.index_bytes_max = 1 << 16;
  limits.expansion_free_bytes = 1 << 20;
  limits.expansion_ratio_max = 20;
  return limits;
}

}  // namespace exhibit::fuzz

#endif  // EXHIBIT_TESTS_FUZZ_ARCHIVE_INPUT_H_
