// Stage decoding: every record, array, program and report is exactly what its
// format allows.

#ifndef EXHIBIT_AUDIT_DECODING_H_
#define EXHIBIT_AUDIT_DECODING_H_

#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/subject.h"

namespace exhibit {

// Takes what decoding the records has found, decodes the arrays, and calls the
// cases unsound of which a record is missing or unreadable.
void CheckDecoding(const Subject& subject, const FindingList& decoded,
                   Evidence& evidence, FindingList& findings);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_DECODING_H_
