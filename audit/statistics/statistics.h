// Samples in, an outcome with its reasons out: the only statistics there are.
//
// Terms and formulas (audit/DECISION.md):
//   sample          elapsed_ns / repetitions
//   visit time      median of a visit's samples
//   variant time    median of an arm's visit times, all visits
//   pair            positions (0,1) and (2,3) of a cycle, same session
//   pair ratio      candidate visit time / baseline visit time of one pair
//   self pair       positions (1,2) of a cycle, and 3 with the next cycle's 0,
//                   same session; its ratio is the later over the earlier
//   reported ratio  median of the pair ratios; range = their min and max, to
//                   be printed as "min-max of pairs", never as an interval
//   noise floor     1.48 * median(max(s, 1/s) - 1 over self ratios s)
//                   * 1.25 / sqrt(pairs)
//   drift           per arm, visits in order of time, the first and the last
//                   floor(n / 2) of its n: the median, over both arms, of
//                   late / early visit time of all such couples of one arm
// 1.48 turns a median absolute deviation into a standard deviation and 1.25
// that of one ratio into that of a median (both for normal noise). The floor
// cannot see a bias of code placement: each arm is one placement of its code.
//
// Nothing is dropped, and nothing is computed across pairs, cases or runs.
// Every result has the same bits on every machine (audit/statistics/exact.h).

#ifndef EXHIBIT_AUDIT_STATISTICS_STATISTICS_H_
#define EXHIBIT_AUDIT_STATISTICS_STATISTICS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/statistics/disturbance.h"
#include "audit/statistics/exact.h"
#include "manifests/result.h"
#include "manifests/visit_order.h"

namespace exhibit {

// What one visit measured.
struct VisitSamples {
  int64_t cycle = 0;     // 0, 1, ... in the order they were run.
  int64_t position = 0;  // 0..3 within the cycle.
  Arm arm = Arm::kBaseline;
  int64_t session = 0;  // The attempt that made it: never decreases.
  std::vector<int64_t> samples_ns;  // Elapsed time of each sample.
  int64_t repetitions = 0;          // Calls in one sample.
  VisitConditions conditions;
};

// One case as it was measured.
struct CaseSamples {
  std::string name;
  // The case whose baseline ran here as both arms, perhaps at another
  // placement; "" for a case that compares something.
  std::string null_of;
  // In the order they were run: by cycle, then position, none twice. Cycles
  // may lack visits; every cycle runs X Y Y X with the same X in all.
  std::vector<VisitSamples> visits;
  // Why the times must not be compared, from outside (device fault, disturbed
  // host); any reason makes the case not-comparable.
  std::vector<std::string> disturbances;
  // Why the cohort is invalid; any reason makes the case invalid.
  std::vector<std::string> invalid_reasons;
  // The two arms ran byte-identical objects: a null control.
  enum class Objects { kDiffer, kIdentical } objects = Objects::kDiffer;
};

struct SampleLimits {
  int64_t visit_count_max = 2 * kObservationCountMax;
  int64_t sample_count_max = 1 << 20;  // Per visit.
};

// How the samples of one arm lie.
struct ArmGroups {
  int64_t visits = 0;
  int64_t visits_in_two_groups = 0;  // InTwoGroups of a visit's samples.
  bool times_in_two_groups = false;  // Of the visit times.
  // Upper over lower quartile of all samples of the arm, per call.
  double quartile_ratio = 1.0;
};

// Everything computed from one case. Times in nanoseconds per call.
struct CaseEstimates {
  std::vector<double> visit_times_ns;                 // As CaseSamples::visits.
  std::vector<std::vector<std::string>> visit_marks;  // Likewise; MarksOf.
  std::optional<double> baseline_time_ns;             // Absent without visits.
  std::optional<double> candidate_time_ns;
  std::vector<double> pair_ratios;  // In order of time.
  std::vector<double> self_ratios;
  int64_t split_pairs = 0;  // Split by an interruption; not counted.
  int64_t split_self_pairs = 0;

  // Absent without pairs.
  std::optional<double> reported_ratio;
  std::optional<double> ratio_min;
  std::optional<double> ratio_max;
  SignTest signs;
  std::optional<RatioEstimate> rank;
  // Absent without pairs or without self pairs.
  std::optional<double> noise_floor;
  SignTest self_signs;  // Of the self ratios: all 0 and p 1 without any.
  std::optional<double> drift;  // Absent with fewer than two visits per arm.

