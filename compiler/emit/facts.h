// What holds for every lane of a packet, found before any code is emitted.
//
// A packet runs W neighbouring instances, the first of which is a multiple of
// W. That alone proves many things: a domain index whose inner extents are a
// multiple of W is the same in all lanes, and the innermost index of such a
// domain goes up by one from lane to lane. Facts are proofs, never guesses, and
// follow from the program's structure only.

#ifndef EXHIBIT_COMPILER_EMIT_FACTS_H_
#define EXHIBIT_COMPILER_EMIT_FACTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/tile/program.h"

namespace exhibit {

// Both ends inclusive.
struct IndexRange {
  int64_t low = 0;
  int64_t high = 0;

  bool operator==(const IndexRange&) const = default;
};

struct LaneFacts {
  // Every element is the same in all lanes that are inside the dispatch.
  bool uniform = true;
  // i64 only: bounds of every element in every such lane.
  std::optional<IndexRange> range;
  // i64 scalars only: the difference from a lane to the next, where constant.
  std::optional<int64_t> lane_stride;
};

// By ValueId, for a verified program.
std::vector<LaneFacts> FindLaneFacts(const tile::Program& program,
                                     int64_t packet_width);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_EMIT_FACTS_H_
