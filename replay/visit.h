// A visit, from outside its process: start it, judge how it ended, publish it.

#ifndef EXHIBIT_REPLAY_VISIT_H_
#define EXHIBIT_REPLAY_VISIT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifests/records.h"
#include "manifests/result.h"
#include "replay/run_state.h"

namespace exhibit {

// What every visit of one replay has in common.
struct VisitContext {
  ToolIdentity tool;
  std::vector<std::string> command;  // As typed.
  int64_t attempt = 0;
  std::function<bool()> interrupted;  // May be empty.
};

// Which visit of a case, after those that its state holds.
struct NextVisit {
  std::string kind;  // calibration, timed
  int64_t index = 0;
  std::string arm;  // baseline, candidate
  PairShift shift;
  int64_t repetitions = 0;  // 0 for calibration.
  int data = -1;            // The case's arrays (case_data.h).
};

enum class VisitEnd { kPublished, kInterrupted };

// The time of a visit that was spent in the kernel: its first call, warm-up
// and samples.
int64_t KernelNs(const VisitRecord& record);

// A visit that has been made, and nothing of it written.
struct MeasuredVisit {
  VisitRecord record;               // Not yet its end_ns.
  std::vector<std::string> arrays;  // .npy files that it names.
};

// Performs `next`. Nothing when it was interrupted. Fails with kIo.
Result<std::optional<MeasuredVisit>> MeasureVisit(const RunState& run,
                                                  const VisitContext& context,
                                                  const NextVisit& next,
                                                  const CaseState& state);

// Performs `next`, publishes its arrays and then its record, and adds it to
// `state`. A visit that went wrong is published like any other; one that was
// interrupted leaves nothing.
//
// Fails with kIo and what publishing fails with; then no record was written.
Result<VisitEnd> PerformVisit(const RunState& run, const VisitContext& context,
                              const NextVisit& next, CaseState& state);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_VISIT_H_
