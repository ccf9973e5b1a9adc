// The xz layer: one whole stream or nothing, and what is accepted survives
// our own encoder.

#include "archive/xz.h"
#include "tests/fuzz/codec_check.h"
#include "tests/fuzz/xz_sums.h"

using namespace exhibit;

namespace {

void Check(std::string_view bytes) {
  fuzz::CheckCodec<XzSource>(
      bytes, [](ByteSink& sink) { return XzSink::Create(sink, 1); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::ForBothSums(fuzz::TextOf(data, size), Check);
  return 0;
}
