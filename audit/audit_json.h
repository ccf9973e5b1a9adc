// The result of an audit as one JSON value. Normative: audit/AUDIT_JSON.md.

#ifndef EXHIBIT_AUDIT_AUDIT_JSON_H_
#define EXHIBIT_AUDIT_AUDIT_JSON_H_

#include "audit/audit.h"
#include "audit/audit_state.h"
#include "manifests/json.h"

namespace exhibit {

Verdict VerdictOf(const AuditState& state);

// Every text from the subject that is not part of a decoded manifest is
// printable ASCII; every number is finite.
Json BuildAuditJson(const AuditState& state);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_AUDIT_JSON_H_
