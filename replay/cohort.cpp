#include "replay/cohort.h"

#include <algorithm>
#include <utility>

#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "manifests/visit_order.h"

namespace exhibit {
namespace {

constexpr int64_t kCalibrationCount = 2;  // One per arm.
// To start a worker, check and publish, before it was measured: seen on a
// small machine.
constexpr int64_t kVisitOverheadNs = 30'000'000;
// To flush a record, which comes after the time that the record can hold.
constexpr int64_t kPublishNs = 3'000'000;

PlanArm ArmOf(const CaptureState& capture) {
  return {capture.record.variant, capture.sha256, capture.library_sha256};
}

Status PublishPlan(const RunState& run, CaseState& state,
                   const CohortRequest& request) {
  PlanRecord plan = MakePlan(run, state, request);
  std::string bytes = EncodePlan(plan);
  EXHIBIT_RETURN_IF_ERROR(
      CreateFolders(run.path + "/" + ReplayFolder(state.name)));
  EXHIBIT_RETURN_IF_ERROR(
      PublishFile(run.path + "/" + PlanPath(state.name), bytes));
  state.plan = std::move(plan);
  state.plan_sha256 = Sha256Hex(bytes);
  state.last_sha256 = state.plan_sha256;
  return Ok();
}

// Timed visits. A pair that an earlier attempt began takes another cycle, which
// is known before its second visit is made.
int64_t TimedLeft(const RunState& run, const CaseState& state) {
  std::vector<int64_t> attempts = state.Attempts();
  const auto made = static_cast<int64_t>(attempts.size());
  if (made % 2 != 0 && run.attempt != 0) attempts.push_back(run.attempt);
  return VisitsNeeded(run.manifest.cycles, attempts) - made;
}

int64_t CalibrationsLeft(const CaseState& state) {
  return kCalibrationCount - static_cast<int64_t>(state.calibrations.size());
}

int64_t CaseVisitsLeft(const RunState& run, const CaseState& state) {
  return TimedLeft(run, state) + CalibrationsLeft(state);
}

// The visit that comes after those that the case has.
NextVisit NextOf(const Manifest& m, const CaseState& state) {
  NextVisit next;
  Arm starting = StartingArm(m.seed, state.name);
  if (CalibrationsLeft(state) > 0) {
    next.kind = "calibration";
    next.index = static_cast<int64_t>(state.calibrations.size());
    next.shift = ShiftOfPair(m.seed, state.name, 0);
  } else {
    next.kind = "timed";
    next.index = static_cast<int64_t>(state.visits.size());
    next.shift = ShiftOfPair(m.seed, state.name, next.index / 2);
    next.repetitions = CalibratedRepetitions(state);
  }
  next.arm = ArmName(ArmOfVisit(starting, next.index));
  return next;
}

// One call of PerformCohort.
class Cohort {
 public:
  Cohort(const CohortRequest& request, RunState& run)
      : request_(request), run_(run) {}

  Result<CohortReport> Perform() {
    EXHIBIT_RETURN_IF_ERROR(PerformEach(&Cohort::Calibrate));
    if (report_.end != CohortEnd::kInterrupted) {
      if (request_.calibrated) request_.calibrated(run_);
      EXHIBIT_RETURN_IF_ERROR(PerformEach(&Cohort::PerformCycles));
    }
    report_.failures = Failures(run_);
    return report_;
  }

 private:
  // Does `part` for every case that is sound, until it is interrupted.
  Status PerformEach(Result<CohortEnd> (Cohort::*part)(size_t)) {
    for (size_t i = 0; i < run_.cases.size(); ++i) {
      if (report_.end == CohortEnd::kInterrupted) return Ok();
      if (!run_.cases[i].FirstFailure().empty()) continue;
      EXHIBIT_ASSIGN_OR_RETURN(CohortEnd end, (this->*part)(i));
      if (end != CohortEnd::kComplete) report_.end = end;
    }
    return Ok();
  }

  Result<CohortEnd> Calibrate(size_t index) {
    CaseState& state = run_.cases[index];
    if (!state.plan) {
      EXHIBIT_RETURN_IF_ERROR(PublishPlan(run_, state, request_));
    }
    while (CalibrationsLeft(state) > 0) {
      EXHIBIT_ASSIGN_OR_RETURN(CohortEnd end, PerformNext(index));
      if (end != CohortEnd::kComplete) return end;
    }
    return CohortEnd::kComplete;
  }

  Result<CohortEnd> PerformCycles(size_t index) {
    while (CaseVisitsLeft(run_, run_.cases[index]) > 0) {
      EXHIBIT_ASSIGN_OR_RETURN(CohortEnd end, PerformNext(index));
      if (end != CohortEnd::kComplete) return end;
    }
    return CohortEnd::kComplete;
  }

  void TellProgress(const std::string& what) const {
    if (!request_.progress) return;
    const int64_t made = VisitsMade(run_);
    request_.progress(made, made + VisitsLeft(run_), what);
  }

