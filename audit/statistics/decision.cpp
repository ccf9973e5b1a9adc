#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include "audit/statistics/statistics.h"

namespace exhibit {
namespace {

// How far a ratio is from 1, the same for r and 1/r.
double Effect(double ratio) { return std::max(ratio, 1.0 / ratio) - 1.0; }

bool InsideMinimum(double low, double high, double minimum_effect) {
  return low >= 1.0 / (1.0 + minimum_effect) && high <= 1.0 + minimum_effect;
}

bool AgainstMajority(const CaseEstimates& c) {
  return c.signs.below > c.signs.above ? !(c.rank->estimate < 1.0)
                                       : !(c.rank->estimate > 1.0);
}

bool ArmIsBistable(int64_t bistable, int64_t visits) {
  return bistable >= 2 && bistable * 4 >= visits;
}

// Reasons for which the times of a case must not be compared.
std::vector<std::string> NotComparable(const CaseEstimates& c) {
  std::vector<std::string> why = c.disturbances;
  if (ArmIsBistable(c.bistable_baseline_visits, c.baseline_visits)) {
    why.push_back(reasons::kBistableBaseline);
  }
  if (ArmIsBistable(c.bistable_candidate_visits, c.candidate_visits)) {
    why.push_back(reasons::kBistableCandidate);
  }
  return why;
}

// The smaller of the two figures that a reader sees: one pair far out can pull
// the estimate past a bound that the median of the pairs does not reach.
double ClaimedEffect(const CaseEstimates& c) {
  return std::min(Effect(c.rank->estimate), Effect(*c.reported_ratio));
}

// What stands between the case and a claim of faster or slower.
std::vector<std::string> AgainstClaim(const CaseEstimates& c, double p_value,
                                      const DecisionRule& rule) {
  std::vector<std::string> why;
  if (!c.noise_floor) why.push_back(reasons::kNoSelfPairs);
  if (!(p_value < rule.alpha)) why.push_back(reasons::kNotSignificant);
  if (AgainstMajority(c)) why.push_back(reasons::kAgainstMajority);
  const double effect = ClaimedEffect(c);
  if (!(effect > rule.minimum_effect)) why.push_back(reasons::kWithinMinimum);
  if (c.noise_floor && !(effect > *c.noise_floor)) {
    why.push_back(reasons::kWithinFloor);
  }
  return why;
}

// Would a run of `pairs` pairs, its proportions as found so far and its spreads
// shrunk by the square root of the count, be decided?
bool WouldDecide(const CaseEstimates& c, int64_t pairs, int64_t cases,
                 const DecisionRule& rule) {
  const int64_t now = static_cast<int64_t>(c.pair_ratios.size());
  const double shrink =
      std::sqrt(static_cast<double>(now) / static_cast<double>(pairs));
  const double weight =
      rule.family == Family::kHolm ? static_cast<double>(cases) : 1.0;
  const double estimate = c.rank->estimate;
  const double effect = ClaimedEffect(c);
  if (effect > rule.minimum_effect) {
    if (!c.noise_floor || AgainstMajority(c)) return false;
    const int64_t minority = now - std::max(c.signs.below, c.signs.above);
    const int64_t projected = (minority * pairs + now - 1) / now;
    return effect > *c.noise_floor * shrink &&
           weight * SignTestPValue(pairs, projected) < rule.alpha;
  }
  // An interval exists from where all signs alike would be at most alpha.
  if (!(weight * SignTestPValue(pairs, 0) <= rule.alpha)) return false;
  const double low = c.rank->interval ? c.rank->interval->low : *c.ratio_min;
  const double high = c.rank->interval ? c.rank->interval->high : *c.ratio_max;
  return InsideMinimum(estimate - (estimate - low) * shrink,
                       estimate + (high - estimate) * shrink,
                       rule.minimum_effect);
}

std::optional<int64_t> CyclesToDecide(const CaseEstimates& c, int64_t cases,
                                      const DecisionRule& rule) {
  const int64_t now = static_cast<int64_t>(c.pair_ratios.size());
  for (int64_t pairs = (now / 2 + 1) * 2; pairs <= 2 * kCyclesToDecideMax;
       pairs += 2) {
    if (WouldDecide(c, pairs, cases, rule)) return pairs / 2;
  }
  return std::nullopt;
}

std::vector<std::string> Remarks(const CaseEstimates& c, Outcome outcome,
                                 const DecisionRule& rule) {
  std::vector<std::string> found;
  const bool identical = c.objects == CaseSamples::Objects::kIdentical;
  if (identical) found.push_back(remarks::kIdentical);
  if (c.split_pairs + c.split_self_pairs > 0) found.push_back(remarks::kSplit);
  if (ShowsRatio(outcome) && !c.pair_ratios.empty()) {
    const bool claim =
        outcome == Outcome::kFaster || outcome == Outcome::kSlower;
    if (identical && claim) found.push_back(remarks::kClaimOnIdentical);
    if (*c.ratio_min < 1.0 && *c.ratio_max > 1.0) {
      found.push_back(remarks::kRangeCrossesOne);
    }
    if (c.signs.ties > 0) found.push_back(remarks::kTies);
    if (IsBistable(c.pair_ratios)) found.push_back(remarks::kTwoGroups);
    if (TestSigns(c.self_ratios).p_value < rule.alpha) {
      found.push_back(remarks::kSelfDrift);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The outcome of a case that has pairs and may be compared.
void Compare(const CaseEstimates& c, int64_t cases, const DecisionRule& rule,
             CaseDecision& out) {
  out.reasons = AgainstClaim(c, out.p_value, rule);
  if (out.reasons.empty()) {
    out.outcome = c.rank->estimate < 1.0 ? Outcome::kFaster : Outcome::kSlower;
    out.reasons = {reasons::kSignificant, reasons::kBeyondBoth};
    return;
  }
  const auto& interval = c.rank->interval;
  if (interval &&
      InsideMinimum(interval->low, interval->high, rule.minimum_effect)) {
    out.outcome = Outcome::kSame;
    out.reasons = {reasons::kInside};
    return;
  }
  out.outcome = Outcome::kInconclusive;
  out.reasons.push_back(interval ? reasons::kNotInside : reasons::kNoInterval);
  out.cycles_to_decide = CyclesToDecide(c, cases, rule);
}

CaseDecision DecideCase(const CaseEstimates& c, double p_value, int64_t cases,
                        const DecisionRule& rule) {
  CaseDecision out;
  if (!c.invalid_reasons.empty()) {
    out.outcome = Outcome::kInvalid;
    out.reasons = c.invalid_reasons;
  } else if (auto why = NotComparable(c); !why.empty()) {
    out.outcome = Outcome::kNotComparable;
    out.reasons = std::move(why);
  } else if (c.pair_ratios.empty()) {
    out.reasons = {reasons::kNoPairs};
  } else {
    out.p_value = p_value;
    Compare(c, cases, rule, out);
  }
  out.remarks = Remarks(c, out.outcome, rule);
  return out;
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFaster:
      return "faster";
    case Outcome::kSlower:
      return "slower";
    case Outcome::kSame:
      return "same";
    case Outcome::kInconclusive:
      return "inconclusive";
    case Outcome::kNotComparable:
      return "not-comparable";
    case Outcome::kInvalid:
      return "invalid";
  }
  throw std::logic_error("no such outcome");
}

bool ShowsRatio(Outcome outcome) {
  return outcome != Outcome::kNotComparable && outcome != Outcome::kInvalid;
}

Decisions DecideCases(std::span<const CaseEstimates> estimates,
                      const DecisionRule& rule) {
  // Every case that was tried counts, also those that show no ratio: leaving
  // them out would let a run choose its family after the fact. Those count as
  // never significant, so that they cannot soften the correction of others.
  std::vector<double> p_values;
  for (const CaseEstimates& c : estimates) {
    const bool judged = c.invalid_reasons.empty() && NotComparable(c).empty();
    p_values.push_back(judged ? c.signs.p_value : 1.0);
  }
  if (rule.family == Family::kHolm) p_values = AdjustHolm(p_values);
  Decisions out;
  out.cases_tried = static_cast<int64_t>(estimates.size());
  for (size_t i = 0; i < estimates.size(); ++i) {
    out.cases.push_back(
        DecideCase(estimates[i], p_values[i], out.cases_tried, rule));
  }
  if (rule.family == Family::kNone) {
    out.chance_of_false_claim = ChanceOfFalseClaim(rule.alpha, out.cases_tried);
  } else if (out.cases_tried > 0) {
    out.chance_of_false_claim = rule.alpha;
  }
  return out;
}

Status CheckPlanCanDecide(int64_t cycles, int64_t cases,
                          const DecisionRule& rule) {
  EXHIBIT_ASSIGN_OR_RETURN(
      const int64_t needed,
      MinimumPairs(rule.alpha, rule.family == Family::kHolm ? cases : 1));
  // Compared in cycles: doubling a huge count would overflow.
  if (cycles >= (needed + 1) / 2) return Ok();
  return Error{ErrorKind::kInvalidArgument,
               std::to_string(cycles) +
                   " cycles can never bring the sign test "
                   "below alpha, which needs " +
                   std::to_string(needed) + " pairs",
               "Plan at least " + std::to_string((needed + 1) / 2) +
                   " cycles of two pairs."};
}

std::vector<bool> NotTheFastestSeen(std::span<const RowTimes> rows) {
  std::map<std::string, double> fastest;
  auto lower = [](const RowTimes& row) {
    return std::min(row.baseline_time_ns, row.candidate_time_ns);
  };
  for (const RowTimes& row : rows) {
    auto [place, fresh] = fastest.emplace(row.shape, lower(row));
    if (!fresh) place->second = std::min(place->second, lower(row));
  }
  std::vector<bool> slower;
  for (const RowTimes& row : rows) {
    slower.push_back(fastest.at(row.shape) < lower(row));
  }
  return slower;
}

}  // namespace exhibit
