#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include "audit/statistics/statistics.h"

namespace exhibit {
namespace {

bool InsideMinimum(double low, double high, double minimum_effect) {
  return low >= 1.0 / (1.0 + minimum_effect) && high <= 1.0 + minimum_effect;
}

bool AgainstMajority(const CaseEstimates& c) {
  return c.signs.below > c.signs.above ? !(c.rank->estimate < 1.0)
                                       : !(c.rank->estimate > 1.0);
}

bool IsBistable(const ArmGroups& arm) {
  return arm.quartile_ratio >= kBistableFactor;
}

bool SamplesInTwoGroups(const ArmGroups& arm) {
  return arm.visits_in_two_groups >= 2 &&
         arm.visits_in_two_groups * 4 >= arm.visits;
}

// Reasons for which the times of a case must not be compared.
std::vector<std::string> NotComparable(const CaseEstimates& c) {
  std::vector<std::string> why = c.disturbances;
  if (IsBistable(c.baseline_groups)) {
    why.emplace_back(reasons::kBistableBaseline);
  }
  if (IsBistable(c.candidate_groups)) {
    why.emplace_back(reasons::kBistableCandidate);
  }
  if (2 * c.visits_without_processor >
      c.baseline_groups.visits + c.candidate_groups.visits) {
    why.emplace_back(reasons::kDisturbedHost);
  }
  return why;
}

// The smaller of the two figures that a reader sees: one pair far out can pull
// the estimate past a bound that the median of the pairs does not reach.
double ClaimedEffect(const CaseEstimates& c) {
  return std::min(EffectOf(c.rank->estimate), EffectOf(*c.reported_ratio));
}

// The larger of the two, for what must not be exceeded by chance.
double LargestEffect(const CaseEstimates& c) {
  return std::max(EffectOf(c.rank->estimate), EffectOf(*c.reported_ratio));
}

// A case with what its place in the manifest adds.
struct Context {
  double p_value = 1.0;
  int64_t cases = 0;                  // In the family.
  std::optional<double> null_effect;  // As CaseDecision's.
  bool null_unknown = false;          // A null case of it shows no ratio.
};

void LookAtNullCases(const CaseEstimates& c, std::span<const CaseEstimates> all,
                     Context& context) {
  for (const CaseEstimates& other : all) {
    if (other.null_of.empty() || other.null_of != c.name) continue;
    if (!other.rank || !other.invalid_reasons.empty() ||
        !NotComparable(other).empty()) {
      context.null_unknown = true;
      continue;
    }
    context.null_effect =
        std::max(context.null_effect.value_or(0.0), LargestEffect(other));
  }
}

// What stands between the case and a claim of faster or slower.
std::vector<std::string> AgainstClaim(const CaseEstimates& c,
                                      const Context& context,
                                      const DecisionRule& rule) {
  std::vector<std::string> why;
  if (!c.noise_floor) why.push_back(reasons::kNoSelfPairs);
  if (!(context.p_value < rule.alpha)) why.push_back(reasons::kNotSignificant);
  if (AgainstMajority(c)) why.push_back(reasons::kAgainstMajority);
  const double effect = ClaimedEffect(c);
  if (!(effect > rule.minimum_effect)) why.push_back(reasons::kWithinMinimum);
  if (c.noise_floor && !(effect > *c.noise_floor)) {
    why.push_back(reasons::kWithinFloor);
  }
  if (context.null_effect && !(effect > *context.null_effect)) {
    why.push_back(reasons::kWithinNull);
  }
  if (context.null_unknown) why.push_back(reasons::kNullUnknown);
  return why;
}

// Would a run of `pairs` pairs, its proportions as found so far and its spreads
// shrunk by the square root of the count, be decided?
bool WouldDecide(const CaseEstimates& c, int64_t pairs, const Context& context,
                 const DecisionRule& rule) {
  const int64_t now = static_cast<int64_t>(c.pair_ratios.size());
  const double shrink =
      std::sqrt(static_cast<double>(now) / static_cast<double>(pairs));
  const double weight = rule.family == Family::kHolm && c.null_of.empty()
                            ? static_cast<double>(context.cases)
                            : 1.0;
  const double estimate = c.rank->estimate;
  const double effect = ClaimedEffect(c);
  if (effect > rule.minimum_effect) {
    if (!c.noise_floor || AgainstMajority(c) || !c.null_of.empty())
      return false;
    // Where the code stands does not wear off with more cycles.
    if (context.null_unknown) return false;
    if (context.null_effect && !(effect > *context.null_effect)) return false;
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

std::optional<int64_t> CyclesToDecide(const CaseEstimates& c,
                                      const Context& context,
                                      const DecisionRule& rule) {
  const int64_t now = static_cast<int64_t>(c.pair_ratios.size());
  for (int64_t pairs = (now / 2 + 1) * 2; pairs <= 2 * kCyclesToDecideMax;
       pairs += 2) {
    if (WouldDecide(c, pairs, context, rule)) return pairs / 2;
  }
  return std::nullopt;
}

// Remarks that tell of ratios or of times against each other.
void RemarkOnRatios(const CaseEstimates& c, Outcome outcome,
                    const DecisionRule& rule, std::vector<std::string>& found) {
  const bool claim = outcome == Outcome::kFaster || outcome == Outcome::kSlower;
  if (claim && c.objects == CaseSamples::Objects::kIdentical) {
    found.emplace_back(remarks::kClaimOnIdentical);
  }
  if (*c.ratio_min < 1.0 && *c.ratio_max > 1.0) {
    found.emplace_back(remarks::kRangeCrossesOne);
  }
  if (c.signs.ties > 0) found.emplace_back(remarks::kTies);
  if (InTwoGroups(c.pair_ratios)) found.emplace_back(remarks::kTwoGroups);
  if (c.self_signs.p_value < rule.alpha) {
    found.emplace_back(remarks::kSelfDrift);
  }
  if (c.drift && EffectOf(*c.drift) > kDriftRemarked) {
    found.emplace_back(remarks::kDrift);
  }
}

void AddRemarks(const CaseEstimates& c, const DecisionRule& rule,
                CaseDecision& out) {
  std::vector<std::string>& found = out.remarks;
  const auto remark_if = [&](bool holds, const char* remark) {
    if (holds) found.emplace_back(remark);
  };
  remark_if(c.objects == CaseSamples::Objects::kIdentical, remarks::kIdentical);
  remark_if(c.split_pairs + c.split_self_pairs > 0, remarks::kSplit);
  remark_if(SamplesInTwoGroups(c.baseline_groups),
            remarks::kSamplesInGroupsBaseline);
  remark_if(SamplesInTwoGroups(c.candidate_groups),
            remarks::kSamplesInGroupsCandidate);
  remark_if(c.baseline_groups.times_in_two_groups,
            remarks::kVisitsInGroupsBaseline);
  remark_if(c.candidate_groups.times_in_two_groups,
            remarks::kVisitsInGroupsCandidate);
  remark_if(std::any_of(c.visit_marks.begin(), c.visit_marks.end(),
                        [](const auto& visit) { return !visit.empty(); }),
            remarks::kMarkedVisits);
  if (ShowsRatio(out.outcome) && !c.pair_ratios.empty()) {
    RemarkOnRatios(c, out.outcome, rule, found);
  }
  std::sort(found.begin(), found.end());
}

// The outcome of a case that has pairs and may be compared.
void Compare(const CaseEstimates& c, const Context& context,
             const DecisionRule& rule, CaseDecision& out) {
  out.reasons = AgainstClaim(c, context, rule);
  const bool is_null = !c.null_of.empty();
  if (out.reasons.empty() && !is_null) {
    out.outcome = c.rank->estimate < 1.0 ? Outcome::kFaster : Outcome::kSlower;
    out.reasons = {reasons::kSignificant, reasons::kBeyondBoth};
    return;
  }
  if (out.reasons.empty()) out.remarks.emplace_back(remarks::kNullToldApart);
  if (is_null) out.reasons.insert(out.reasons.begin(), reasons::kIsNull);
  const auto& interval = c.rank->interval;
  if (interval &&
      InsideMinimum(interval->low, interval->high, rule.minimum_effect)) {
    out.outcome = Outcome::kSame;
    out.reasons = {reasons::kInside};
    return;
  }
  out.outcome = Outcome::kInconclusive;
  out.reasons.emplace_back(interval ? reasons::kNotInside
                                    : reasons::kNoInterval);
  out.cycles_to_decide = CyclesToDecide(c, context, rule);
}

CaseDecision DecideCase(const CaseEstimates& c, const Context& context,
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
    out.p_value = context.p_value;
    out.null_effect = context.null_effect;
    Compare(c, context, rule, out);
  }
  AddRemarks(c, rule, out);
  return out;
}

// The p-value of each case after the family correction. Every case that
// compares something counts, also those that show no ratio: leaving them out
// would let a run choose its family after the fact. Those count as never
// significant, so that they cannot soften the correction of others.
std::vector<double> PValues(std::span<const CaseEstimates> estimates,
                            const DecisionRule& rule) {
  std::vector<double> p_values;
  std::vector<size_t> members;  // Of the family.
  std::vector<double> family;
  for (size_t i = 0; i < estimates.size(); ++i) {
    const CaseEstimates& c = estimates[i];
    const bool judged = c.invalid_reasons.empty() && NotComparable(c).empty();
    p_values.push_back(judged ? c.signs.p_value : 1.0);
    if (!c.null_of.empty()) continue;
    members.push_back(i);
    family.push_back(p_values.back());
  }
  if (rule.family != Family::kHolm) return p_values;
  const std::vector<double> adjusted = AdjustHolm(family);
  for (size_t i = 0; i < members.size(); ++i)
    p_values[members[i]] = adjusted[i];
  return p_values;
}

}  // namespace

double EffectOf(double ratio) { return std::max(ratio, 1.0 / ratio) - 1.0; }

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
  const std::vector<double> p_values = PValues(estimates, rule);
  Decisions out;
  out.cases_tried =
      std::count_if(estimates.begin(), estimates.end(),
                    [](const CaseEstimates& c) { return c.null_of.empty(); });
  for (size_t i = 0; i < estimates.size(); ++i) {
    Context context{p_values[i], out.cases_tried, std::nullopt, false};
    LookAtNullCases(estimates[i], estimates, context);
    out.cases.push_back(DecideCase(estimates[i], context, rule));
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
