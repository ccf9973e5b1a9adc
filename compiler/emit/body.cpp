#include "compiler/emit/body.h"

#include <utility>
#include <variant>

#include "llvm/IR/MDBuilder.h"

namespace exhibit {

using tile::kNone;
using tile::ValueId;

namespace {

// Element operations of one body. A module of this size already takes minutes
// and gigabytes; the fully expanded diagnostic can ask for more.
constexpr int64_t kElementOperationsMax = 2'000'000;

}  // namespace

BodyEmitter::BodyEmitter(const BodyInputs& inputs, llvm::Function& function)
    : in_(inputs),
      function_(function),
      module_(*function.getParent()),
      builder_(function.getContext()),
      lanes_(builder_, inputs.options.packet_width),
      elements_(inputs.program.values.size()),
      definitions_(inputs.program.values.size(), nullptr),
      allocated_(inputs.plan.arrays.size(), false) {}

void BodyEmitter::Emit() {
  IndexOps(in_.program.body);
  builder_.SetInsertPoint(
      llvm::BasicBlock::Create(function_.getContext(), "", &function_));
  EmitProlog();
  EmitDomain();
  EmitOps(in_.program.body);
  builder_.CreateRetVoid();
}

void BodyEmitter::IndexOps(const std::vector<tile::Op>& ops) {
  for (const tile::Op& op : ops) {
    const ValueId result = tile::ResultOf(op);
    if (result != kNone) definitions_[result] = &op;
    if (const auto* pipeline = std::get_if<tile::Pipeline>(&op.node)) {
      IndexOps(pipeline->body);
    }
  }
}

void BodyEmitter::EmitProlog() {
  const unsigned width = static_cast<unsigned>(lanes_.width());
  for (size_t i = 0; i < in_.program.buffers.size(); ++i) {
    // exhibit_buffer is a pointer and a size, sixteen bytes.
    llvm::Value* slot = builder_.CreateConstGEP1_64(
        builder_.getInt8Ty(), function_.getArg(0), 16 * i);
    buffers_.push_back(
        builder_.CreateAlignedLoad(builder_.getPtrTy(), slot, llvm::Align(8)));
  }
  if (in_.plan.private_workspace_bytes > 0) {
    arena_ = function_.getArg(1);
  } else if (in_.plan.aligned_packet_bytes > 0) {
    llvm::AllocaInst* stack = builder_.CreateAlloca(llvm::ArrayType::get(
        builder_.getInt8Ty(),
        static_cast<uint64_t>(in_.plan.aligned_packet_bytes)));
    stack->setAlignment(llvm::Align(64));
    arena_ = stack;
  }
  std::vector<uint32_t> numbers;
  for (unsigned i = 0; i < width; ++i) numbers.push_back(i);
  llvm::Value* ids =
      llvm::ConstantDataVector::get(function_.getContext(), numbers);
  active_mask_ = builder_.CreateICmpULT(
      ids, builder_.CreateVectorSplat(width, function_.getArg(3)));

  llvm::MDBuilder metadata(function_.getContext());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain();
  buffer_scope_ = llvm::MDNode::get(function_.getContext(),
                                    metadata.createAnonymousAliasScope(domain));
  std::vector<llvm::Metadata*> scopes;
  for (size_t i = 0; i < in_.plan.arrays.size(); ++i) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain));
  }
  all_array_scopes_ = llvm::MDNode::get(function_.getContext(), scopes);
  for (size_t i = 0; i < scopes.size(); ++i) {
    array_scopes_.push_back(
        llvm::MDNode::get(function_.getContext(), scopes[i]));
    std::vector<llvm::Metadata*> others = scopes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    others.push_back(buffer_scope_->getOperand(0).get());
    other_scopes_.push_back(llvm::MDNode::get(function_.getContext(), others));
  }
}

void BodyEmitter::EmitDomain() {
  const unsigned width = static_cast<unsigned>(lanes_.width());
  llvm::Value* first = function_.getArg(2);
  llvm::Value* lanes = nullptr;  // The lanes' instance numbers, when needed.
  int64_t inner = 1;
  for (size_t i = in_.program.domain.size(); i-- > 0;) {
    const tile::DomainAxis& axis = in_.program.domain[i];
    llvm::Value* index = lanes_.Index(0);
    if (axis.extent != 1) {
      index = first;
      if (!in_.facts[axis.index].uniform) {
        if (lanes == nullptr) {
          std::vector<uint64_t> numbers;
          for (unsigned k = 0; k < width; ++k) numbers.push_back(k);
          lanes = builder_.CreateAdd(
              builder_.CreateVectorSplat(width, first),
              llvm::ConstantDataVector::get(function_.getContext(), numbers));
        }
        index = lanes;
      }
      auto number = [&](int64_t n) {
        return llvm::ConstantInt::get(index->getType(),
                                      static_cast<uint64_t>(n));
      };
      if (inner != 1) index = builder_.CreateUDiv(index, number(inner));
      if (i != 0) index = builder_.CreateURem(index, number(axis.extent));
    }
    elements_[axis.index] = {index};
    inner *= axis.extent;
  }
}

