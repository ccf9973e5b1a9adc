// Operations made ready to run: strides computed, tiles looked up.
//
// Everything exists twice, for float and for double in the place of f32; the
// definitions stand in the source files, which instantiate both.
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

template <typename Real>
struct Loop;

template <typename Real>
struct Statement {
  int64_t operations = 0;      // Spent each time it is executed.
  std::function<void()> work;  // Null for a loop.
  std::unique_ptr<Loop<Real>> loop;
};

// One carried tile; `next` holds the update until all are made.
template <typename Real>
struct LoopCarry {
  TileData<Real>* initial = nullptr;
  TileData<Real>* argument = nullptr;
  TileData<Real>* yielded = nullptr;
  TileData<Real>* result = nullptr;
  TileData<Real> next;
};

template <typename Real>
struct Loop {
  int64_t* step = nullptr;
  int64_t trips = 0;
  int64_t operations_per_trip = 0;
  std::vector<LoopCarry<Real>> carries;
  std::vector<Statement<Real>> body;
};

// The operations of `body`. Fails with kUnsupported for a relaxed mma.
template <typename Real>
Result<std::vector<Statement<Real>>> MakeStatements(
    const tile::Program& program, const std::vector<tile::Op>& body,
    Machine<Real>& machine);

// Executes `statements`; false when the operations were used up before.
template <typename Real>
bool Execute(const std::vector<Statement<Real>>& statements,
             Machine<Real>& machine);

// By kind, the part of MakeStatements that is not a loop.
template <typename Real>
Statement<Real> MakeElementwise(const tile::Program& program,
                                const tile::Elementwise& op,
                                Machine<Real>& machine);
template <typename Real>
Result<Statement<Real>> MakeMma(const tile::Program& program,
                                const tile::Mma& op, Machine<Real>& machine);
template <typename Real>
Statement<Real> MakeReduce(const tile::Program& program, const tile::Reduce& op,
                           Machine<Real>& machine);
template <typename Real>
Statement<Real> MakeLoad(const tile::Program& program, const tile::Load& op,
                         Machine<Real>& machine);
template <typename Real>
Statement<Real> MakeStore(const tile::Program& program, const tile::Store& op,
                          Machine<Real>& machine);

// An i64 scalar that is known when the statement runs.
struct ScalarSource {
  const int64_t* value = nullptr;  // Null: the literal.
  int64_t literal = 0;

  int64_t Get() const { return value == nullptr ? literal : *value; }
};
template <typename Real>
ScalarSource SourceOf(const tile::Scalar& scalar, Machine<Real>& machine) {
  if (scalar.value == tile::kNone) return {nullptr, scalar.literal};
  return {machine.tiles.at(scalar.value).template Data<int64_t>(), 0};
}

// i64 arithmetic of the language, which wraps.
inline int64_t WrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_INTERPRETER_STATEMENT_H_
