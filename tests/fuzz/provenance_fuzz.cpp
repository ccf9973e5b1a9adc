// provenance.json: what is accepted is written back byte for byte.

#include "archive/provenance.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

void Check(std::string_view bytes) {
  const Result<Provenance> provenance = DecodeProvenance(bytes, "input");
  if (!provenance.ok()) {
    fuzz::RequireSound(provenance.error());
    return;
  }
  const std::string encoded = EncodeProvenance(*provenance);
  // Private fields are let through and not kept.
  if (bytes.find("\"x-") == std::string_view::npos) {
    fuzz::Require(encoded == bytes, "provenance is written back byte for byte");
  }
  const Result<Provenance> again = DecodeProvenance(encoded, "encoded");
  fuzz::Require(again.ok() && *again == *provenance,
                "what is written reads back the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  Check(bytes);
  const std::optional<std::string> canonical = fuzz::Canonical(bytes);
  if (canonical && *canonical != bytes) Check(*canonical);
  return 0;
}