void BodyEmitter::EmitOps(const std::vector<tile::Op>& ops) {
  for (const tile::Op& op : ops) {
    std::visit([this](const auto& node) { Emit(node); }, op.node);
  }
}

const tile::TileType& BodyEmitter::Type(ValueId value) const {
  return tile::TypeOf(in_.program, value);
}

int64_t BodyEmitter::Elements(ValueId value) const {
  return tile::ElementCount(in_.program, value);
}

const ValuePlan& BodyEmitter::PlanOf(ValueId value) const {
  return in_.plan.values[static_cast<size_t>(value)];
}

bool BodyEmitter::IsLarge(ValueId value) const {
  return TraversalIsLoop(Elements(value), in_.options);
}

void BodyEmitter::CountWork() {
  if (++work_ > kElementOperationsMax) throw EmissionTooLarge();
}

llvm::Value* BodyEmitter::InShapeOf(ValueId value, llvm::Value* element) {
  return in_.facts[value].uniform ? element : lanes_.Splat(element);
}

BodyEmitter::FlatIndex BodyEmitter::Flatten(const tile::TileType& type,
                                            const Coordinates& at) {
  FlatIndex index;
  for (tile::AxisId axis : type.axes) {
    const int64_t stride = tile::StrideAlong(in_.program, type, axis);
    const Coordinate& coordinate = at[axis];
    if (coordinate.running == nullptr) {
      index.number += coordinate.number * stride;
      continue;
    }
    llvm::Value* part = coordinate.running;
    if (stride != 1) part = builder_.CreateMul(part, lanes_.Index(stride));
    index.running = index.running == nullptr
                        ? part
                        : builder_.CreateAdd(index.running, part);
  }
  return index;
}

llvm::Value* BodyEmitter::RunningIndex(const FlatIndex& index) {
  if (index.running == nullptr) return lanes_.Index(index.number);
  if (index.number == 0) return index.running;
  return builder_.CreateAdd(index.running, lanes_.Index(index.number));
}

llvm::Value* BodyEmitter::ReadScalar(const tile::Scalar& scalar) {
  if (scalar.value == kNone) return lanes_.Index(scalar.literal);
  return Read(scalar.value, {});
}

llvm::Value* BodyEmitter::Rematerialize(ValueId value, const Coordinates& at) {
  const tile::Op& op = *definitions_[value];
  if (const auto* iota = std::get_if<tile::Iota>(&op.node)) {
    const Coordinate& coordinate = at[iota->axis];
    llvm::Value* index = coordinate.running != nullptr
                             ? coordinate.running
                             : lanes_.Index(coordinate.number);
    llvm::Value* offset = ReadScalar(iota->offset);
    lanes_.Unify(index, offset);
    return builder_.CreateAdd(offset, index);
  }
  const auto& number = std::get<tile::Constant>(op.node).number;
  if (const float* real = std::get_if<float>(&number)) {
    return lanes_.Float(*real);
  }
  if (const int64_t* whole = std::get_if<int64_t>(&number)) {
    return lanes_.Index(*whole);
  }
  return builder_.getInt1(std::get<bool>(number));
}

llvm::Value* BodyEmitter::Read(ValueId value, const Coordinates& at) {
  CountWork();
  const ValuePlan& plan = PlanOf(value);
  if (plan.kind == StorageKind::kConstant) return Rematerialize(value, at);
  if (plan.kind == StorageKind::kDeferred) {
    return ElementOf(std::get<tile::Elementwise>(definitions_[value]->node),
                     at);
  }
  const std::vector<llvm::Value*>& elements = elements_[value];
  const FlatIndex index = Flatten(Type(value), at);
  if (index.running == nullptr && !elements.empty()) {
    return elements[static_cast<size_t>(index.number)];
  }
  if (plan.array >= 0) {
    return LoadArray(plan.array, index, in_.facts[value].uniform);
  }
  return ReadByCompare(value, at);
}

