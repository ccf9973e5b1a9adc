#include "audit/case_json.h"

#include <cmath>
#include <optional>

#include "audit/visit_conditions.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

Json NumberJson(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json NumberJson(const std::optional<double>& value) {
  return value ? NumberJson(*value) : Json();
}

Json NumbersJson(const std::vector<double>& values) {
  Json::Array array;
  for (const double value : values) array.push_back(NumberJson(value));
  return array;
}

Json CountsJson(const std::vector<int64_t>& values) {
  return Json::Array(values.begin(), values.end());
}

Json TextsJson(const std::vector<std::string>& texts) {
  Json::Array array;
  for (const std::string& text : texts) array.emplace_back(Printable(text));
  return array;
}

Json ArmJson(const CaseEvidence& c, const CaptureEvidence& capture,
             const std::optional<double>& time_ns) {
  const auto work = c.work.find(capture.variant->name);
  Json::Object arm{
      {"variant", capture.variant->name},
      {"time_ns", NumberJson(time_ns)},
      {"work", time_ns && work != c.work.end() ? work->second : Json()}};
  if (capture.capture.record) {
    arm["workspace_bytes"] = capture.capture.record->workspace_bytes;
    arm["end"] = capture.capture.record->end.status;
  }
  const auto details = c.details.find(capture.variant->name);
  if (details != c.details.end()) arm["code"] = details->second;
  return arm;
}

Json IntervalJson(const CaseEstimates& estimates) {
  if (!estimates.rank || !estimates.rank->interval) return Json();
  const RatioEstimate::Interval& interval = *estimates.rank->interval;
  return Json::Object{
      {"low", NumberJson(interval.low)},
      {"high", NumberJson(interval.high)},
      {"coverage", NumberJson(interval.coverage)},
      {"assumes",
       "logarithms of the ratios independent and symmetric about one value"},
  };
}

Json SignTestJson(const SignTest& signs) {
  return Json::Object{{"below", signs.below},
                      {"above", signs.above},
                      {"ties", signs.ties},
                      {"p_value", NumberJson(signs.p_value)}};
}

// The visits that bear a mark, in order.
Json MarkedVisitsJson(const CaseEstimates& estimates, const CaseEvidence& c) {
  Json::Array visits;
  for (size_t i = 0; i < estimates.visit_marks.size(); ++i) {
    if (estimates.visit_marks[i].empty()) continue;
    visits.emplace_back(
        Json::Object{{"visit", c.visits[i].record->index},
                     {"arm", c.visits[i].record->arm},
                     {"marks", TextsJson(estimates.visit_marks[i])}});
  }
  return visits;
}

Json TimingJson(const CaseEvidence& c) {
  const std::optional<CaseTiming> timing = TimingOf(c);
  if (!timing) return Json();
  return Json::Object{{"clock_resolution_ns", timing->clock_resolution_ns},
                      {"clock_overhead_ns", timing->clock_overhead_ns},
                      {"repetitions", timing->repetitions},
                      {"shortest_sample_ns", timing->shortest_sample_ns},
                      {"load_1m_max", NumberJson(timing->load_1m_max)}};
}

// Everything that is a ratio or is computed from ratios.
Json RatiosJson(const JudgedCase& judged) {
  const CaseEstimates& e = judged.estimates;
  if (!ShowsRatio(judged.decision.outcome) || e.pair_ratios.empty()) {
    return Json();
  }
  return Json::Object{
      {"pairs", NumbersJson(e.pair_ratios)},
      {"self_pairs", NumbersJson(e.self_ratios)},
      {"median", NumberJson(e.reported_ratio)},
      {"min", NumberJson(e.ratio_min)},
      {"max", NumberJson(e.ratio_max)},
      {"sign_test", SignTestJson(e.signs)},
      {"self_sign_test", SignTestJson(e.self_signs)},
      {"drift", NumberJson(e.drift)},
      {"null_effect", NumberJson(judged.decision.null_effect)},
      {"p_value", NumberJson(judged.decision.p_value)},
      {"estimate", e.rank ? NumberJson(e.rank->estimate) : Json()},
      {"interval", IntervalJson(e)},
      {"noise_floor", NumberJson(e.noise_floor)},
  };
}

void AddJudgement(const JudgedCase& judged, const CaseEvidence& c,
                  Json::Object& object) {
  const CaseDecision& decision = judged.decision;
  object["outcome"] = OutcomeName(decision.outcome);
  object["reasons"] = TextsJson(decision.reasons);
  object["remarks"] = TextsJson(decision.remarks);
  object["ratios"] = RatiosJson(judged);
  object["visit_times_ns"] = NumbersJson(judged.estimates.visit_times_ns);
  object["marked_visits"] = MarkedVisitsJson(judged.estimates, c);
  object["timing"] = TimingJson(c);
  object["split_pairs"] = judged.estimates.split_pairs;
  object["cycles_to_decide"] =
      decision.cycles_to_decide ? Json(*decision.cycles_to_decide) : Json();
}

void AddNothing(Json::Object& object) {
  object["outcome"] = Json();
  object["reasons"] =
      Json::Array{"a stage holds something against this case"};
  object["remarks"] = Json::Array();
  object["ratios"] = Json();
  object["visit_times_ns"] = Json::Array();
  object["marked_visits"] = Json::Array();
  object["timing"] = Json();
  object["split_pairs"] = 0;
  object["cycles_to_decide"] = Json();
}

}  // namespace

Json CaseJson(const AuditState& state, const CaseEvidence& c) {
  const Manifest& manifest = *state.evidence().manifest;
  const auto found = state.judgement.cases.find(c.name());
  const JudgedCase* judged =
      found == state.judgement.cases.end() ? nullptr : &found->second;
  Json::Object object;
  object["name"] = c.name();
  object["null_of"] = c.declared->null_of;
  object["shape"] = CountsJson(c.declared->shape);
  object["tile"] = CountsJson(c.declared->tile);
  object["text"] = c.declared->text;
  object["options"] =
      Json::Object(c.declared->options.begin(), c.declared->options.end());
  object["measured"] = WhatIsMeasured(manifest, *c.declared);
  object["evidence_level"] = EvidenceLevelName(
      judged != nullptr ? c.level : EvidenceLevel::kReceiptsOnly);
  std::optional<double> baseline_ns;
  std::optional<double> candidate_ns;
  if (judged != nullptr) {
    baseline_ns = judged->estimates.baseline_time_ns;
    candidate_ns = judged->estimates.candidate_time_ns;
    AddJudgement(*judged, c, object);
  } else {
    AddNothing(object);
  }
  object["baseline"] = ArmJson(c, c.Baseline(manifest), baseline_ns);
  object["candidate"] = ArmJson(c, c.Candidate(manifest), candidate_ns);
  return object;
}

}  // namespace exhibit
