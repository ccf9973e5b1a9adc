// Buffers and private arrays.

#include <algorithm>

#include "compiler/emit/body.h"

namespace exhibit {

using tile::kNone;
using tile::ValueId;

namespace {

// Elements between neighbours along each dimension of a row-major buffer.
std::vector<int64_t> BufferStrides(const tile::Buffer& buffer) {
  std::vector<int64_t> strides(buffer.shape.size(), 1);
  for (size_t i = strides.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * buffer.shape[i];
  }
  return strides;
}

llvm::Align ElementAlign(tile::ScalarType scalar) {
  return llvm::Align(static_cast<uint64_t>(tile::ScalarBytes(scalar)));
}

}  // namespace

void BodyEmitter::Allocate(int32_t array, tile::ScalarType scalar,
                           int64_t elements) {
  const ArrayPlan& plan = in_.plan.arrays.at(static_cast<size_t>(array));
  if (allocated_[static_cast<size_t>(array)] || plan.scalar != scalar ||
      plan.elements != elements) {
    throw std::logic_error("array " + plan.name +
                           " is not what was planned for");
  }
  allocated_[static_cast<size_t>(array)] = true;
  allocated_bytes_ += elements * tile::ScalarBytes(scalar);
  ++allocations_;
}

void BodyEmitter::AllocateFor(ValueId value) {
  if (PlanOf(value).array < 0) return;
  Allocate(PlanOf(value).array, Type(value).scalar, Elements(value));
}

void BodyEmitter::MarkAlias(llvm::Instruction* access, int32_t array) {
  if (array < 0) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, buffer_scope_);
    if (!array_scopes_.empty()) {
      access->setMetadata(llvm::LLVMContext::MD_noalias, all_array_scopes_);
    }
    return;
  }
  const size_t i = static_cast<size_t>(array);
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, array_scopes_[i]);
  access->setMetadata(llvm::LLVMContext::MD_noalias, other_scopes_[i]);
}

llvm::Value* BodyEmitter::ArrayPointer(int32_t array, const FlatIndex& index) {
  if (!allocated_[static_cast<size_t>(array)]) {
    throw std::logic_error("an array was touched before it was allocated");
  }
  const ArrayPlan& plan = in_.plan.arrays[static_cast<size_t>(array)];
  const int64_t bytes = tile::ScalarBytes(plan.scalar) * lanes_.width();
  llvm::Value* pointer = arena_;
  if (index.running != nullptr) {
    // The running part in elements, so that loops see a plain induction.
    pointer = builder_.CreateInBoundsGEP(
        llvm::ArrayType::get(builder_.getInt8Ty(),
                             static_cast<uint64_t>(bytes)),
        pointer, index.running);
  }
  return builder_.CreateConstInBoundsGEP1_64(
      builder_.getInt8Ty(), pointer,
      static_cast<uint64_t>(plan.offset_bytes + index.number * bytes));
}

llvm::Value* BodyEmitter::LoadArray(int32_t array, const FlatIndex& index,
                                    bool uniform) {
  const ArrayPlan& plan = in_.plan.arrays[static_cast<size_t>(array)];
  const bool is_bool = plan.scalar == tile::ScalarType::kBool;
  const auto stored =
      is_bool ? builder_.getInt8Ty() : lanes_.ScalarOf(plan.scalar);
  const auto width = static_cast<unsigned>(lanes_.width());
  llvm::Type* type =
      uniform ? stored : llvm::FixedVectorType::get(stored, width);
  // Offsets are multiples of 64 and elements of W lanes.
  const llvm::Align align(std::min<uint64_t>(
      64, static_cast<uint64_t>(tile::ScalarBytes(plan.scalar)) * width));
  llvm::LoadInst* load =
      builder_.CreateAlignedLoad(type, ArrayPointer(array, index), align);
  MarkAlias(load, array);
  if (!is_bool) return load;
  return builder_.CreateICmpNE(load, llvm::Constant::getNullValue(type));
}