// The value stands in SSA elements and the index runs: every element that it
// may mean is compared for.
llvm::Value* BodyEmitter::ReadByCompare(ValueId value, const Coordinates& at) {
  std::vector<tile::AxisId> running;
  for (tile::AxisId axis : Type(value).axes) {
    if (at[axis].running != nullptr) running.push_back(axis);
  }
  tile::TileType chosen{Type(value).scalar, running};
  llvm::Value* index = RunningIndex(Flatten(chosen, at));
  Coordinates fixed = at;
  llvm::Value* result = nullptr;
  const int64_t count = tile::ElementCount(in_.program, running);
  for (int64_t i = 0; i < count; ++i) {
    CountWork();
    for (tile::AxisId axis : running) {
      const int64_t stride = tile::StrideAlong(in_.program, chosen, axis);
      fixed[axis] = {nullptr, i / stride % in_.program.axes[axis].extent};
    }
    llvm::Value* element =
        elements_[value]
                 [static_cast<size_t>(Flatten(Type(value), fixed).number)];
    if (result == nullptr) {
      result = element;
    } else {
      llvm::Value* here = builder_.CreateICmpEQ(index, lanes_.Index(i));
      result = builder_.CreateSelect(here, element, result);
    }
  }
  if (result == nullptr) throw std::logic_error("an empty value was read");
  return result;
}

llvm::Value* BodyEmitter::ElementOf(const tile::Elementwise& op,
                                    const Coordinates& at) {
  std::vector<llvm::Value*> operands;
  for (ValueId operand : op.operands) operands.push_back(Read(operand, at));
  llvm::Function* exp = nullptr;
  if (op.kind == tile::ElementwiseKind::kExp) {
    exp = ExpFunction(module_, lanes_.width(),
                      !LaneBuilder::IsVector(operands[0]));
  }
  llvm::Value* element = lanes_.Elementwise(op.kind, std::move(operands),
                                            Type(op.result).scalar, exp);
  return InShapeOf(op.result, element);
}

void BodyEmitter::SetElement(ValueId value, const Coordinates& at,
                             llvm::Value* element) {
  element = InShapeOf(value, element);
  const FlatIndex index = Flatten(Type(value), at);
  if (IsLarge(value)) {
    StoreArray(PlanOf(value).array, index, element);
  } else {
    elements_[value][static_cast<size_t>(index.number)] = element;
  }
}

void BodyEmitter::StoreElements(ValueId value) {
  const ValuePlan& plan = PlanOf(value);
  if (plan.array < 0 || IsLarge(value)) return;
  for (size_t i = 0; i < elements_[value].size(); ++i) {
    StoreArray(plan.array, {nullptr, static_cast<int64_t>(i)},
               elements_[value][i]);
  }
}

void BodyEmitter::Define(
    ValueId value,
    const std::function<llvm::Value*(const Coordinates&)>& element) {
  const ValuePlan& plan = PlanOf(value);
  if (plan.kind == StorageKind::kConstant ||
      plan.kind == StorageKind::kDeferred) {
    return;
  }
  AllocateFor(value);
  if (!IsLarge(value)) {
    elements_[value].assign(static_cast<size_t>(Elements(value)), nullptr);
  }
  Traverse(value,
           [&](Coordinates& at, GroupWidth) {
             CountWork();
             SetElement(value, at, element(at));
           },
           {});
  StoreElements(value);
}

void BodyEmitter::Traverse(ValueId shape, const PointBody& body,
                           const GroupAxes& groups) {
  Coordinates at(in_.program.axes.size());
  TraverseFrom(Type(shape).axes, 0, IsLarge(shape), groups, {}, at, body);
}

void BodyEmitter::TraverseFrom(const std::vector<tile::AxisId>& axes,
                               size_t depth, bool loops,
                               const GroupAxes& groups, GroupWidth width,
                               Coordinates& at, const PointBody& body) {
  if (depth == axes.size()) {
    body(at, width);
    return;
  }
  const tile::AxisId axis = axes[depth];
  const int64_t extent = in_.program.axes[axis].extent;
  int64_t step = 1;
  if (axis == groups.row) step = groups.rows;
  if (axis == groups.column) step = groups.columns;
  auto inside = [&](Coordinate coordinate, int64_t count) {
    at[axis] = coordinate;
    GroupWidth inner = width;
    if (axis == groups.row) inner.rows = count;
    if (axis == groups.column) inner.columns = count;
    TraverseFrom(axes, depth + 1, loops, groups, inner, at, body);
  };
  int64_t begin = 0;
  if (loops && extent / step > 1) {
    begin = extent / step * step;
    lanes_.Loop(0, begin, step, {},
                [&](llvm::Value* index, const std::vector<llvm::Value*>&) {
                  inside({index, 0}, step);
                  return std::vector<llvm::Value*>();
                });
  }
  for (int64_t i = begin; i < extent; i += step) {
    inside({nullptr, i}, std::min(step, extent - i));
  }
}

// No code, but for the operand of a reduce, which has an array.
void BodyEmitter::Emit(const tile::Constant& op) {
  Define(op.result,
         [&](const Coordinates& at) { return Rematerialize(op.result, at); });
}

