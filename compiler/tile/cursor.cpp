#include "compiler/tile/cursor.h"

#include <charconv>
#include <limits>

#include "manifests/json.h"

namespace exhibit::tile {

Cursor::Cursor(std::string_view text, std::string_view where,
               int64_t first_line)
    : lexer_(text, first_line), where_(where), token_(lexer_.Next()) {}

bool Cursor::At(std::string_view word) const {
  return (token_.kind == TokenKind::kName ||
          token_.kind == TokenKind::kPunctuation) &&
         token_.text == word;
}

bool Cursor::Skip(std::string_view word) {
  if (!At(word)) return false;
  Advance();
  return true;
}

Error Cursor::ErrorHere(std::string_view what, ErrorKind kind) const {
  return Error{kind,
               where_ + ":" + std::to_string(token_.line) + ":" +
                   std::to_string(token_.column) + ": " + std::string(what),
               ""};
}

Error Cursor::Expected(std::string_view what) const {
  Error error = ErrorHere(
      "expected " + std::string(what) + ", found " + DescribeToken(token_),
      ErrorKind::kCorrupt);
  error.hint = token_.text == "\r"
                   ? "The line ends in CRLF: sed -i 's/\\r$//' FILE"
                   : "The grammar is in compiler/TILE.md.";
  return error;
}

Status Cursor::Require(std::string_view word) {
  if (!Skip(word)) return Expected(QuoteText(word));
  return Ok();
}

Status Cursor::RequireLineEnd() {
  if (token_.kind != TokenKind::kLineEnd) return Expected("end of line");
  SkipEmptyLines();
  return Ok();
}

void Cursor::SkipEmptyLines() {
  while (token_.kind == TokenKind::kLineEnd) Advance();
}

Result<std::string> Cursor::TakeName(std::string_view what, int64_t bytes_max) {
  if (token_.kind != TokenKind::kName) return Expected(what);
  if (static_cast<int64_t>(token_.text.size()) > bytes_max) {
    return ErrorHere("name " + DescribeToken(token_) + " has " +
                         std::to_string(token_.text.size()) +
                         " bytes, the limit is " + std::to_string(bytes_max),
                     ErrorKind::kLimitExceeded);
  }
  std::string name(token_.text);
  Advance();
  return name;
}

Result<int64_t> Cursor::TakeInteger(std::string_view what) {
  int64_t number = 0;
  const char* const end = token_.text.data() + token_.text.size();
  const auto parsed = std::from_chars(token_.text.data(), end, number);
  if (token_.kind != TokenKind::kNumber || parsed.ptr != end ||
      parsed.ec != std::errc()) {
    return Expected(what);
  }
  Advance();
  return number;
}

Result<float> Cursor::TakeFloat() {
  float number = 0;
  if (Skip("nan")) return std::numeric_limits<float>::quiet_NaN();
  if (Skip("inf")) return std::numeric_limits<float>::infinity();
  const char* const end = token_.text.data() + token_.text.size();
  const auto parsed = std::from_chars(token_.text.data(), end, number);
  // A NaN has one spelling, without a sign or a payload.
  if (token_.kind != TokenKind::kNumber || parsed.ptr != end ||
      parsed.ec != std::errc() || number != number) {
    return Expected("an f32 number");
  }
  Advance();
  return number;
}

}  // namespace exhibit::tile
