// What the manifest expects of the two arms beyond being right: the same
// output bits, the same capacity. Where that fails the experiment is invalid,
// and an honest bundle of it is nevertheless verified.

#ifndef EXHIBIT_AUDIT_EXPECTATIONS_H_
#define EXHIBIT_AUDIT_EXPECTATIONS_H_

#include <string>
#include <vector>

#include "audit/evidence.h"
#include "audit/subject.h"

namespace exhibit {

// One sentence for each expectation that the records of a case do not meet;
// none where an arm did not complete. Capacity is what realization.json
// states, and of a library its workspace alone.
std::vector<std::string> UnmetExpectations(const Subject& subject,
                                           const Manifest& manifest,
                                           const CaseEvidence& c);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_EXPECTATIONS_H_
