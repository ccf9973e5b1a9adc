#include "compiler/tile/check_op.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/tile/text.h"

namespace exhibit::tile {

Error FaultIn(const Program& program, const Op& op, const std::string& what) {
  return Error{ErrorKind::kInvalidArgument,
               what + ", in `" + PrintOp(program, op) + "`", ""};
}

std::string OpChecker::Quote(ValueId value) const {
  return "\"" + ValueName(program_, value) + "\"";
}

std::string OpChecker::QuoteAxis(AxisId axis) const {
  return "\"" + program_.axes.at(axis).name + "\"";
}

Status OpChecker::Check(const Op& op) {
  op_ = &op;
  return std::visit([this](const auto& node) { return Check(node); }, op.node);
}

Status OpChecker::Check(const Constant& op) {
  // The alternatives of `number` stand in the order of ScalarType.
  if (op.number.index() != static_cast<size_t>(Type(op.result).scalar)) {
    return Fault("the number is not of the result's type");
  }
  const float* number = std::get_if<float>(&op.number);
  if (number != nullptr && std::isnan(*number) &&
      std::bit_cast<uint32_t>(*number) != 0x7fc00000u) {
    return Fault("a NaN constant has bits other than 0x7fc00000");
  }
  constants_[op.result] = &op;
  return Ok();
}

Status OpChecker::CheckScalarOffset(const Scalar& offset) const {
  if (offset.value == kNone ||
      Type(offset.value) == TileType{ScalarType::kI64, {}}) {
    return Ok();
  }
  return Fault("offset " + Quote(offset.value) + " is " +
               PrintType(program_, Type(offset.value)) + ", not an i64 scalar");
}

Status OpChecker::Check(const Iota& op) const {
  if (Type(op.result) != TileType{ScalarType::kI64, {op.axis}}) {
    return Fault("an iota over " + QuoteAxis(op.axis) + " is i64[" +
                 program_.axes[op.axis].name + "]");
  }
  return CheckScalarOffset(op.offset);
}

Status OpChecker::CheckView(const View& view, const TileType& tile) const {
  const Buffer& buffer = program_.buffers[view.buffer];
  if (view.dims.size() != buffer.shape.size()) {
    return Fault("buffer \"" + buffer.name + "\" has " +
                 std::to_string(buffer.shape.size()) + " dimensions, not " +
                 std::to_string(view.dims.size()));
  }
  if (tile.scalar != buffer.scalar) {
    return Fault("buffer \"" + buffer.name + "\" is of " +
                 std::string(NameOf(buffer.scalar)));
  }
  std::vector<AxisId> indexed;
  for (const ViewDim& dim : view.dims) {
    EXHIBIT_RETURN_IF_ERROR(CheckScalarOffset(dim.offset));
    if (dim.axis == kNone) continue;
    if (!HasAxis(tile, dim.axis)) {
      return Fault("the tile has no axis " + QuoteAxis(dim.axis));
    }
    if (std::find(indexed.begin(), indexed.end(), dim.axis) != indexed.end()) {
      return Fault("axis " + QuoteAxis(dim.axis) + " indexes two dimensions");
    }
    indexed.push_back(dim.axis);
  }
  for (AxisId axis : tile.axes) {
    if (std::find(indexed.begin(), indexed.end(), axis) == indexed.end()) {
      return Fault("axis " + QuoteAxis(axis) + " indexes no dimension");
    }
  }
  return Ok();
}

Status OpChecker::Check(const Load& op) const {
  const Buffer& buffer = program_.buffers[op.view.buffer];
  if (buffer.role == BufferRole::kOutput) {
    return Fault("output buffer \"" + buffer.name + "\" is loaded");
  }
  return CheckView(op.view, Type(op.result));
}

Status OpChecker::Check(const Store& op) const {
  const Buffer& buffer = program_.buffers[op.view.buffer];
  if (buffer.role == BufferRole::kInput) {
    return Fault("input buffer \"" + buffer.name + "\" is stored to");
  }
  return CheckView(op.view, Type(op.source));
}

Status OpChecker::CheckBroadcast(ValueId operand,
                                 const TileType& result) const {
  for (AxisId axis : Type(operand).axes) {
    if (!HasAxis(result, axis)) {
      return Fault("operand " + Quote(operand) + " has axis " +
                   QuoteAxis(axis) + ", which the result lacks");
    }
  }
  return Ok();
}

Status OpChecker::CheckElementwiseTypes(const Elementwise& op) const {
  const ScalarType result = Type(op.result).scalar;
  std::vector<ScalarType> operands;
  for (ValueId operand : op.operands) operands.push_back(Type(operand).scalar);
  const ScalarType first = operands[0];
  const bool alike = operands.back() == first;
  bool sound = false;
  switch (op.kind) {
    case ElementwiseKind::kAdd:
    case ElementwiseKind::kSub:
    case ElementwiseKind::kMul:
    case ElementwiseKind::kDiv:
    case ElementwiseKind::kMax:
      sound = alike && first == result && result != ScalarType::kBool;
      break;
    case ElementwiseKind::kLess:
    case ElementwiseKind::kLessEqual:
    case ElementwiseKind::kGreater:
    case ElementwiseKind::kGreaterEqual:
    case ElementwiseKind::kEqual:
    case ElementwiseKind::kNotEqual:
      sound =
          alike && first != ScalarType::kBool && result == ScalarType::kBool;
      break;
    case ElementwiseKind::kAnd:
      sound = alike && first == ScalarType::kBool && result == first;
      break;
    case ElementwiseKind::kSelect:
      sound = first == ScalarType::kBool && operands[1] == result &&
              operands[2] == result;
      break;
    case ElementwiseKind::kExp:
    case ElementwiseKind::kSqrt:
      sound = first == ScalarType::kF32 && result == first;
      break;
    case ElementwiseKind::kConvert:
      sound = (first == ScalarType::kI64 && result == ScalarType::kF32) ||
              (first == ScalarType::kBool && result != ScalarType::kBool);
      break;
  }
  if (sound) return Ok();
  std::string types;
  for (ScalarType type : operands) {
    types += (types.empty() ? "" : ", ") + std::string(NameOf(type));
  }
  return Fault(std::string(NameOf(op.kind)) + " does not take " + types +
               " to " + std::string(NameOf(result)));
}

Status OpChecker::Check(const Elementwise& op) const {
  if (static_cast<int>(op.operands.size()) != OperandCount(op.kind)) {
    return Fault(std::string(NameOf(op.kind)) + " takes " +
                 std::to_string(OperandCount(op.kind)) + " operands");
  }
  EXHIBIT_RETURN_IF_ERROR(CheckElementwiseTypes(op));
  for (ValueId operand : op.operands) {
    EXHIBIT_RETURN_IF_ERROR(CheckBroadcast(operand, Type(op.result)));
  }
  if (op.kind != ElementwiseKind::kDiv ||
      Type(op.result).scalar != ScalarType::kI64) {
    return Ok();
  }
  // Keeps the two undefined cases, x / 0 and -2^63 / -1, out of the language.
  const Constant* divisor = constants_[op.operands[1]];
  if (divisor == nullptr || std::get<int64_t>(divisor->number) < 1) {
    return Fault("divisor " + Quote(op.operands[1]) +
                 " is not a constant of at least 1");
  }
  return Ok();
}

Status OpChecker::Check(const Mma& op) const {
  const TileType& result = Type(op.result);
  const TileType& lhs = Type(op.lhs);
  for (ValueId value : {op.result, op.lhs, op.rhs, op.seed}) {
    if (Type(value).scalar != ScalarType::kF32) {
      return Fault(Quote(value) + " is not f32");
    }
  }
  for (AxisId axis : Type(op.rhs).axes) {
    if (!HasAxis(lhs, axis) && !HasAxis(result, axis)) {
      return Fault("axis " + QuoteAxis(axis) +
                   " of the right operand is neither in the left operand nor "
                   "in the result");
    }
  }
  return CheckBroadcast(op.seed, result);
}

Status OpChecker::Check(const Reduce& op) const {
  const TileType& result = Type(op.result);
  const TileType& operand = Type(op.operand);
  if (operand.scalar != ScalarType::kF32 || result.scalar != ScalarType::kF32) {
    return Fault("a reduce is of f32");
  }
  if (!HasAxis(operand, op.axis)) {
    return Fault("operand " + Quote(op.operand) + " has no axis " +
                 QuoteAxis(op.axis));
  }
  std::vector<AxisId> expected;
  for (AxisId axis : operand.axes) {
    if (axis != op.axis) expected.push_back(axis);
  }
  if (result.axes != expected) {
    return Fault("the result is " +
                 PrintType(program_, TileType{ScalarType::kF32, expected}));
  }
  if (program_.axes[op.axis].extent < 1) {
    return Fault("axis " + QuoteAxis(op.axis) + " has no first element");
  }
  return Ok();
}

}  // namespace exhibit::tile
