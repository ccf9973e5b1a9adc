// What stands before the data of a `.npy` file, for whoever reads or writes the
// data in pieces. The rules are those of manifests/npy.h.

#ifndef EXHIBIT_MANIFESTS_NPY_HEADER_H_
#define EXHIBIT_MANIFESTS_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/npy.h"
#include "manifests/result.h"

namespace exhibit {

// No header is longer: magic, version, length and what a length can say.
inline constexpr size_t kNpyHeaderBytesMax = 10 + 0xFFFF;

struct NpyHeader {
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;
  uint64_t data_offset = 0;  // Of the first element in the file.
};

// Decodes the header of a file of `file_bytes` that begins with `begin`, which
// is the whole file or at least kNpyHeaderBytesMax bytes of it. Fails as
// DecodeNpy does, also when the file is not as long as its shape asks for.
Result<NpyHeader> DecodeNpyHeader(std::string_view begin, uint64_t file_bytes,
                                  std::string_view where,
                                  const NpyLimits& limits = {});

// What EncodeNpy writes before the data.
std::string EncodeNpyHeader(DType dtype, const std::vector<uint64_t>& shape);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_NPY_HEADER_H_
