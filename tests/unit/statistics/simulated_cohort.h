// Cohorts whose truth is known: samples made by a random generator, for the
// test of the rule and for the table of its power.
//
// The same seed gives the same samples on every machine: only +, -, *, / and
// sums of uniforms are used.

#ifndef EXHIBIT_TESTS_UNIT_STATISTICS_SIMULATED_COHORT_H_
#define EXHIBIT_TESTS_UNIT_STATISTICS_SIMULATED_COHORT_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "audit/statistics/statistics.h"

namespace exhibit::testing {

// What disturbs the times. All apply at once; none is on by default.
struct World {
  double true_ratio = 1.0;
  int64_t cycles = 3;
  double visit_noise = 0.01;   // Standard deviation between visits.
  double sample_noise = 0.01;  // And between samples of one visit.
  // Of the visits, with ten times the noise: tails that no normal has.
  double heavy_share = 0.0;
  // Of all samples, this much slower, in bursts of about twenty samples.
  double burst_share = 0.0;
  double burst_slowdown = 0.1;
  double drift = 0.0;  // Per visit, common to both arms.
  double step = 0.0;   // At one visit of all, all later ones this much slower.
  // Half of the pairs, or of the visits, this much slower: two placements of
  // data or code between which each new process chooses.
  double pair_shift = 0.0;
  double visit_shift = 0.0;
  int64_t straggler_one_in = 0;  // Samples that take twice as long; 0: none.
};

using Random = std::mt19937_64;

inline double Uniform(Random& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

// Sum of twelve uniforms: close to normal.
inline double Noise(Random& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += Uniform(random);
  return sum;
}

// Enters and leaves bursts so that `share` of all samples lie in one.
class Bursts {
 public:
  Bursts(double share, Random& random)
      : enter_(share / (1.0 - share) / kLength), random_(random) {
    inside_ = share > 0.0 && Uniform(random) < share;
  }
  bool Next() {
    if (enter_ <= 0.0) return false;
    inside_ =
        inside_ ? Uniform(random_) >= 1.0 / kLength : Uniform(random_) < enter_;
    return inside_;
  }

 private:
  static constexpr double kLength = 20.0;
  double enter_;
  Random& random_;
  bool inside_ = false;
};

// One visit's time per call before the noise of its samples.
inline double LevelOf(const World& world, int64_t visit, Arm arm,
                      Random& random) {
  const double tail = Uniform(random) < world.heavy_share ? 10.0 : 1.0;
  const double noise = 1.0 + world.visit_noise * tail * Noise(random);
  double level = 1e6 * (1.0 + world.drift * static_cast<double>(visit)) *
                 std::clamp(noise, 0.2, 20.0);
  if (world.visit_shift > 0.0 && Uniform(random) < 0.5) {
    level *= 1.0 + world.visit_shift;
  }
  return arm == Arm::kCandidate ? level * world.true_ratio : level;
}

inline CaseSamples Simulate(const World& world, Random& random) {
  CaseSamples samples;
  const Arm start = random() % 2 == 0 ? Arm::kBaseline : Arm::kCandidate;
  const auto visits = 4 * world.cycles;
  const auto step_at =
      static_cast<int64_t>(random() % static_cast<uint64_t>(visits));
  Bursts bursts(world.burst_share, random);
  double pair_factor = 1.0;
  for (int64_t i = 0; i < visits; ++i) {
    if (i % 2 == 0) {
      pair_factor = world.pair_shift > 0.0 && Uniform(random) < 0.5
                        ? 1.0 + world.pair_shift
                        : 1.0;
    }
    VisitSamples visit;
    visit.cycle = i / 4;
    visit.position = i % 4;
    visit.arm = ArmOfVisit(start, i);
    visit.repetitions = 10;
    double level = LevelOf(world, i, visit.arm, random) * pair_factor;
    if (i >= step_at) level *= 1.0 + world.step;
    for (int s = 0; s < 7; ++s) {
      double time = level * (1.0 + world.sample_noise * Noise(random));
      if (bursts.Next()) time *= 1.0 + world.burst_slowdown;
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

// How often each outcome comes, by Outcome.
struct OutcomeCounts {
  std::array<int64_t, 6> counts{};
  int64_t Of(Outcome outcome) const {
    return counts[static_cast<size_t>(outcome)];
  }
  int64_t Claims() const { return Of(Outcome::kFaster) + Of(Outcome::kSlower); }
};

inline OutcomeCounts CountOutcomes(const World& world, int64_t runs,
                                   uint64_t seed) {
  Random random(seed);
  OutcomeCounts counts;
  const DecisionRule rule;
  for (int64_t run = 0; run < runs; ++run) {
    auto estimates = EstimateCase(Simulate(world, random), rule, 1);
    if (!estimates.ok()) throw std::logic_error(estimates.error().message);
    const std::vector<CaseEstimates> one{*estimates};
    const Outcome outcome = DecideCases(one, rule).cases[0].outcome;
    ++counts.counts[static_cast<size_t>(outcome)];
  }
  return counts;
}

// The worlds in which nothing differs and the rule must claim nothing.
struct NamedWorld {
  const char* name;
  World world;
};
inline std::vector<NamedWorld> NullWorlds() {
  return {
      {"normal 1%", {}},
      {"normal 5%", {.visit_noise = 0.05}},
      {"heavy tails", {.heavy_share = 0.1}},
      {"bursts", {.visit_noise = 0.002, .burst_share = 0.047}},
      {"drift 0.5%", {.drift = 0.005}},
      {"step 10%", {.step = 0.1}},
      {"pair shift 10%", {.pair_shift = 0.1}},
      {"visit shift 10%", {.visit_shift = 0.1}},
      {"all of them",
       {.heavy_share = 0.1,
        .burst_share = 0.047,
        .drift = 0.005,
        .step = 0.1,
        .pair_shift = 0.1,
        .visit_shift = 0.1,
        .straggler_one_in = 20}},
  };
}

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_UNIT_STATISTICS_SIMULATED_COHORT_H_
