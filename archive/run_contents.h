// What a run holds, against what its manifest and freeze.json ask for: by the
// names of files, and whether the manifest is the one that was frozen. Whether
// a run is sound is for the audit to say; this is for its author, before a
// bundle leaves the house.

#ifndef EXHIBIT_ARCHIVE_RUN_CONTENTS_H_
#define EXHIBIT_ARCHIVE_RUN_CONTENTS_H_

#include <string>
#include <vector>

#include "archive/limits.h"
#include "manifests/result.h"

namespace exhibit {

struct RunContents {
  // Files that nothing of the run asks for, sorted.
  std::vector<std::string> stray;
  // Sentences: what the manifest asks for and is not there yet.
  std::vector<std::string> unfinished;
  // Why nothing can be said, when manifest.json or freeze.json does not
  // decode; then both lists are empty.
  std::string unknown;
  // Where manifest.json is not the one that freeze.json froze: the digest that
  // it froze, and the one that is there. Empty otherwise.
  std::string frozen_manifest_sha256, found_manifest_sha256;
};

// Fails as ListRun does, and when manifest.json is missing (kNotFound).
Result<RunContents> LookAtRun(const std::string& run,
                              const ArchiveLimits& limits);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_RUN_CONTENTS_H_
