// Strict JSON: what is accepted has one canonical form, and that form is a
// fixed point.

#include "manifests/json.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const Result<Json> value = ParseJson(text, "input");
  if (!value.ok()) {
    fuzz::RequireSound(value.error());
    return 0;
  }
  const std::string canonical = EncodeJson(*value);
  const Result<Json> again = ParseJson(canonical, "canonical");
  fuzz::Require(again.ok(), "the canonical form is accepted");
  fuzz::Require(*again == *value, "the canonical form has the same meaning");
  fuzz::Require(EncodeJson(*again) == canonical,
                "the canonical form is a fixed point");
  fuzz::RequireShowable(QuoteJson(*value));

  JsonLimits limits;
  limits.text_bytes_max = size - 1;
  const Result<Json> limited = ParseJson(text, "input", limits);
  fuzz::Require(
      !limited.ok() && limited.error().kind == ErrorKind::kLimitExceeded,
      "one byte above the limit is refused");
  return 0;
}
