// The arrays of a subject, decoded when a stage asks for them.

#ifndef EXHIBIT_AUDIT_ARRAYS_H_
#define EXHIBIT_AUDIT_ARRAYS_H_

#include <optional>
#include <string>
#include <vector>

#include "audit/subject.h"
#include "manifests/npy.h"

namespace exhibit {

// Absent when it is missing or does not decode, which an earlier stage has
// said.
std::optional<Array> FindArray(const Subject& subject,
                               const std::string& sha256);

// Absent also when it is not of f32.
std::optional<std::vector<float>> FindFloats(const Subject& subject,
                                             const std::string& sha256);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_ARRAYS_H_
