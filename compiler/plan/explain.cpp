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

std::string ArrayLine(const Plan& plan, size_t index) {
  const ArrayPlan& array = plan.arrays[index];
  std::string line = "array " + array.name + ": " +
                     std::string(NameOf(array.scalar)) + " x " +
                     std::to_string(array.elements) + " at " +
                     std::to_string(array.offset_bytes);
  const ValuePlan& value = plan.values.at(array.value);
  // The next array of a carry holds what another value was, so it is known by
  // that value's storage being elsewhere.
  const bool is_next = value.array != static_cast<int32_t>(index);
  return line +
         (is_next ? ", next of a carry" : std::string(", rule ") + value.rule) +
         "\n";
}

}  // namespace

std::string ExplainPlan(const Program& program, const Plan& plan) {
  std::string text;
  for (const MmaPlan& mma : plan.mmas) text += MmaLine(program, mma);
  for (size_t i = 0; i < plan.arrays.size(); ++i) text += ArrayLine(plan, i);
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
