// The text form of a tile program, and back.
//
// The printer gives the canonical text: one line per declaration and operation,
// two spaces per level, numbers in their shortest decimal form that reads back
// the same. The parser also takes other spacing, comments (`#` to the end of
// the line) and other spellings of the same number, so that a person can write
// programs; printing what it read gives the canonical text, and that parses to
// the same program.
// Normative: compiler/TILE.md, "Text".

#ifndef EXHIBIT_COMPILER_TILE_TEXT_H_
#define EXHIBIT_COMPILER_TILE_TEXT_H_

#include <string>
#include <string_view>

#include "compiler/tile/program.h"
#include "manifests/result.h"

namespace exhibit::tile {

// Reads one program. It resolves names and counts; what the program means is
// checked by VerifyProgram. `where` names the text in messages.
//
// Fails with kCorrupt ("where:line:column: what, found token"), with
// kUnsupported for an unknown first line, and with kLimitExceeded.
Result<Program> ParseProgram(std::string_view text, std::string_view where,
                             const TileLimits& limits = {});

// ParseProgram, then VerifyProgram.
Result<Program> ReadProgram(std::string_view text, std::string_view where,
                            const TileLimits& limits = {});

// The canonical text.
std::string PrintProgram(const Program& program);

// One type or operation as it is printed, without indentation; a pipeline gives
// its first line only. For messages and listings.
std::string PrintType(const Program& program, const TileType& type);
std::string PrintOp(const Program& program, const Op& op);

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_TEXT_H_
