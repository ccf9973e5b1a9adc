// Stage numbers: every number that can be computed again is.
//
// Inputs are generated again, the oracle is computed again, and every output
// that a record refers to is compared with what is expected of it, whatever
// the record says of that comparison. Guard bytes are compared with their
// pattern. Each distinct array is looked at once.

#ifndef EXHIBIT_AUDIT_NUMBERS_H_
#define EXHIBIT_AUDIT_NUMBERS_H_

#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/subject.h"

namespace exhibit {

// Looks at the cases that are sound; sets their evidence level and the reasons
// why an honest case is invalid.
void CheckNumbers(const Subject& subject, Evidence& evidence,
                  FindingList& findings);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_NUMBERS_H_
