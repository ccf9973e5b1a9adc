#include "compiler/emit/entries.h"

#include <cstddef>

#include "llvm/IR/IRBuilder.h"
#include "manifests/entry.h"

namespace exhibit {
namespace {

// Reads the fields of the launch, each where it is needed.
class LaunchReader {
 public:
  LaunchReader(llvm::IRBuilder<>& builder, llvm::Value* launch)
      : builder_(builder), launch_(launch) {}

  llvm::Value* Number(size_t offset_bytes) {
    llvm::Value* number = builder_.CreateAlignedLoad(
        builder_.getInt32Ty(), At(offset_bytes), llvm::Align(4));
    return builder_.CreateZExt(number, builder_.getInt64Ty());
  }

  llvm::Value* Workspace() {
    return builder_.CreateAlignedLoad(builder_.getPtrTy(),
                                      At(offsetof(exhibit_launch, workspace)),
                                      llvm::Align(8));
  }

  // x + grid.x * (y + grid.y * z)
  llvm::Value* FirstBlock() {
    const size_t block = offsetof(exhibit_launch, block_id);
    const size_t grid = offsetof(exhibit_launch, grid_size);
    llvm::Value* rows = builder_.CreateAdd(
        Number(block + 4),
        builder_.CreateMul(Number(grid + 4), Number(block + 8)));
    return builder_.CreateAdd(Number(block),
                              builder_.CreateMul(Number(grid), rows));
  }

 private:
  llvm::Value* At(size_t offset_bytes) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), launch_,
                                               offset_bytes);
  }

  llvm::IRBuilder<>& builder_;
  llvm::Value* launch_;
};

llvm::Value* Minimum(llvm::IRBuilder<>& builder, llvm::Value* a,
                     llvm::Value* b) {
  return builder.CreateSelect(builder.CreateICmpULT(a, b), a, b);
}

}  // namespace

void SetFunctionAttributes(llvm::Function& function) {
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

void EmitEntry(llvm::Module& module, const EntrySpec& spec) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* type_i32 = llvm::Type::getInt32Ty(context);
  llvm::Function* entry = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, pointer, pointer, type_i32}, false),
      llvm::GlobalValue::ExternalLinkage, spec.symbol, module);
  SetFunctionAttributes(*entry);
  auto block = [&] { return llvm::BasicBlock::Create(context, "", entry); };
  llvm::BasicBlock* start = block();
  llvm::BasicBlock* check = block();
  llvm::BasicBlock* inside = block();
  llvm::IRBuilder<> builder(start);
  LaunchReader launch(builder, entry->getArg(2));
  auto number = [&](int64_t n) {
    return builder.getInt64(static_cast<uint64_t>(n));
  };
  llvm::Value* workspace = launch.Workspace();
  llvm::Value* dispatch =
      Minimum(builder, launch.Number(offsetof(exhibit_launch, dispatch_size)),
              number(spec.instances));
  llvm::Value* first =
      builder.CreateMul(launch.FirstBlock(), number(spec.workers_per_block));
  llvm::Value* packets = builder.CreateMul(
      builder.CreateZExt(entry->getArg(3), builder.getInt64Ty()),
      number(spec.packets_per_count));
  llvm::Value* end = builder.CreateAdd(
      first, builder.CreateMul(packets, number(spec.packet_width)));
  end = Minimum(builder, end, dispatch);
  builder.CreateBr(check);

  // Packets from `first` on, until the count or the dispatch is through.
  builder.SetInsertPoint(check);
  llvm::PHINode* instance = builder.CreatePHI(builder.getInt64Ty(), 2);
  instance->addIncoming(first, start);
  llvm::BasicBlock* done = block();
  builder.CreateCondBr(builder.CreateICmpULT(instance, end), inside, done);
  builder.SetInsertPoint(inside);
  llvm::Value* remaining = builder.CreateSub(dispatch, instance);
  llvm::Value* active = builder.CreateTrunc(
      Minimum(builder, remaining, number(spec.packet_width)), type_i32);
  llvm::BasicBlock* next = block();
  if (spec.full_packet != nullptr) {
    llvm::BasicBlock* full = block();
    llvm::BasicBlock* tail = block();
    builder.CreateCondBr(
        builder.CreateICmpEQ(
            active, builder.getInt32(static_cast<uint32_t>(spec.packet_width))),
        full, tail);
    builder.SetInsertPoint(full);
    builder.CreateCall(spec.full_packet,
                       {entry->getArg(0), workspace, instance});
    builder.CreateBr(next);
    builder.SetInsertPoint(tail);
  }
  builder.CreateCall(spec.packet,
                     {entry->getArg(0), workspace, instance, active});
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  instance->addIncoming(builder.CreateAdd(instance, number(spec.packet_width)),
                        next);
  builder.CreateBr(check);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

}  // namespace exhibit
