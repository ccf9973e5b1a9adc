#include "compiler/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/plan/programs.h"

namespace exhibit {
namespace {

TEST(Budget, HoldsFromBothSidesAndAsksNoCostOnRejection) {
  const tile::Program program = *BuildAttention(Decode());
  int asked = 0;
  const CostFunction cost = [&asked](const tile::Program&, const MmaPlan& mma) {
    ++asked;
    return std::optional<int64_t>(mma.terms);
  };
  TileOptions options;
  options.snapshot_budget = 12863;
  const auto refused = PlanProgram(program, options, cost);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_EQ(refused.error().message,
            "snapshots need 12864 bytes per worker, snapshot_budget is 12863");
  EXPECT_EQ(asked, 0);
  options.snapshot_budget = 12864;
  const auto admitted = PlanProgram(program, options, cost);
  ASSERT_TRUE(admitted.ok());
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(admitted->mmas[0].cost, 80);
}

// One array of `elements` f32.
tile::Program OneArray(int64_t elements) {
  const std::string n = std::to_string(elements);
  return *tile::ReadProgram("exhibit.tile/1\nprogram p\naxis n = " + n +
                                "\ninput x f32[" + n +
                                "]\nparallel {\na: f32[n] = load x[0:n]\n}\n",
                            "t");
}

TEST(Budget, DefaultIsSixteenMebibytesOfAPacket) {
  // 2^19 f32 in each of 8 lanes are 16 MiB.
  EXPECT_TRUE(PlanProgram(OneArray(524288), TileOptions()).ok());
  EXPECT_FALSE(PlanProgram(OneArray(524289), TileOptions()).ok());
}

TEST(Budget, LargerOneStillEndsAtSixteenMebibytesOfAPacket) {
  TileOptions options;
  options.snapshot_budget = int64_t{16} << 20;
  EXPECT_TRUE(PlanProgram(OneArray(524288), options).ok());
  const auto refused = PlanProgram(OneArray(524289), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "the snapshots of a packet need 16777280 bytes, the limit is "
            "16777216");
}

TEST(Cost, IsUnmodeledUnlessSomeoneKnows) {
  const tile::Program program = *BuildAttention(Decode());
  const auto plan = PlanProgram(program, TileOptions());
  ASSERT_TRUE(plan.ok());
  for (const MmaPlan& mma : plan->mmas) EXPECT_FALSE(mma.cost.has_value());
  EXPECT_NE(ExplainPlan(program, *plan).find("cost unmodeled"),
            std::string::npos);
}

// The program with every name replaced; carries keep one name for both ends.
tile::Program Renamed(tile::Program program) {
  std::map<std::string, std::string> names;
  const auto rename = [&names](std::string& name) {
    const auto [entry, added] =
        names.emplace(name, "x" + std::to_string(names.size()));
    name = entry->second;
  };
  program.name = "another";
  for (tile::Axis& axis : program.axes) rename(axis.name);
  for (tile::Buffer& buffer : program.buffers) rename(buffer.name);
  for (tile::Value& value : program.values) rename(value.name);
  return program;
}

TEST(Plan, RenamingChangesNothingButNames) {
  for (const auto& spec : {Decode(), Mha(), Prefill(), Prefill8()}) {
    TileOptions options;
    options.mma_output_block = 4;
    options.max_unrolled_mma_terms = 8;
    const tile::Program program = *BuildAttention(spec);
    const tile::Program renamed = Renamed(program);
    ASSERT_NE(PrintProgram(program), PrintProgram(renamed));
    const auto plan = PlanProgram(program, options);
    const auto other =
        PlanProgram(*tile::ReadProgram(PrintProgram(renamed), "t"), options);
    ASSERT_TRUE(plan.ok() && other.ok());
    ASSERT_EQ(plan->arrays.size(), other->arrays.size());
    for (size_t i = 0; i < plan->arrays.size(); ++i) {
      EXPECT_EQ(plan->arrays[i].elements, other->arrays[i].elements);
      EXPECT_EQ(plan->arrays[i].offset_bytes, other->arrays[i].offset_bytes);
      EXPECT_EQ(plan->arrays[i].scalar, other->arrays[i].scalar);
      EXPECT_NE(plan->arrays[i].name, other->arrays[i].name);
    }
    ASSERT_EQ(plan->values.size(), other->values.size());
    for (size_t i = 0; i < plan->values.size(); ++i) {
      EXPECT_EQ(plan->values[i].kind, other->values[i].kind);
      EXPECT_EQ(plan->values[i].rule, other->values[i].rule);
      EXPECT_EQ(plan->values[i].array, other->values[i].array);
    }
    EXPECT_EQ(plan->blocked_mmas, other->blocked_mmas);
    EXPECT_EQ(plan->rolled_mmas, other->rolled_mmas);
    EXPECT_EQ(plan->private_workspace_bytes, other->private_workspace_bytes);
  }
}

TEST(Plan, AskingForAnMmaThatIsNoneIsABug) {
  const auto plan = PlanProgram(OneArray(1), TileOptions());
  EXPECT_THROW(plan->MmaOf(0), std::logic_error);
}

TEST(Explain, SaysEverythingThatWasDecided) {
  TileOptions options;
  options.mma_output_block = 4;
  options.max_unrolled_mma_terms = 8;
  options.max_unrolled_region_work = 31;
  const tile::Program program = *BuildAttention(Mha());
  const std::string text = ExplainPlan(program, *PlanProgram(program, options));
  EXPECT_TRUE(text.starts_with(
      "mma dot: 64 terms, run-time loop by max_unrolled_mma_terms, one output "
      "at a time (a group of 4 outputs is 32 work, max_unrolled_region_work is "
      "31), cost unmodeled\n"
      "mma PV: 16 terms, run-time loop by max_unrolled_mma_terms, one output "
      "at a time (a group of 4 outputs is 32 work, max_unrolled_region_work is "
      "31), cost unmodeled\n"
      "value b: i64 x 1, elements: no rule asks for an array\n"))
      << text;
  EXPECT_TRUE(text.ends_with(
      "snapshots: 8576 bytes per worker in 5 arrays, 68608 bytes per packet in "
      "the workspace\n"
      "mmas: 0 blocked, 0 two-dimensional, 2 rolled\n"
      "dispatch: 8 instances, 1 full packets, 0 tail packets\n"))
      << text;
  for (const char* line :
       {"value query: f32 x 64, array \"query\" at 0: rule d, an mma that only "
        "the cap rolls indexes it\n",
        "value V: f32 x 1024, array \"V\" at 34816: rule a, more than "
        "max_unrolled_tile_elements elements\n",
        "value p: f32 x 16, array \"p\" at 68096: rule b, a reduce reads it\n",
        "value scale: f32 x 1, constant: made again where it is read\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            static_cast<std::ptrdiff_t>(program.values.size()) + 5);
}

TEST(Explain, ShowsBothArraysOfACarryAndWhatIsDeferred) {
  const tile::Program program = *BuildAttention(Prefill());
  const std::string text =
      ExplainPlan(program, *PlanProgram(program, TileOptions()));
  EXPECT_NE(text.find("value acc: f32 x 128, array \"acc\" at 4096, next in "
                      "array \"acc_next\" at 8192: rule a"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("value kept: f32 x 128, deferred: elementwise with one "
                      "use, computed there\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace exhibit
