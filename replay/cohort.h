// All visits of a run: plans, calibrates and performs what is missing.
//
// First, case by case, plan.json and a calibration visit of each arm; then,
// case by case, A B B A cycles. So the time that the cycles will take is known
// before the first of them. Interrupted cohorts go on where they stopped; an
// invalid one never does. Normative: replay/README.md.

#ifndef EXHIBIT_REPLAY_COHORT_H_
#define EXHIBIT_REPLAY_COHORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manifests/result.h"
#include "replay/case_store.h"
#include "replay/run_state.h"
#include "replay/visit.h"

namespace exhibit {

enum class CohortEnd { kComplete, kInvalid, kInterrupted };

struct CohortReport {
  CohortEnd end = CohortEnd::kComplete;
  std::vector<std::string> failures;  // One sentence per invalid case.
  int64_t visits = 0;                 // Made and published by this call.
  int64_t kernel_ns = 0;              // Of those, in the kernels (visit.h).
};

// Tells a person how far it is: `done` of `total` visits, `what` is next.
using CohortProgress =
    std::function<void(int64_t done, int64_t total, const std::string& what)>;

struct CohortRequest {
  VisitContext context;
  CaseStore* arrays = nullptr;  // Of the run.
  int64_t cpu = 0;              // For cases that have no plan yet.
  CohortProgress progress;      // May be empty.
  // Called once, when all cases are calibrated and before the first cycle. May
  // be empty.
  std::function<void(const RunState&)> calibrated;
};

// True when every case has all its visits. Says nothing of their ends.
bool IsComplete(const RunState& run);

// The failures of captures and visits so far, one sentence per case.
std::vector<std::string> Failures(const RunState& run);

// Visits still to be made, calibrations included, if nothing is interrupted.
int64_t VisitsLeft(const RunState& run);

// Visits that the run has, calibrations included.
int64_t VisitsMade(const RunState& run);

// How long those that are left take, in nanoseconds: kernels, and starting,
// checking and publishing as the calibrations took for it. Of a case without
// calibrations, a guess from its plan.
int64_t EstimateNs(const RunState& run);

// The same of `visits` timed visits of one case, half of each arm.
int64_t EstimateTimedNs(const Manifest& m, const CaseState& state,
                        int64_t visits);

// The plan of a case as PerformCohort would write it now.
PlanRecord MakePlan(const RunState& run, const CaseState& state,
                    const CohortRequest& request);

// Calls per sample of a case that has its plan and both calibrations.
int64_t CalibratedRepetitions(const CaseState& state);

// Performs every missing visit. A visit that ends badly stops its case; the
// other cases go on. The run must be locked and must have no failure yet.
//
// Fails with kIo and what publishing fails with; what was published stays.
Result<CohortReport> PerformCohort(const CohortRequest& request, RunState& run);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_COHORT_H_
