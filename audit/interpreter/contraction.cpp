// mma and reduce: the operations whose order is part of the program.

#include <cmath>
#include <vector>

#include "audit/interpreter/nest.h"
#include "audit/interpreter/statement.h"

namespace exhibit {
namespace {

// One after the other, as every operation that is not an mma.
struct StrictStep {
  float operator()(float acc, float a, float b) const {
    const float product = a * b;
    return acc + product;
  }
};

struct FusedStep {
  float operator()(float acc, float a, float b) const {
    return std::fma(a, b, acc);
  }
};

struct MmaArrays {
  float* result = nullptr;
  const float* seed = nullptr;
  const float* lhs = nullptr;
  const float* rhs = nullptr;
};

// acc = seed; for k ascending: acc = step(acc, lhs, rhs).
template <typename Step>
float Contract(float acc, const Nest<2>& terms, const float* lhs,
               const float* rhs, const Nest<2>::PerArray& start) {
  terms.ForEachRow(start, [&](int64_t length, const auto& at, const auto& by) {
    for (int64_t k = 0; k < length; ++k) {
      acc = Step()(acc, lhs[at[0] + k * by[0]], rhs[at[1] + k * by[1]]);
    }
  });
  return acc;
}

template <typename Step>
std::function<void()> MmaWork(const Nest<4>& outputs, const Nest<2>& terms,
                              const MmaArrays& a) {
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

using Fold = float (*)(float acc, float element);
float Sum(float acc, float element) { return acc + element; }
float Max(float acc, float element) { return acc > element ? acc : element; }

struct Line {
  const float* first = nullptr;
  int64_t stride = 0;
  int64_t length = 0;  // At least 1.
};

float FoldInSequence(const Line& line, Fold fold) {
  float acc = line.first[0];
  for (int64_t i = 1; i < line.length; ++i) {
    acc = fold(acc, line.first[i * line.stride]);
  }
  return acc;
}

// i takes i + half where that element exists; half is half of the next power
// of two at first, and 1 at last.
float FoldAsTree(const Line& line, Fold fold, std::vector<float>& scratch) {
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

Result<Statement> MakeMma(const tile::Program& program, const tile::Mma& op,
                          Machine& machine) {
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
    return machine.tiles.at(value).Data<float>();
  };
  const MmaArrays arrays{data(op.result), data(op.seed), data(op.lhs),
                         data(op.rhs)};
  return Statement{ElementCount(program, op.result) * (1 + term_count),
                   op.permission == tile::Permission::kStrict
                       ? MmaWork<StrictStep>(outputs, terms, arrays)
                       : MmaWork<FusedStep>(outputs, terms, arrays),
                   {}};
}

Statement MakeReduce(const tile::Program& program, const tile::Reduce& op,
                     Machine& machine) {
  const tile::TileType& result = TypeOf(program, op.result);
  const tile::TileType& operand = TypeOf(program, op.operand);
  Nest<2> outputs;
  for (tile::AxisId axis : result.axes) {
    outputs.AddAxis(program.axes.at(axis).extent,
                    {StrideAlong(program, result, axis),
                     StrideAlong(program, operand, axis)});
  }
  const Fold fold = op.kind == tile::ReduceKind::kSum ? Sum : Max;
  const bool tree = op.order == tile::ReduceOrder::kTree;
  const int64_t length = program.axes.at(op.axis).extent;
  const int64_t stride = StrideAlong(program, operand, op.axis);
  float* to = machine.tiles.at(op.result).Data<float>();
  const float* from = machine.tiles.at(op.operand).Data<float>();
  std::vector<float>* scratch = &machine.scratch;
  const auto needed = static_cast<size_t>(tree ? length : 0);
  if (scratch->size() < needed) scratch->resize(needed);
  return {ElementCount(program, op.operand),
          [=] {
            outputs.ForEachRow({}, [=](int64_t count, const auto& at,
                                       const auto& by) {
              for (int64_t i = 0; i < count; ++i) {
                const Line line{from + at[1] + i * by[1], stride, length};
                to[at[0] + i * by[0]] = tree ? FoldAsTree(line, fold, *scratch)
                                             : FoldInSequence(line, fold);
              }
            });
          },
          {}};
}

}  // namespace exhibit
