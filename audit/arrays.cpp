#include "audit/arrays.h"

#include <utility>

#include "manifests/run_layout.h"

namespace exhibit {

std::optional<Array> FindArray(const Subject& subject,
                               const std::string& sha256) {
  const std::string path = ArrayPath(sha256);
  const std::string* bytes = subject.Bytes(path);
  if (bytes == nullptr) return std::nullopt;
  Result<Array> array = DecodeNpy(*bytes, path);
  if (!array.ok()) return std::nullopt;
  return std::move(*array);
}

std::optional<std::vector<float>> FindFloats(const Subject& subject,
                                             const std::string& sha256) {
  const std::optional<Array> array = FindArray(subject, sha256);
  if (!array || array->dtype != DType::kF32) return std::nullopt;
  return FloatsOf(*array);
}

}  // namespace exhibit
