// Stage statistics: what the samples of the sound cases say.
//
// All numbers come from audit/statistics; here visits become its input.

#ifndef EXHIBIT_AUDIT_CASE_STATISTICS_H_
#define EXHIBIT_AUDIT_CASE_STATISTICS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/statistics/statistics.h"

namespace exhibit {

// One case that was judged.
struct JudgedCase {
  CaseEstimates estimates;
  CaseDecision decision;
};

struct Judgement {
  std::map<std::string, JudgedCase> cases;  // By name; sound cases only.
  // All that the manifest declares, but its null cases.
  int64_t cases_tried = 0;
  double chance_of_false_claim = 0;
};

// A case of which a capture or visit did not complete, of which an expectation
// was not met, or which was not measured is `invalid`, with the reason.
Judgement JudgeCases(Evidence& evidence, FindingList& findings);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_CASE_STATISTICS_H_
