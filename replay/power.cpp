#include "replay/power.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace exhibit {
namespace {

constexpr double kMadToSpread = 1.48;  // As audit/statistics takes it.
// The search ends when it knows the answer to this part of itself.
constexpr int64_t kSearchParts = 16;
constexpr double kBaseNs = 1e9;  // Far above the rounding of a sample.

DecisionRule RuleOf(const PowerQuestion& question) {
  DecisionRule rule = question.rule;
  if (rule.family == Family::kHolm) {
    rule.alpha /= static_cast<double>(std::max<int64_t>(1, question.cases));
    rule.family = Family::kNone;
  }
  return rule;
}

// Standard normal numbers, the same for the same seed.
class Normal {
 public:
  explicit Normal(uint64_t seed) : random_(seed) {}
  double Next() {
    // Box and Muller; the first uniform is never 0.
    double first = Uniform();
    double angle = 2 * std::numbers::pi * Uniform();
    return std::sqrt(-2 * std::log(first)) * std::cos(angle);
  }

 private:
  double Uniform() {
    return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
  }
  std::mt19937_64 random_;
};

CaseSamples SimulateCohort(const PowerQuestion& question, int64_t cycles,
                           Normal& normal) {
  CaseSamples samples;
  samples.name = "simulated";
  for (int64_t index = 0; index < 4 * cycles; ++index) {
    VisitSamples visit;
    visit.cycle = index / 4;
    visit.position = index % 4;
    visit.arm = ArmOfVisit(Arm::kBaseline, index);
    double arm = visit.arm == Arm::kCandidate ? 1 / (1 + question.effect) : 1.0;
    double noise = question.spread / std::numbers::sqrt2 * normal.Next();
    // At a spread that large the answer is "too many" in any case.
    noise = std::clamp(noise, -5.0, 5.0);
    visit.samples_ns = {static_cast<int64_t>(kBaseNs * arm * std::exp(noise))};
    visit.repetitions = 1;
    samples.visits.push_back(std::move(visit));
  }
  return samples;
}

// Whether one more simulated cohort is called `faster`.
Result<bool> FindsOne(const PowerQuestion& question, const DecisionRule& rule,
                      int64_t cycles, Normal& normal) {
  EXHIBIT_ASSIGN_OR_RETURN(
      CaseEstimates estimates,
      EstimateCase(SimulateCohort(question, cycles, normal), rule, 1));
  return DecideCases({&estimates, 1}, rule).cases[0].outcome ==
         Outcome::kFaster;
}

// Whether SimulatedPower is at least kPower. Ends as soon as that is certain.
Result<bool> Reaches(const PowerQuestion& question, int64_t cycles) {
  const DecisionRule rule = RuleOf(question);
  const auto needed = static_cast<int64_t>(
      std::ceil(kPower * static_cast<double>(kSimulatedCohorts)));
  Normal normal(question.seed);
  int64_t found = 0;
  for (int64_t i = 0; i < kSimulatedCohorts; ++i) {
    if (found >= needed) return true;
    if (found + kSimulatedCohorts - i < needed) return false;
    EXHIBIT_ASSIGN_OR_RETURN(bool one,
                             FindsOne(question, rule, cycles, normal));
    found += one;
  }
  return found >= needed;
}

}  // namespace

double SpreadOf(std::span<const double> ratios) {
  std::vector<double> excess;
  for (double ratio : ratios) excess.push_back(std::max(ratio, 1 / ratio) - 1);
  return kMadToSpread * Median(std::move(excess));
}

Result<double> SimulatedPower(const PowerQuestion& question, int64_t cycles,
                              int64_t cohorts) {
  const DecisionRule rule = RuleOf(question);
  Normal normal(question.seed);
  int64_t found = 0;
  for (int64_t i = 0; i < cohorts; ++i) {
    EXHIBIT_ASSIGN_OR_RETURN(bool one,
                             FindsOne(question, rule, cycles, normal));
    found += one;
  }
  return static_cast<double>(found) / static_cast<double>(cohorts);
}

Result<std::optional<int64_t>> CyclesFor(const PowerQuestion& question) {
  DecisionRule rule = RuleOf(question);
  if (!(question.effect > rule.minimum_effect)) {
    return Error{ErrorKind::kInvalidArgument,
                 "an effect that does not pass the manifest's minimum_effect "
                 "is never called faster, however many cycles there are",
                 "Ask for a larger effect, or declare a smaller "
                 "minimum_effect in a new manifest."};
  }
  EXHIBIT_ASSIGN_OR_RETURN(int64_t pairs, MinimumPairs(rule.alpha));
  int64_t low = (pairs + 1) / 2;  // The fewest that can decide.
  EXHIBIT_ASSIGN_OR_RETURN(bool enough, Reaches(question, low));
  if (enough) return std::optional<int64_t>(low);
  int64_t high = low;  // Below it, too few; doubled until it is enough.
  while (!enough) {
    low = high;
    if (low >= kCyclesToDecideMax) return std::optional<int64_t>();
    high = std::min(2 * high, kCyclesToDecideMax);
    EXHIBIT_ASSIGN_OR_RETURN(enough, Reaches(question, high));
  }
  while (high - low > std::max<int64_t>(1, high / kSearchParts)) {
    int64_t middle = low + (high - low) / 2;
    EXHIBIT_ASSIGN_OR_RETURN(bool reached, Reaches(question, middle));
    (reached ? high : low) = middle;
  }
  return std::optional<int64_t>(high);
}

}  // namespace exhibit
