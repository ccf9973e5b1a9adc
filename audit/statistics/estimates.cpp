#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "audit/statistics/statistics.h"

namespace exhibit {
namespace {

Error Corrupt(const VisitSamples& visit, const std::string& what) {
  return Error{ErrorKind::kCorrupt,
               "visit at cycle " + std::to_string(visit.cycle) + ", position " +
                   std::to_string(visit.position) + ": " + what,
               ""};
}

// X Y Y X: the arm at a position, seen from the one that starts.
bool IsOuter(int64_t position) { return position == 0 || position == 3; }

Status CheckVisit(const VisitSamples& visit, const SampleLimits& limits) {
  if (visit.cycle < 0 || visit.position < 0 || visit.position > 3) {
    return Corrupt(visit, "no such place");
  }
  if (visit.repetitions <= 0) {
    return Corrupt(visit, "repetitions " + std::to_string(visit.repetitions));
  }
  if (visit.samples_ns.empty()) return Corrupt(visit, "no samples");
  if (visit.samples_ns.size() > static_cast<size_t>(limits.sample_count_max)) {
    return Error{
        ErrorKind::kLimitExceeded,
        std::to_string(visit.samples_ns.size()) + " samples in a visit", ""};
  }
  for (int64_t sample : visit.samples_ns) {
    if (sample <= 0) return Corrupt(visit, "sample " + std::to_string(sample));
  }
  return Ok();
}

Status CheckVisits(const std::vector<VisitSamples>& visits,
                   const SampleLimits& limits) {
  if (visits.size() > static_cast<size_t>(limits.visit_count_max)) {
    return Error{ErrorKind::kLimitExceeded,
                 std::to_string(visits.size()) + " visits in a case", ""};
  }
  for (size_t i = 0; i < visits.size(); ++i) {
    const VisitSamples& visit = visits[i];
    EXHIBIT_RETURN_IF_ERROR(CheckVisit(visit, limits));
    const Arm start = IsOuter(visit.position) ? visit.arm : OtherArm(visit.arm);
    const Arm first_start =
        IsOuter(visits[0].position) ? visits[0].arm : OtherArm(visits[0].arm);
    if (start != first_start) return Corrupt(visit, "arms are not X Y Y X");
    if (i == 0) continue;
    const VisitSamples& before = visits[i - 1];
    if (visit.cycle < before.cycle ||
        (visit.cycle == before.cycle && visit.position <= before.position)) {
      return Corrupt(visit, "out of order or repeated");
    }
    if (visit.session < before.session) {
      return Corrupt(visit, "session goes back");
    }
  }
  return Ok();
}

std::vector<double> PerCall(const VisitSamples& visit) {
  std::vector<double> times;
  times.reserve(visit.samples_ns.size());
  for (int64_t sample : visit.samples_ns) {
    times.push_back(static_cast<double>(sample) /
                    static_cast<double>(visit.repetitions));
  }
  return times;
}

// Visit i + 1 ran directly after visit i.
bool Adjacent(const VisitSamples& first, const VisitSamples& second) {
  const int64_t wrap = first.position == 3 ? 1 : 0;
  return second.cycle == first.cycle + wrap &&
         second.position == (first.position + 1) % 4;
}

// Walks neighbours in time and sorts them into pairs and self pairs.
void CollectRatios(const std::vector<VisitSamples>& visits,
                   CaseEstimates& out) {
  for (size_t i = 0; i + 1 < visits.size(); ++i) {
    if (!Adjacent(visits[i], visits[i + 1])) continue;
    const bool is_pair = visits[i].position % 2 == 0;
    if (visits[i].session != visits[i + 1].session) {
      ++(is_pair ? out.split_pairs : out.split_self_pairs);
      continue;
    }
    const double first = out.visit_times_ns[i];
    const double second = out.visit_times_ns[i + 1];
    if (!is_pair) {
      out.self_ratios.push_back(second / first);
    } else if (visits[i].arm == Arm::kBaseline) {
      out.pair_ratios.push_back(second / first);
    } else {
      out.pair_ratios.push_back(first / second);
    }
  }
}

std::optional<double> ArmTime(const std::vector<VisitSamples>& visits,
                              const std::vector<double>& times, Arm arm) {
  std::vector<double> own;
  for (size_t i = 0; i < visits.size(); ++i) {
    if (visits[i].arm == arm) own.push_back(times[i]);
  }
  if (own.empty()) return std::nullopt;
  return Median(std::move(own));
}

double NoiseFloor(const std::vector<double>& self_ratios, size_t pairs) {
  std::vector<double> deviations;
  deviations.reserve(self_ratios.size());
  for (double s : self_ratios) deviations.push_back(EffectOf(s));
  return 1.48 * Median(std::move(deviations)) * 1.25 /
         std::sqrt(static_cast<double>(pairs));
}

double IntervalAlpha(const DecisionRule& rule, int64_t cases_in_family) {
  if (rule.family == Family::kNone) return rule.alpha;
  return rule.alpha / static_cast<double>(cases_in_family);
}

std::optional<double> UsualFrequency(const std::vector<VisitSamples>& visits) {
  std::vector<double> after;
  for (const VisitSamples& visit : visits) {
    if (!visit.conditions.frequency_after_khz) continue;
    after.push_back(static_cast<double>(*visit.conditions.frequency_after_khz));
  }
  if (after.empty()) return std::nullopt;
  return Median(std::move(after));
}

// Of all couples of an early and a late visit of one arm, late over early.
std::optional<double> Drift(const std::vector<VisitSamples>& visits,
                            const std::vector<double>& times) {
  std::vector<double> ratios;
  for (const Arm arm : {Arm::kBaseline, Arm::kCandidate}) {
    std::vector<double> own;
    for (size_t i = 0; i < visits.size(); ++i) {
      if (visits[i].arm == arm) own.push_back(times[i]);
    }
    const size_t half = own.size() / 2;
    for (size_t early = 0; early < half; ++early) {
      for (size_t late = own.size() - half; late < own.size(); ++late) {
        ratios.push_back(own[late] / own[early]);
      }
    }
  }
  if (ratios.empty()) return std::nullopt;
  return Median(std::move(ratios));
}

ArmGroups GroupsOf(const std::vector<VisitSamples>& visits,
                   const std::vector<double>& visit_times, Arm arm) {
  ArmGroups groups;
  std::vector<double> all;
  std::vector<double> times;
  for (size_t i = 0; i < visits.size(); ++i) {
    if (visits[i].arm != arm) continue;
    ++groups.visits;
    times.push_back(visit_times[i]);
    std::vector<double> own = PerCall(visits[i]);
    all.insert(all.end(), own.begin(), own.end());
    if (InTwoGroups(std::move(own))) ++groups.visits_in_two_groups;
  }
  if (all.empty()) return groups;
  const Quartiles middle = QuartilesOf(std::move(all));
  groups.quartile_ratio = middle.high / middle.low;
  groups.times_in_two_groups = InTwoGroups(std::move(times));
  return groups;
}

void MarkVisits(const std::vector<VisitSamples>& visits, CaseEstimates& out) {
  const std::optional<double> usual_khz = UsualFrequency(visits);
  for (const VisitSamples& visit : visits) {
    out.visit_marks.push_back(
        MarksOf(visit.conditions, visit.samples_ns, usual_khz));
    if (LostItsProcessor(out.visit_marks.back())) {
      ++out.visits_without_processor;
    }
  }
}

// Everything that follows from the pair and self ratios.
void Summarise(double interval_alpha, CaseEstimates& out) {
  const auto [low, high] =
      std::minmax_element(out.pair_ratios.begin(), out.pair_ratios.end());
  out.ratio_min = *low;
  out.ratio_max = *high;
  out.reported_ratio = Median(out.pair_ratios);
  out.signs = TestSigns(out.pair_ratios);
  out.rank = EstimateRatio(out.pair_ratios, interval_alpha);
  if (!out.self_ratios.empty()) {
    out.noise_floor = NoiseFloor(out.self_ratios, out.pair_ratios.size());
    out.self_signs = TestSigns(out.self_ratios);
  }
}

}  // namespace

bool InTwoGroups(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t least = std::max(size_t{2}, (values.size() + 2) / 3);
  for (size_t cut = least; cut + least <= values.size(); ++cut) {
    const double gap = values[cut] - values[cut - 1];
    const double below = values[cut - 1] - values.front();
    const double above = values.back() - values[cut];
    if (gap >= values[cut - 1] / 20.0 && gap >= 3.0 * std::max(below, above)) {
      return true;
    }
  }
  return false;
}

Result<CaseEstimates> EstimateCase(const CaseSamples& samples,
                                   const DecisionRule& rule,
                                   int64_t cases_in_family,
                                   const SampleLimits& limits) {
  if (!(rule.alpha > 0.0 && rule.alpha < 1.0) ||
      !(rule.minimum_effect >= 0.0 && std::isfinite(rule.minimum_effect)) ||
      cases_in_family < 1) {
    return Error{ErrorKind::kInvalidArgument,
                 "a decision rule needs 0 < alpha < 1, minimum_effect >= 0 and "
                 "a case",
                 ""};
  }
  EXHIBIT_RETURN_IF_ERROR(CheckVisits(samples.visits, limits));
  CaseEstimates out;
  out.name = samples.name;
  out.null_of = samples.null_of;
  out.disturbances = samples.disturbances;
  out.invalid_reasons = samples.invalid_reasons;
  out.objects = samples.objects;
  for (const VisitSamples& visit : samples.visits) {
    out.visit_times_ns.push_back(Median(PerCall(visit)));
  }
  MarkVisits(samples.visits, out);
  out.baseline_groups =
      GroupsOf(samples.visits, out.visit_times_ns, Arm::kBaseline);
  out.candidate_groups =
      GroupsOf(samples.visits, out.visit_times_ns, Arm::kCandidate);
  out.drift = Drift(samples.visits, out.visit_times_ns);
  out.baseline_time_ns =
      ArmTime(samples.visits, out.visit_times_ns, Arm::kBaseline);
  out.candidate_time_ns =
      ArmTime(samples.visits, out.visit_times_ns, Arm::kCandidate);
  CollectRatios(samples.visits, out);
  if (out.pair_ratios.empty()) return out;
  if (std::max(out.pair_ratios.size(), out.self_ratios.size()) >
      size_t{kObservationCountMax}) {
    return Error{ErrorKind::kLimitExceeded,
                 std::to_string(out.pair_ratios.size()) + " pairs in a case",
                 ""};
  }
  Summarise(IntervalAlpha(rule, cases_in_family), out);
  return out;
}

}  // namespace exhibit
