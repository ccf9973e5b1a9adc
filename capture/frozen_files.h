// The files that freeze.json lists: what the manifest names as sources, program
// texts and attachments, and Exhibit's own source as it was when this tool was
// built.

#ifndef EXHIBIT_CAPTURE_FROZEN_FILES_H_
#define EXHIBIT_CAPTURE_FROZEN_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manifests/manifest.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

struct FrozenFiles {
  std::map<std::string, std::string> bytes;  // Path in the run -> contents.
  std::vector<FileEntry> sources;            // sources/..., sorted by path.
  std::vector<Attachment> attachments;       // attachments/..., sorted by path.
};

// Where Exhibit's own source lies and what it must be.
struct OwnSource {
  std::string folder;
  std::string content_id;  // Compiled into the tool.
};

inline constexpr uint64_t kFrozenBytesMax = uint64_t{1} << 29;  // All together.

// Reads them all. `manifest_folder` is what relative paths start from.
//
// Fails with kNotFound for a file that is not there, kInvalidArgument for a
// path that cannot stand in a run or is named twice, kCorrupt when Exhibit's
// source is not the one the tool was built from, and kLimitExceeded past
// kSourceFileBytesMax for one file or kFrozenBytesMax for all.
Result<FrozenFiles> GatherFrozenFiles(const Manifest& manifest,
                                      const std::string& manifest_folder,
                                      const OwnSource& own);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_FROZEN_FILES_H_
