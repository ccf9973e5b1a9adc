// Two runs of one manifest, side by side.
//
// Each is judged by itself. Nothing of one is divided by anything of the other,
// and no time of either is printed: times of two cohorts are times of two
// machines, or of one on two days.

#ifndef EXHIBIT_AUDIT_BESIDE_H_
#define EXHIBIT_AUDIT_BESIDE_H_

#include <string>

#include "manifests/json.h"
#include "manifests/result.h"

namespace exhibit {

// Made from the JSON values of two audits and from nothing else.
//
// Fails with kInvalidArgument when either has no manifest, the digests of their
// manifests differ, or both are one and the same run.
Result<std::string> RenderBeside(const Json& a, const Json& b);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_BESIDE_H_
