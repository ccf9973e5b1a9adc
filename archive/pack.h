// Run in, bundle out.

#ifndef EXHIBIT_ARCHIVE_PACK_H_
#define EXHIBIT_ARCHIVE_PACK_H_

#include <cstdint>
#include <string>

#include "archive/limits.h"
#include "archive/privacy.h"
#include "archive/progress.h"
#include "archive/provenance.h"
#include "manifests/result.h"

namespace exhibit {

struct PackOptions {
  Producer producer;
  int threads = 1;  // 1..kXzThreadsMax; does not change a byte.
  // What to look for and refuse (archive/privacy.h); nothing by default.
  PrivateWords private_words;
  std::string claims_file;  // Copied in as claims.json; "" for none.
  ArchiveLimits limits;
  Watch watch;
};

struct PackReport {
  std::string content_id;
  int64_t file_count = 0;
  uint64_t contents_bytes = 0;
};

// Packs the run in the folder `run` into the new folder `bundle`, reads back
// what it wrote, compares every byte with the run, and only then gives the
// folder its name. On failure nothing is left behind.
//
// Fails with kInvalidArgument when `bundle` exists or another tool writes to
// the run or a private word stands in it, kNotFound when there is no run,
// kCorrupt and kLimitExceeded on what cannot be archived, and kIo, also when
// the run changes meanwhile.
Result<PackReport> PackRun(const std::string& run, const std::string& bundle,
                           const PackOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_PACK_H_
