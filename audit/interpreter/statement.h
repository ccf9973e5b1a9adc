// Operations made ready to run: strides computed, tiles looked up.
//
// A Make function takes an operation of a verified program whose tiles and
// buffers the machine holds; the statement points into both and lives no
// longer.

#ifndef EXHIBIT_AUDIT_INTERPRETER_STATEMENT_H_
#define EXHIBIT_AUDIT_INTERPRETER_STATEMENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "audit/interpreter/machine.h"
#include "compiler/tile/program.h"
#include "manifests/result.h"

namespace exhibit {

struct Loop;

struct Statement {
  int64_t operations = 0;      // Spent each time it is executed.
  std::function<void()> work;  // Null for a loop.
  std::unique_ptr<Loop> loop;
};

// One carried tile; `next` holds the update until all are made.
struct LoopCarry {
  TileData* initial = nullptr;
  TileData* argument = nullptr;
  TileData* yielded = nullptr;
  TileData* result = nullptr;
  TileData next;
};

struct Loop {
  int64_t* step = nullptr;
  int64_t trips = 0;
  int64_t operations_per_trip = 0;
  std::vector<LoopCarry> carries;
  std::vector<Statement> body;
};

// The operations of `body`. Fails with kUnsupported for a relaxed mma.
Result<std::vector<Statement>> MakeStatements(const tile::Program& program,
                                              const std::vector<tile::Op>& body,
                                              Machine& machine);

// Executes `statements`; false when the operations were used up before.
bool Execute(const std::vector<Statement>& statements, Machine& machine);

// By kind, the part of MakeStatements that is not a loop.
Statement MakeElementwise(const tile::Program& program,
                          const tile::Elementwise& op, Machine& machine);
Result<Statement> MakeMma(const tile::Program& program, const tile::Mma& op,
                          Machine& machine);
Statement MakeReduce(const tile::Program& program, const tile::Reduce& op,
                     Machine& machine);
Statement MakeLoad(const tile::Program& program, const tile::Load& op,
                   Machine& machine);
Statement MakeStore(const tile::Program& program, const tile::Store& op,
                    Machine& machine);

// An i64 scalar that is known when the statement runs.
struct ScalarSource {
  const int64_t* value = nullptr;  // Null: the literal.
  int64_t literal = 0;

  int64_t Get() const { return value == nullptr ? literal : *value; }
};
ScalarSource SourceOf(const tile::Scalar& scalar, Machine& machine);

// i64 arithmetic of the language, which wraps.
inline int64_t WrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_INTERPRETER_STATEMENT_H_
