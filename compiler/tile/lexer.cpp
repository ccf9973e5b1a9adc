#include "compiler/tile/lexer.h"

#include "manifests/json.h"

namespace exhibit::tile {

namespace {

// Not <cctype>: that one asks the locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

// Length of the name at the start of `text`.
size_t NameLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && IsNamePart(text[length])) ++length;
  return length;
}

// Length of the number at the start of `text`: "-" if any, then letters, digits
// and dots, and a sign behind an e.
size_t NumberLength(std::string_view text) {
  size_t length = 1;
  while (length < text.size()) {
    const char c = text[length];
    const char before = text[length - 1];
    const bool exponent_sign =
        (c == '+' || c == '-') && (before == 'e' || before == 'E');
    if (!IsNamePart(c) && c != '.' && !exponent_sign) break;
    ++length;
  }
  return length;
}

}  // namespace

void Lexer::SkipBlanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '#') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == ' ' || c == '\t') {
      ++position_;
    } else {
      return;
    }
  }
}

Token Lexer::Next() {
  SkipBlanks();
  Token token;
  token.line = line_;
  token.column = static_cast<int64_t>(position_ - line_start_) + 1;
  if (position_ == text_.size()) return token;
  const std::string_view rest = text_.substr(position_);
  const char first = rest[0];
  size_t length = 1;
  if (first == '\n') {
    token.kind = TokenKind::kLineEnd;
    ++line_;
    line_start_ = position_ + 1;
  } else if (IsNameStart(first)) {
    token.kind = TokenKind::kName;
    length = NameLength(rest);
  } else if (rest.starts_with("->")) {
    token.kind = TokenKind::kPunctuation;
    length = 2;
  } else if (IsDigit(first) || first == '-') {
    token.kind = TokenKind::kNumber;
    length = NumberLength(rest);
  } else if (std::string_view(":=,<[]{}").find(first) !=
             std::string_view::npos) {
    token.kind = TokenKind::kPunctuation;
  } else {
    token.kind = TokenKind::kUnknown;
  }
  token.text = rest.substr(0, length);
  position_ += length;
  return token;
}

std::string DescribeToken(const Token& token) {
  if (token.kind == TokenKind::kLineEnd) return "end of line";
  if (token.kind == TokenKind::kTextEnd) return "end of text";
  return QuoteText(token.text);
}

}  // namespace exhibit::tile
