// The rule pairs/1 seen from outside: what it does over many simulated runs
// whose truth is known. Seeds are fixed, so the counts never change.

#include <gtest/gtest.h>

#include "tests/unit/statistics/simulated_cohort.h"

namespace exhibit::testing {
namespace {

constexpr int64_t kRuns = 400;
constexpr uint64_t kSeed = 20240229;

OutcomeCounts Outcomes(const World& world) {
  return CountOutcomes(world, kRuns, kSeed);
}

TEST(Simulation, FalseClaimsStayBelowAlphaInEveryWorldWithoutAnEffect) {
  for (const auto& [name, world] : NullWorlds()) {
    for (int64_t cycles : {3, 6, 12}) {
      World now = world;
      now.cycles = cycles;
      EXPECT_LE(Outcomes(now).Claims(), kRuns / 20) << name << " " << cycles;
    }
  }
}

TEST(Simulation, FalseClaimsStayBelowAlphaAtAnyNoise) {
  for (double noise : {0.001, 0.01, 0.05}) {
    for (int64_t cycles : {3, 6, 12}) {
      const World world{.cycles = cycles, .visit_noise = noise};
      EXPECT_LE(Outcomes(world).Claims(), kRuns / 20) << noise << " " << cycles;
    }
  }
}

TEST(Simulation, ClaimsAreHardlyEverOnTheWrongSide) {
  for (const auto& [name, world] : NullWorlds()) {
    World now = world;
    now.true_ratio = 0.95;
    now.cycles = 6;
    EXPECT_LE(Outcomes(now).Of(Outcome::kSlower), kRuns / 100) << name;
  }
}

TEST(Simulation, TrueTwoPerCentIsFoundWithTwelveCycles) {
  const OutcomeCounts counts = Outcomes({.true_ratio = 0.98, .cycles = 12});
  EXPECT_GT(counts.Of(Outcome::kFaster), kRuns * 8 / 10);
  EXPECT_EQ(counts.Of(Outcome::kSlower), 0);
}

TEST(Simulation, LargeEffectIsFoundWithThreeCycles) {
  EXPECT_GT(Outcomes({.true_ratio = 1.1}).Of(Outcome::kSlower), kRuns * 9 / 10);
}

TEST(Simulation, LargeEffectIsFoundThroughBursts) {
  const OutcomeCounts counts = Outcomes({.true_ratio = 0.9,
                                         .cycles = 6,
                                         .visit_noise = 0.005,
                                         .burst_share = 0.047});
  EXPECT_GT(counts.Of(Outcome::kFaster), kRuns * 9 / 10);
}

TEST(Simulation, EqualQuietArmsAreCalledTheSame) {
  const World quiet{.visit_noise = 0.001, .sample_noise = 0.001};
  EXPECT_GT(Outcomes(quiet).Of(Outcome::kSame), kRuns * 95 / 100);
}

TEST(Simulation, NoNoiseOfThisKindIsNotComparable) {
  for (const auto& [name, world] : NullWorlds()) {
    EXPECT_EQ(Outcomes(world).Of(Outcome::kNotComparable), 0) << name;
  }
}

}  // namespace
}  // namespace exhibit::testing
