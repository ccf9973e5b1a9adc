// The arrays of a run, which are named by their digests.

#ifndef EXHIBIT_REPLAY_RUN_ARRAY_H_
#define EXHIBIT_REPLAY_RUN_ARRAY_H_

#include <string>

#include "manifests/npy.h"
#include "manifests/result.h"

namespace exhibit {

// The array with that digest, checked against it. `run` may be ".".
//
// Fails with kCorrupt when the bytes have another digest, and with what
// ReadFile and DecodeNpy fail with.
Result<Array> ReadRunArray(const std::string& run, const std::string& sha256);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_RUN_ARRAY_H_
