// Bundle in, run out.

#ifndef EXHIBIT_ARCHIVE_UNPACK_H_
#define EXHIBIT_ARCHIVE_UNPACK_H_

#include <string>

#include "archive/limits.h"
#include "archive/progress.h"
#include "manifests/result.h"

namespace exhibit {

struct UnpackOptions {
  ArchiveLimits limits;
  Watch watch;
};

// Writes the run that the bundle in the folder `bundle` holds into the new
// folder `run`, which appears only when all of the bundle holds. Nothing is
// written outside it. Returns the content id.
//
// Fails with kInvalidArgument when `run` exists, with kCorrupt and
// kLimitExceeded as VerifyBundle does, and with kIo. On failure nothing is
// left behind.
Result<std::string> UnpackBundle(const std::string& bundle,
                                 const std::string& run,
                                 const UnpackOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_UNPACK_H_
