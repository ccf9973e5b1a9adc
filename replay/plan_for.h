// exhibit-replay --plan-for: how long it would take to find an effect here.
//
// Of each case, one calibration visit per arm and kSpreadVisits visits of the
// baseline are made as a replay makes them, and forgotten: nothing of them is
// published. Their kSpreadVisits - 1 ratios of adjacent visits give the spread
// (power.h); they are A/A, so nothing is learnt of the candidate's effect.

#ifndef EXHIBIT_REPLAY_PLAN_FOR_H_
#define EXHIBIT_REPLAY_PLAN_FOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/result.h"
#include "replay/cohort.h"

namespace exhibit {

// As many as the smallest plan that can decide at 0.05 makes of both arms: the
// spread is then known to about a third, and its measuring costs one plan.
inline constexpr int64_t kSpreadVisits = 12;

struct CasePlan {
  std::string name;
  double spread = 0;  // Of the ratio of two adjacent visits.
  // In all, not beyond the manifest's; absent when too many.
  std::optional<int64_t> cycles;
  int64_t duration_ns = 0;  // Of those cycles and the calibrations.
};

struct PlanForReport {
  bool interrupted = false;
  std::vector<CasePlan> cases;  // Those that compare something, as declared.
};

// Whether the rule of the manifest could find an effect of that size at all.
Status CheckEffect(const Manifest& manifest, double effect);

// `effect` as in power.h. The run must be locked and is not written to.
//
// Fails with kInvalidArgument when no number of cycles can find the effect, or
// when a visit does not complete, and with what a visit fails with.
Result<PlanForReport> PlanForEffect(const CohortRequest& request,
                                    const RunState& run, double effect);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_PLAN_FOR_H_
