// The decisions about one mma: its K loop and the grouping of its outputs.

#include <algorithm>

#include "compiler/plan/plan.h"

namespace exhibit {

using tile::AxisId;
using tile::HasAxis;
using tile::Mma;
using tile::Program;
using tile::TileType;

bool MmaIsRolled(int64_t terms, const TileOptions& options) {
  const int64_t inherited = options.max_unrolled_tile_elements;
  const int64_t cap = options.max_unrolled_mma_terms;
  return inherited != 0 && (terms > inherited || (cap != 0 && terms > cap));
}

namespace {

int64_t Extent(const Program& program, AxisId axis) {
  return program.axes.at(axis).extent;
}

// Which operands have an axis.
enum class Owner { kNeither, kLhs, kRhs, kBoth };

Owner OwnerOf(const Program& program, const Mma& mma, AxisId axis) {
  const bool lhs = HasAxis(TypeOf(program, mma.lhs), axis);
  const bool rhs = HasAxis(TypeOf(program, mma.rhs), axis);
  if (lhs) return rhs ? Owner::kBoth : Owner::kLhs;
  return rhs ? Owner::kRhs : Owner::kNeither;
}

// The last result axis longer than 1 that `owner` has, or kNone.
AxisId LastAxisOf(const Program& program, const Mma& mma, Owner owner) {
  const TileType& result = TypeOf(program, mma.result);
  for (auto axis = result.axes.rbegin(); axis != result.axes.rend(); ++axis) {
    if (Extent(program, *axis) > 1 && OwnerOf(program, mma, *axis) == owner) {
      return *axis;
    }
  }
  return tile::kNone;
}

// Work of one group: for each expanded term and each of its outputs, a multiply
// and an add, and an index per axis of all three tiles.
int64_t GroupWork(const Program& program, const Mma& mma, const MmaPlan& plan,
                  int64_t outputs) {
  const size_t ranks = TypeOf(program, mma.lhs).axes.size() +
                       TypeOf(program, mma.rhs).axes.size() +
                       TypeOf(program, mma.result).axes.size();
  return outputs * (plan.rolled ? 1 : plan.terms) *
         (2 + static_cast<int64_t>(ranks));
}

// Empty if `outputs` accumulators fit the budget, else why not.
std::string RefuseByBudget(const Program& program, const Mma& mma,
                           const MmaPlan& plan, const TileOptions& options,
                           int64_t outputs) {
  const int64_t budget = options.max_unrolled_region_work;
  const int64_t work = GroupWork(program, mma, plan, outputs);
  if (budget == 0 || work <= budget) return "";
  return "a group of " + std::to_string(outputs) + " outputs is " +
         std::to_string(work) + " work, max_unrolled_region_work is " +
         std::to_string(budget);
}

// What rules out any grouping, whatever the axes are.
std::string RefuseAny(const Program& program, const Mma& mma,
                      const MmaPlan& plan, const TileOptions& options) {
  if (options.max_unrolled_tile_elements == 0) {
    return "max_unrolled_tile_elements is 0";
  }
  if (options.local_lanes != 1) return "local_lanes is not 1";
  // Literally admitted by the rules, but there would be no group to count.
  if (plan.terms == 0) return "there are no terms to share";
  if (ElementCount(program, mma.result) == 0) return "there are no outputs";
  return "";
}

// The one-dimensional rule. Returns why it keeps the reference, or "".
std::string GroupRow(const Program& program, const Mma& mma,
                     const TileOptions& options, MmaPlan& plan) {
  const TileType& result = TypeOf(program, mma.result);
  const auto inner =
      std::find_if(result.axes.rbegin(), result.axes.rend(),
                   [&](AxisId axis) { return Extent(program, axis) != 1; });
  if (inner == result.axes.rend()) return "the result has one element";
  const std::string name = "\"" + program.axes.at(*inner).name + "\"";
  switch (OwnerOf(program, mma, *inner)) {
    case Owner::kRhs:
      break;  // Any stride: legality is separate from access preference.
    case Owner::kLhs:
      if (StrideAlong(program, TypeOf(program, mma.lhs), *inner) != 1) {
        return "the left operand is strided along " + name;
      }
      break;
    case Owner::kBoth:
      return "both operands have axis " + name;
    case Owner::kNeither:
      return "no operand has axis " + name;
  }
  const int64_t outputs =
      std::min(options.mma_output_block, Extent(program, *inner));
  std::string refusal = RefuseByBudget(program, mma, plan, options, outputs);
  if (!refusal.empty()) return refusal;
  plan.grouping = Grouping::kRow;
  plan.columns = outputs;
  plan.column_axis = *inner;
  return "";
}

// The two-dimensional rule. Returns why it does not apply, or "".
std::string GroupBlock(const Program& program, const Mma& mma,
                       const TileOptions& options, MmaPlan& plan) {
  const AxisId column = LastAxisOf(program, mma, Owner::kRhs);
  const AxisId row = LastAxisOf(program, mma, Owner::kLhs);
  if (column == tile::kNone) return "no axis is the right operand's alone";
  if (row == tile::kNone) return "no axis is the left operand's alone";
  const int64_t rows = std::min(int64_t{2}, Extent(program, row));
  const int64_t columns = std::min(int64_t{2}, Extent(program, column));
  std::string refusal =
      RefuseByBudget(program, mma, plan, options, rows * columns);
  if (!refusal.empty()) return refusal;
  plan.grouping = Grouping::kBlock;
  plan.rows = rows;
  plan.columns = columns;
  plan.row_axis = row;
  plan.column_axis = column;
  return "";
}

}  // namespace

MmaPlan PlanMma(const Program& program, const Mma& mma,
                const TileOptions& options) {
  MmaPlan plan;
  plan.result = mma.result;
  plan.terms = TermCount(program, mma);
  plan.rolled = MmaIsRolled(plan.terms, options);
  plan.rolled_by_cap_only =
      plan.rolled && plan.terms <= options.max_unrolled_tile_elements;
  if (options.mma_output_block == 1) return plan;
  plan.refusal = RefuseAny(program, mma, plan, options);
  if (!plan.refusal.empty()) return plan;
  std::string no_block;
  if (options.mma_output_block == 4 && options.enable_mma_2d_blocking) {
    no_block = GroupBlock(program, mma, options, plan);
    if (no_block.empty()) return plan;
  }
  plan.refusal = GroupRow(program, mma, options, plan);
  if (!no_block.empty()) {
    plan.refusal = "no 2 x 2: " + no_block +
                   (plan.refusal.empty() ? "" : "; no row: " + plan.refusal);
  }
  return plan;
}

}  // namespace exhibit
