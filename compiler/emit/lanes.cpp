#include "compiler/emit/lanes.h"

#include <stdexcept>

#include "llvm/IR/Intrinsics.h"

namespace exhibit {

using tile::ElementwiseKind;
using tile::ScalarType;

llvm::Type* LaneBuilder::ScalarOf(ScalarType type) {
  switch (type) {
    case ScalarType::kF32:
      return builder_.getFloatTy();
    case ScalarType::kI64:
      return builder_.getInt64Ty();
    case ScalarType::kBool:
      return builder_.getInt1Ty();
  }
  throw std::logic_error("scalar type out of range");
}

llvm::Type* LaneBuilder::VectorOf(ScalarType type) {
  return llvm::FixedVectorType::get(ScalarOf(type),
                                    static_cast<unsigned>(width_));
}

llvm::Value* LaneBuilder::Index(int64_t number) {
  return builder_.getInt64(static_cast<uint64_t>(number));
}

llvm::Constant* LaneBuilder::Float(float number) {
  return llvm::ConstantFP::get(builder_.getFloatTy(), llvm::APFloat(number));
}

bool LaneBuilder::IsVector(llvm::Value* value) {
  return value->getType()->isVectorTy();
}

llvm::Value* LaneBuilder::Splat(llvm::Value* value) {
  if (IsVector(value)) return value;
  return builder_.CreateVectorSplat(static_cast<unsigned>(width_), value);
}

void LaneBuilder::Unify(llvm::Value*& a, llvm::Value*& b) {
  if (IsVector(a) == IsVector(b)) return;
  a = Splat(a);
  b = Splat(b);
}

llvm::Value* LaneBuilder::Arithmetic(ElementwiseKind kind, llvm::Value* a,
                                     llvm::Value* b) {
  const bool real = a->getType()->isFPOrFPVectorTy();
  switch (kind) {
    case ElementwiseKind::kAdd:
      return real ? builder_.CreateFAdd(a, b) : builder_.CreateAdd(a, b);
    case ElementwiseKind::kSub:
      return real ? builder_.CreateFSub(a, b) : builder_.CreateSub(a, b);
    case ElementwiseKind::kMul:
      return real ? builder_.CreateFMul(a, b) : builder_.CreateMul(a, b);
    case ElementwiseKind::kDiv:
      return real ? builder_.CreateFDiv(a, b) : builder_.CreateSDiv(a, b);
    case ElementwiseKind::kMax:
      return Max(a, b);
    case ElementwiseKind::kAnd:
      return builder_.CreateAnd(a, b);
    default:
      return Compare(kind, a, b);
  }
}

llvm::Value* LaneBuilder::Compare(ElementwiseKind kind, llvm::Value* a,
                                  llvm::Value* b) {
  const bool real = a->getType()->isFPOrFPVectorTy();
  using P = llvm::CmpInst::Predicate;
  P predicate = P::BAD_ICMP_PREDICATE;
  switch (kind) {
    case ElementwiseKind::kLess:
      predicate = real ? P::FCMP_OLT : P::ICMP_SLT;
      break;
    case ElementwiseKind::kLessEqual:
      predicate = real ? P::FCMP_OLE : P::ICMP_SLE;
      break;
    case ElementwiseKind::kGreater:
      predicate = real ? P::FCMP_OGT : P::ICMP_SGT;
      break;
    case ElementwiseKind::kGreaterEqual:
      predicate = real ? P::FCMP_OGE : P::ICMP_SGE;
      break;
    case ElementwiseKind::kEqual:
      predicate = real ? P::FCMP_OEQ : P::ICMP_EQ;
      break;
    case ElementwiseKind::kNotEqual:
      predicate = real ? P::FCMP_UNE : P::ICMP_NE;
      break;
    default:
      throw std::logic_error("elementwise kind out of range");
  }
  return builder_.CreateCmp(predicate, a, b);
}

llvm::Value* LaneBuilder::Max(llvm::Value* a, llvm::Value* b) {
  Unify(a, b);
  llvm::Value* greater = a->getType()->isFPOrFPVectorTy()
                             ? builder_.CreateFCmpOGT(a, b)
                             : builder_.CreateICmpSGT(a, b);
  return builder_.CreateSelect(greater, a, b);
}

llvm::Value* LaneBuilder::Select(llvm::Value* condition, llvm::Value* a,
                                 llvm::Value* b) {
  Unify(a, b);
  if (IsVector(condition)) {
    a = Splat(a);
    b = Splat(b);
  }
  return builder_.CreateSelect(condition, a, b);
}

llvm::Value* LaneBuilder::Convert(llvm::Value* value, ScalarType to) {
  llvm::Type* type = IsVector(value) ? VectorOf(to) : ScalarOf(to);
  const bool from_bool = value->getType()->getScalarType()->isIntegerTy(1);
  if (to == ScalarType::kF32) {
    return from_bool ? builder_.CreateUIToFP(value, type)
                     : builder_.CreateSIToFP(value, type);
  }
  return builder_.CreateZExt(value, type);
}

llvm::Value* LaneBuilder::Elementwise(ElementwiseKind kind,
                                      std::vector<llvm::Value*> operands,
                                      ScalarType result, llvm::Function* exp) {
  switch (kind) {
    case ElementwiseKind::kSelect:
      return Select(operands[0], operands[1], operands[2]);
    case ElementwiseKind::kExp:
      return builder_.CreateCall(exp, {operands[0]});
    case ElementwiseKind::kSqrt:
      // Correctly rounded by IEEE 754, and an instruction on every CPU that
      // Exhibit targets: unlike rounding, it never becomes a call.
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, operands[0]);
    case ElementwiseKind::kConvert:
      return Convert(operands[0], result);
    default:
      Unify(operands[0], operands[1]);
      return Arithmetic(kind, operands[0], operands[1]);
  }
}

