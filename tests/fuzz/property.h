// What a fuzz target demands of a decoder.
//
// A demand that does not hold is thrown: the driver catches it and keeps the
// input, libFuzzer takes it for a crash and keeps it as well.

#ifndef EXHIBIT_TESTS_FUZZ_PROPERTY_H_
#define EXHIBIT_TESTS_FUZZ_PROPERTY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "manifests/json.h"
#include "manifests/result.h"

// Every target defines it; the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace exhibit::fuzz {

inline std::string_view TextOf(const uint8_t* data, size_t size) {
  // libFuzzer may hand over a null pointer for no bytes.
  if (size == 0) return {};
  return {reinterpret_cast<const char*>(data), size};
}

// Throws std::runtime_error("violated: ...") unless `holds`.
inline void Require(bool holds, std::string_view property) {
  if (!holds) throw std::runtime_error("violated: " + std::string(property));
}

// A sentence that may be shown on a terminal and stand in a record, whatever
// the bytes were that it quotes.
inline void RequireShowable(std::string_view sentence) {
  Require(!sentence.empty(), "a message says something");
  for (const char c : sentence) {
    Require(static_cast<unsigned char>(c) >= ' ',
            "a message holds no control character");
  }
  try {
    (void)EncodeJson(Json(sentence));
  } catch (const std::exception&) {
    Require(false, "a message is UTF-8");
  }
}

// For decoders whose messages quote names as they stand: whoever shows them
// makes them printable.
inline void RequireSaid(const Error& error) {
  Require(error.kind != ErrorKind::kIo, "a decoder reads no files");
  Require(!error.message.empty(), "a message says something");
}

// What bytes in memory can cause: everything but a refusal of the system.
inline void RequireSound(const Error& error) {
  Require(error.kind != ErrorKind::kIo, "a decoder reads no files");
  RequireShowable(error.message);
}

// The canonical form of `text`, if it is strict JSON: mutations seldom keep
// the form, and a decoder that refuses everything else would not be reached.
inline std::optional<std::string> Canonical(std::string_view text) {
  const Result<Json> json = ParseJson(text, "input");
  if (!json.ok()) return std::nullopt;
  return EncodeJson(*json);
}

// Takes a part off the front of `bytes`: four bytes of little-endian length,
// then the part. A length that is too large takes what there is.
inline std::string_view TakePart(std::string_view& bytes) {
  if (bytes.size() < 4) return {};
  size_t length = 0;
  for (size_t i = 4; i-- > 0;) {
    length = length << 8 | static_cast<uint8_t>(bytes[i]);
  }
  bytes.remove_prefix(4);
  const std::string_view part = bytes.substr(0, length);
  bytes.remove_prefix(part.size());
  return part;
}

// `part` as TakePart reads it.
inline std::string AsPart(std::string_view part) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(part.size() >> shift & 0xff);
  }
  return bytes.append(part);
}

}  // namespace exhibit::fuzz

#endif  // EXHIBIT_TESTS_FUZZ_PROPERTY_H_
