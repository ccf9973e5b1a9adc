#include "audit/interpreter/statement.h"

#include <algorithm>
#include <variant>

namespace exhibit {
namespace {

template <typename Real>
void CopyTile(const TileData<Real>& from, TileData<Real>& to) {
  // Never by assignment: statements hold addresses of the elements.
  std::copy(from.f32.begin(), from.f32.end(), to.f32.begin());
  std::copy(from.i64.begin(), from.i64.end(), to.i64.begin());
  std::copy(from.flags.begin(), from.flags.end(), to.flags.begin());
}

template <typename Real>
void Splat(const tile::Constant& op, TileData<Real>& tile) {
  if (const auto* number = std::get_if<float>(&op.number)) {
    std::fill(tile.f32.begin(), tile.f32.end(), Real{*number});
  } else if (const auto* integer = std::get_if<int64_t>(&op.number)) {
    std::fill(tile.i64.begin(), tile.i64.end(), *integer);
  } else {
    const uint8_t flag = std::get<bool>(op.number) ? 1 : 0;
    std::fill(tile.flags.begin(), tile.flags.end(), flag);
  }
}

// Makes the statements of one body.
template <typename Real>
class Maker {
 public:
  Maker(const tile::Program& program, Machine<Real>& machine)
      : program_(program), machine_(machine) {}

  Result<Statement<Real>> Make(const tile::Op& op) {
    return std::visit(
        [this](const auto& node) -> Result<Statement<Real>> {
          return Make(node);
        },
        op.node);
  }

 private:
  TileData<Real>* Tile(tile::ValueId value) {
    return &machine_.tiles.at(value);
  }

  Result<Statement<Real>> Make(const tile::Constant& op) {
    return Statement<Real>{ElementCount(program_, op.result),
                           [op, tile = Tile(op.result)] { Splat(op, *tile); },
                           {}};
  }

  Result<Statement<Real>> Make(const tile::Iota& op) {
    return Statement<Real>{
        ElementCount(program_, op.result),
        [offset = SourceOf(op.offset, machine_), tile = Tile(op.result)] {
          int64_t next = offset.Get();
          for (int64_t& element : tile->i64) {
            element = next;
            next = WrappingAdd(next, 1);
          }
        },
        {}};
  }

  Result<Statement<Real>> Make(const tile::Load& op) {
    return MakeLoad(program_, op, machine_);
  }
  Result<Statement<Real>> Make(const tile::Store& op) {
    return MakeStore(program_, op, machine_);
  }
  Result<Statement<Real>> Make(const tile::Elementwise& op) {
    return MakeElementwise(program_, op, machine_);
  }
  Result<Statement<Real>> Make(const tile::Mma& op) {
    return MakeMma(program_, op, machine_);
  }
  Result<Statement<Real>> Make(const tile::Reduce& op) {
    return MakeReduce(program_, op, machine_);
  }

  Result<Statement<Real>> Make(const tile::Pipeline& op) {
    auto loop = std::make_unique<Loop<Real>>();
    loop->step = Tile(op.step)->template Data<int64_t>();
    loop->trips = op.trips;
    loop->operations_per_trip = kStatementOperations;
    Statement<Real> statement;
    for (const tile::Carry& carry : op.carries) {
      const int64_t elements = ElementCount(program_, carry.result);
      const tile::ScalarType type = TypeOf(program_, carry.result).scalar;
      loop->carries.push_back({Tile(carry.initial), Tile(carry.argument),
                               Tile(carry.yielded), Tile(carry.result),
                               TileData<Real>::Of(type, elements)});
      loop->operations_per_trip += 2 * elements;
      statement.operations += 2 * elements;
    }
    EXHIBIT_ASSIGN_OR_RETURN(loop->body,
                             MakeStatements(program_, op.body, machine_));
    statement.loop = std::move(loop);
    return statement;
  }

  const tile::Program& program_;
  Machine<Real>& machine_;
};

template <typename Real>
bool Spend(int64_t operations, Machine<Real>& machine) {
  if (operations > machine.operations_left) return false;
  machine.operations_left -= operations;
  return true;
}

template <typename Real>
bool ExecuteLoop(Loop<Real>& loop, Machine<Real>& machine) {
  for (LoopCarry<Real>& carry : loop.carries) {
    CopyTile(*carry.initial, *carry.argument);
  }
  for (int64_t trip = 0; trip < loop.trips; ++trip) {
    if (!Spend(loop.operations_per_trip, machine)) return false;
    *loop.step = trip;
    if (!Execute(loop.body, machine)) return false;
    // A body may yield the argument of another carry, so none changes before
    // all updates are known.
    for (LoopCarry<Real>& carry : loop.carries)
      CopyTile(*carry.yielded, carry.next);
    for (LoopCarry<Real>& carry : loop.carries)
      CopyTile(carry.next, *carry.argument);
  }
  for (LoopCarry<Real>& carry : loop.carries) {
    CopyTile(*carry.argument, *carry.result);
  }
  return true;
}

}  // namespace

template <typename Real>
Result<std::vector<Statement<Real>>> MakeStatements(
    const tile::Program& program, const std::vector<tile::Op>& body,
    Machine<Real>& machine) {
  Maker<Real> maker(program, machine);
  std::vector<Statement<Real>> statements;
  for (const tile::Op& op : body) {
    EXHIBIT_ASSIGN_OR_RETURN(Statement<Real> statement, maker.Make(op));
    statement.operations += kStatementOperations;
    statements.push_back(std::move(statement));
  }
  return statements;
}

template <typename Real>
bool Execute(const std::vector<Statement<Real>>& statements,
             Machine<Real>& machine) {
  for (const Statement<Real>& statement : statements) {
    if (!Spend(statement.operations, machine)) return false;
    if (statement.loop != nullptr) {
      if (!ExecuteLoop(*statement.loop, machine)) return false;
    } else {
      statement.work();
    }
  }
  return true;
}

template Result<std::vector<Statement<float>>> MakeStatements(
    const tile::Program&, const std::vector<tile::Op>&, Machine<float>&);
template Result<std::vector<Statement<double>>> MakeStatements(
    const tile::Program&, const std::vector<tile::Op>&, Machine<double>&);
template bool Execute(const std::vector<Statement<float>>&, Machine<float>&);
template bool Execute(const std::vector<Statement<double>>&, Machine<double>&);

}  // namespace exhibit
