#include "compiler/tile/program.h"

#include <algorithm>

namespace exhibit::tile {

std::string_view NameOf(ScalarType type) {
  switch (type) {
    case ScalarType::kF32:
      return "f32";
    case ScalarType::kI64:
      return "i64";
    case ScalarType::kBool:
      return "bool";
  }
  return "";
}

std::string_view NameOf(BufferRole role) {
  switch (role) {
    case BufferRole::kInput:
      return "input";
    case BufferRole::kOutput:
      return "output";
    case BufferRole::kInout:
      return "inout";
  }
  return "";
}

std::string_view NameOf(ElementwiseKind kind) {
  switch (kind) {
    case ElementwiseKind::kAdd:
      return "add";
    case ElementwiseKind::kSub:
      return "sub";
    case ElementwiseKind::kMul:
      return "mul";
    case ElementwiseKind::kDiv:
      return "div";
    case ElementwiseKind::kMax:
      return "max";
    case ElementwiseKind::kLess:
      return "lt";
    case ElementwiseKind::kLessEqual:
      return "le";
    case ElementwiseKind::kGreater:
      return "gt";
    case ElementwiseKind::kGreaterEqual:
      return "ge";
    case ElementwiseKind::kEqual:
      return "eq";
    case ElementwiseKind::kNotEqual:
      return "ne";
    case ElementwiseKind::kAnd:
      return "and";
    case ElementwiseKind::kSelect:
      return "select";
    case ElementwiseKind::kExp:
      return "exp";
    case ElementwiseKind::kSqrt:
      return "sqrt";
    case ElementwiseKind::kConvert:
      return "convert";
  }
  return "";
}

std::string_view NameOf(Permission permission) {
  switch (permission) {
    case Permission::kStrict:
      return "strict";
    case Permission::kFma:
      return "fma";
    case Permission::kRelaxed:
      return "relaxed";
  }
  return "";
}

std::string_view NameOf(ReduceKind kind) {
  return kind == ReduceKind::kMax ? "max" : "sum";
}

std::string_view NameOf(ReduceOrder order) {
  return order == ReduceOrder::kSequential ? "sequential" : "tree";
}

int64_t ScalarBytes(ScalarType type) {
  switch (type) {
    case ScalarType::kF32:
      return 4;
    case ScalarType::kI64:
      return 8;
    case ScalarType::kBool:
      return 1;
  }
  return 0;
}

int OperandCount(ElementwiseKind kind) {
  switch (kind) {
    case ElementwiseKind::kExp:
    case ElementwiseKind::kSqrt:
    case ElementwiseKind::kConvert:
      return 1;
    case ElementwiseKind::kSelect:
      return 3;
    default:
      return 2;
  }
}

const TileType& TypeOf(const Program& program, ValueId value) {
  return program.values.at(value).type;
}

const std::string& ValueName(const Program& program, ValueId value) {
  return program.values.at(value).name;
}

int64_t ElementCount(const Program& program, const std::vector<AxisId>& axes) {
  int64_t count = 1;
  for (AxisId axis : axes) count *= program.axes.at(axis).extent;
  return count;
}

int64_t ElementCount(const Program& program, ValueId value) {
  return ElementCount(program, TypeOf(program, value).axes);
}

int64_t ElementCount(const Buffer& buffer) {
  int64_t count = 1;
  for (int64_t extent : buffer.shape) count *= extent;
  return count;
}

bool HasAxis(const TileType& type, AxisId axis) {
  return std::find(type.axes.begin(), type.axes.end(), axis) != type.axes.end();
}

int64_t StrideAlong(const Program& program, const TileType& type, AxisId axis) {
  int64_t stride = 1;
  for (auto it = type.axes.rbegin(); it != type.axes.rend(); ++it) {
    if (*it == axis) return stride;
    stride *= program.axes.at(*it).extent;
  }
  return 0;
}

int64_t InstanceCount(const Program& program) {
  int64_t count = 1;
  for (const DomainAxis& axis : program.domain) count *= axis.extent;
  return count;
}

std::vector<AxisId> ContractedAxes(const Program& program, const Mma& mma) {
  const TileType& result = TypeOf(program, mma.result);
  std::vector<AxisId> contracted;
  for (AxisId axis : TypeOf(program, mma.lhs).axes) {
    if (!HasAxis(result, axis)) contracted.push_back(axis);
  }
  return contracted;
}

int64_t TermCount(const Program& program, const Mma& mma) {
  return ElementCount(program, ContractedAxes(program, mma));
}

namespace {

struct ResultVisitor {
  ValueId operator()(const Store&) const { return kNone; }
  ValueId operator()(const Pipeline&) const { return kNone; }
  template <typename Node>
  ValueId operator()(const Node& node) const {
    return node.result;
  }
};

struct OperandVisitor {
  std::vector<ValueId> slots;

  void Add(const Scalar& scalar) {
    if (scalar.value != kNone) slots.push_back(scalar.value);
  }
  void Add(const View& view) {
    for (const ViewDim& dim : view.dims) Add(dim.offset);
  }

  void operator()(const Constant&) {}
  void operator()(const Iota& iota) { Add(iota.offset); }
  void operator()(const Load& load) { Add(load.view); }
  void operator()(const Store& store) {
    slots.push_back(store.source);
    Add(store.view);
  }
  void operator()(const Elementwise& op) { slots = op.operands; }
  void operator()(const Mma& mma) { slots = {mma.lhs, mma.rhs, mma.seed}; }
  void operator()(const Reduce& reduce) { slots = {reduce.operand}; }
  void operator()(const Pipeline& pipeline) {
    for (const Carry& carry : pipeline.carries) {
      slots.push_back(carry.initial);
    }
  }
};

}  // namespace

ValueId ResultOf(const Op& op) { return std::visit(ResultVisitor(), op.node); }

std::vector<ValueId> OperandsOf(const Op& op) {
  OperandVisitor visitor;
  std::visit([&visitor](const auto& node) { visitor(node); }, op.node);
  return visitor.slots;
}

}  // namespace exhibit::tile
