// Every decision about how a tile program is mapped to code, before any code.
//
// The plan is a pure function of a verified program and the options. Emitter,
// resource report and audit all read this one plan, so that what is reported
// cannot differ from what is done: the emitter allocates exactly `arrays`,
// rolls exactly the mmas marked so, and treats a difference as a bug. No rule
// reads the name of a program, value or buffer.
//
// Words: T is max_unrolled_tile_elements, R mma_output_block, cap
// max_unrolled_mma_terms, W packet_width. Rules: compiler/README.md.

#ifndef EXHIBIT_COMPILER_PLAN_PLAN_H_
#define EXHIBIT_COMPILER_PLAN_PLAN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/tile/program.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

// How the outputs of an mma share one traversal of k.
enum class Grouping {
  kReference,  // One accumulator at a time.
  kRow,        // `columns` outputs along column_axis.
  kBlock,      // `rows` x `columns` outputs.
};

// What was decided for one mma.
struct MmaPlan {
  tile::ValueId result = tile::kNone;  // Which mma: its result.
  int64_t terms = 0;                   // K: product of contracted extents.
  bool rolled = false;                 // The k loop is a run-time loop.
  bool rolled_by_cap_only = false;     // ... and T alone would not roll it.
  Grouping grouping = Grouping::kReference;
  // Accumulators of a full group; groups at the odd edge are smaller. 1 x 1
  // for the reference.
  int64_t rows = 1;
  int64_t columns = 1;
  tile::AxisId row_axis = tile::kNone;     // Result axis that rows run along.
  tile::AxisId column_axis = tile::kNone;  // ... that columns run along.
  // Why the reference was kept although more was asked for, or a block became a
  // row; empty when what was asked for was admitted.
  std::string refusal;
  // What the cost function said; absent means unmodeled, never zero.
  std::optional<int64_t> cost;
};

enum class StorageKind {
  kElements,  // SSA elements: registers, in the compiler's hands.
  kConstant,  // Never stored: rematerialised wherever it is read.
  kDeferred,  // Recomputed element by element at its one use.
  kSnapshot,  // A private array, written when the value is defined.
};

// Where one value lives.
struct ValuePlan {
  StorageKind kind = StorageKind::kElements;
  // The rule that made it a snapshot: 'a' to 'd'; 0 otherwise.
  char rule = 0;
  // Snapshot: index into Plan::arrays. For a carry of more than T elements,
  // argument and result both name the *current* array here.
  int32_t array = -1;
  // For the argument of such a carry: the *next* array, which the yielded value
  // is copied to before all carries move from next to current.
  int32_t next_array = -1;
};

// One private array: element i of lane l lies at offset + (i * W + l) * bytes
// of the scalar type.
struct ArrayPlan {
  std::string name;  // For people: the value's; "_next" after a carry's.
  tile::ScalarType scalar = tile::ScalarType::kF32;
  int64_t elements = 0;
  int64_t offset_bytes = 0;  // In the packet's workspace; 64-aligned.
  // The value whose definition fills it; the yielded one for a next array.
  tile::ValueId value = tile::kNone;
  bool is_next = false;  // The second array of a carry.
};

struct Plan {
  std::vector<MmaPlan> mmas;      // Printed order.
  std::vector<ValuePlan> values;  // By ValueId.
  std::vector<ArrayPlan> arrays;  // Layout order.

  // Capacity, as the realisation report names it.
  int64_t static_snapshot_bytes_per_worker = 0;  // Sum of elements x bytes.
  int64_t static_snapshot_allocations = 0;       // arrays.size()
  // Bytes that one packet needs for all arrays, offsets aligned.
  int64_t aligned_packet_bytes = 0;
  // The same if it is taken from the workspace, 0 if it is small enough for the
  // stack (at most 64 KiB).
  int64_t private_workspace_bytes = 0;

  int64_t blocked_mmas = 0;          // Row and block groups.
  int64_t two_dimensional_mmas = 0;  // Block groups.
  int64_t rolled_mmas = 0;

  int64_t instances = 0;
  int64_t full_packets_dispatched = 0;
  int64_t tail_packets_dispatched = 0;

  // The plan of the mma that defines `result`; asking for another value is a
  // bug.
  const MmaPlan& MmaOf(tile::ValueId result) const;
};

// Largest total that stands on the stack, and the largest there may be at all.
inline constexpr int64_t kStackSnapshotBytesMax = 64 * 1024;
inline constexpr int64_t kWorkspaceBytesMax = 16 * 1024 * 1024;

// Prices a decision in any unit; nullopt says that it has no model.
using CostFunction =
    std::function<std::optional<int64_t>(const tile::Program&, const MmaPlan&)>;

// Plans a verified program under checked options.
//
// Fails with kLimitExceeded when the snapshots pass the budget; capacity comes
// first, and `cost` is not called for a plan that is refused. An absent `cost`
// leaves every cost unmodeled.
Result<Plan> PlanProgram(const tile::Program& program,
                         const TileOptions& options,
                         const CostFunction& cost = nullptr);

// The single decisions, for whoever needs one alone.

// Whether a traversal of `elements` elements is a run-time loop:
// T != 0 and elements > T. Of a value whose elements live in SSA it never is.
bool TraversalIsLoop(int64_t elements, const TileOptions& options);
// Whether reduces run as loops over their operand's array: T != 0.
bool ReduceIsLoop(const TileOptions& options);
// T != 0 and (terms > T or (cap != 0 and terms > cap)).
bool MmaIsRolled(int64_t terms, const TileOptions& options);
// K loop and grouping of one mma; `cost` stays absent.
MmaPlan PlanMma(const tile::Program& program, const tile::Mma& mma,
                const TileOptions& options);

// The plan as lines for a person, each ended by "\n": one per mma with what was
// refused and why, one per value with the rule that decided where it lives,
// then the totals.
std::string ExplainPlan(const tile::Program& program, const Plan& plan);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_PLAN_PLAN_H_