void BodyEmitter::Emit(const tile::Iota& op) {
  Define(op.result,
         [&](const Coordinates& at) { return Rematerialize(op.result, at); });
}

void BodyEmitter::Emit(const tile::Load& op) {
  const Access access = Prepare(op.view);
  Define(op.result,
         [&](const Coordinates& at) { return LoadElement(access, at); });
}

void BodyEmitter::Emit(const tile::Store& op) {
  const Access access = Prepare(op.view);
  Traverse(op.source,
           [&](Coordinates& at, GroupWidth) {
             StoreElement(access, at, Read(op.source, at));
           },
           {});
}

void BodyEmitter::Emit(const tile::Elementwise& op) {
  Define(op.result, [&](const Coordinates& at) { return ElementOf(op, at); });
}

void BodyEmitter::AllocateCarry(const tile::Carry& carry) {
  AllocateFor(carry.argument);
  const ValuePlan& plan = PlanOf(carry.argument);
  if (plan.next_array >= 0) {
    Allocate(plan.next_array, Type(carry.argument).scalar,
             Elements(carry.argument));
  }
  // A small result has its own array; a large one shares the argument's.
  if (!IsLarge(carry.argument)) AllocateFor(carry.result);
}

void BodyEmitter::AllocateSkipped(const std::vector<tile::Op>& ops) {
  for (const tile::Op& op : ops) {
    const ValueId result = tile::ResultOf(op);
    if (result != kNone) AllocateFor(result);
    if (const auto* pipeline = std::get_if<tile::Pipeline>(&op.node)) {
      for (const tile::Carry& carry : pipeline->carries) AllocateCarry(carry);
      AllocateSkipped(pipeline->body);
    }
  }
}

void BodyEmitter::CopyToArray(ValueId from, ValueId shape, int32_t to) {
  Traverse(shape,
           [&](Coordinates& at, GroupWidth) {
             StoreArray(to, Flatten(Type(shape), at), Read(from, at));
           },
           {});
}

std::vector<llvm::Value*> BodyEmitter::ReadSmall(const tile::Pipeline& op,
                                                 ValueId tile::Carry::*which) {
  std::vector<llvm::Value*> elements;
  for (const tile::Carry& carry : op.carries) {
    if (IsLarge(carry.argument)) continue;
    Traverse(
        carry.argument,
        [&](Coordinates& at, GroupWidth) {
          elements.push_back(InShapeOf(carry.argument, Read(carry.*which, at)));
        },
        {});
  }
  return elements;
}

void BodyEmitter::SetSmall(const tile::Pipeline& op,
                           ValueId tile::Carry::*which,
                           const std::vector<llvm::Value*>& elements) {
  auto next = elements.begin();
  for (const tile::Carry& carry : op.carries) {
    if (IsLarge(carry.argument)) continue;
    const auto count = static_cast<std::ptrdiff_t>(Elements(carry.argument));
    elements_[carry.*which].assign(next, next + count);
    next += count;
    StoreElements(carry.*which);
  }
}

// All next arrays first: a yielded value may read current ones.
void BodyEmitter::UpdateLarge(const tile::Pipeline& op) {
  for (const tile::Carry& carry : op.carries) {
    if (!IsLarge(carry.argument)) continue;
    CopyToArray(carry.yielded, carry.argument,
                PlanOf(carry.argument).next_array);
  }
  for (const tile::Carry& carry : op.carries) {
    if (!IsLarge(carry.argument)) continue;
    CopyArray(PlanOf(carry.argument).next_array, PlanOf(carry.argument).array);
  }
}

void BodyEmitter::Emit(const tile::Pipeline& op) {
  for (const tile::Carry& carry : op.carries) AllocateCarry(carry);
  for (const tile::Carry& carry : op.carries) {
    if (!IsLarge(carry.argument)) continue;
    CopyToArray(carry.initial, carry.argument, PlanOf(carry.argument).array);
  }
  std::vector<llvm::Value*> small = ReadSmall(op, &tile::Carry::initial);
  if (op.trips > 0) {
    small = lanes_.Loop(
        0, op.trips, 1, small,
        [&](llvm::Value* step, const std::vector<llvm::Value*>& carried) {
          if (op.step != kNone) elements_[op.step] = {step};
          SetSmall(op, &tile::Carry::argument, carried);
          EmitOps(op.body);
          std::vector<llvm::Value*> yielded =
              ReadSmall(op, &tile::Carry::yielded);
          UpdateLarge(op);
          return yielded;
        });
  } else {
    // The body has no trip and so no code; its arrays are planned all the same.
    AllocateSkipped(op.body);
  }
  SetSmall(op, &tile::Carry::result, small);
}

}  // namespace exhibit
