// A demand that does not always hold: shows that the driver notices and keeps
// the input.

#include "tests/fuzz/property.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = exhibit::fuzz::TextOf(data, size);
  exhibit::fuzz::Require(text.starts_with("sound"), "the text is sound");
  return 0;
}
