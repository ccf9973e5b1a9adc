// mma and reduce.

#include <array>
#include <utility>

#include "compiler/emit/body.h"

namespace exhibit {

using tile::kNone;
using tile::ValueId;

void BodyEmitter::Emit(const tile::Mma& op) {
  const MmaPlan& plan = in_.plan.MmaOf(op.result);
  AllocateFor(op.result);
  if (!IsLarge(op.result)) {
    elements_[op.result].assign(static_cast<size_t>(Elements(op.result)),
                                nullptr);
  }
  GroupAxes groups;
  if (plan.grouping != Grouping::kReference) {
    groups = {plan.row_axis, plan.rows, plan.column_axis, plan.columns};
  }
  Traverse(
      op.result,
      [&](Coordinates& at, GroupWidth width) {
        EmitGroup(op, plan, at, width);
      },
      groups);
  StoreElements(op.result);
}

Coordinates BodyEmitter::Shifted(const Coordinates& at, const MmaPlan& plan,
                                 int64_t row, int64_t column) {
  Coordinates shifted = at;
  auto shift = [&](tile::AxisId axis, int64_t by) {
    if (axis == kNone || by == 0) return;
    Coordinate& coordinate = shifted[axis];
    if (coordinate.running == nullptr) {
      coordinate.number += by;
    } else {
      coordinate.running =
          builder_.CreateAdd(coordinate.running, lanes_.Index(by));
    }
  };
  shift(plan.row_axis, row);
  shift(plan.column_axis, column);
  return shifted;
}

// One group of outputs that share a traversal of k, row-major.
void BodyEmitter::EmitGroup(const tile::Mma& op, const MmaPlan& plan,
                            Coordinates& at, GroupWidth width) {
  std::vector<Coordinates> outputs;
  std::vector<llvm::Value*> accumulators;
  for (int64_t row = 0; row < width.rows; ++row) {
    for (int64_t column = 0; column < width.columns; ++column) {
      outputs.push_back(Shifted(at, plan, row, column));
      accumulators.push_back(
          InShapeOf(op.result, Read(op.seed, outputs.back())));
    }
  }
  if (plan.terms > 0 && plan.rolled) {
    accumulators = lanes_.Loop(
        0, plan.terms, 1, accumulators,
        [&](llvm::Value* term, const std::vector<llvm::Value*>& carried) {
          SetContracted(op, {term, 0}, at);
          return Accumulate(op, plan, at, width, carried);
        });
  } else {
    for (int64_t term = 0; term < plan.terms; ++term) {
      SetContracted(op, {nullptr, term}, at);
      accumulators = Accumulate(op, plan, at, width, accumulators);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    SetElement(op.result, outputs[i], accumulators[i]);
  }
}

// Places term number `term` on the contracted axes, row-major in lhs order.
void BodyEmitter::SetContracted(const tile::Mma& op, Coordinate term,
                                Coordinates& at) {
  const std::vector<tile::AxisId> axes = tile::ContractedAxes(in_.program, op);
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    const int64_t extent = in_.program.axes[axes[i]].extent;
    Coordinate coordinate;
    if (term.running == nullptr) {
      coordinate.number = term.number / stride % extent;
    } else if (extent > 1) {
      coordinate.running = term.running;
      if (stride != 1) {
        coordinate.running =
            builder_.CreateUDiv(coordinate.running, lanes_.Index(stride));
      }
      if (i != 0) {
        coordinate.running =
            builder_.CreateURem(coordinate.running, lanes_.Index(extent));
      }
    }
    at[axes[i]] = coordinate;
    stride *= extent;
  }
}

// One term of every output of the group: each operand element is read once.
std::vector<llvm::Value*> BodyEmitter::Accumulate(
    const tile::Mma& op, const MmaPlan& plan, const Coordinates& at,
    GroupWidth width, const std::vector<llvm::Value*>& accumulators) {
  std::map<std::array<int64_t, 3>, llvm::Value*> read;
  auto element = [&](int64_t which, ValueId operand, int64_t row,
                     int64_t column) {
    const tile::TileType& type = Type(operand);
    const bool by_row =
        plan.row_axis != kNone && tile::HasAxis(type, plan.row_axis);
    const bool by_column =
        plan.column_axis != kNone && tile::HasAxis(type, plan.column_axis);
    const std::array<int64_t, 3> key = {which, by_row ? row : 0,
                                        by_column ? column : 0};
    auto found = read.find(key);
    if (found == read.end()) {
      llvm::Value* value = Read(operand, Shifted(at, plan, key[1], key[2]));
      found = read.emplace(key, value).first;
    }
    return found->second;
  };
  std::vector<llvm::Value*> next;
  for (int64_t row = 0; row < width.rows; ++row) {
    for (int64_t column = 0; column < width.columns; ++column) {
      llvm::Value* lhs = element(0, op.lhs, row, column);
      llvm::Value* rhs = element(1, op.rhs, row, column);
      llvm::Value* sum = accumulators[next.size()];
      // `relaxed` permits more than strict and may be given it.
      sum = op.permission == tile::Permission::kFma
                ? lanes_.FusedMultiplyAdd(lhs, rhs, sum)
                : lanes_.MultiplyAdd(lhs, rhs, sum);
      next.push_back(InShapeOf(op.result, sum));
    }
  }
  return next;
}

llvm::Value* BodyEmitter::Combine(tile::ReduceKind kind, llvm::Value* acc,
                                  llvm::Value* element) {
  lanes_.Unify(acc, element);
  if (kind == tile::ReduceKind::kMax) return lanes_.Max(acc, element);
  return builder_.CreateFAdd(acc, element);
}

void BodyEmitter::Emit(const tile::Reduce& op) {
  Define(op.result,
         [&](const Coordinates& at) { return ReduceElement(op, at); });
}

llvm::Value* BodyEmitter::ReduceElement(const tile::Reduce& op,
                                        const Coordinates& at) {
  const int64_t extent = in_.program.axes[op.axis].extent;
  Coordinates inner = at;
  if (op.order == tile::ReduceOrder::kTree) {
    int64_t padded = 1;
    while (padded < extent) padded *= 2;
    return ReduceTree(op, inner, 0, 1, padded);
  }
  inner[op.axis] = {nullptr, 0};
  llvm::Value* first = Read(op.operand, inner);
  if (extent > 1 && ReduceIsLoop(in_.options)) {
    return lanes_.Loop(
        1, extent, 1, {first},
        [&](llvm::Value* index, const std::vector<llvm::Value*>& carried) {
          inner[op.axis] = {index, 0};
          return std::vector<llvm::Value*>{
              Combine(op.kind, carried[0], Read(op.operand, inner))};
        })[0];
  }
  for (int64_t i = 1; i < extent; ++i) {
    inner[op.axis] = {nullptr, i};
    first = Combine(op.kind, first, Read(op.operand, inner));
  }
  return first;
}

// The tree over elements first, first + stride, ... below `padded`: what the
// halving leaves at `first`. Expanded: as a loop it would need an array of its
// own, which no rule gives it.
llvm::Value* BodyEmitter::ReduceTree(const tile::Reduce& op, Coordinates& at,
                                     int64_t first, int64_t stride,
                                     int64_t padded) {
  if (stride == padded) {
    at[op.axis] = {nullptr, first};
    return Read(op.operand, at);
  }
  llvm::Value* low = ReduceTree(op, at, first, stride * 2, padded);
  if (first + stride >= in_.program.axes[op.axis].extent) return low;
  return Combine(op.kind, low,
                 ReduceTree(op, at, first + stride, stride * 2, padded));
}

}  // namespace exhibit