llvm::Value* LaneBuilder::MultiplyAdd(llvm::Value* a, llvm::Value* b,
                                      llvm::Value* acc) {
  Unify(a, b);
  llvm::Value* product = builder_.CreateFMul(a, b);
  Unify(acc, product);
  return builder_.CreateFAdd(acc, product);
}

llvm::Value* LaneBuilder::FusedMultiplyAdd(llvm::Value* a, llvm::Value* b,
                                           llvm::Value* acc) {
  Unify(a, b);
  Unify(a, acc);
  Unify(a, b);
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()},
                                  {a, b, acc});
}

std::vector<llvm::Value*> LaneBuilder::Loop(
    int64_t low, int64_t high, int64_t step,
    const std::vector<llvm::Value*>& initial,
    const std::function<std::vector<llvm::Value*>(
        llvm::Value*, const std::vector<llvm::Value*>&)>& body) {
  if (low >= high) throw std::logic_error("a run-time loop without a trip");
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock* head = llvm::BasicBlock::Create(context, "", function);
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode* index = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  index->addIncoming(Index(low), before);
  std::vector<llvm::Value*> carried;
  for (llvm::Value* value : initial) {
    llvm::PHINode* phi = builder_.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    carried.push_back(phi);
  }
  const std::vector<llvm::Value*> next = body(index, carried);
  if (next.size() != initial.size()) {
    throw std::logic_error("a loop body lost a carried value");
  }
  llvm::BasicBlock* latch = builder_.GetInsertBlock();
  llvm::Value* following = builder_.CreateAdd(index, Index(step));
  llvm::Value* more = builder_.CreateICmpSLT(following, Index(high));
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context, "", function);
  builder_.CreateCondBr(more, head, after);
  index->addIncoming(following, latch);
  for (size_t i = 0; i < next.size(); ++i) {
    llvm::cast<llvm::PHINode>(carried[i])->addIncoming(next[i], latch);
  }
  builder_.SetInsertPoint(after);
  return next;
}

}  // namespace exhibit
