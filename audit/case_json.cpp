#include "audit/case_json.h"

#include <cmath>
#include <optional>

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
  Json::Object arm{{"variant", capture.variant->name},
                   {"time_ns", NumberJson(time_ns)}};
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
      {"sign_test", Json::Object{{"below", e.signs.below},
                                 {"above", e.signs.above},
                                 {"ties", e.signs.ties},
                                 {"p_value", NumberJson(e.signs.p_value)}}},
      {"p_value", NumberJson(judged.decision.p_value)},
      {"estimate", e.rank ? NumberJson(e.rank->estimate) : Json()},
      {"interval", IntervalJson(e)},
      {"noise_floor", NumberJson(e.noise_floor)},
  };
}

void AddJudgement(const JudgedCase& judged, Json::Object& object) {
  const CaseDecision& decision = judged.decision;
  object["outcome"] = OutcomeName(decision.outcome);
  object["reasons"] = TextsJson(decision.reasons);
  object["remarks"] = TextsJson(decision.remarks);
  object["ratios"] = RatiosJson(judged);
  object["visit_times_ns"] = NumbersJson(judged.estimates.visit_times_ns);
  object["split_pairs"] = judged.estimates.split_pairs;
  object["cycles_to_decide"] =
      decision.cycles_to_decide ? Json(*decision.cycles_to_decide) : Json();
}

void AddNothing(Json::Object& object) {
  object["outcome"] = Json();
  object["reasons"] =
      Json::Array{"not judged: a stage holds something against this case"};
  object["remarks"] = Json::Array();
  object["ratios"] = Json();
  object["visit_times_ns"] = Json::Array();
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
  object["shape"] = CountsJson(c.declared->shape);
  object["tile"] = CountsJson(c.declared->tile);
  object["text"] = c.declared->text;
  object["options"] =
      Json::Object(c.declared->options.begin(), c.declared->options.end());
  object["measured"] = WhatIsMeasured(manifest);
  object["evidence_level"] = EvidenceLevelName(
      judged != nullptr ? c.level : EvidenceLevel::kReceiptsOnly);
  std::optional<double> baseline_ns;
  std::optional<double> candidate_ns;
  if (judged != nullptr) {
    baseline_ns = judged->estimates.baseline_time_ns;
    candidate_ns = judged->estimates.candidate_time_ns;
    AddJudgement(*judged, object);
  } else {
    AddNothing(object);
  }
  object["baseline"] = ArmJson(c, c.Baseline(manifest), baseline_ns);
  object["candidate"] = ArmJson(c, c.Candidate(manifest), candidate_ns);
  return object;
}

}  // namespace exhibit
