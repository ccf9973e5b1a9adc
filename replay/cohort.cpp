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
// To start a worker, check and publish: seen on a small machine.
constexpr int64_t kVisitOverheadNs = 30'000'000;

PlanArm ArmOf(const CaptureState& capture) {
  return {capture.record.variant, capture.sha256, capture.library_sha256};
}

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

int64_t CyclesLeft(int64_t cycles, const std::vector<int64_t>& attempts) {
  return VisitsNeeded(cycles, attempts) - static_cast<int64_t>(attempts.size());
}

int64_t CaseVisitsLeft(const Manifest& m, const CaseState& state) {
  return CyclesLeft(m.cycles, state.Attempts()) + kCalibrationCount -
         static_cast<int64_t>(state.calibrations.size());
}

// The visit that comes after those that the case has.
NextVisit NextOf(const Manifest& m, const CaseState& state) {
  NextVisit next;
  Arm starting = StartingArm(m.seed, state.name);
  if (static_cast<int64_t>(state.calibrations.size()) < kCalibrationCount) {
    next.kind = "calibration";
    next.index = static_cast<int64_t>(state.calibrations.size());
    next.shift = ShiftOfPair(m.seed, state.name, 0);
  } else {
    next.kind = "timed";
    next.index = static_cast<int64_t>(state.visits.size());
    next.shift = ShiftOfPair(m.seed, state.name, next.index / 2);
    next.repetitions = RepetitionsFor(
        state.plan->target_ns,
        {state.calibrations[0].probe_ns, state.calibrations[1].probe_ns});
  }
  next.arm = ArmName(ArmOfVisit(starting, next.index));
  return next;
}

// Performs what is missing of one case, until it fails or is interrupted.
Result<CohortEnd> PerformCase(const CohortRequest& request, RunState& run,
                              CaseState& state) {
  if (!state.plan) {
    EXHIBIT_RETURN_IF_ERROR(PublishPlan(run, state, request));
  }
  while (CaseVisitsLeft(run.manifest, state) > 0) {
    if (static_cast<int64_t>(state.visits.size()) >= kVisitCountMax) {
      return Error{ErrorKind::kLimitExceeded,
                   "case '" + state.name + "' has " +
                       std::to_string(kVisitCountMax) + " visits",
                   "Start a new run; this one was interrupted too often."};
    }
    const auto& interrupted = request.context.interrupted;
    if (interrupted && interrupted()) return CohortEnd::kInterrupted;
    NextVisit next = NextOf(run.manifest, state);
    if (request.progress) {
      int64_t left = VisitsLeft(run);
      int64_t total = left;
      for (const CaseState& each : run.cases) {
        total +=
            static_cast<int64_t>(each.calibrations.size() + each.visits.size());
      }
      request.progress(total - left, total, state.name + " " + next.arm);
    }
    EXHIBIT_ASSIGN_OR_RETURN(VisitEnd end,
                             PerformVisit(run, request.context, next, state));
    if (end == VisitEnd::kInterrupted) return CohortEnd::kInterrupted;
    if (!state.FirstFailure().empty()) return CohortEnd::kInvalid;
  }
  return CohortEnd::kComplete;
}

}  // namespace

int64_t VisitsLeft(const RunState& run) {
  int64_t left = 0;
  for (const CaseState& state : run.cases) {
    left += CaseVisitsLeft(run.manifest, state);
  }
  return left;
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

int64_t EstimateNs(const RunState& run) {
  const Manifest& m = run.manifest;
  int64_t total_ns = 0;
  for (const CaseState& state : run.cases) {
    int64_t sample_ns = m.target_ms * 1'000'000;
    for (const VisitRecord& visit : state.calibrations) {
      // A kernel slower than the target takes its own time for each sample.
      sample_ns = std::max(sample_ns, visit.probe_ns);
    }
    int64_t timed = CyclesLeft(m.cycles, state.Attempts());
    total_ns += CaseVisitsLeft(m, state) *
                    (m.warmup_ms * 1'000'000 + kVisitOverheadNs) +
                timed * m.samples * sample_ns;
  }
  return total_ns;
}

Result<CohortReport> PerformCohort(const CohortRequest& request,
                                   RunState& run) {
  CohortReport report;
  for (CaseState& state : run.cases) {
    EXHIBIT_ASSIGN_OR_RETURN(CohortEnd end, PerformCase(request, run, state));
    if (end == CohortEnd::kInterrupted) {
      report.end = CohortEnd::kInterrupted;
      break;
    }
    if (end == CohortEnd::kInvalid) report.end = CohortEnd::kInvalid;
  }
  report.failures = Failures(run);
  return report;
}

}  // namespace exhibit
