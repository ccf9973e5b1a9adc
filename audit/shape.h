// Stage shape: the files of the subject are the ones the manifest and the
// records let expect, no more and no less.

#ifndef EXHIBIT_AUDIT_SHAPE_H_
#define EXHIBIT_AUDIT_SHAPE_H_

#include <string>
#include <vector>

#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/subject.h"

namespace exhibit {

// Both ways: an extra file fails like a missing one. Arrays are only matched
// by pattern here; the next stage knows which of them anything refers to.
void CheckShape(const Subject& subject, Evidence& evidence,
                FindingList& findings);

// The files that a completed capture of `variant` has beside capture.json,
// sorted. A library has its object where the author named one.
std::vector<std::string> CaptureFileNames(const ManifestVariant& variant);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_SHAPE_H_
