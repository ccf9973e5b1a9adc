// Stage declaration: the manifest, the captures and the visits say the same,
// and nothing that was declared is left out.

#ifndef EXHIBIT_AUDIT_DECLARATION_H_
#define EXHIBIT_AUDIT_DECLARATION_H_

#include "audit/checker.h"
#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/subject.h"

namespace exhibit {

// Needs the manifest and freeze.json; looks at the cases that are sound.
void CheckDeclaration(const Subject& subject, Evidence& evidence,
                      FindingList& findings);

// Its parts, a file each.

// case.json and every capture.json of one case.
void CheckCaseDeclaration(const Subject& subject, const Evidence& evidence,
                          CaseEvidence& c, Checker& check);
// plan.json, calibrations and visits of one case.
void CheckReplayDeclaration(const Evidence& evidence, CaseEvidence& c,
                            Checker& check);
// One host, boot and build; times, attempts and sources. `cases` are those
// that were sound when the stage began.
void CheckCohort(const Evidence& evidence,
                 const std::vector<CaseEvidence*>& cases,
                 FindingList& findings);

// What the array of that digest must hold. An array that is not there or does
// not decode has been reported by an earlier stage.
struct ArrayClaim {
  std::string sha256;
  std::string buffer;
  std::vector<int64_t> shape;
  enum class Type { kF32, kF32OrF64 } type = Type::kF32;
};
void CheckArray(const Evidence& evidence, const ArrayClaim& claim,
                Checker& check);

// A buffer of a case as the manifest declares it.
struct DeclaredBuffer {
  std::string name;
  bool is_output = false;
  std::vector<int64_t> shape;
  bool from_file = false;  // Its array was named by the manifest.
};

// All buffers in declaration order: of the attention program, as typed, or as
// the frozen text declares them; none where that text could not be read.
std::vector<DeclaredBuffer> DeclaredBuffers(const Manifest& manifest,
                                            const CaseEvidence& c);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_DECLARATION_H_
