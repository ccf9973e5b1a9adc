// Records: what is accepted is written back byte for byte. The first byte of
// the input selects the record.

#include "manifests/records.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

template <typename Record>
void Check(std::string_view bytes,
           Result<Record> (*decode)(std::string_view, std::string_view),
           std::string (*encode)(const Record&)) {
  const Result<Record> record = decode(bytes, "input");
  if (!record.ok()) {
    fuzz::RequireSound(record.error());
    return;
  }
  const std::string encoded = encode(*record);
  // Private fields are let through and not kept.
  if (bytes.find("\"x-") == std::string_view::npos) {
    fuzz::Require(encoded == bytes, "a record is written back byte for byte");
  }
  const Result<Record> again = decode(encoded, "encoded");
  fuzz::Require(again.ok(), "what is written is accepted");
  fuzz::Require(encode(*again) == encoded, "writing is a fixed point");
}

void CheckSelected(uint8_t selector, std::string_view bytes) {
  switch (selector % 5) {
    case 0:
      return Check(bytes, DecodeFreeze, EncodeFreeze);
    case 1:
      return Check(bytes, DecodeCase, EncodeCase);
    case 2:
      return Check(bytes, DecodeCapture, EncodeCapture);
    case 3:
      return Check(bytes, DecodePlan, EncodePlan);
    case 4:
      return Check(bytes, DecodeVisit, EncodeVisit);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::TextOf(data + 1, size - 1);
  CheckSelected(data[0], bytes);
  const std::optional<std::string> canonical = fuzz::Canonical(bytes);
  if (canonical && *canonical != bytes) CheckSelected(data[0], *canonical);
  return 0;
}