void BodyEmitter::StoreArray(int32_t array, const FlatIndex& index,
                             llvm::Value* element) {
  const ArrayPlan& plan = in_.plan.arrays[static_cast<size_t>(array)];
  element = lanes_.Splat(element);
  const auto width = static_cast<unsigned>(lanes_.width());
  if (plan.scalar == tile::ScalarType::kBool) {
    element = builder_.CreateZExt(
        element, llvm::FixedVectorType::get(builder_.getInt8Ty(), width));
  }
  const llvm::Align align(std::min<uint64_t>(
      64, static_cast<uint64_t>(tile::ScalarBytes(plan.scalar)) * width));
  MarkAlias(
      builder_.CreateAlignedStore(element, ArrayPointer(array, index), align),
      array);
}

void BodyEmitter::CopyArray(int32_t from, int32_t to) {
  const ArrayPlan& plan = in_.plan.arrays[static_cast<size_t>(from)];
  if (plan.elements == 0) return;
  lanes_.Loop(0, plan.elements, 1, {},
              [&](llvm::Value* index, const std::vector<llvm::Value*>&) {
                const FlatIndex element{index, 0};
                StoreArray(to, element, LoadArray(from, element, false));
                return std::vector<llvm::Value*>();
              });
}

BodyEmitter::Access BodyEmitter::Prepare(const tile::View& view) {
  const tile::Buffer& buffer = in_.program.buffers[view.buffer];
  const std::vector<int64_t> strides = BufferStrides(buffer);
  Access access;
  access.view = &view;
  llvm::Value* same = lanes_.Index(0);
  llvm::Value* differing = nullptr;
  std::optional<int64_t> lane_stride = 0;
  for (size_t i = 0; i < view.dims.size(); ++i) {
    const tile::Scalar& scalar = view.dims[i].offset;
    llvm::Value* offset = ReadScalar(scalar);
    access.offsets.push_back(offset);
    const bool varies = LaneBuilder::IsVector(offset);
    llvm::Value* part = builder_.CreateMul(
        offset, llvm::ConstantInt::get(offset->getType(),
                                       static_cast<uint64_t>(strides[i])));
    if (!varies) {
      same = builder_.CreateAdd(same, part);
      continue;
    }
    differing =
        differing == nullptr ? part : builder_.CreateAdd(differing, part);
    const auto stride = in_.facts[scalar.value].lane_stride;
    lane_stride = lane_stride && stride
                      ? std::optional(*lane_stride + *stride * strides[i])
                      : std::nullopt;
  }
  llvm::Type* element = lanes_.ScalarOf(buffer.scalar);
  access.base = builder_.CreateGEP(element, buffers_[view.buffer], same);
  if (differing == nullptr) return access;
  access.contiguous = lane_stride == 1;
  access.per_lane = !access.contiguous;
  if (access.contiguous) {
    differing = builder_.CreateExtractElement(differing, uint64_t{0});
  }
  access.base = builder_.CreateGEP(element, access.base, differing);
  return access;
}

llvm::Value* BodyEmitter::PointerTo(const Access& access,
                                    const Coordinates& at) {
  const tile::Buffer& buffer = in_.program.buffers[access.view->buffer];
  const std::vector<int64_t> strides = BufferStrides(buffer);
  llvm::Value* running = nullptr;
  int64_t number = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (access.view->dims[i].axis == kNone) continue;
    const Coordinate& coordinate = at[access.view->dims[i].axis];
    if (coordinate.running == nullptr) {
      number += coordinate.number * strides[i];
      continue;
    }
    llvm::Value* part =
        builder_.CreateMul(coordinate.running, lanes_.Index(strides[i]));
    running = running == nullptr ? part : builder_.CreateAdd(running, part);
  }
  llvm::Value* index = RunningIndex({running, number});
  return builder_.CreateGEP(lanes_.ScalarOf(buffer.scalar), access.base, index);
}

