#include "compiler/plan/plan.h"

#include "compiler/plan/storage.h"

namespace exhibit {

using tile::Mma;
using tile::Op;
using tile::Pipeline;
using tile::Program;

bool TraversalIsLoop(int64_t elements, const TileOptions& options) {
  return options.max_unrolled_tile_elements != 0 &&
         elements > options.max_unrolled_tile_elements;
}

bool ReduceIsLoop(const TileOptions& options) {
  return options.max_unrolled_tile_elements != 0;
}

const MmaPlan& Plan::MmaOf(tile::ValueId result) const {
  for (const MmaPlan& mma : mmas) {
    if (mma.result == result) return mma;
  }
  throw std::logic_error("no mma defines value " + std::to_string(result));
}

namespace {

Status CheckCapacity(const Plan& plan, const TileOptions& options) {
  const int64_t budget = options.SnapshotBudgetBytes();
  if (plan.static_snapshot_bytes_per_worker > budget) {
    return Error{ErrorKind::kLimitExceeded,
                 "snapshots need " +
                     std::to_string(plan.static_snapshot_bytes_per_worker) +
                     " bytes per worker, snapshot_budget is " +
                     std::to_string(budget),
                 "Choose a smaller tile, or raise snapshot_budget."};
  }
  if (plan.aligned_packet_bytes > kWorkspaceBytesMax) {
    return Error{ErrorKind::kLimitExceeded,
                 "the snapshots of a packet need " +
                     std::to_string(plan.aligned_packet_bytes) +
                     " bytes, the limit is " +
                     std::to_string(kWorkspaceBytesMax),
                 "Choose a smaller tile or a smaller packet_width."};
  }
  return Ok();
}

void PlanMmas(const Program& program, const std::vector<Op>& body,
              const TileOptions& options, std::vector<MmaPlan>& mmas) {
  for (const Op& op : body) {
    if (const auto* mma = std::get_if<Mma>(&op.node)) {
      mmas.push_back(PlanMma(program, *mma, options));
    } else if (const auto* pipeline = std::get_if<Pipeline>(&op.node)) {
      PlanMmas(program, pipeline->body, options, mmas);
    }
  }
}

void CountDispatch(const Program& program, const TileOptions& options,
                   Plan& plan) {
  // A block is a whole number of packets, so only the last packet of the
  // dispatch can be a tail.
  plan.instances = InstanceCount(program);
  plan.full_packets_dispatched = plan.instances / options.packet_width;
  plan.tail_packets_dispatched =
      plan.instances % options.packet_width != 0 ? 1 : 0;
}

}  // namespace

Result<Plan> PlanProgram(const Program& program, const TileOptions& options,
                         const CostFunction& cost) {
  Plan plan;
  PlanStorage(program, options, plan);
  EXHIBIT_RETURN_IF_ERROR(CheckCapacity(plan, options));
  PlanMmas(program, program.body, options, plan.mmas);
  for (MmaPlan& mma : plan.mmas) {
    if (cost) mma.cost = cost(program, mma);
    plan.rolled_mmas += mma.rolled ? 1 : 0;
    plan.blocked_mmas += mma.grouping != Grouping::kReference ? 1 : 0;
    plan.two_dimensional_mmas += mma.grouping == Grouping::kBlock ? 1 : 0;
  }
  CountDispatch(program, options, plan);
  return plan;
}

}  // namespace exhibit
