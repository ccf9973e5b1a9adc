// Steps through the tokens of a tile program, one token ahead, and words the
// errors of what it finds there.

#ifndef EXHIBIT_COMPILER_TILE_CURSOR_H_
#define EXHIBIT_COMPILER_TILE_CURSOR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/tile/lexer.h"
#include "manifests/result.h"

namespace exhibit::tile {

// A Take function returns what stands at the cursor and steps over it; an error
// leaves the cursor where it was. `what` completes "expected ...".
class Cursor {
 public:
  // `where` names the text in messages. Lines are counted from `first_line`.
  // `text` must outlive the cursor.
  Cursor(std::string_view text, std::string_view where, int64_t first_line);

  const Token& token() const { return token_; }
  bool At(std::string_view word) const;
  void Advance() { token_ = lexer_.Next(); }
  // Steps over `word` and says whether it stood there.
  bool Skip(std::string_view word);
  void SkipEmptyLines();

  Status Require(std::string_view word);
  // The end of this line, and empty lines behind it.
  Status RequireLineEnd();
  Result<std::string> TakeName(std::string_view what, int64_t bytes_max);
  Result<int64_t> TakeInteger(std::string_view what);
  // An f32: decimal, "inf", "-inf" or "nan"; out of range is an error.
  Result<float> TakeFloat();
  // One of the words that NameOf gives for the enumerators in [first, last].
  template <typename Enum>
  Result<Enum> TakeWord(std::string_view what, Enum first, Enum last);

  // Errors at the cursor: "where:line:column: ...".
  Error ErrorHere(std::string_view what, ErrorKind kind) const;
  // "expected `what`, found" the token.
  Error Expected(std::string_view what) const;

 private:
  Lexer lexer_;
  std::string where_;
  Token token_;
};

template <typename Enum>
Result<Enum> Cursor::TakeWord(std::string_view what, Enum first, Enum last) {
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    if (At(NameOf(static_cast<Enum>(i)))) {
      Advance();
      return static_cast<Enum>(i);
    }
  }
  return Expected(what);
}

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_CURSOR_H_
