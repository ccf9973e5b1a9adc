// Elementwise operations, with broadcasting by axis name.

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "audit/interpreter/nest.h"
#include "audit/interpreter/statement.h"
#include "audit/reference/exact_math.h"
#include "compiler/tile/exp_f32.h"

namespace exhibit {
namespace {

using tile::ElementwiseKind;
using tile::ScalarType;

// exp, whose last bit is part of the language in f32 and is the right one in
// binary64.
float Exp(float x) { return ExpF32(x); }
double Exp(double x) { return ExpRounded(x); }

// What an element costs.
template <typename Real>
int64_t OperationsOf(ElementwiseKind kind) {
  if (kind != ElementwiseKind::kExp) return 1;
  return std::is_same_v<Real, double> ? kExpOperations : kExpF32Operations;
}

template <typename Real>
class ElementwiseMaker {
 public:
  ElementwiseMaker(const tile::Program& program, const tile::Elementwise& op,
                   Machine<Real>& machine)
      : program_(program), op_(op), machine_(machine) {}

  std::function<void()> Make();

 private:
  ScalarType OperandType(size_t operand) const {
    return TypeOf(program_, op_.operands.at(operand)).scalar;
  }
  template <typename T>
  T* Result() {
    return machine_.tiles.at(op_.result).template Data<T>();
  }
  template <typename T>
  const T* Operand(size_t operand) {
    return machine_.tiles.at(op_.operands.at(operand)).template Data<T>();
  }

  // The result, then the operands.
  template <size_t N>
  Nest<N> NestOf() const {
    const tile::TileType& result = TypeOf(program_, op_.result);
    Nest<N> nest;
    for (tile::AxisId axis : result.axes) {
      typename Nest<N>::PerArray strides{StrideAlong(program_, result, axis)};
      for (size_t i = 1; i < N; ++i) {
        strides[i] = StrideAlong(
            program_, TypeOf(program_, op_.operands.at(i - 1)), axis);
      }
      nest.AddAxis(program_.axes.at(axis).extent, strides);
    }
    return nest;
  }

  template <typename To, typename From, typename Function>
  std::function<void()> Unary(Function function) {
    return [nest = this->template NestOf<2>(), function,
            to = this->template Result<To>(),
            a = this->template Operand<From>(0)] {
      nest.ForEachRow({}, [=](int64_t length, const auto& at, const auto& by) {
        for (int64_t i = 0; i < length; ++i) {
          to[at[0] + i * by[0]] = function(a[at[1] + i * by[1]]);
        }
      });
    };
  }

  template <typename To, typename From, typename Function>
  std::function<void()> Binary(Function function) {
    return [nest = this->template NestOf<3>(), function,
            to = this->template Result<To>(),
            a = this->template Operand<From>(0),
            b = this->template Operand<From>(1)] {
      nest.ForEachRow({}, [=](int64_t length, const auto& at, const auto& by) {
        for (int64_t i = 0; i < length; ++i) {
          to[at[0] + i * by[0]] =
              function(a[at[1] + i * by[1]], b[at[2] + i * by[2]]);
        }
      });
    };
  }

  template <typename T>
  std::function<void()> Select() {
    return [nest = this->template NestOf<4>(), to = this->template Result<T>(),
            condition = this->template Operand<uint8_t>(0),
            a = this->template Operand<T>(1),
            b = this->template Operand<T>(2)] {
      nest.ForEachRow({}, [=](int64_t length, const auto& at, const auto& by) {
        for (int64_t i = 0; i < length; ++i) {
          to[at[0] + i * by[0]] = condition[at[1] + i * by[1]] != 0
                                      ? a[at[2] + i * by[2]]
                                      : b[at[3] + i * by[3]];
        }
      });
    };
  }

  std::function<void()> Select() {
    switch (OperandType(1)) {
      case ScalarType::kF32:
        return Select<Real>();
      case ScalarType::kI64:
        return Select<int64_t>();
      case ScalarType::kBool:
        return Select<uint8_t>();
    }
    throw std::logic_error("unknown scalar type");
  }

  template <typename T>
  std::function<void()> Comparison() {
    const auto with = [this](auto holds) {
      return Binary<uint8_t, T>(
          [holds](T a, T b) { return static_cast<uint8_t>(holds(a, b)); });
    };
    switch (op_.kind) {
      case ElementwiseKind::kLess:
        return with([](T a, T b) { return a < b; });
      case ElementwiseKind::kLessEqual:
        return with([](T a, T b) { return a <= b; });
      case ElementwiseKind::kGreater:
        return with([](T a, T b) { return a > b; });
      case ElementwiseKind::kGreaterEqual:
        return with([](T a, T b) { return a >= b; });
      case ElementwiseKind::kEqual:
        return with([](T a, T b) { return a == b; });
      case ElementwiseKind::kNotEqual:
        return with([](T a, T b) { return a != b; });
      default:
        throw std::logic_error("not a comparison");
    }
  }

