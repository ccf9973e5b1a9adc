// Arrays as NumPy 1.0 `.npy` files.
//
// One accepted spelling: format 1.0, C order, little-endian, the header
// dictionary as NumPy itself writes it and padded so that the data starts at a
// multiple of 64 bytes. The reader encodes the header it read again and
// compares, so a file has one meaning and one set of bytes.
// Normative: manifests/RECORDS.md, "Arrays".

#ifndef EXHIBIT_MANIFESTS_NPY_H_
#define EXHIBIT_MANIFESTS_NPY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

enum class DType { kF32, kF64, kI64, kU8 };  // <f4 <f8 <i8 |u1

// "f32", "f64", "i64", "u8".
std::string_view DTypeName(DType dtype);
Result<DType> ParseDType(std::string_view name);
uint64_t DTypeBytes(DType dtype);

struct Array {
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;  // Empty: one element.
  std::string bytes;            // Row-major, little-endian.

  bool operator==(const Array&) const = default;
};

struct NpyLimits {
  uint64_t data_bytes_max = uint64_t{1} << 31;
  uint64_t axis_count_max = 16;
};

// The product of `shape`; kLimitExceeded when it passes 2^53.
Result<uint64_t> ElementCount(const std::vector<uint64_t>& shape);

// A shape that disagrees with the number of bytes is a bug.
std::string EncodeNpy(const Array& array);

// Fails with kCorrupt (offset and bytes read), kUnsupported (another dtype,
// version or order) or kLimitExceeded. `where` names the file in messages.
Result<Array> DecodeNpy(std::string_view bytes, std::string_view where,
                        const NpyLimits& limits = {});

// Element copies between C++ and the little-endian bytes of an array.
std::string BytesOf(const std::vector<float>& values);
std::string BytesOf(const std::vector<double>& values);
// The dtype must be kF32 or kF64 respectively (a bug otherwise).
std::vector<float> FloatsOf(const Array& array);
std::vector<double> DoublesOf(const Array& array);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_NPY_H_
