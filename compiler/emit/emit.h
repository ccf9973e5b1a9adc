// From a plan to LLVM IR, as text.
//
// The module is target-independent fixed-vector IR without any fast-math,
// contraction or reassociation flag, before every optimisation. Its text is
// both the evidence (kernel.ll) and what the optimiser reads, so the two cannot
// differ. Names in it:
//
//   <name>.packet_batch.blocks  entry: count consecutive blocks
//   <name>.packet_batch         entry: count packets of one block
//   <name>.packet               internal: one packet, with its active lanes
//   <name>.packet.full          internal: its clone for W active lanes
//   exhibit.exp.f32[.wW]        internal, always inlined
//
// Nothing of LLVM shows here. Rules: compiler/emit/README.md.

#ifndef EXHIBIT_COMPILER_EMIT_EMIT_H_
#define EXHIBIT_COMPILER_EMIT_EMIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/plan/plan.h"
#include "compiler/tile/program.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

struct FunctionShape {
  std::string name;
  int64_t instructions = 0;  // Before optimisation; exp counts as its call.
  int64_t basic_blocks = 0;
};

// Emitted accesses to buffers in the packet body, each once however often it
// runs. The clone is not counted again.
struct AccessReport {
  int64_t gather_loads = 0;      // A differing address per lane.
  int64_t contiguous_loads = 0;  // Neighbouring lanes, neighbouring elements.
  int64_t broadcast_loads = 0;   // One address for all lanes.
  int64_t scatter_stores = 0;
  int64_t contiguous_stores = 0;
};

struct EmittedModule {
  std::string ir;
  std::string symbol;                    // "<name>.packet_batch.blocks"
  std::string block_symbol;              // "<name>.packet_batch"
  std::string full_packet_symbol;        // "<name>.packet.full", made or not
  std::vector<FunctionShape> functions;  // In module order.
  AccessReport accesses;
  int64_t packet_instructions = 0;  // What max_full_packet_instructions bounds.
  int64_t full_packet_specializations = 0;      // 0 or 1.
  int64_t full_packet_cloned_instructions = 0;  // 0 when there is no clone.
  std::string math_helper_sha256;  // Of the text of both exp functions.
};

// Emits a verified program under checked options and their plan.
//
// Fails with kLimitExceeded when the module would pass two million element
// operations. Arrays that differ from the plan, and invalid IR, are bugs and
// throw std::logic_error.
Result<EmittedModule> EmitModule(const tile::Program& program,
                                 const TileOptions& options, const Plan& plan);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_EMIT_EMIT_H_
