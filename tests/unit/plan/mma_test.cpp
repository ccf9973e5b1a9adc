// K loop and grouping of single mmas.

#include <gtest/gtest.h>

#include "tests/unit/plan/programs.h"

namespace exhibit {
namespace {

TileOptions Block(int64_t r) {
  TileOptions options;
  options.mma_output_block = r;
  return options;
}

TileOptions Block2d() {
  TileOptions options = Block(4);
  options.enable_mma_2d_blocking = true;
  return options;
}

// The decision for the one mma `definition`, written as "r: ... = mma ...".
MmaPlan PlanOne(int64_t m, int64_t n, int64_t k, const std::string& definition,
                const TileOptions& options) {
  const tile::Program program = Tiles(m, n, k, definition + "\n");
  const auto plan = PlanProgram(program, options);
  if (!plan.ok()) throw std::logic_error(plan.error().message);
  return plan->MmaOf(Find(program, "r"));
}

constexpr const char* kTransposed = "r: f32[m, n] = mma strict a, b, c";
constexpr const char* kPlain = "r: f32[m, n] = mma strict a, bt, c";

TEST(KLoop, IsRolledExactlyByTheRule) {
  for (int64_t terms : {0, 1, 8, 9, 16, 64, 65}) {
    for (int64_t cap : {0, 1, 8, 64, 128}) {
      for (int64_t inherited : {0, 1, 8, 64}) {
        for (int64_t block : {1, 2, 4}) {
          TileOptions options = Block(block);
          options.max_unrolled_mma_terms = cap;
          options.max_unrolled_tile_elements = inherited;
          const bool by_threshold = terms > inherited;
          const bool by_cap = cap != 0 && terms > cap;
          const bool rolled = inherited != 0 && (by_threshold || by_cap);
          const MmaPlan mma = PlanOne(1, 5, terms, kTransposed, options);
          EXPECT_EQ(mma.terms, terms);
          EXPECT_EQ(mma.rolled, rolled) << terms << " " << cap;
          EXPECT_EQ(mma.rolled_by_cap_only, rolled && !by_threshold);
        }
      }
    }
  }
}

TEST(KLoop, TermsAreTheProductOfAllContractedAxes) {
  const tile::Program program = Tiles(
      3, 5, 7,
      "s: f32 = constant 0\nw: f32[m, k] = constant 1\n"
      "r: f32[n] = mma strict a, b, s\nq: f32[m, n, k] = mma strict a, b, s\n");
  const auto plan = PlanProgram(program, TileOptions());
  EXPECT_EQ(plan->MmaOf(Find(program, "r")).terms, 21);
  EXPECT_EQ(plan->MmaOf(Find(program, "q")).terms, 1);
}

TEST(Grouping, ReferenceIsTheDefault) {
  const MmaPlan mma = PlanOne(1, 5, 9, kTransposed, TileOptions());
  EXPECT_EQ(mma.grouping, Grouping::kReference);
  EXPECT_EQ(mma.rows, 1);
  EXPECT_EQ(mma.columns, 1);
  EXPECT_EQ(mma.refusal, "");
}

TEST(Grouping, RightOperandMayBeStridedOrNot) {
  for (const char* definition : {kTransposed, kPlain}) {
    for (int64_t block : {2, 4}) {
      const MmaPlan mma = PlanOne(1, 5, 9, definition, Block(block));
      EXPECT_EQ(mma.grouping, Grouping::kRow);
      EXPECT_EQ(mma.columns, block);
      EXPECT_EQ(mma.rows, 1);
      EXPECT_EQ(mma.column_axis, 1);
      EXPECT_EQ(mma.refusal, "");
    }
  }
}

TEST(Grouping, LeftOperandMustBeUnitStride) {
  // The inner axis, n, belongs to the left operand.
  const MmaPlan strided =
      PlanOne(1, 5, 9, "r: f32[m, n] = mma strict b, a, c", Block(4));
  EXPECT_EQ(strided.grouping, Grouping::kReference);
  EXPECT_EQ(strided.refusal, "the left operand is strided along \"n\"");
  const MmaPlan unit =
      PlanOne(1, 5, 9, "r: f32[m, n] = mma strict bt, a, c", Block(4));
  EXPECT_EQ(unit.grouping, Grouping::kRow);
  // An axis of extent 1 behind it does not make a stride.
  const MmaPlan single =
      PlanOne(1, 5, 1, "r: f32[m, n] = mma strict b, a, c", Block(4));
  EXPECT_EQ(single.grouping, Grouping::kRow);
}

TEST(Grouping, InnerAxisIsTheLastLongerThanOne) {
  const MmaPlan mma = PlanOne(6, 1, 9, kTransposed, Block(4));
  EXPECT_EQ(mma.grouping, Grouping::kReference);  // m is strided in a.
  const MmaPlan swapped =
      PlanOne(6, 1, 9, "r: f32[m, n] = mma strict b, a, c", Block(4));
  EXPECT_EQ(swapped.grouping, Grouping::kRow);
  EXPECT_EQ(swapped.column_axis, 0);
}

TEST(Grouping, AxesOfBothOrOfNeitherKeepTheReference) {
  const std::string scale = "s: f32[k, n] = constant 2\n";
  EXPECT_EQ(
      PlanOne(1, 5, 9, scale + "r: f32[m, n] = mma strict bt, s, c", Block(4))
          .refusal,
      "both operands have axis \"n\"");
  EXPECT_EQ(
      PlanOne(1, 5, 9, "r: f32[m, n] = mma strict a, a, c", Block(4)).refusal,
      "no operand has axis \"n\"");
  EXPECT_EQ(PlanOne(1, 1, 9, kTransposed, Block(4)).refusal,
            "the result has one element");
}

TEST(Grouping, EmptyWorkKeepsTheReference) {
  EXPECT_EQ(PlanOne(1, 5, 0, kTransposed, Block(4)).refusal,
            "there are no terms to share");
  EXPECT_EQ(PlanOne(1, 0, 9, kTransposed, Block(4)).refusal,
            "there are no outputs");
  EXPECT_EQ(PlanOne(0, 5, 9, kTransposed, Block(4)).refusal,
            "there are no outputs");
}

TEST(Grouping, ShortResultMakesAShortGroup) {
  EXPECT_EQ(PlanOne(1, 3, 9, kTransposed, Block(4)).columns, 3);
}

TEST(Grouping, ExpandingEverythingTurnsItOff) {
  TileOptions options = Block(4);
  options.max_unrolled_tile_elements = 0;
  options.max_unrolled_mma_terms = 1;
  const MmaPlan mma = PlanOne(1, 5, 9, kTransposed, options);
  EXPECT_EQ(mma.grouping, Grouping::kReference);
  EXPECT_FALSE(mma.rolled);
  EXPECT_EQ(mma.refusal, "max_unrolled_tile_elements is 0");
}

TEST(Grouping, BudgetHoldsFromBothSides) {
  // Four outputs, nine expanded terms, three tiles of two axes: 4 * 9 * 8.
  TileOptions options = Block(4);
  options.max_unrolled_region_work = 288;
  EXPECT_EQ(PlanOne(1, 5, 9, kTransposed, options).grouping, Grouping::kRow);
  options.max_unrolled_region_work = 287;
  const MmaPlan refused = PlanOne(1, 5, 9, kTransposed, options);
  EXPECT_EQ(refused.grouping, Grouping::kReference);
  EXPECT_EQ(refused.refusal,
            "a group of 4 outputs is 288 work, max_unrolled_region_work is "
            "287");
  // A rolled loop has one term in its body: 4 * 1 * 8.
  options.max_unrolled_mma_terms = 8;
  options.max_unrolled_region_work = 32;
  EXPECT_EQ(PlanOne(1, 5, 9, kTransposed, options).grouping, Grouping::kRow);
  options.max_unrolled_region_work = 31;
  EXPECT_EQ(PlanOne(1, 5, 9, kTransposed, options).grouping,
            Grouping::kReference);
  // 0 checks nothing.
  options.max_unrolled_region_work = 0;
  options.max_unrolled_mma_terms = 0;
  EXPECT_EQ(PlanOne(1, 5, 9, kTransposed, options).grouping, Grouping::kRow);
}

TEST(Grouping, BudgetNeverRefusesTheReference) {
  TileOptions options;
  options.max_unrolled_region_work = 1;
  EXPECT_EQ(PlanOne(1, 5, 9, kTransposed, options).refusal, "");
}

TEST(Blocks, TwoByTwoNeedsFourAndTheFlag) {
  const MmaPlan block = PlanOne(3, 5, 9, kTransposed, Block2d());
  EXPECT_EQ(block.grouping, Grouping::kBlock);
  EXPECT_EQ(block.rows, 2);
  EXPECT_EQ(block.columns, 2);
  EXPECT_EQ(block.row_axis, 0);
  EXPECT_EQ(block.column_axis, 1);
  EXPECT_EQ(block.refusal, "");
  TileOptions two = Block2d();
  two.mma_output_block = 2;
  EXPECT_EQ(PlanOne(3, 5, 9, kTransposed, two).grouping, Grouping::kRow);
  EXPECT_EQ(PlanOne(3, 5, 9, kTransposed, Block(4)).grouping, Grouping::kRow);
}

TEST(Blocks, AnyStrideOfBothOperandsIsAdmitted) {
  for (const char* definition : {"r: f32[m, n] = mma strict a, b, c",
                                 "r: f32[m, n] = mma strict a, bt, c",
                                 "r: f32[m, n] = mma strict at, b, c",
                                 "r: f32[m, n] = mma strict b, a, c"}) {
    EXPECT_EQ(PlanOne(3, 5, 9, definition, Block2d()).grouping,
              Grouping::kBlock);
  }
}

TEST(Blocks, WithoutTwoOwnersTheRowRuleDecides) {
  const MmaPlan row = PlanOne(1, 5, 9, kTransposed, Block2d());
  EXPECT_EQ(row.grouping, Grouping::kRow);
  EXPECT_EQ(row.columns, 4);
  EXPECT_EQ(row.refusal, "no 2 x 2: no axis is the left operand's alone");
  const MmaPlan reference = PlanOne(6, 1, 9, kTransposed, Block2d());
  EXPECT_EQ(reference.grouping, Grouping::kReference);
  EXPECT_EQ(reference.refusal,
            "no 2 x 2: no axis is the right operand's alone; no row: the left "
            "operand is strided along \"m\"");
}

TEST(Blocks, BudgetIsThatOfFourOutputs) {
  TileOptions options = Block2d();
  options.max_unrolled_region_work = 288;
  EXPECT_EQ(PlanOne(3, 5, 9, kTransposed, options).grouping, Grouping::kBlock);
  options.max_unrolled_region_work = 287;
  EXPECT_EQ(PlanOne(3, 5, 9, kTransposed, options).grouping,
            Grouping::kReference);
  // A row of two is half of it.
  EXPECT_EQ(PlanOne(3, 2, 9, kTransposed, options).grouping, Grouping::kRow);
}

TEST(Blocks, AreCountedInBothTotals) {
  const auto plan = PlanProgram(*BuildAttention(Prefill()), Block2d());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->blocked_mmas, 2);
  EXPECT_EQ(plan->two_dimensional_mmas, 2);
  const auto decode = PlanProgram(*BuildAttention(Decode()), Block2d());
  EXPECT_EQ(decode->blocked_mmas, 2);
  EXPECT_EQ(decode->two_dimensional_mmas, 0);
}

}  // namespace
}  // namespace exhibit
