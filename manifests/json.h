// Strict JSON in, canonical JSON out.
//
// The reader accepts RFC 8259 and refuses what a second reader could see
// otherwise: a byte-order mark, repeated keys, integers beyond 2^53, numbers
// that are not finite, invalid UTF-8, more than one value. The canonical form
// is one line: keys sorted bytewise, no spaces, integers in decimal, other
// numbers as the shortest text that reads back the same (std::to_chars, with
// ".0" after a number that would read as an integer), strings with the shortest
// escapes, one "\n" at the end. Normative: manifests/RECORDS.md, "JSON".

#ifndef EXHIBIT_MANIFESTS_JSON_H_
#define EXHIBIT_MANIFESTS_JSON_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json>;  // Bytewise order.

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool v) : value_(v) {}
  Json(int v) : value_(int64_t{v}) {}
  Json(int64_t v) : value_(v) {}
  Json(uint64_t v) : value_(static_cast<int64_t>(v)) {}
  Json(double v) : value_(v) {}
  Json(const char* v) : value_(std::string(v)) {}
  Json(std::string v) : value_(std::move(v)) {}
  Json(std::string_view v) : value_(std::string(v)) {}
  Json(Array v) : value_(std::move(v)) {}
  Json(Object v) : value_(std::move(v)) {}

  bool is_null() const {
    return std::holds_alternative<std::monostate>(value_);
  }
  // Each returns null when the value is of another type. A number without
  // fraction and exponent is an integer, any other number a double.
  const bool* AsBool() const { return std::get_if<bool>(&value_); }
  const int64_t* AsInteger() const { return std::get_if<int64_t>(&value_); }
  const double* AsDouble() const { return std::get_if<double>(&value_); }
  const std::string* AsString() const {
    return std::get_if<std::string>(&value_);
  }
  const Array* AsArray() const { return std::get_if<Array>(&value_); }
  const Object* AsObject() const { return std::get_if<Object>(&value_); }
  Array* AsArray() { return std::get_if<Array>(&value_); }
  Object* AsObject() { return std::get_if<Object>(&value_); }
  // "null", "bool", "integer", "number", "string", "array" or "object".
  std::string_view TypeName() const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array,
               Object>
      value_;
};

struct JsonLimits {
  uint64_t text_bytes_max = uint64_t{64} << 20;
  int depth_max = 32;
  uint64_t value_count_max = 4'000'000;
};

// Fails with kCorrupt (line, column and the text there) or kLimitExceeded.
// `where` names the file in messages.
Result<Json> ParseJson(std::string_view text, std::string_view where,
                       const JsonLimits& limits = {});

// The canonical bytes. A NaN, an infinity, an integer beyond 2^53 or a string
// that is not UTF-8 is a bug.
std::string EncodeJson(const Json& value);

// A value as it may be quoted in a message: canonical, cut at 80 bytes, with
// control characters escaped.
std::string QuoteJson(const Json& value);
std::string QuoteText(std::string_view text);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_JSON_H_
