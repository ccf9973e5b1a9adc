// The snapshot rules, one by one.

#include <gtest/gtest.h>

#include "tests/unit/plan/programs.h"

namespace exhibit {
namespace {

// "kind" or "snapshot by rule" of the value `name`.
std::string StorageOf(const tile::Program& program, const std::string& name,
                      const TileOptions& options = {}) {
  const auto plan = PlanProgram(program, options);
  if (!plan.ok()) throw std::logic_error(plan.error().message);
  const ValuePlan& value = plan->values.at(Find(program, name));
  switch (value.kind) {
    case StorageKind::kElements:
      return "elements";
    case StorageKind::kConstant:
      return "constant";
    case StorageKind::kDeferred:
      return "deferred";
    case StorageKind::kSnapshot:
      return std::string("snapshot by ") + value.rule;
  }
  return "";
}

TileOptions Threshold(int64_t t) {
  TileOptions options;
  options.max_unrolled_tile_elements = t;
  return options;
}

TEST(RuleA, ThresholdHoldsFromBothSides) {
  const std::string body = "store c -> out[0:m, 0:n]\n";
  EXPECT_EQ(StorageOf(Tiles(8, 8, 1, body), "c"), "elements");
  EXPECT_EQ(StorageOf(Tiles(5, 13, 1, body), "c"), "snapshot by a");
  EXPECT_EQ(StorageOf(Tiles(5, 13, 1, body), "c", Threshold(65)), "elements");
  EXPECT_EQ(StorageOf(Tiles(5, 13, 1, body), "c", Threshold(64)),
            "snapshot by a");
}

TEST(RuleA, SingleUseOfAnElementwiseValueIsDeferred) {
  const tile::Program program =
      Tiles(8, 9, 1,
            "once: f32[m, n] = add c, c\ntwice: f32[m, n] = exp once\n"
            "square: f32[m, n] = mul twice, twice\n"
            "store square -> out[0:m, 0:n]\n");
  EXPECT_EQ(StorageOf(program, "once"), "deferred");
  EXPECT_EQ(StorageOf(program, "twice"), "snapshot by a");
  EXPECT_EQ(StorageOf(program, "square"), "deferred");
}

TEST(RuleA, UseInsideAPipelineCountsTwice) {
  const tile::Program program =
      Tiles(8, 9, 1,
            "outer: f32[m, n] = add c, c\nplain: f32[m, n] = constant 1\n"
            "pipeline i < 2 {\ncarry x: f32[m, n] = plain\n"
            "y: f32[m, n] = add outer, x\nyield y\n}\n");
  EXPECT_EQ(StorageOf(program, "outer"), "snapshot by a");
  EXPECT_EQ(StorageOf(program, "y"), "deferred");
  EXPECT_EQ(StorageOf(program, "plain"), "constant");
}

TEST(RuleA, YieldedOuterValueCountsTwice) {
  const tile::Program program =
      Tiles(8, 9, 1,
            "outer: f32[m, n] = add c, c\n"
            "pipeline i < 2 {\ncarry x: f32[m, n] = c\nyield outer\n}\n");
  EXPECT_EQ(StorageOf(program, "outer"), "snapshot by a");
}

TEST(RuleA, IotaIsConstantOnlyWithAStaticOffset) {
  const std::string text =
      "exhibit.tile/1\nprogram p\naxis n = 65\noutput o i64[2, 65]\n"
      "parallel i < 2 {\nfive: i64 = constant 5\nliteral: i64[n] = iota n from "
      "3\nstatic: i64[n] = iota n from five\nmoving: i64[n] = iota n from i\n"
      "sum: i64[n] = add literal, static\nall: i64[n] = add sum, moving\n"
      "store all -> o[i, 0:n]\n}\n";
  const auto program = tile::ReadProgram(text, "t");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(StorageOf(*program, "literal"), "constant");
  EXPECT_EQ(StorageOf(*program, "static"), "constant");
  EXPECT_EQ(StorageOf(*program, "moving"), "snapshot by a");
}

TEST(RuleB, OperandOfAReduceIsStoredWhateverItsSize) {
  const auto body = [](const std::string& first) {
    return first + "r: f32[m] = reduce sum sequential v over n\n";
  };
  EXPECT_EQ(StorageOf(Tiles(1, 1, 1, body("v: f32[m, n] = exp c\n")), "v"),
            "snapshot by b");
  // Overrides deferral and constants.
  EXPECT_EQ(StorageOf(Tiles(8, 9, 1, body("v: f32[m, n] = exp c\n")), "v"),
            "snapshot by b");
  EXPECT_EQ(StorageOf(Tiles(1, 2, 1, body("v: f32[m, n] = constant 1\n")), "v"),
            "snapshot by b");
  // Of an empty value there is nothing to store.
  EXPECT_EQ(StorageOf(Tiles(0, 2, 1, body("v: f32[m, n] = exp c\n")), "v"),
            "elements");
}

TEST(RuleC, OperandOfALargeResultIsStored) {
  // c has m elements here, the wide result m * k.
  const auto program = [](int64_t m, int64_t k) {
    return Tiles(m, 1, k,
                 "row: f32[m, n] = exp c\none: f32 = constant 1\n"
                 "scalar: f32 = exp one\nfix: f32[m] = constant 1\n"
                 "wide: f32[m, n, k] = mul row, scalar\n"
                 "wider: f32[m, n, k] = mul wide, fix\n");
  };
  EXPECT_EQ(StorageOf(program(2, 33), "row"), "snapshot by c");
  EXPECT_EQ(StorageOf(program(2, 32), "row"), "elements");
  EXPECT_EQ(StorageOf(program(1, 65), "row"), "elements");  // One element.
  EXPECT_EQ(StorageOf(program(2, 33), "scalar"), "elements");
  EXPECT_EQ(StorageOf(program(2, 33), "fix"), "constant");
}

TEST(RuleC, SeedOfALargeMmaIsAnOperand) {
  const tile::Program program =
      Tiles(5, 13, 1,
            "s: f32[m] = constant 1\nt: f32[m] = exp s\n"
            "r: f32[m, n] = mma strict a, b, t\n");
  EXPECT_EQ(StorageOf(program, "t"), "snapshot by c");
  EXPECT_EQ(StorageOf(program, "a"), "snapshot by c");
}

TEST(RuleD, OperandsOfALoopThatOnlyTheCapMadeAreStored) {
  const tile::Program program =
      Tiles(2, 3, 9, "r: f32[m, n] = mma strict a, b, c\n");
  TileOptions options;
  EXPECT_EQ(StorageOf(program, "a", options), "elements");
  options.max_unrolled_mma_terms = 8;
  EXPECT_EQ(StorageOf(program, "a", options), "snapshot by d");
  EXPECT_EQ(StorageOf(program, "b", options), "snapshot by d");
  EXPECT_EQ(StorageOf(program, "c", options), "elements");  // The seed.
  options.max_unrolled_mma_terms = 9;
  EXPECT_EQ(StorageOf(program, "a", options), "elements");
  options.max_unrolled_mma_terms = 8;
  options.indexable_mma_snapshots = false;
  EXPECT_EQ(StorageOf(program, "a", options), "elements");
}

TEST(RuleD, DoesNotActWhereTheThresholdRolls) {
  const tile::Program program = Tiles(
      1, 1, 9, "w: f32[n, k] = exp b\nr: f32[m, n] = mma strict a, w, c\n");
  TileOptions options = Threshold(8);
  options.max_unrolled_mma_terms = 4;
  EXPECT_EQ(StorageOf(program, "a", options), "snapshot by a");
  EXPECT_EQ(StorageOf(program, "w", options), "deferred");
}

TEST(RuleD, OperandWithoutAContractedAxisStaysInElements) {
  const tile::Program program =
      Tiles(2, 3, 9,
            "u: f32[n] = constant 1\nv: f32[n] = exp u\n"
            "r: f32[m, n] = mma strict a, v, c\n");
  TileOptions options;
  options.max_unrolled_mma_terms = 8;
  EXPECT_EQ(StorageOf(program, "v", options), "elements");
  EXPECT_EQ(StorageOf(program, "a", options), "snapshot by d");
}

TEST(Carries, LargeOneHasCurrentAndNext) {
  const tile::Program program =
      Tiles(5, 13, 1,
            "pipeline i < 2 {\ncarry x: f32[m, n] = c\n"
            "y: f32[m, n] = exp x\nyield y\n}\nstore x -> out[0:m, 0:n]\n");
  const auto plan = PlanProgram(program, TileOptions());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(ArrayList(*plan),
            (std::vector<std::string>{"c65", "x65", "x_next65"}));
  const auto& pipeline = std::get<tile::Pipeline>(program.body[5].node);
  const ValuePlan& argument = plan->values[pipeline.carries[0].argument];
  const ValuePlan& result = plan->values[pipeline.carries[0].result];
  EXPECT_EQ(argument.array, 1);
  EXPECT_EQ(argument.next_array, 2);
  EXPECT_EQ(result.array, 1);
  EXPECT_EQ(result.next_array, -1);
  EXPECT_TRUE(plan->arrays[2].is_next);
}

TEST(Carries, SmallOneIsJudgedInsideAndOutsideSeparately) {
  const auto program = [](const std::string& inside,
                          const std::string& outside) {
    return Tiles(3, 4, 1,
                 "pipeline i < 2 {\ncarry x: f32[m, n] = c\n" + inside +
                     "yield x\n}\n" + outside);
  };
  const auto arrays = [](const tile::Program& p) {
    return ArrayList(*PlanProgram(p, TileOptions()));
  };
  const std::string in = "u: f32[m] = reduce max tree x over n\n";
  const std::string out = "v: f32[m] = reduce max tree x over n\n";
  using List = std::vector<std::string>;
  EXPECT_EQ(arrays(program("", "")), List{});
  EXPECT_EQ(arrays(program(in, "")), List{"x_argument12"});
  EXPECT_EQ(arrays(program("", out)), List{"x12"});
  EXPECT_EQ(arrays(program(in, out)), (List{"x_argument12", "x12"}));
}

TEST(ZeroThreshold, ExpandsEverythingAndStoresNothing) {
  TileOptions options = Threshold(0);
  options.max_unrolled_mma_terms = 8;
  options.mma_output_block = 4;
  for (const auto& spec : {Decode(), Mha(), Prefill()}) {
    const auto plan = PlanProgram(*BuildAttention(spec), options);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->static_snapshot_allocations, 0);
    EXPECT_EQ(plan->static_snapshot_bytes_per_worker, 0);
    EXPECT_EQ(plan->private_workspace_bytes, 0);
    EXPECT_EQ(plan->rolled_mmas, 0);
    EXPECT_EQ(plan->blocked_mmas, 0);
  }
  EXPECT_FALSE(TraversalIsLoop(int64_t{1} << 24, options));
  EXPECT_FALSE(ReduceIsLoop(options));
  EXPECT_TRUE(ReduceIsLoop(TileOptions()));
}

}  // namespace
}  // namespace exhibit
