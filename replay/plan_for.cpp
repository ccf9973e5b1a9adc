#include "replay/plan_for.h"

#include <utility>

#include "manifests/host/host.h"
#include "manifests/json.h"
#include "manifests/sha256.h"
#include "manifests/visit_order.h"
#include "replay/power.h"
#include "replay/visit.h"

namespace exhibit {
namespace {

constexpr int64_t kCalibrations = 2;  // One per arm.
constexpr int64_t kVisitsOfCycle = 4;

double TimeOf(const VisitRecord& visit) {
  std::vector<double> times;
  for (int64_t sample_ns : visit.samples_ns) {
    times.push_back(static_cast<double>(sample_ns) /
                    static_cast<double>(visit.repetitions));
  }
  return Median(std::move(times));
}

// The visits of one case, made and forgotten.
class CaseTrial {
 public:
  CaseTrial(const CohortRequest& request, const RunState& run, size_t index)
      : request_(request), run_(run), index_(index), state_(run.cases[index]) {
    if (!state_.plan) {
      state_.plan = MakePlan(run, state_, request);
      state_.plan_sha256 = Sha256Hex(EncodePlan(*state_.plan));
    }
    state_.last_sha256 = state_.plan_sha256;
    state_.calibrations.clear();
    state_.visits.clear();
  }

  // False when it was interrupted.
  Result<bool> Perform() {
    for (int64_t i = 0; i < kCalibrations + kSpreadVisits; ++i) {
      EXHIBIT_ASSIGN_OR_RETURN(bool made, PerformNext());
      if (!made) return false;
    }
    return true;
  }

  const CaseState& state() const { return state_; }

 private:
  NextVisit Next() const {
    const Manifest& m = run_.manifest;
    NextVisit next;
    if (static_cast<int64_t>(state_.calibrations.size()) < kCalibrations) {
      next.kind = "calibration";
      next.index = static_cast<int64_t>(state_.calibrations.size());
      next.arm = next.index == 0 ? "baseline" : "candidate";
      next.shift = ShiftOfPair(m.seed, state_.name, 0);
      return next;
    }
    next.kind = "timed";
    next.arm = "baseline";
    next.index = static_cast<int64_t>(state_.visits.size());
    next.shift = ShiftOfPair(m.seed, state_.name, next.index / 2);
    next.repetitions = CalibratedRepetitions(state_);
    return next;
  }

  Result<bool> PerformNext() {
    NextVisit next = Next();
    EXHIBIT_ASSIGN_OR_RETURN(next.data, request_.arrays->Open(run_, index_));
    EXHIBIT_ASSIGN_OR_RETURN(
        std::optional<MeasuredVisit> visit,
        MeasureVisit(run_, request_.context, next, state_));
    if (!visit) return false;
    VisitRecord& record = visit->record;
    record.end_ns = BootTimeNs();
    if (record.end.status != "completed") {
      return Error{ErrorKind::kInvalidArgument,
                   "case '" + state_.name + "': a visit of variant '" +
                       record.variant + "' is " + record.end.status + ": " +
                       record.end.reason,
                   "Nothing was written; see to the cause first."};
    }
    auto& list = next.kind == "timed" ? state_.visits : state_.calibrations;
    list.push_back(std::move(record));
    return true;
  }

  const CohortRequest& request_;
  const RunState& run_;
  size_t index_;
  CaseState state_;
};

DecisionRule RuleOf(const Manifest& m) {
  return {m.alpha, m.minimum_effect,
          m.family == "holm" ? Family::kHolm : Family::kNone};
}

int64_t ComparingCases(const Manifest& m) {
  int64_t count = 0;
  for (const ManifestCase& each : m.cases) count += each.null_of.empty();
  return count;
}

Result<CasePlan> PlanOf(const Manifest& m, const CaseState& state,
                        double effect) {
  std::vector<double> ratios;
  for (size_t i = 1; i < state.visits.size(); ++i) {
    ratios.push_back(TimeOf(state.visits[i]) / TimeOf(state.visits[i - 1]));
  }
  CasePlan plan;
  plan.name = state.name;
  plan.spread = SpreadOf(ratios);
  EXHIBIT_ASSIGN_OR_RETURN(plan.cycles,
                           CyclesFor({.spread = plan.spread,
                                      .effect = effect,
                                      .rule = RuleOf(m),
                                      .cases = ComparingCases(m)}));
  if (plan.cycles) {
    plan.duration_ns = EstimateTimedNs(m, state, kVisitsOfCycle * *plan.cycles);
    for (const VisitRecord& visit : state.calibrations) {
      plan.duration_ns += visit.end_ns - visit.start_ns;
    }
  }
  return plan;
}

}  // namespace

Status CheckEffect(const Manifest& manifest, double effect) {
  if (effect > manifest.minimum_effect) return Ok();
  return Error{
      ErrorKind::kInvalidArgument,
      "an effect of " + QuoteJson(Json(effect)) +
          " does not pass the manifest's minimum_effect, " +
          QuoteJson(Json(manifest.minimum_effect)) +
          ": it is never called faster, however many cycles there are",
      "Ask for a larger effect, or declare a smaller minimum_effect in "
      "a new manifest; 1% is 0.01 there."};
}

Result<PlanForReport> PlanForEffect(const CohortRequest& request,
                                    const RunState& run, double effect) {
  PlanForReport report;
  int64_t total = ComparingCases(run.manifest);
  for (size_t i = 0; i < run.cases.size(); ++i) {
    if (!run.manifest.cases[i].null_of.empty()) continue;
    if (request.progress) {
      request.progress(static_cast<int64_t>(report.cases.size()), total,
                       run.cases[i].name);
    }
    CaseTrial trial(request, run, i);
    EXHIBIT_ASSIGN_OR_RETURN(bool complete, trial.Perform());
    if (!complete) {
      report.interrupted = true;
      return report;
    }
    EXHIBIT_ASSIGN_OR_RETURN(CasePlan plan,
                             PlanOf(run.manifest, trial.state(), effect));
    report.cases.push_back(std::move(plan));
  }
  return report;
}

}  // namespace exhibit