llvm::Value* BodyEmitter::InsideCheck(const Access& access,
                                      const Coordinates& at) {
  const tile::Buffer& buffer = in_.program.buffers[access.view->buffer];
  llvm::Value* inside = nullptr;
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    const tile::ViewDim& dim = access.view->dims[i];
    IndexRange along{0, 0};
    llvm::Value* index = access.offsets[i];
    if (dim.axis != kNone) {
      const Coordinate& coordinate = at[dim.axis];
      llvm::Value* step = coordinate.running;
      along = {0, in_.program.axes[dim.axis].extent - 1};
      if (step == nullptr) {
        along = {coordinate.number, coordinate.number};
        step = lanes_.Index(coordinate.number);
      }
      lanes_.Unify(index, step);
      index = builder_.CreateAdd(index, step);
    }
    std::optional<IndexRange> offset =
        IndexRange{dim.offset.literal, dim.offset.literal};
    if (dim.offset.value != kNone) offset = in_.facts[dim.offset.value].range;
    // Axis extents and buffer shapes are far from the ends of i64.
    if (offset && offset->low >= 0 && offset->high < buffer.shape[i] &&
        offset->high + along.high < buffer.shape[i]) {
      continue;
    }
    // Unsigned, so that one comparison refuses negative indices too.
    llvm::Value* here = builder_.CreateICmpULT(
        index, llvm::ConstantInt::get(index->getType(),
                                      static_cast<uint64_t>(buffer.shape[i])));
    if (inside != nullptr) lanes_.Unify(inside, here);
    inside = inside == nullptr ? here : builder_.CreateAnd(inside, here);
  }
  return inside;
}

llvm::Value* BodyEmitter::LaneMask(llvm::Value* inside) {
  if (inside == nullptr) return active_mask_;
  return builder_.CreateAnd(active_mask_, lanes_.Splat(inside));
}

llvm::Value* BodyEmitter::LoadElement(const Access& access,
                                      const Coordinates& at) {
  const tile::ScalarType scalar =
      in_.program.buffers[access.view->buffer].scalar;
  llvm::Type* vector = lanes_.VectorOf(scalar);
  llvm::Value* inside = InsideCheck(access, at);
  llvm::Value* pointer = PointerTo(access, at);
  llvm::Value* zero = llvm::Constant::getNullValue(vector);
  if (access.per_lane) {
    ++accesses_.gather_loads;
    llvm::CallInst* load = builder_.CreateMaskedGather(
        vector, pointer, ElementAlign(scalar), LaneMask(inside), zero);
    MarkAlias(load, -1);
    return load;
  }
  if (access.contiguous) {
    ++accesses_.contiguous_loads;
    llvm::CallInst* load = builder_.CreateMaskedLoad(
        vector, pointer, ElementAlign(scalar), LaneMask(inside), zero);
    MarkAlias(load, -1);
    return load;
  }
  // One address for all lanes. Outside the buffer nothing may be read, so a
  // check selects a place that exists: the start of an array is one, unless
  // the buffer is empty, and then nothing is loaded.
  ++accesses_.broadcast_loads;
  llvm::Type* type = lanes_.ScalarOf(scalar);
  if (tile::ElementCount(in_.program.buffers[access.view->buffer]) == 0) {
    return llvm::Constant::getNullValue(type);
  }
  if (inside != nullptr) {
    pointer =
        builder_.CreateSelect(inside, pointer, buffers_[access.view->buffer]);
  }
  llvm::LoadInst* load =
      builder_.CreateAlignedLoad(type, pointer, ElementAlign(scalar));
  MarkAlias(load, -1);
  if (inside == nullptr) return load;
  return builder_.CreateSelect(inside, load,
                               llvm::Constant::getNullValue(type));
}

void BodyEmitter::StoreElement(const Access& access, const Coordinates& at,
                               llvm::Value* element) {
  const tile::ScalarType scalar =
      in_.program.buffers[access.view->buffer].scalar;
  llvm::Value* mask = LaneMask(InsideCheck(access, at));
  llvm::Value* pointer = PointerTo(access, at);
  element = lanes_.Splat(element);
  llvm::CallInst* store = nullptr;
  if (access.contiguous) {
    ++accesses_.contiguous_stores;
    store = builder_.CreateMaskedStore(element, pointer, ElementAlign(scalar),
                                       mask);
  } else {
    ++accesses_.scatter_stores;
    store = builder_.CreateMaskedScatter(element, lanes_.Splat(pointer),
                                         ElementAlign(scalar), mask);
  }
  MarkAlias(store, -1);
}

}  // namespace exhibit
