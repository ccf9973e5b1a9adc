#include "compiler/build/realization.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace exhibit {
namespace {

Json Texts(const std::vector<std::string>& texts) {
  Json::Array array;
  for (const std::string& text : texts) array.push_back(text);
  return array;
}

Json Arrays(const Plan& plan) {
  Json::Array arrays;
  for (const ArrayPlan& array : plan.arrays) {
    arrays.push_back(Json::Object{
        {"name", array.name},
        {"type", tile::NameOf(array.scalar)},
        {"elements", array.elements},
        {"bytes", array.elements * tile::ScalarBytes(array.scalar)},
        {"offset", array.offset_bytes}});
  }
  return arrays;
}

std::string_view NameOf(Grouping grouping) {
  switch (grouping) {
    case Grouping::kReference:
      return "reference";
    case Grouping::kRow:
      return "row";
    case Grouping::kBlock:
      return "block";
  }
  throw std::logic_error("grouping out of range");
}

Json Mmas(const tile::Program& program, const Plan& plan) {
  Json::Array mmas;
  for (const MmaPlan& mma : plan.mmas) {
    mmas.push_back(
        Json::Object{{"name", tile::ValueName(program, mma.result)},
                     {"terms", mma.terms},
                     {"rolled", mma.rolled},
                     {"grouping", NameOf(mma.grouping)},
                     {"rows", mma.rows},
                     {"columns", mma.columns},
                     {"refusal", mma.refusal},
                     {"cost", mma.cost ? Json(*mma.cost) : Json("unmodeled")}});
  }
  return mmas;
}

Json Functions(const EmittedModule& emitted) {
  Json::Array functions;
  for (const FunctionShape& shape : emitted.functions) {
    functions.push_back(Json::Object{{"name", shape.name},
                                     {"instructions", shape.instructions},
                                     {"basic_blocks", shape.basic_blocks}});
  }
  return functions;
}

Json Accesses(const AccessReport& accesses) {
  return Json::Object{{"gather_loads", accesses.gather_loads},
                      {"contiguous_loads", accesses.contiguous_loads},
                      {"broadcast_loads", accesses.broadcast_loads},
                      {"scatter_stores", accesses.scatter_stores},
                      {"contiguous_stores", accesses.contiguous_stores}};
}

// Options whose realised value can differ from the requested one.
Json::Object RealizedOptions(const RealizationInputs& in) {
  TileOptions realized = in.options;
  int64_t group = 1;
  for (const MmaPlan& mma : in.plan.mmas) {
    group = std::max(group, mma.rows * mma.columns);
  }
  realized.mma_output_block = group;
  realized.enable_mma_2d_blocking = in.plan.two_dimensional_mmas > 0;
  realized.full_packet = in.emitted.full_packet_specializations > 0;
  realized.snapshot_budget = in.options.SnapshotBudgetBytes();
  return TileOptionValues(realized);
}

}  // namespace

Json Realization(const RealizationInputs& in) {
  const Plan& plan = in.plan;
  const EmittedModule& emitted = in.emitted;
  return Json::Object{
      {"schema", "exhibit.realization/1"},
      {"program", in.program.name},
      {"symbol", emitted.symbol},
      {"block_symbol", emitted.block_symbol},
      {"requested", TileOptionValues(in.options)},
      {"realized", RealizedOptions(in)},
      {"static_snapshot_bytes_per_worker",
       plan.static_snapshot_bytes_per_worker},
      {"static_snapshot_allocations", plan.static_snapshot_allocations},
      {"arrays", Arrays(plan)},
      {"private_workspace_bytes", plan.private_workspace_bytes},
      {"mmas", Mmas(in.program, plan)},
      {"blocked_mmas", plan.blocked_mmas},
      {"two_dimensional_mmas", plan.two_dimensional_mmas},
      {"rolled_mmas", plan.rolled_mmas},
      {"full_packet_specializations", emitted.full_packet_specializations},
      {"full_packet_cloned_instructions",
       emitted.full_packet_cloned_instructions},
      {"full_packets_dispatched", plan.full_packets_dispatched},
      {"tail_packets_dispatched", plan.tail_packets_dispatched},
      {"accesses", Accesses(emitted.accesses)},
      {"functions", Functions(emitted)},
      {"math_helper_sha256", emitted.math_helper_sha256},
      {"llvm_version", in.llvm_version},
      {"target_cpu", in.target.name},
      {"target_features", in.target.features},
      {"required_cpu_flags", Texts(in.target.required_cpu_flags)},
  };
}

}  // namespace exhibit
