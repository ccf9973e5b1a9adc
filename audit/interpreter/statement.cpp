#include "audit/interpreter/statement.h"

#include <algorithm>
#include <variant>

namespace exhibit {
namespace {

void CopyTile(const TileData& from, TileData& to) {
  // Never by assignment: statements hold addresses of the elements.
  std::copy(from.f32.begin(), from.f32.end(), to.f32.begin());
  std::copy(from.i64.begin(), from.i64.end(), to.i64.begin());
  std::copy(from.flags.begin(), from.flags.end(), to.flags.begin());
}

void Splat(const tile::Constant& op, TileData& tile) {
  if (const auto* number = std::get_if<float>(&op.number)) {
    std::fill(tile.f32.begin(), tile.f32.end(), *number);
  } else if (const auto* integer = std::get_if<int64_t>(&op.number)) {
    std::fill(tile.i64.begin(), tile.i64.end(), *integer);
  } else {
    const uint8_t flag = std::get<bool>(op.number) ? 1 : 0;
    std::fill(tile.flags.begin(), tile.flags.end(), flag);
  }
}

// Makes the statements of one body.
class Maker {
 public:
  Maker(const tile::Program& program, Machine& machine)
      : program_(program), machine_(machine) {}

  Result<Statement> Make(const tile::Op& op) {
    return std::visit(
        [this](const auto& node) -> Result<Statement> { return Make(node); },
        op.node);
  }

 private:
  TileData* Tile(tile::ValueId value) { return &machine_.tiles.at(value); }

  Result<Statement> Make(const tile::Constant& op) {
    return Statement{ElementCount(program_, op.result),
                     [op, tile = Tile(op.result)] { Splat(op, *tile); },
                     {}};
  }

  Result<Statement> Make(const tile::Iota& op) {
    return Statement{
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

  Result<Statement> Make(const tile::Load& op) {
    return MakeLoad(program_, op, machine_);
  }
  Result<Statement> Make(const tile::Store& op) {
    return MakeStore(program_, op, machine_);
  }
  Result<Statement> Make(const tile::Elementwise& op) {
    return MakeElementwise(program_, op, machine_);
  }
  Result<Statement> Make(const tile::Mma& op) {
    return MakeMma(program_, op, machine_);
  }
  Result<Statement> Make(const tile::Reduce& op) {
    return MakeReduce(program_, op, machine_);
  }

  Result<Statement> Make(const tile::Pipeline& op) {
    auto loop = std::make_unique<Loop>();
    loop->step = Tile(op.step)->Data<int64_t>();
    loop->trips = op.trips;
    loop->operations_per_trip = kStatementOperations;
    Statement statement;
    for (const tile::Carry& carry : op.carries) {
      const int64_t elements = ElementCount(program_, carry.result);
      const tile::ScalarType type = TypeOf(program_, carry.result).scalar;
      loop->carries.push_back({Tile(carry.initial), Tile(carry.argument),
                               Tile(carry.yielded), Tile(carry.result),
                               TileData::Of(type, elements)});
      loop->operations_per_trip += 2 * elements;
      statement.operations += 2 * elements;
    }
    EXHIBIT_ASSIGN_OR_RETURN(loop->body,
                             MakeStatements(program_, op.body, machine_));
    statement.loop = std::move(loop);
    return statement;
  }

  const tile::Program& program_;
  Machine& machine_;
};

bool Spend(int64_t operations, Machine& machine) {
  if (operations > machine.operations_left) return false;
  machine.operations_left -= operations;
  return true;
}

bool ExecuteLoop(Loop& loop, Machine& machine) {
  for (LoopCarry& carry : loop.carries) {
    CopyTile(*carry.initial, *carry.argument);
  }
  for (int64_t trip = 0; trip < loop.trips; ++trip) {
    if (!Spend(loop.operations_per_trip, machine)) return false;
    *loop.step = trip;
    if (!Execute(loop.body, machine)) return false;
    // A body may yield the argument of another carry, so none changes before
    // all updates are known.
    for (LoopCarry& carry : loop.carries) CopyTile(*carry.yielded, carry.next);
    for (LoopCarry& carry : loop.carries) CopyTile(carry.next, *carry.argument);
  }
  for (LoopCarry& carry : loop.carries) {
    CopyTile(*carry.argument, *carry.result);
  }
  return true;
}

}  // namespace

ScalarSource SourceOf(const tile::Scalar& scalar, Machine& machine) {
  if (scalar.value == tile::kNone) return {nullptr, scalar.literal};
  return {machine.tiles.at(scalar.value).Data<int64_t>(), 0};
}

Result<std::vector<Statement>> MakeStatements(const tile::Program& program,
                                              const std::vector<tile::Op>& body,
                                              Machine& machine) {
  Maker maker(program, machine);
  std::vector<Statement> statements;
  for (const tile::Op& op : body) {
    EXHIBIT_ASSIGN_OR_RETURN(Statement statement, maker.Make(op));
    statement.operations += kStatementOperations;
    statements.push_back(std::move(statement));
  }
  return statements;
}

bool Execute(const std::vector<Statement>& statements, Machine& machine) {
  for (const Statement& statement : statements) {
    if (!Spend(statement.operations, machine)) return false;
    if (statement.loop != nullptr) {
      if (!ExecuteLoop(*statement.loop, machine)) return false;
    } else {
      statement.work();
    }
  }
  return true;
}

}  // namespace exhibit
