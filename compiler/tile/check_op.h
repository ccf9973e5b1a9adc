// The rules of single operations: types, axes, roles, views.
// Normative: compiler/TILE.md, "Operations".

#ifndef EXHIBIT_COMPILER_TILE_CHECK_OP_H_
#define EXHIBIT_COMPILER_TILE_CHECK_OP_H_

#include <string>
#include <vector>

#include "compiler/tile/program.h"
#include "manifests/result.h"

namespace exhibit::tile {

// An error about `op`, which it quotes. Everything `op` refers to must exist.
Error FaultIn(const Program& program, const Op& op, const std::string& what);

// Checks the operations of one program, in printed order.
class OpChecker {
 public:
  // Axes, buffers and the value table of `program` must be sound.
  explicit OpChecker(const Program& program)
      : program_(program), constants_(program.values.size(), nullptr) {}

  // Checks one operation whose indices exist and whose operands are defined; of
  // a pipeline nothing. Fails with kInvalidArgument.
  Status Check(const Op& op);

 private:
  Status Check(const Constant& op);
  Status Check(const Iota& op) const;
  Status Check(const Load& op) const;
  Status Check(const Store& op) const;
  Status Check(const Elementwise& op) const;
  Status Check(const Mma& op) const;
  Status Check(const Reduce& op) const;
  Status Check(const Pipeline&) const { return Ok(); }

  Status CheckView(const View& view, const TileType& tile) const;
  Status CheckScalarOffset(const Scalar& offset) const;
  Status CheckElementwiseTypes(const Elementwise& op) const;
  Status CheckBroadcast(ValueId operand, const TileType& result) const;

  Error Fault(const std::string& what) const {
    return FaultIn(program_, *op_, what);
  }
  std::string Quote(ValueId value) const;
  std::string QuoteAxis(AxisId axis) const;
  const TileType& Type(ValueId value) const { return TypeOf(program_, value); }

  const Program& program_;
  std::vector<const Constant*> constants_;  // By ValueId.
  const Op* op_ = nullptr;                  // The one being checked.
};

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_CHECK_OP_H_
