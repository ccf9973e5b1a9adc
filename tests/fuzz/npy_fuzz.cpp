// Arrays: what is accepted is written back byte for byte, and its shape tells
// how many bytes it has.

#include "manifests/npy.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const Result<Array> array = DecodeNpy(bytes, "input");
  if (!array.ok()) {
    fuzz::RequireSound(array.error());
    return 0;
  }
  const Result<uint64_t> count = ElementCount(array->shape);
  fuzz::Require(count.ok(), "the shape can be counted");
  fuzz::Require(*count * DTypeBytes(array->dtype) == array->bytes.size(),
                "shape and bytes agree");
  fuzz::Require(EncodeNpy(*array) == bytes,
                "an array is written back byte for byte");
  if (array->dtype == DType::kF32) {
    fuzz::Require(BytesOf(FloatsOf(*array)).size() == array->bytes.size(),
                  "floats have the bytes of the array");
  }
  NpyLimits limits;
  limits.data_bytes_max = array->bytes.size();
  fuzz::Require(DecodeNpy(bytes, "input", limits).ok(),
                "an array at the limit is accepted");
  if (array->bytes.empty()) return 0;
  --limits.data_bytes_max;
  fuzz::Require(!DecodeNpy(bytes, "input", limits).ok(),
                "an array above the limit is refused");
  return 0;
}
