// What the records of a case's visits say of the machine while they ran.

#ifndef EXHIBIT_AUDIT_VISIT_CONDITIONS_H_
#define EXHIBIT_AUDIT_VISIT_CONDITIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/evidence.h"
#include "audit/statistics/disturbance.h"

namespace exhibit {

VisitConditions ConditionsOf(const VisitRecord& record);

// A sentence on what is not the same in all timed visits of an arm although one
// host gave it: the clock, or a file mapped beside the kernel; none if all are
// the same. Another processor or build is a finding of the declaration.
std::vector<std::string> HostChanges(const CaseEvidence& c);

// The clock against what it measured, over all timed visits of a case.
struct CaseTiming {
  int64_t clock_resolution_ns = 0;    // The coarsest.
  int64_t clock_overhead_ns = 0;      // The largest.
  int64_t repetitions = 0;            // Of the first visit; the same in all.
  int64_t shortest_sample_ns = 0;     // Elapsed, not divided.
  std::optional<double> load_1m_max;  // Before a visit, where it was readable.
};
// Absent without samples.
std::optional<CaseTiming> TimingOf(const CaseEvidence& c);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_VISIT_CONDITIONS_H_
