// Keeps the instances of a program out of each other's way.
//
// Instances are unordered, so a program in which two of them may touch the same
// element, one of them storing, has no meaning. What is accepted is what can be
// shown without running anything; the rule is conservative.
// Normative: compiler/TILE.md, "Rules", Instances.

#ifndef EXHIBIT_COMPILER_TILE_INSTANCES_H_
#define EXHIBIT_COMPILER_TILE_INSTANCES_H_

#include "compiler/tile/program.h"
#include "manifests/result.h"

namespace exhibit::tile {

// Checks every buffer that `program` stores to. With more than one instance,
// each domain axis longer than 1 needs a buffer dimension in which every load
// and store has an index c * i + constant with one common c, i being that axis'
// index, and in which all their elements lie within |c| of each other.
//
// Types and scopes of `program` must be sound. Fails with kInvalidArgument.
Status CheckInstances(const Program& program);

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_INSTANCES_H_
