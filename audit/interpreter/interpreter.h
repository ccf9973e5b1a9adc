// Executes a tile program as the language page says, one number at a time.
//
// Written from compiler/TILE.md and the structures of compiler/tile alone, not
// from the compiler: it decides nothing, plans nothing and reorders nothing, so
// that it and the emitter can be wrong only independently. What it shares with
// the emitter is the definition of exp (compiler/tile/exp_f32.h), which is part
// of the language, and the reader of the text.
//
// Instances run in ascending order, operations in program order. A tile has its
// own memory from the moment it is defined, so a later store cannot change it.
// The same bits on every machine: every f32 operation is rounded to nearest on
// its own; where a result is a NaN, its sign and payload mean nothing.
//
// The same program can be evaluated in binary64 instead, by the same code: that
// is what a program beside attention is expected to give.
// Normative: compiler/TILE.md.

#ifndef EXHIBIT_AUDIT_INTERPRETER_INTERPRETER_H_
#define EXHIBIT_AUDIT_INTERPRETER_INTERPRETER_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/tile/program.h"
#include "manifests/result.h"

namespace exhibit {

// The elements of a buffer, row-major, of the buffer's scalar type.
using BufferData = std::variant<std::vector<float>, std::vector<int64_t>>;
// The same where every f32 is a binary64 number.
using WideBufferData = std::variant<std::vector<double>, std::vector<int64_t>>;

struct InterpreterLimits {
  // Elements computed, loaded, stored or carried, and terms of an mma, plus
  // kStatementOperations for every statement executed; about a nanosecond each.
  // An exp is kExpF32Operations, or kExpOperations of reference/exact_math.h.
  int64_t operation_count_max = int64_t{1} << 36;
  // What is allocated for tiles, and for buffers that are not inputs.
  int64_t memory_bytes_max = int64_t{1} << 31;
  // Takes what the run left of the operations, also where it failed.
  int64_t* operations_left = nullptr;
};

// What starting one statement costs, in operations.
inline constexpr int64_t kStatementOperations = 16;
// What one exp of an f32 costs, likewise.
inline constexpr int64_t kExpF32Operations = 8;

// Runs `program` over all instances of its domain. `inputs` holds every input
// and inout buffer by name, of exactly its element count, and nothing else.
// Returns every output and inout buffer by name.
//
// Fails with what VerifyProgram fails with, so any program may be given; with
// kInvalidArgument for inputs that are not those declared, and for an element
// of an output buffer that no instance wrote, naming both; with kUnsupported
// for an mma that is `relaxed`, since more than one result is right then; with
// kLimitExceeded, past memory_bytes_max before anything is allocated and past
// operation_count_max before the statement that would pass it.
Result<std::map<std::string, BufferData>> RunProgram(
    const tile::Program& program,
    const std::map<std::string, BufferData>& inputs,
    const InterpreterLimits& limits = {});

// As RunProgram, but what the language rounds to f32 is rounded to binary64:
// inputs and constants are the f32 numbers they are, every operation on them is
// one binary64 operation, in the order of the program, and exp is correctly
// rounded. The same bits on every machine, NaNs apart.
Result<std::map<std::string, WideBufferData>> EvaluateProgram(
    const tile::Program& program,
    const std::map<std::string, BufferData>& inputs,
    const InterpreterLimits& limits = {});

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_INTERPRETER_INTERPRETER_H_
