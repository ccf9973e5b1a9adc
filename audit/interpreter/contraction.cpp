// mma and reduce: the operations whose order is part of the program.

#include <cmath>
#include <vector>

#include "audit/interpreter/nest.h"
#include "audit/interpreter/statement.h"

namespace exhibit {
namespace {

// One after the other, as every operation that is not an mma.
struct StrictStep {
  template <typename Real>
  Real operator()(Real acc, Real a, Real b) const {
    const Real product = a * b;
    return acc + product;
  }
};

struct FusedStep {
  template <typename Real>
  Real operator()(Real acc, Real a, Real b) const {
    return std::fma(a, b, acc);
  }
};

template <typename Real>
struct MmaArrays {
  Real* result = nullptr;
  const Real* seed = nullptr;
  const Real* lhs = nullptr;
  const Real* rhs = nullptr;
};

// acc = seed; for k ascending: acc = step(acc, lhs, rhs).
template <typename Step, typename Real>
Real Contract(Real acc, const Nest<2>& terms, const Real* lhs, const Real* rhs,
              const Nest<2>::PerArray& start) {
  terms.ForEachRow(start, [&](int64_t length, const auto& at, const auto& by) {
    for (int64_t k = 0; k < length; ++k) {
      acc = Step()(acc, lhs[at[0] + k * by[0]], rhs[at[1] + k * by[1]]);
    }
  });
  return acc;
}

template <typename Step, typename Real>
std::function<void()> MmaWork(const Nest<4>& outputs, const Nest<2>& terms,
                              const MmaArrays<Real>& a) {
  return [=] {
    outputs.ForEachRow({}, [&](int64_t length, const auto& at, const auto& by) {
      for (int64_t i = 0; i < length; ++i) {
        a.result[at[0] + i * by[0]] =
            Contract<Step>(a.seed[at[1] + i * by[1]], terms, a.lhs, a.rhs,
                           {at[2] + i * by[2], at[3] + i * by[3]});
      }
    });
  };
}

template <typename Real>
using Fold = Real (*)(Real acc, Real element);
template <typename Real>
Real Sum(Real acc, Real element) {
  return acc + element;
}
template <typename Real>
Real Max(Real acc, Real element) {
  return acc > element ? acc : element;
}

template <typename Real>
struct Line {
  const Real* first = nullptr;
  int64_t stride = 0;
  int64_t length = 0;  // At least 1.
};

template <typename Real>
Real FoldInSequence(const Line<Real>& line, Fold<Real> fold) {
  Real acc = line.first[0];
  for (int64_t i = 1; i < line.length; ++i) {
    acc = fold(acc, line.first[i * line.stride]);
  }
  return acc;
}

// i takes i + half where that element exists; half is half of the next power
// of two at first, and 1 at last.
template <typename Real>
Real FoldAsTree(const Line<Real>& line, Fold<Real> fold,
                std::vector<Real>& scratch) {
  for (int64_t i = 0; i < line.length; ++i) {
    scratch[i] = line.first[i * line.stride];
  }
  int64_t half = 1;
  while (2 * half < line.length) half *= 2;
  for (int64_t count = line.length; half > 0; half /= 2) {
    for (int64_t i = 0; i + half < count; ++i) {
      scratch[i] = fold(scratch[i], scratch[i + half]);
    }
    count = half;
  }
  return scratch[0];
}

}  // namespace

template <typename Real>
Result<Statement<Real>> MakeMma(const tile::Program& program,
                                const tile::Mma& op, Machine<Real>& machine) {
  if (op.permission == tile::Permission::kRelaxed) {
    return Error{ErrorKind::kUnsupported,
                 "mma \"" + ValueName(program, op.result) +
                     "\" is relaxed, so more than one result is right",
                 ""};
  }
  const auto stride = [&](tile::ValueId value, tile::AxisId axis) {
    return StrideAlong(program, TypeOf(program, value), axis);
  };
  Nest<4> outputs;
  for (tile::AxisId axis : TypeOf(program, op.result).axes) {
    outputs.AddAxis(program.axes.at(axis).extent,
                    {stride(op.result, axis), stride(op.seed, axis),
                     stride(op.lhs, axis), stride(op.rhs, axis)});
  }
  Nest<2> terms;
  int64_t term_count = 1;
  for (tile::AxisId axis : TypeOf(program, op.lhs).axes) {
    if (HasAxis(TypeOf(program, op.result), axis)) continue;
    const int64_t extent = program.axes.at(axis).extent;
    terms.AddAxis(extent, {stride(op.lhs, axis), stride(op.rhs, axis)});
    term_count *= extent;
  }
  const auto data = [&](tile::ValueId value) {
    return machine.tiles.at(value).template Data<Real>();
  };
  const MmaArrays<Real> arrays{data(op.result), data(op.seed), data(op.lhs),
                               data(op.rhs)};
  return Statement<Real>{ElementCount(program, op.result) * (1 + term_count),
                         op.permission == tile::Permission::kStrict
                             ? MmaWork<StrictStep>(outputs, terms, arrays)
                             : MmaWork<FusedStep>(outputs, terms, arrays),
                         {}};
}

template <typename Real>
Statement<Real> MakeReduce(const tile::Program& program, const tile::Reduce& op,
                           Machine<Real>& machine) {
  const tile::TileType& result = TypeOf(program, op.result);
  const tile::TileType& operand = TypeOf(program, op.operand);
  Nest<2> outputs;
  for (tile::AxisId axis : result.axes) {
    outputs.AddAxis(program.axes.at(axis).extent,
                    {StrideAlong(program, result, axis),
                     StrideAlong(program, operand, axis)});
  }
  const Fold<Real> fold =
      op.kind == tile::ReduceKind::kSum ? Sum<Real> : Max<Real>;
  const bool tree = op.order == tile::ReduceOrder::kTree;
  const int64_t length = program.axes.at(op.axis).extent;
  const int64_t stride = StrideAlong(program, operand, op.axis);
  Real* to = machine.tiles.at(op.result).template Data<Real>();
  const Real* from = machine.tiles.at(op.operand).template Data<Real>();
  std::vector<Real>* scratch = &machine.scratch;
  const auto needed = static_cast<size_t>(tree ? length : 0);
  if (scratch->size() < needed) scratch->resize(needed);
  return {ElementCount(program, op.operand),
          [=] {
            outputs.ForEachRow({}, [=](int64_t count, const auto& at,
                                       const auto& by) {
              for (int64_t i = 0; i < count; ++i) {
                const Line<Real> line{from + at[1] + i * by[1], stride, length};
                to[at[0] + i * by[0]] = tree ? FoldAsTree(line, fold, *scratch)
                                             : FoldInSequence(line, fold);
              }
            });
          },
          {}};
}

template Result<Statement<float>> MakeMma(const tile::Program&,
                                          const tile::Mma&, Machine<float>&);
template Result<Statement<double>> MakeMma(const tile::Program&,
                                           const tile::Mma&, Machine<double>&);
template Statement<float> MakeReduce(const tile::Program&, const tile::Reduce&,
                                     Machine<float>&);
template Statement<double> MakeReduce(const tile::Program&, const tile::Reduce&,
                                      Machine<double>&);

}  // namespace exhibit
