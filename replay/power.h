// How many cycles a machine needs to find an effect: planning, and no evidence.
//
// The answer comes from the rule itself: cohorts of simulated visits are judged
// by audit/statistics, which will judge the real ones. A simulated visit takes
//   base * (candidate ? 1 / (1 + effect) : 1) * exp(spread / sqrt(2) * z),
// z standard normal and independent, so that the ratio of two visits next to
// each other has the spread that was measured. The answer is a number of cycles
// for which at least four fifths of kSimulatedCohorts cohorts are called
// `faster`, from the fewest with which the rule can decide at all. It is
// searched for by halving, down to a sixteenth of itself: the share grows with
// the cycles but for small steps. With so many cohorts the share is known to
// two per cent (one standard deviation), and the seed is fixed: the same
// spread, the same answer.

#ifndef EXHIBIT_REPLAY_POWER_H_
#define EXHIBIT_REPLAY_POWER_H_

#include <cstdint>
#include <optional>
#include <span>

#include "audit/statistics/statistics.h"
#include "manifests/result.h"

namespace exhibit {

inline constexpr int64_t kSimulatedCohorts = 400;
inline constexpr double kPower = 0.8;

// 1.48 * median(max(r, 1/r) - 1): the spread of one ratio, as the rule's noise
// floor takes it. Half of the ratios may be anything. `ratios`: not empty, all
// positive and finite.
double SpreadOf(std::span<const double> ratios);

struct PowerQuestion {
  double spread = 0;  // Of the ratio of two adjacent visits; not negative.
  double effect = 0;  // 0.02: the candidate takes 1 / 1.02 of the time.
  DecisionRule rule;  // Under Holm, alpha is taken as alpha / cases.
  int64_t cases = 1;
  uint64_t seed = 1;
};

// The share of `cohorts` simulated cohorts of `cycles` cycles that are called
// `faster`. Fails with what EstimateCase fails with.
Result<double> SimulatedPower(const PowerQuestion& question, int64_t cycles,
                              int64_t cohorts = kSimulatedCohorts);

// The cycles; absent when kCyclesToDecideMax are too few.
//
// Fails with kInvalidArgument when no number of cycles can do, since the effect
// does not pass the rule's minimum effect.
Result<std::optional<int64_t>> CyclesFor(const PowerQuestion& question);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_POWER_H_
