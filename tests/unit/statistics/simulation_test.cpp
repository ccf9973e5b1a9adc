// The rule pairs/1 seen from outside: what it does over many simulated runs
// whose truth is known. Seeds are fixed, so the counts never change.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>

#include "audit/statistics/statistics.h"

namespace exhibit {
namespace {

constexpr int kRuns = 400;

struct World {
  double true_ratio = 1.0;
  double visit_noise = 0.01;   // Standard deviation between visits.
  double sample_noise = 0.01;  // And between samples of one.
  double drift = 0.0;          // Per visit, common to both arms.
  int64_t cycles = 3;
  int64_t straggler_one_in = 0;  // Samples that take twice as long; 0: none.
};

// Sum of twelve uniforms: close to normal, and the same on every machine.
double Noise(std::mt19937_64& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) {
    sum += static_cast<double>(random() >> 11) * 0x1p-53;
  }
  return sum;
}

CaseSamples Simulate(const World& world, std::mt19937_64& random) {
  CaseSamples samples;
  const Arm start = random() % 2 == 0 ? Arm::kBaseline : Arm::kCandidate;
  for (int64_t i = 0; i < 4 * world.cycles; ++i) {
    VisitSamples visit;
    visit.cycle = i / 4;
    visit.position = i % 4;
    visit.arm = ArmOfVisit(start, i);
    visit.repetitions = 10;
    double level = 1e6 * (1.0 + world.drift * static_cast<double>(i)) *
                   (1.0 + world.visit_noise * Noise(random));
    if (visit.arm == Arm::kCandidate) level *= world.true_ratio;
    for (int s = 0; s < 7; ++s) {
      double time = level * (1.0 + world.sample_noise * Noise(random));
      if (world.straggler_one_in > 0 &&
          random() % static_cast<uint64_t>(world.straggler_one_in) == 0) {
        time *= 2.0;
      }
      visit.samples_ns.push_back(static_cast<int64_t>(10.0 * time));
    }
    samples.visits.push_back(visit);
  }
  return samples;
}

// How often each outcome comes in four hundred runs.
std::map<Outcome, int> Outcomes(const World& world) {
  std::mt19937_64 random(20240229);
  std::map<Outcome, int> counts;
  const DecisionRule rule;
  for (int run = 0; run < kRuns; ++run) {
    auto estimates = EstimateCase(Simulate(world, random), rule, 1);
    if (!estimates.ok()) throw std::logic_error(estimates.error().message);
    const std::vector<CaseEstimates> one{*estimates};
    ++counts[DecideCases(one, rule).cases[0].outcome];
  }
  return counts;
}

int Claims(const std::map<Outcome, int>& counts) {
  int sum = 0;
  for (Outcome outcome : {Outcome::kFaster, Outcome::kSlower}) {
    if (counts.contains(outcome)) sum += counts.at(outcome);
  }
  return sum;
}

TEST(Simulation, FalseClaimsStayBelowAlpha) {
  for (double noise : {0.001, 0.01, 0.05}) {
    for (int64_t cycles : {3, 6, 12}) {
      World world;
      world.visit_noise = noise;
      world.cycles = cycles;
      EXPECT_LT(Claims(Outcomes(world)), kRuns / 20) << noise << " " << cycles;
    }
  }
}

TEST(Simulation, FalseClaimsStayBelowAlphaUnderDriftAndStragglers) {
  World world;
  world.drift = 0.005;
  world.straggler_one_in = 10;
  EXPECT_LT(Claims(Outcomes(world)), kRuns / 20);
  world.cycles = 12;
  EXPECT_LT(Claims(Outcomes(world)), kRuns / 20);
}

TEST(Simulation, TrueTwoPerCentIsFoundWithTwelveCycles) {
  World world;
  world.true_ratio = 0.98;
  world.cycles = 12;
  auto counts = Outcomes(world);
  EXPECT_GT(counts[Outcome::kFaster], kRuns * 8 / 10);
  EXPECT_EQ(counts[Outcome::kSlower], 0);
}

TEST(Simulation, LargeEffectIsFoundWithThreeCycles) {
  World world;
  world.true_ratio = 1.1;
  auto counts = Outcomes(world);
  EXPECT_GT(counts[Outcome::kSlower], kRuns * 9 / 10);
}

TEST(Simulation, EqualQuietArmsAreCalledTheSame) {
  World world;
  world.visit_noise = 0.001;
  world.sample_noise = 0.001;
  EXPECT_GT(Outcomes(world)[Outcome::kSame], kRuns * 95 / 100);
}

TEST(Simulation, OrdinaryNoiseIsHardlyEverBistable) {
  World world;
  world.sample_noise = 0.05;
  world.straggler_one_in = 20;
  EXPECT_LT(Outcomes(world)[Outcome::kNotComparable], kRuns / 50);
}

}  // namespace
}  // namespace exhibit
