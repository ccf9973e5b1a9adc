#include "manifests/visit_order.h"

#include <gtest/gtest.h>

#include <set>

namespace exhibit {
namespace {

TEST(VisitOrder, EveryCycleIsAbbaFromTheStartingArm) {
  for (Arm start : {Arm::kBaseline, Arm::kCandidate}) {
    for (int64_t cycle = 0; cycle < 5; ++cycle) {
      EXPECT_EQ(ArmOfVisit(start, 4 * cycle), start);
      EXPECT_EQ(ArmOfVisit(start, 4 * cycle + 1), OtherArm(start));
      EXPECT_EQ(ArmOfVisit(start, 4 * cycle + 2), OtherArm(start));
      EXPECT_EQ(ArmOfVisit(start, 4 * cycle + 3), start);
    }
  }
}

TEST(VisitOrder, StartingArmDependsOnSeedAndCaseAndTakesBothValues) {
  std::set<Arm> seen;
  for (int64_t seed = 0; seed < 32; ++seed)
    seen.insert(StartingArm(seed, "decode"));
  EXPECT_EQ(seen.size(), 2u);
  // printf 'exhibit.start/1\n1\ndecode\n' | sha256sum starts with ce: even.
  EXPECT_EQ(StartingArm(1, "decode"), StartingArm(1, "decode"));
}

TEST(VisitOrder, ShiftsAreMultiplesOfSixteenUpToAPage) {
  std::set<int64_t> stacks;
  for (int64_t pair = 0; pair < 4000; ++pair) {
    const PairShift shift = ShiftOfPair(7, "decode", pair);
    for (int64_t bytes : {shift.stack_bytes, shift.heap_bytes}) {
      EXPECT_EQ(bytes % 16, 0);
      EXPECT_GE(bytes, 0);
      EXPECT_LE(bytes, 4096);
    }
    stacks.insert(shift.stack_bytes);
  }
  EXPECT_EQ(stacks.size(), 257u) << "every step is reached";
}

TEST(VisitOrder, AnUninterruptedCohortNeedsItsCycles) {
  EXPECT_EQ(VisitsNeeded(3, {}), 12);
  EXPECT_EQ(VisitsNeeded(3, std::vector<int64_t>(12, 1)), 12);
}

TEST(VisitOrder, ASplitPairIsReplacedByACycleAtTheEnd) {
  EXPECT_EQ(VisitsNeeded(3, {1, 2}), 16);
  EXPECT_EQ(VisitsNeeded(3, {1, 1, 1, 2}), 16);
  // Both pairs of one cycle split: still one replacement.
  EXPECT_EQ(VisitsNeeded(3, {1, 2, 2, 3}), 16);
  // A replacement that is itself split counts again.
  std::vector<int64_t> attempts(16, 2);
  attempts[0] = 1;
  attempts[12] = 2;
  attempts[13] = 3;
  attempts[14] = attempts[15] = 3;
  EXPECT_EQ(VisitsNeeded(3, attempts), 20);
}

TEST(VisitOrder, AnInterruptionBetweenPairsSplitsNone) {
  EXPECT_EQ(VisitsNeeded(3, {1, 1, 2, 2}), 12);
  EXPECT_TRUE(PairIsWhole({1, 1, 2, 2}, 1));
  EXPECT_FALSE(PairIsWhole({1, 1, 2, 3}, 1));
}

TEST(VisitOrder, RepetitionsReachTheTargetOnTheFasterArm) {
  EXPECT_EQ(RepetitionsFor(15'000'000, {1'000'000, 1'000'001}), 15);
  EXPECT_EQ(RepetitionsFor(15'000'000, {6'000'000, 1'400'000}), 11);
  EXPECT_EQ(RepetitionsFor(10, {20}), 1);
  EXPECT_EQ(RepetitionsFor(20, {10}), 2);
  EXPECT_EQ(RepetitionsFor(21, {10}), 3);
  EXPECT_THROW(RepetitionsFor(10, {0}), std::logic_error);
}

}  // namespace
}  // namespace exhibit
