// Tile programs: what is read has one canonical text, and every option set
// either gives a sound plan of it or says why not.

#include "compiler/plan/plan.h"
#include "compiler/tile/text.h"
#include "compiler/tile/verify.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

// Arrays stand in their order, do not overlap, and add up.
void CheckPlan(const tile::Program& program, const TileOptions& options,
               const Plan& plan) {
  int64_t end = 0, bytes = 0;
  for (const ArrayPlan& array : plan.arrays) {
    const int64_t own = array.elements * tile::ScalarBytes(array.scalar);
    fuzz::Require(array.offset_bytes % 64 == 0 && array.offset_bytes >= end,
                  "arrays are aligned and do not overlap");
    end = array.offset_bytes + own * options.packet_width;
    bytes += own;
  }
  fuzz::Require(end <= plan.aligned_packet_bytes, "arrays fit their packet");
  fuzz::Require(bytes == plan.static_snapshot_bytes_per_worker,
                "the bytes of a worker add up");
  fuzz::Require(bytes <= options.SnapshotBudgetBytes(), "the budget is kept");
  fuzz::Require(plan.values.size() == program.values.size(),
                "every value has a place");
  fuzz::Require(plan.instances == tile::InstanceCount(program),
                "every instance is planned");
  fuzz::Require(
      plan.full_packets_dispatched * options.packet_width <= plan.instances &&
          plan.tail_packets_dispatched >= 0 &&
          plan.tail_packets_dispatched <= 1,
      "packets cover the instances");
  fuzz::Require(!ExplainPlan(program, plan).empty(), "a plan is explained");
}

void CheckPlans(const tile::Program& program) {
  for (const int64_t unrolled : {0, 1, 64}) {
    for (const int64_t block : {1, 4}) {
      TileOptions options;
      options.max_unrolled_tile_elements = unrolled;
      options.mma_output_block = block;
      options.enable_mma_2d_blocking = unrolled == 1;
      options.max_unrolled_mma_terms = block == 4 ? 2 : 0;
      options.packet_width = block == 4 ? 2 : 16;
      const Result<Plan> plan = PlanProgram(program, options);
      if (plan.ok()) {
        CheckPlan(program, options, *plan);
      } else {
        fuzz::RequireSound(plan.error());
      }
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const auto parsed = tile::ParseProgram(text, "input");
  if (!parsed.ok()) {
    fuzz::RequireSound(parsed.error());
    return 0;
  }
  const std::string printed = tile::PrintProgram(*parsed);
  const auto again = tile::ParseProgram(printed, "printed");
  fuzz::Require(again.ok(), "what is printed is read");
  fuzz::Require(tile::PrintProgram(*again) == printed,
                "the canonical text is a fixed point");
  const Status meaning = tile::VerifyProgram(*parsed);
  fuzz::Require(meaning.ok() == tile::ReadProgram(printed, "printed").ok(),
                "the meaning does not depend on spelling");
  if (!meaning.ok()) {
    fuzz::RequireSound(meaning.error());
    return 0;
  }
  CheckPlans(*parsed);
  return 0;
}
