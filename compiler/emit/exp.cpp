#include <string>

#include "compiler/emit/lanes.h"
#include "compiler/tile/exp_f32.h"

namespace exhibit {
namespace {

// The arithmetic of ExpF32By on LLVM values of one shape.
class EmittedExpOps {
 public:
  using F = llvm::Value*;
  using I = llvm::Value*;

  EmittedExpOps(llvm::IRBuilder<>& builder, llvm::Type* type)
      : builder_(builder), type_(type) {
    integer_ = type->getWithNewType(builder.getInt32Ty());
  }

  F Float(float v) { return llvm::ConstantFP::get(type_, llvm::APFloat(v)); }
  I Int(uint32_t v) { return llvm::ConstantInt::get(integer_, v); }
  F Add(F a, F b) { return builder_.CreateFAdd(a, b); }
  F Sub(F a, F b) { return builder_.CreateFSub(a, b); }
  F Mul(F a, F b) { return builder_.CreateFMul(a, b); }
  F SelectGreater(F a, F b, F c, F d) {
    return builder_.CreateSelect(builder_.CreateFCmpOGT(a, b), c, d);
  }
  F SelectLess(F a, F b, F c, F d) {
    return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), c, d);
  }
  I Bits(F v) { return builder_.CreateBitCast(v, integer_); }
  F FromBits(I v) { return builder_.CreateBitCast(v, type_); }
  I AddInt(I a, I b) { return builder_.CreateAdd(a, b); }
  I SubInt(I a, I b) { return builder_.CreateSub(a, b); }
  I HalveInt(I v) { return builder_.CreateAShr(v, Int(1)); }
  I ShiftInt23(I v) { return builder_.CreateShl(v, Int(23)); }

 private:
  llvm::IRBuilder<>& builder_;
  llvm::Type* type_;
  llvm::Type* integer_;
};

}  // namespace

llvm::Function* ExpFunction(llvm::Module& module, int64_t width, bool uniform) {
  std::string name = "exhibit.exp.f32";
  if (!uniform) name += ".w" + std::to_string(width);
  if (llvm::Function* made = module.getFunction(name)) return made;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* type = llvm::Type::getFloatTy(context);
  if (!uniform) {
    type = llvm::FixedVectorType::get(type, static_cast<unsigned>(width));
  }
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(type, {type}, false),
                             llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  EmittedExpOps ops(builder, type);
  builder.CreateRet(ExpF32By<EmittedExpOps>(ops, function->getArg(0)));
  return function;
}

}  // namespace exhibit
