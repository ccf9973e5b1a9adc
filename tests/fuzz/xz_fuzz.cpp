// The xz layer: one whole stream or nothing, and what is accepted survives
// our own encoder.

#include "archive/xz.h"
#include "tests/fuzz/codec_check.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

std::string Compress(std::string_view contents) {
  StringSink sink;
  const auto encoder = XzSink::Create(sink, 1);
  fuzz::Require(encoder.ok() && (*encoder)->Write(contents).ok() &&
                    (*encoder)->Finish().ok(),
                "memory suffices to compress");
  return sink.bytes();
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const auto contents = fuzz::CheckDecoder<XzSource>(bytes);
  if (!contents) return 0;
  const auto again =
      fuzz::Decompress<XzSource>(Compress(*contents), kPieceBytes);
  // What another encoder packed tighter may pass our limit; not otherwise.
  fuzz::Require(again.ok() ? *again == *contents
                           : again.error().kind == ErrorKind::kLimitExceeded,
                "what is compressed again has the same contents");
  return 0;
}
