// Stage semantics: the program text, executed again, gives the recorded bits.
//
// Where stage numbers says that an output is near what it should be, this one
// says that it is exactly what the program text means in strict FP32. The
// interpreter shares no code with the emitter except the definition of exp.
// Code of library variants has no text; it is not executed again.

#ifndef EXHIBIT_AUDIT_SEMANTICS_H_
#define EXHIBIT_AUDIT_SEMANTICS_H_

#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/subject.h"

namespace exhibit {

// Looks at the cases that are sound: at every output of their tile variants
// that a completed capture or visit recorded. Equal means equal bits, or a NaN
// on both sides. A program with the same inputs is executed once, however many
// captures have it.
void CheckSemantics(const Subject& subject, Evidence& evidence,
                    FindingList& findings);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_SEMANTICS_H_
