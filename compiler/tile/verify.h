// Says whether a tile program means something.
//
// Normative: compiler/TILE.md, "Rules".

#ifndef EXHIBIT_COMPILER_TILE_VERIFY_H_
#define EXHIBIT_COMPILER_TILE_VERIFY_H_

#include "compiler/tile/program.h"
#include "manifests/result.h"

namespace exhibit::tile {

// Checks limits, names, types, axes, definition before use, carries, and that
// no two instances meet in a buffer. Indices that are out of range are found
// too, so a program may come from anywhere.
//
// Fails with kLimitExceeded or kInvalidArgument; the message quotes the
// operation.
Status VerifyProgram(const Program& program, const TileLimits& limits = {});

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_VERIFY_H_
