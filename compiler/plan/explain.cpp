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

std::string ArrayLine(const Plan& plan, const ArrayPlan& array) {
  std::string line = "array " + array.name + ": " +
                     std::string(NameOf(array.scalar)) + " x " +
                     std::to_string(array.elements) + " at " +
                     std::to_string(array.offset_bytes);
  if (array.is_next) return line + ", next of a carry\n";
  return line + ", rule " + plan.values.at(array.value).rule + "\n";
}

}  // namespace

std::string ExplainPlan(const Program& program, const Plan& plan) {
  std::string text;
  for (const MmaPlan& mma : plan.mmas) text += MmaLine(program, mma);
  for (const ArrayPlan& array : plan.arrays) text += ArrayLine(plan, array);
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