  std::function<void()> FloatArithmetic() {
    switch (op_.kind) {
      case ElementwiseKind::kAdd:
        return Binary<Real, Real>([](Real a, Real b) { return a + b; });
      case ElementwiseKind::kSub:
        return Binary<Real, Real>([](Real a, Real b) { return a - b; });
      case ElementwiseKind::kMul:
        return Binary<Real, Real>([](Real a, Real b) { return a * b; });
      case ElementwiseKind::kDiv:
        return Binary<Real, Real>([](Real a, Real b) { return a / b; });
      case ElementwiseKind::kMax:
        return Binary<Real, Real>([](Real a, Real b) { return a > b ? a : b; });
      default:
        throw std::logic_error("not arithmetic");
    }
  }

  // Modulo 2^64; the divisor is a constant of at least 1.
  std::function<void()> IntegerArithmetic() {
    using I = int64_t;
    using U = uint64_t;
    switch (op_.kind) {
      case ElementwiseKind::kAdd:
        return Binary<I, I>([](I a, I b) { return WrappingAdd(a, b); });
      case ElementwiseKind::kSub:
        return Binary<I, I>([](I a, I b) {
          return static_cast<I>(static_cast<U>(a) - static_cast<U>(b));
        });
      case ElementwiseKind::kMul:
        return Binary<I, I>([](I a, I b) {
          return static_cast<I>(static_cast<U>(a) * static_cast<U>(b));
        });
      case ElementwiseKind::kDiv:
        return Binary<I, I>([](I a, I b) { return a / b; });
      case ElementwiseKind::kMax:
        return Binary<I, I>([](I a, I b) { return a > b ? a : b; });
      default:
        throw std::logic_error("not arithmetic");
    }
  }

  std::function<void()> Convert() {
    if (OperandType(0) == ScalarType::kI64) {
      return Unary<Real, int64_t>(
          [](int64_t a) { return static_cast<Real>(a); });
    }
    if (TypeOf(program_, op_.result).scalar == ScalarType::kF32) {
      return Unary<Real, uint8_t>(
          [](uint8_t a) { return a ? Real{1} : Real{0}; });
    }
    return Unary<int64_t, uint8_t>([](uint8_t a) { return int64_t{a}; });
  }

  const tile::Program& program_;
  const tile::Elementwise& op_;
  Machine<Real>& machine_;
};

template <typename Real>
std::function<void()> ElementwiseMaker<Real>::Make() {
  const bool is_f32 = OperandType(0) == ScalarType::kF32;
  switch (op_.kind) {
    case ElementwiseKind::kAdd:
    case ElementwiseKind::kSub:
    case ElementwiseKind::kMul:
    case ElementwiseKind::kDiv:
    case ElementwiseKind::kMax:
      return is_f32 ? FloatArithmetic() : IntegerArithmetic();
    case ElementwiseKind::kLess:
    case ElementwiseKind::kLessEqual:
    case ElementwiseKind::kGreater:
    case ElementwiseKind::kGreaterEqual:
    case ElementwiseKind::kEqual:
    case ElementwiseKind::kNotEqual:
      return is_f32 ? Comparison<Real>() : Comparison<int64_t>();
    case ElementwiseKind::kAnd:
      return Binary<uint8_t, uint8_t>(
          [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a & b); });
    case ElementwiseKind::kSelect:
      return Select();
    case ElementwiseKind::kExp:
      return Unary<Real, Real>([](Real a) { return Exp(a); });
    case ElementwiseKind::kSqrt:
      return Unary<Real, Real>([](Real a) { return std::sqrt(a); });
    case ElementwiseKind::kConvert:
      return Convert();
  }
  throw std::logic_error("unknown elementwise operation");
}

}  // namespace

template <typename Real>
Statement<Real> MakeElementwise(const tile::Program& program,
                                const tile::Elementwise& op,
                                Machine<Real>& machine) {
  return {ElementCount(program, op.result) * OperationsOf<Real>(op.kind),
          ElementwiseMaker<Real>(program, op, machine).Make(),
          {}};
}

template Statement<float> MakeElementwise(const tile::Program&,
                                          const tile::Elementwise&,
                                          Machine<float>&);
template Statement<double> MakeElementwise(const tile::Program&,
                                           const tile::Elementwise&,
                                           Machine<double>&);

}  // namespace exhibit
