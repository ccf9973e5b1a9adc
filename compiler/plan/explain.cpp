#include <string_view>

#include "compiler/plan/plan.h"

namespace exhibit {

using tile::Program;

namespace {

std::string Outputs(const Program& program, const MmaPlan& mma) {
  const auto axis = [&](tile::AxisId id) {
    return std::to_string(id == mma.row_axis ? mma.rows : mma.columns) +
           " along " + program.axes.at(id).name;
  };
  switch (mma.grouping) {
    case Grouping::kReference:
      return "one output at a time";
    case Grouping::kRow:
      return axis(mma.column_axis) + " at a time";
    case Grouping::kBlock:
      return axis(mma.row_axis) + " x " + axis(mma.column_axis) + " at a time";
  }
  return "";
}

std::string MmaLine(const Program& program, const MmaPlan& mma) {
  std::string line = "mma " + ValueName(program, mma.result) + ": " +
                     std::to_string(mma.terms) + " terms, ";
  line += mma.rolled ? "run-time loop" : "expanded";
  if (mma.rolled_by_cap_only) line += " by max_unrolled_mma_terms";
  line += ", " + Outputs(program, mma);
  if (!mma.refusal.empty()) line += " (" + mma.refusal + ")";
  line += ", cost ";
  line += mma.cost ? std::to_string(*mma.cost) : "unmodeled";
  return line + "\n";
}

std::string_view RuleText(char rule) {
  switch (rule) {
    case 'a':
      return "more than max_unrolled_tile_elements elements";
    case 'b':
      return "a reduce reads it";
    case 'c':
      return "an operation with more than max_unrolled_tile_elements results "
             "reads it";
    case 'd':
      return "an mma that only the cap rolls indexes it";
  }
  return "";
}

std::string ArrayText(const ArrayPlan& array) {
  return "array \"" + array.name + "\" at " +
         std::to_string(array.offset_bytes);
}

// Where a value lives, and the rule that put it there.
std::string ValueLine(const Program& program, const Plan& plan,
                      tile::ValueId id) {
  const ValuePlan& value = plan.values.at(id);
  std::string line = "value " + ValueName(program, id) + ": " +
                     std::string(NameOf(TypeOf(program, id).scalar)) + " x " +
                     std::to_string(ElementCount(program, id)) + ", ";
  switch (value.kind) {
    case StorageKind::kElements:
      return line + "elements: no rule asks for an array\n";
    case StorageKind::kConstant:
      return line + "constant: made again where it is read\n";
    case StorageKind::kDeferred:
      return line + "deferred: elementwise with one use, computed there\n";
    case StorageKind::kSnapshot:
      break;
  }
  line += ArrayText(plan.arrays.at(value.array));
  if (value.next_array >= 0) {
    line += ", next in " + ArrayText(plan.arrays.at(value.next_array));
  }
  return line + ": rule " + value.rule + ", " +
         std::string(RuleText(value.rule)) + "\n";
}

}  // namespace

std::string ExplainPlan(const Program& program, const Plan& plan) {
  std::string text;
  for (const MmaPlan& mma : plan.mmas) text += MmaLine(program, mma);
  for (size_t id = 0; id < plan.values.size(); ++id) {
    text += ValueLine(program, plan, static_cast<tile::ValueId>(id));
  }
  text +=
      "snapshots: " + std::to_string(plan.static_snapshot_bytes_per_worker) +
      " bytes per worker in " +
      std::to_string(plan.static_snapshot_allocations) + " arrays, " +
      std::to_string(plan.aligned_packet_bytes) + " bytes per packet " +
      (plan.private_workspace_bytes == 0 ? "on the stack\n"
                                         : "in the workspace\n");
  text += "mmas: " + std::to_string(plan.blocked_mmas) + " blocked, " +
          std::to_string(plan.two_dimensional_mmas) + " two-dimensional, " +
          std::to_string(plan.rolled_mmas) + " rolled\n";
  text += "dispatch: " + std::to_string(plan.instances) + " instances, " +
          std::to_string(plan.full_packets_dispatched) + " full packets, " +
          std::to_string(plan.tail_packets_dispatched) + " tail packets\n";
  return text;
}

}  // namespace exhibit
