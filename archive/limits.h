// What a reader of archives will bear, whoever wrote them.
//
// Every limit is checked before the memory or the time it guards is spent.
// Normative: archive/FORMAT.md, "Limits".

#ifndef EXHIBIT_ARCHIVE_LIMITS_H_
#define EXHIBIT_ARCHIVE_LIMITS_H_

#include <cstdint>
#include <string>

#include "manifests/result.h"

namespace exhibit {

struct ArchiveLimits {
  uint64_t member_count_max = 100'000;               // Files of a run.
  uint64_t member_bytes_max = uint64_t{4} << 30;     // One file.
  uint64_t contents_bytes_max = uint64_t{64} << 30;  // All files.
  uint64_t index_bytes_max = uint64_t{32} << 20;     // index.sha256.
  // A decoder may give out `expansion_free_bytes`, and beyond them
  // `expansion_ratio_max` bytes for each byte it has taken in.
  uint64_t expansion_free_bytes = uint64_t{64} << 20;
  uint64_t expansion_ratio_max = 1000;
  // Contents of one xz block, where a reader begins in the middle of a stream.
  uint64_t block_bytes_max = uint64_t{32} << 20;
  uint64_t decoder_memory_bytes_max = uint64_t{32} << 20;  // xz only.
};

// What a decoder called `name` has taken in and given out so far.
struct Expansion {
  uint64_t in_bytes = 0;
  uint64_t out_bytes = 0;
};

// Fails with kLimitExceeded when `expansion` passes `limits`.
Status CheckExpansion(const std::string& name, const Expansion& expansion,
                      const ArchiveLimits& limits);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_LIMITS_H_
