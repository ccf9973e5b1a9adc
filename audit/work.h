// What a tile program asks for: arithmetic and the least traffic, counted from
// its text and not from any code.
//
// One program instance runs the body once; everything in a pipeline counts
// `trips` times; the sum is taken over all instances. Of each operation, N
// being the number of elements of its result:
//
//   mma           2 * N * K   K the product of the contracted extents: one
//                             multiplication and one addition per term
//   elementwise   N           f32 add, sub, mul, div, max, sqrt
//   reduce        N * (E - 1) E the extent of the axis, for sum and max
//   exp           counted apart, N: what one costs depends on who evaluates it
//   everything else (i64 and bool arithmetic, comparison, select, conversion,
//   constants, loads and stores)  0
//
// An operation on whose result no store depends counts nothing: a compiler may
// leave it out. Elements that a program computes and then masks or does not
// store count like any other.
//
//   bytes   each buffer that the program so loads from or stores to, once, in
//           full. The least traffic with memory when nothing is cached before;
//           too much for a program that touches only a part of a buffer.
//
// A rate is a count over a time per call and nothing measured: no counter of
// the processor is in it.

#ifndef EXHIBIT_AUDIT_WORK_H_
#define EXHIBIT_AUDIT_WORK_H_

#include <cstdint>

#include "compiler/tile/program.h"
#include "manifests/result.h"

namespace exhibit {

// Of one call of the whole program.
struct ProgramWork {
  int64_t flops = 0;
  int64_t exps = 0;
  int64_t bytes_loaded = 0;
  int64_t bytes_stored = 0;
};

// `program` is verified. Fails with kLimitExceeded when a count passes 2^53,
// the largest integer of a record.
Result<ProgramWork> WorkOf(const tile::Program& program);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_WORK_H_
