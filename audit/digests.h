// Stage digests: every digest names the bytes that it is said to name.

#ifndef EXHIBIT_AUDIT_DIGESTS_H_
#define EXHIBIT_AUDIT_DIGESTS_H_

#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/subject.h"

namespace exhibit {

// Names of arrays, lists of files in records, references to arrays, and the
// chain manifest <- freeze <- case <- capture <- plan <- calibration <- visit.
void CheckDigests(const Subject& subject, Evidence& evidence,
                  FindingList& findings);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_DIGESTS_H_
