#include "audit/case_statistics.h"

#include <algorithm>

#include "audit/checker.h"
#include "audit/visit_conditions.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

DecisionRule RuleOf(const Manifest& manifest) {
  return {manifest.alpha, manifest.minimum_effect,
          manifest.family == "holm" ? Family::kHolm : Family::kNone};
}

std::string EndText(const std::string& what, const ProcessEnd& end) {
  return what + " " + end.status + ": " + Printable(end.reason);
}

std::vector<std::string> InvalidReasons(const CaseEvidence& c) {
  std::vector<std::string> reasons;
  for (const auto& [variant, capture] : c.captures) {
    if (capture.Completed()) continue;
    reasons.push_back(
        EndText("capture of " + variant, capture.capture.record->end));
  }
  for (const auto* visits : {&c.calibrations, &c.visits}) {
    for (const Filed<VisitRecord>& visit : *visits) {
      const ProcessEnd& end = visit.record->end;
      if (end.status == "completed") continue;
      reasons.push_back(EndText(
          visit.record->kind + " visit " + std::to_string(visit.record->index),
          end));
    }
  }
  for (const std::string& unmet : c.unmet_expectations) {
    reasons.push_back(unmet);
  }
  return reasons;
}

// Whether both arms are one library, as far as it is loaded.
bool RunTheSame(const Manifest& manifest, const CaseEvidence& c) {
  const auto baseline = c.loaded_sha256.find(manifest.baseline);
  const auto candidate = c.loaded_sha256.find(manifest.candidate);
  return baseline != c.loaded_sha256.end() &&
         candidate != c.loaded_sha256.end() &&
         baseline->second == candidate->second;
}

CaseSamples SamplesOf(const Manifest& manifest, const CaseEvidence& c) {
  CaseSamples samples;
  samples.name = c.name();
  samples.null_of = c.declared->null_of;
  samples.invalid_reasons = InvalidReasons(c);
  std::vector<int64_t> attempts;
  for (const Filed<VisitRecord>& visit : c.visits) {
    attempts.push_back(visit.record->attempt);
  }
  if (samples.invalid_reasons.empty() &&
      static_cast<int64_t>(attempts.size()) <
          VisitsNeeded(manifest.cycles, attempts)) {
    samples.invalid_reasons.push_back(
        "not measured: the cohort became invalid in another case");
  }
  if (RunTheSame(manifest, c)) {
    samples.objects = CaseSamples::Objects::kIdentical;
  }
  if (!samples.invalid_reasons.empty()) return samples;
  samples.disturbances = HostChanges(c);
  for (const Filed<VisitRecord>& visit : c.visits) {
    const VisitRecord& record = *visit.record;
    samples.visits.push_back(
        {record.cycle, record.position,
         record.arm == "baseline" ? Arm::kBaseline : Arm::kCandidate,
         record.attempt, record.samples_ns, record.repetitions,
         ConditionsOf(record)});
  }
  return samples;
}

// Stands for a case that has findings or whose samples cannot be true: it gets
// no row, but keeps its place in the family and beside the case whose null case
// it is. Without it a failed audit would say more of the others than a sound
// one.
CaseSamples UnsoundSamples(const CaseEvidence& c) {
  CaseSamples samples;
  samples.name = c.name();
  samples.null_of = c.declared->null_of;
  samples.invalid_reasons = {"not sound"};
  return samples;
}

// Rows of equal shape are looked at together, whatever their options.
void RemarkOnFasterRows(const Evidence& evidence, Judgement& judgement) {
  std::vector<RowTimes> rows;
  std::vector<JudgedCase*> judged;
  for (const CaseEvidence& c : evidence.cases) {
    const auto found = judgement.cases.find(c.name());
    if (found == judgement.cases.end()) continue;
    const CaseEstimates& estimates = found->second.estimates;
    if (!estimates.baseline_time_ns || !estimates.candidate_time_ns) continue;
    if (c.declared->shape.empty() || !c.declared->null_of.empty()) continue;
    rows.push_back({TextOf(c.declared->shape), *estimates.baseline_time_ns,
                    *estimates.candidate_time_ns});
    judged.push_back(&found->second);
  }
  const std::vector<bool> slower = NotTheFastestSeen(rows);
  for (size_t i = 0; i < judged.size(); ++i) {
    if (!slower[i]) continue;
    std::vector<std::string>& remarks = judged[i]->decision.remarks;
    remarks.emplace_back("not-the-fastest-seen (not interleaved)");
    std::sort(remarks.begin(), remarks.end());
  }
}

}  // namespace

Judgement JudgeCases(Evidence& evidence, FindingList& findings) {
  const Manifest& manifest = *evidence.manifest;
  const DecisionRule rule = RuleOf(manifest);
  const auto declared = static_cast<int64_t>(std::count_if(
      evidence.cases.begin(), evidence.cases.end(),
      [](const CaseEvidence& c) { return c.declared->null_of.empty(); }));
  Judgement judgement;
  judgement.cases_tried = declared;
  std::vector<CaseEstimates> estimates;  // As evidence.cases.
  for (CaseEvidence& c : evidence.cases) {
    if (c.sound) {
      auto estimated = EstimateCase(SamplesOf(manifest, c), rule, declared);
      if (estimated.ok()) {
        estimates.push_back(std::move(*estimated));
        continue;
      }
      Checker(findings, c)
          .ReportError("samples-unsound", ReplayFolder(c.name()),
                       estimated.error());
    }
    estimates.push_back(*EstimateCase(UnsoundSamples(c), rule, declared));
  }
  Decisions decisions = DecideCases(estimates, rule);
  judgement.chance_of_false_claim =
      rule.family == Family::kHolm ? rule.alpha
                                   : ChanceOfFalseClaim(rule.alpha, declared);
  for (size_t i = 0; i < estimates.size(); ++i) {
    const CaseEvidence& c = evidence.cases[i];
    if (!c.sound) continue;
    CaseDecision& decision = decisions.cases[i];
    decision.remarks.insert(decision.remarks.end(), c.remarks.begin(),
                            c.remarks.end());
    std::sort(decision.remarks.begin(), decision.remarks.end());
    judgement.cases.emplace(
        c.name(), JudgedCase{std::move(estimates[i]), std::move(decision)});
  }
  RemarkOnFasterRows(evidence, judgement);
  return judgement;
}

}  // namespace exhibit
