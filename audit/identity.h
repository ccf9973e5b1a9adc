// Stage identity: the code that ran is the code that was declared.

#ifndef EXHIBIT_AUDIT_IDENTITY_H_
#define EXHIBIT_AUDIT_IDENTITY_H_

#include "audit/checker.h"
#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/realization.h"
#include "audit/subject.h"

namespace exhibit {

// Looks at the cases that are sound. Of a tile variant: program.tile is the
// program of the case, realization.json is what compiler/plan gives
// for it, kernel.so is what the declared link makes of kernel.o. Of a library:
// what it exports and imports. Both arms had one producer.
void CheckIdentity(const Subject& subject, Evidence& evidence,
                   FindingList& findings);

// One completed capture.
struct CaptureFiles {
  const Subject& subject;
  std::string folder;  // In the run.
  const CaptureRecord& record;
  std::string program_name;     // Of a tile variant.
  int64_t placement_bytes = 0;  // As the case declares it.

  std::string Path(const char* name) const { return folder + "/" + name; }
};

// Its parts, a file each. `details` takes what a row of the result shows.

// program.tile and realization.json of a tile variant of `c`, which takes
// details and work; the report where both can be read.
std::optional<RealizationReport> CheckProgram(const CaptureFiles& files,
                                              const Manifest& manifest,
                                              const ManifestVariant& variant,
                                              CaseEvidence& c, Checker& check);
// kernel.o and kernel.so.
void CheckObjects(const CaptureFiles& files, const RealizationReport* report,
                  Json::Object& details, Checker& check);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_H_
