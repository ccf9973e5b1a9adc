// The gzip layer: one whole stream or nothing, and what is accepted survives
// our own encoder.

#include "archive/gzip.h"
#include "tests/fuzz/codec_check.h"

using namespace exhibit;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::CheckCodec<GzipSource>(fuzz::TextOf(data, size), [](ByteSink& sink) {
    return GzipSink::Create(sink);
  });
  return 0;
}
