// The xz layer: one whole stream or nothing, and what is accepted survives
// our own encoder.

#include "archive/xz.h"
#include "tests/fuzz/codec_check.h"

using namespace exhibit;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::CheckCodec<XzSource>(fuzz::TextOf(data, size), [](ByteSink& sink) {
    return XzSink::Create(sink, 1);
  });
  return 0;
}
