// Arrays that a dead attempt published and no record came to name.
//
// Outputs are published before the capture that names them. An attempt killed
// in between leaves arrays that nothing refers to, where a run holds nothing
// unnamed.

#ifndef EXHIBIT_CAPTURE_ORPHAN_ARRAYS_H_
#define EXHIBIT_CAPTURE_ORPHAN_ARRAYS_H_

#include <string>

#include "manifests/manifest.h"
#include "manifests/result.h"

namespace exhibit {

// Removes every array of the run that no case.json and no capture.json names.
// Only for a run that lacks a capture: later, visits name arrays as well.
// Fails as reading the records does, and with kIo.
Status RemoveOrphanArrays(const Manifest& manifest, const std::string& run);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_ORPHAN_ARRAYS_H_
