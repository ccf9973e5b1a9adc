// One case in the result of an audit. Normative: audit/AUDIT_JSON.md, "Cases".

#ifndef EXHIBIT_AUDIT_CASE_JSON_H_
#define EXHIBIT_AUDIT_CASE_JSON_H_

#include "audit/audit_state.h"
#include "audit/evidence.h"
#include "manifests/json.h"

namespace exhibit {

// A case that no stage holds anything against has an outcome; of any other
// only the declaration is repeated. Where the outcome shows no ratio, no ratio
// and nothing computed from ratios is in the value.
Json CaseJson(const AuditState& state, const CaseEvidence& c);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_CASE_JSON_H_
