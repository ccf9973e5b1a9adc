// What the manifest expects of its two arms beyond being right: the same
// output bits, the same capacity.

#ifndef EXHIBIT_CAPTURE_EXPECTATIONS_H_
#define EXHIBIT_CAPTURE_EXPECTATIONS_H_

#include <string>
#include <vector>

#include "manifests/manifest.h"
#include "manifests/result.h"

namespace exhibit {

// Compares the captures of baseline and candidate in every case of the run.
// Returns one sentence per violated expectation, in the order of cases; an arm
// whose capture did not complete is not compared. Fails as reading does.
//
// Capacity is static_snapshot_bytes_per_worker and private_workspace_bytes of
// realization.json. A library has no such report: it is known by its workspace
// alone, and is never equal in capacity to a tile variant, whose snapshots it
// cannot state.
Result<std::vector<std::string>> ViolatedExpectations(const Manifest& manifest,
                                                      const std::string& run);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_EXPECTATIONS_H_