  ArmGroups baseline_groups;
  ArmGroups candidate_groups;
  int64_t visits_without_processor = 0;  // LostItsProcessor.

  std::string name;                          // As given.
  std::string null_of;                       // As given.
  std::vector<std::string> disturbances;     // As given.
  std::vector<std::string> invalid_reasons;  // As given.
  CaseSamples::Objects objects = CaseSamples::Objects::kDiffer;
};

// The rule `pairs/1` and its parameters, as the manifest declares them.
enum class Family { kNone, kHolm };
struct DecisionRule {
  double alpha = 0.05;           // 0 < alpha < 1.
  double minimum_effect = 0.01;  // >= 0; 0.01 is one per cent.
  Family family = Family::kNone;
};

enum class Outcome {
  kFaster,
  kSlower,
  kSame,
  kInconclusive,
  kNotComparable,
  kInvalid,
};
// "faster", "slower", "same", "inconclusive", "not-comparable", "invalid".
std::string_view OutcomeName(Outcome outcome);
// Whether a ratio may be printed anywhere: not for kNotComparable, kInvalid.
bool ShowsRatio(Outcome outcome);

namespace reasons {
// Of faster and slower.
inline constexpr char kSignificant[] = "sign-test-below-alpha";
inline constexpr char kBeyondBoth[] = "beyond-minimum-effect-and-noise-floor";
// Of same.
inline constexpr char kInside[] = "interval-inside-minimum-effect";
// Of not-comparable.
inline constexpr char kBistableBaseline[] = "bistable-samples-baseline";
inline constexpr char kBistableCandidate[] = "bistable-samples-candidate";
inline constexpr char kDisturbedHost[] = "disturbed-host";
// Of inconclusive.
inline constexpr char kNoPairs[] = "no-pairs";
inline constexpr char kNoSelfPairs[] = "no-self-pairs";
inline constexpr char kNotSignificant[] = "sign-test-not-below-alpha";
inline constexpr char kAgainstMajority[] = "estimate-against-majority";
inline constexpr char kWithinMinimum[] = "effect-within-minimum-effect";
inline constexpr char kWithinFloor[] = "effect-within-noise-floor";
inline constexpr char kWithinNull[] = "effect-within-null-case";
inline constexpr char kNullUnknown[] = "null-case-shows-no-ratio";
inline constexpr char kIsNull[] = "null-case";
inline constexpr char kNotInside[] = "interval-not-inside-minimum-effect";
inline constexpr char kNoInterval[] = "too-few-pairs-for-interval";
}  // namespace reasons

namespace remarks {
inline constexpr char kRangeCrossesOne[] = "range-crosses-one";
inline constexpr char kIdentical[] = "identical-objects";
// A claim between identical objects is false: the rule failed here.
inline constexpr char kClaimOnIdentical[] = "claim-on-identical-objects";
inline constexpr char kSplit[] = "pairs-split-by-interruption";
inline constexpr char kTies[] = "ties-counted-against-majority";
inline constexpr char kTwoGroups[] = "pair-ratios-in-two-groups";
// The later of two adjacent visits of one arm differs by the sign test.
inline constexpr char kSelfDrift[] = "self-ratios-one-sided";
inline constexpr char kDrift[] = "drift";
// Of an arm: at least two visits, and a quarter of them, whose samples fall
// apart in two groups; and visit times that do.
inline constexpr char kSamplesInGroupsBaseline[] =
    "samples-in-two-groups-baseline";
inline constexpr char kSamplesInGroupsCandidate[] =
    "samples-in-two-groups-candidate";
inline constexpr char kVisitsInGroupsBaseline[] =
    "visits-in-two-groups-baseline";
inline constexpr char kVisitsInGroupsCandidate[] =
    "visits-in-two-groups-candidate";
// A null case that would have been called faster or slower: noise or the place
// of the code does as much.
inline constexpr char kNullToldApart[] = "null-case-told-apart";
inline constexpr char kMarkedVisits[] = "marked-visits";
}  // namespace remarks

// Bistable means orders of magnitude: the upper quartile of an arm's samples is
// at least this many times the lower one. A neighbour on the same core or
// memory was seen to double and treble times, a processor that saves power
// quarters its clock; these are noise, which the sign test and the floor judge.
// A tenfold time is another regime (denormal numbers, paging, a trap per call),
// of which no median tells.
inline constexpr double kBistableFactor = 10.0;

// Halves of a cohort that differ by more than this are remarked as `drift`: the
// host was in another state (as kFrequencyShare). Within a cycle X Y Y X a
// steady drift cancels, so it is no reason against a claim.
inline constexpr double kDriftRemarked = 0.05;

// More cycles than this are not proposed: 128 x 4 visits of a second each are
// most of ten minutes, for one case.
inline constexpr int64_t kCyclesToDecideMax = 128;

struct CaseDecision {
  Outcome outcome = Outcome::kInconclusive;
  // Why: the words of reasons:: below, or the disturbances and invalid reasons
  // as they were given. Never empty.
  std::vector<std::string> reasons;
  // Words of remarks:: below, sorted; they stand beside the row. None that
  // tells of ratios where ShowsRatio is false.
  std::vector<std::string> remarks;
  // The largest effect of the case's null cases, of their estimates and
  // reported ratios; absent without a null case that shows a ratio.
  std::optional<double> null_effect;
  // Sign test after the family correction; 1 where ShowsRatio is false, and
  // uncorrected for a null case.
  double p_value = 1.0;
  // Cycles in all after which a run that went on like this one (the same share
  // of dissenting pairs, spreads shrunk by the square root of the count) would
  // decide. Only for kInconclusive; absent when no number up to
  // kCyclesToDecideMax would.
  std::optional<int64_t> cycles_to_decide;
};

struct Decisions {
  std::vector<CaseDecision> cases;  // As the estimates given.
  int64_t cases_tried = 0;          // Without null cases: they claim nothing.
  // 1 - (1 - alpha)^cases_tried, or alpha under kHolm.
  double chance_of_false_claim = 0.0;
};

// Computes what one case's samples say. `rule` supplies the interval's level:
// 1 - alpha, or 1 - alpha / cases_in_family under kHolm.
//
// Fails with kCorrupt when visits are out of order, repeated, not X Y Y X, or
// hold no samples, a sample <= 0 or repetitions <= 0, with kInvalidArgument on
// a bad rule or cases_in_family < 1, and with kLimitExceeded past `limits`.
Result<CaseEstimates> EstimateCase(const CaseSamples& samples,
                                   const DecisionRule& rule,
                                   int64_t cases_in_family,
                                   const SampleLimits& limits = {});

// How far a ratio is from 1, the same for r and 1/r: max(r, 1/r) - 1.
double EffectOf(double ratio);

// Applies `pairs/1` to all cases of a manifest. A case is
//   invalid         if it has invalid reasons; else
//   not-comparable  if it has disturbances, its samples are bistable or its
//                   host was disturbed; else
//   faster, slower  if the sign test is below alpha, the rank estimate lies on
//                   the majority's side and max(e, 1/e) - 1 exceeds both
//                   minimum_effect and the noise floor, for e the estimate
//                   and for e the reported ratio, as well as the effect of
//                   each null case of it; a null case never; else
//   same            if the interval lies within 1/(1+minimum_effect) ..
//                   1+minimum_effect; else
//   inconclusive.
// Samples are bistable when in one arm the upper quartile of all samples is at
// least kBistableFactor times the lower. The host was disturbed when more than
// half of the case's visits lost their processor (LostItsProcessor).
//
// `estimates` must come from EstimateCase with the same rule.
Decisions DecideCases(std::span<const CaseEstimates> estimates,
                      const DecisionRule& rule);

// Whether values fall apart in two groups: some cut of the sorted values
// leaves at least two and at least a third of them on each side, the gap is at
// least a twentieth of the value below it and at least three times the spread
// (max - min) of either side. Stragglers, which the median withstands, are
// therefore no group. All values positive and finite.
bool InTwoGroups(std::vector<double> values);

// Whether a plan of `cycles` uninterrupted cycles can ever reach alpha: its
// 2 * cycles pairs are at least MinimumPairs(alpha, cases or 1). Fails as
// MinimumPairs does, and with kInvalidArgument naming both numbers when it
// cannot.
Status CheckPlanCanDecide(int64_t cycles, int64_t cases,
                          const DecisionRule& rule);

// One row of a table, to see whether it holds the run's best time.
struct RowTimes {
  std::string shape;  // Rows of equal shape are looked at together.
  double baseline_time_ns = 0.0;
  double candidate_time_ns = 0.0;
};

// For each row, whether another row of its shape has a time below this row's
// lower one: "not-the-fastest-seen (not interleaved)".
std::vector<bool> NotTheFastestSeen(std::span<const RowTimes> rows);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_STATISTICS_STATISTICS_H_
