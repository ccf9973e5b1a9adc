// Whether two calls of one kernel wrote the same bits.

#ifndef EXHIBIT_CAPTURE_OUTPUT_COMPARISON_H_
#define EXHIBIT_CAPTURE_OUTPUT_COMPARISON_H_

#include <string>
#include <vector>

#include "capture/worker_report.h"
#include "manifests/result.h"

namespace exhibit {

// Says where what the JIT-linked code wrote differs first from what kernel.so
// wrote; "" when every bit is the same. Both lists are of one case's outputs
// in declaration order (a bug otherwise). Fails as DecodeNpy does.
Result<std::string> FirstDifference(const std::vector<OutputBytes>& jit,
                                    const std::vector<OutputBytes>& prepared);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_OUTPUT_COMPARISON_H_
