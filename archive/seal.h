// The last step of a bundle: derived files in, SHA256SUMS over everything.

#ifndef EXHIBIT_ARCHIVE_SEAL_H_
#define EXHIBIT_ARCHIVE_SEAL_H_

#include <string>

#include "archive/limits.h"
#include "archive/progress.h"
#include "manifests/result.h"

namespace exhibit {

struct SealOptions {
  std::string audit_file;   // Copied in as audit.json; "" for none.
  std::string report_file;  // Copied in as report.md; "" for none.
  ArchiveLimits limits;
  Watch watch;
};

// Verifies the subject of the bundle in the folder `bundle`, copies the
// derived files in, and writes SHA256SUMS last. On failure the bundle is as it
// was. Returns the content id.
//
// Fails with kInvalidArgument when the bundle is sealed or has a file of that
// name already, and with kCorrupt when its subject does not hold or a derived
// file is not one of this bundle.
Result<std::string> SealBundle(const std::string& bundle,
                               const SealOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_SEAL_H_
