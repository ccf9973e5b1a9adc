// Splits the text of a tile program into tokens, lazily.
//
// The end of a line is a token, since a statement is one line; spaces, tabs and
// comments (`#` to the end of the line) are not. What is no token comes as
// kUnknown, so that the parser reports it where it stands.
// Normative: compiler/TILE.md, "Text".

#ifndef EXHIBIT_COMPILER_TILE_LEXER_H_
#define EXHIBIT_COMPILER_TILE_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace exhibit::tile {

enum class TokenKind {
  kName,         // [A-Za-z_][A-Za-z0-9_]*
  kNumber,       // Starts with a digit or "-"; not checked further.
  kPunctuation,  // One of : = , < [ ] { } or "->".
  kLineEnd,
  kTextEnd,
  kUnknown,  // One byte that begins no token.
};

struct Token {
  TokenKind kind = TokenKind::kTextEnd;
  std::string_view text;  // Into the lexed text.
  int64_t line = 1;       // From 1.
  int64_t column = 1;     // From 1, in bytes.
};

class Lexer {
 public:
  // `text` must outlive the tokens. Lines are counted from `first_line`.
  Lexer(std::string_view text, int64_t first_line)
      : text_(text), line_(first_line) {}

  Token Next();

 private:
  void SkipBlanks();

  std::string_view text_;
  size_t position_ = 0;
  int64_t line_;
  size_t line_start_ = 0;
};

// As a message quotes it: "\"name\"", "end of line" or "end of text".
std::string DescribeToken(const Token& token);

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_LEXER_H_
