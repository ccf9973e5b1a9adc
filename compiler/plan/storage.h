// Where each value lives: the snapshot rules (a) to (d) and the layout.
//
// T is max_unrolled_tile_elements, n the number of elements of a value. A value
// gets a private array, written when it is defined, iff
//   (a) n > T, unless it is a constant, or elementwise with a single use (then
//       it is recomputed there and has no array),
//   (b) a reduce reads it, whatever its size; this overrides the exceptions,
//   (c) 1 < n <= T, not a constant, and an elementwise operation or an mma
//   whose
//       result has more than T elements reads it,
//   (d) 1 < n <= T, not a constant, it is the left or right operand of an mma
//       that is rolled only because of the cap, and has a contracted axis > 1
//       (unless indexable_mma_snapshots is false).
// A carry of more than T elements has two arrays, current and next; argument
// and result of a smaller one are judged separately by (b) to (d). With T = 0
// there are none. A value without elements never has one: nothing would be
// stored.

#ifndef EXHIBIT_COMPILER_PLAN_STORAGE_H_
#define EXHIBIT_COMPILER_PLAN_STORAGE_H_

#include "compiler/plan/plan.h"
#include "compiler/tile/program.h"
#include "manifests/options.h"

namespace exhibit {

// Fills values, arrays and the capacity fields of `plan`; checks no budget.
void PlanStorage(const tile::Program& program, const TileOptions& options,
                 Plan& plan);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_PLAN_STORAGE_H_
