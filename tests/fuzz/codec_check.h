// What is demanded alike of the two compressed layers.

#ifndef EXHIBIT_TESTS_FUZZ_CODEC_CHECK_H_
#define EXHIBIT_TESTS_FUZZ_CODEC_CHECK_H_

#include <optional>
#include <string>
#include <string_view>

#include "archive/bytes.h"
#include "tests/fuzz/archive_input.h"
#include "tests/fuzz/property.h"

namespace exhibit::fuzz {

template <typename Source>
Result<std::string> Decompress(std::string_view bytes, size_t piece_bytes) {
  const ArchiveLimits limits = SmallLimits();
  PieceSource source(bytes, piece_bytes);
  EXHIBIT_ASSIGN_OR_RETURN(const auto decoder,
                           Source::Create(source, "input", limits));
  return ReadAll(*decoder, "input", uint64_t{1} << 30);
}

// Nothing depends on the pieces, a byte more is refused as a byte less is, and
// the limit on expansion holds. Returns what was accepted.
template <typename Source>
std::optional<std::string> CheckDecoder(std::string_view bytes) {
  const Result<std::string> contents = Decompress<Source>(bytes, kPieceBytes);
  const Result<std::string> in_pieces = Decompress<Source>(bytes, 7);
  Require(contents.ok() == in_pieces.ok(),
          "the size of pieces decides nothing");
  if (!contents.ok()) {
    RequireSound(contents.error());
    return std::nullopt;
  }
  Require(*contents == *in_pieces, "the size of pieces changes nothing");
  const ArchiveLimits limits = SmallLimits();
  Require(contents->size() <= limits.expansion_free_bytes +
                                  limits.expansion_ratio_max * bytes.size(),
          "the limit on expansion is kept");
  for (const char last : {'\0', 'x'}) {
    Require(!Decompress<Source>(std::string(bytes) + last, kPieceBytes).ok(),
            "a byte after the end is refused");
  }
  Require(!Decompress<Source>(bytes.substr(0, bytes.size() - 1), 100).ok(),
          "a byte less is refused");
  return *contents;
}

// What is accepted, compressed by our own encoder, has the same contents.
// `create` makes that encoder for a sink.
template <typename Source, typename Create>
void CheckCodec(std::string_view bytes, Create create) {
  const std::optional<std::string> contents = CheckDecoder<Source>(bytes);
  if (!contents) return;
  StringSink sink;
  const auto encoder = create(sink);
  Require(encoder.ok() && (*encoder)->Write(*contents).ok() &&
              (*encoder)->Finish().ok(),
          "memory suffices to compress");
  const auto again = Decompress<Source>(sink.bytes(), kPieceBytes);
  // What another encoder packed tighter may pass our limit; not otherwise.
  Require(again.ok() ? *again == *contents
                     : again.error().kind == ErrorKind::kLimitExceeded,
          "what is compressed again has the same contents");
}

}  // namespace exhibit::fuzz

#endif  // EXHIBIT_TESTS_FUZZ_CODEC_CHECK_H_