  // One visit. kComplete: it went well.
  Result<CohortEnd> PerformNext(size_t index) {
    CaseState& state = run_.cases[index];
    if (static_cast<int64_t>(state.visits.size()) >= kVisitCountMax) {
      return Error{ErrorKind::kLimitExceeded,
                   "case '" + state.name + "' has " +
                       std::to_string(kVisitCountMax) + " visits",
                   "Start a new run; this one was interrupted too often."};
    }
    const auto& interrupted = request_.context.interrupted;
    if (interrupted && interrupted()) return CohortEnd::kInterrupted;
    NextVisit next = NextOf(run_.manifest, state);
    EXHIBIT_ASSIGN_OR_RETURN(next.data, request_.arrays->Open(run_, index));
    TellProgress(state.name + " " + next.arm);
    EXHIBIT_ASSIGN_OR_RETURN(VisitEnd end,
                             PerformVisit(run_, request_.context, next, state));
    if (end == VisitEnd::kInterrupted) return CohortEnd::kInterrupted;
    const auto& list = next.kind == "timed" ? state.visits : state.calibrations;
    ++report_.visits;
    report_.kernel_ns += KernelNs(list.back());
    if (!state.FirstFailure().empty()) return CohortEnd::kInvalid;
    return CohortEnd::kComplete;
  }

  const CohortRequest& request_;
  RunState& run_;
  CohortReport report_;
};

}  // namespace

PlanRecord MakePlan(const RunState& run, const CaseState& state,
                    const CohortRequest& request) {
  const Manifest& m = run.manifest;
  PlanRecord plan;
  plan.start_ns = BootTimeNs();
  plan.freeze_sha256 = run.freeze_sha256;
  plan.case_name = state.name;
  plan.baseline = ArmOf(state.baseline);
  plan.candidate = ArmOf(state.candidate);
  plan.starting_arm = ArmName(StartingArm(m.seed, state.name));
  plan.cycles = m.cycles;
  plan.samples = m.samples;
  plan.warmup_ns = m.warmup_ms * 1'000'000;
  plan.target_ns = m.target_ms * 1'000'000;
  plan.timeout_ns = m.timeout_s * 1'000'000'000;
  plan.seed = m.seed;
  plan.isolation = m.isolation;
  plan.timing_scope = kTimingScope;
  plan.cpu = request.cpu;
  for (int64_t pair = 0; pair < 2 * m.cycles; ++pair) {
    plan.shifts.push_back(ShiftOfPair(m.seed, state.name, pair));
  }
  plan.tool = request.context.tool;
  plan.end_ns = BootTimeNs();
  return plan;
}

int64_t CalibratedRepetitions(const CaseState& state) {
  return RepetitionsFor(
      state.plan->target_ns,
      {state.calibrations[0].probe_ns, state.calibrations[1].probe_ns});
}

int64_t VisitsLeft(const RunState& run) {
  int64_t left = 0;
  for (const CaseState& state : run.cases) {
    left += CaseVisitsLeft(run, state);
  }
  return left;
}

int64_t VisitsMade(const RunState& run) {
  size_t made = 0;
  for (const CaseState& state : run.cases) {
    made += state.calibrations.size() + state.visits.size();
  }
  return static_cast<int64_t>(made);
}

bool IsComplete(const RunState& run) { return VisitsLeft(run) == 0; }

std::vector<std::string> Failures(const RunState& run) {
  std::vector<std::string> failures;
  for (const CaseState& state : run.cases) {
    std::string failure = state.FirstFailure();
    if (!failure.empty()) failures.push_back(std::move(failure));
  }
  return failures;
}

int64_t EstimateTimedNs(const Manifest& m, const CaseState& state,
                        int64_t visits) {
  if (CalibrationsLeft(state) > 0) {
    return visits * (m.warmup_ms * 1'000'000 + kVisitOverheadNs +
                     m.samples * m.target_ms * 1'000'000);
  }
  int64_t repetitions = CalibratedRepetitions(state);
  int64_t cycle_ns = 0;  // Of two visits, one of each arm.
  for (const VisitRecord& visit : state.calibrations) {
    // The fastest batch was too fast for a forecast, and the mean has the
    // first calls in it.
    int64_t mean_ns =
        visit.warmup_ns / std::max<int64_t>(1, visit.warmup_calls);
    int64_t call_ns = (visit.probe_ns + mean_ns) / 2;
    cycle_ns += KernelNs(visit) + m.samples * repetitions * call_ns;
  }
  // The last one: those before it had to read and publish what it found there.
  const VisitRecord& last = state.calibrations.back();
  int64_t overhead_ns = last.end_ns - last.start_ns - KernelNs(last);
  return visits * (cycle_ns / 2 + overhead_ns + kPublishNs);
}

int64_t EstimateNs(const RunState& run) {
  const Manifest& m = run.manifest;
  int64_t total_ns = 0;
  for (const CaseState& state : run.cases) {
    total_ns +=
        CalibrationsLeft(state) * (m.warmup_ms * 1'000'000 + kVisitOverheadNs) +
        EstimateTimedNs(m, state, TimedLeft(run, state));
  }
  return total_ns;
}

Result<CohortReport> PerformCohort(const CohortRequest& request,
                                   RunState& run) {
  return Cohort(request, run).Perform();
}

}  // namespace exhibit
