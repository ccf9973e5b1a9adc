#include "compiler/emit/emit.h"

#include <utility>

#include "compiler/emit/body.h"
#include "compiler/emit/entries.h"
#include "compiler/emit/facts.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

std::string TextOf(const llvm::Function& function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream);
  return text;
}

llvm::Function* DeclarePacket(llvm::Module& module, const std::string& name) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Function* packet = llvm::Function::Create(
      llvm::FunctionType::get(
          llvm::Type::getVoidTy(context),
          {pointer, pointer, llvm::Type::getInt64Ty(context),
           llvm::Type::getInt32Ty(context)},
          false),
      llvm::GlobalValue::InternalLinkage, name, module);
  SetFunctionAttributes(*packet);
  // One body, one symbol: what is measured stays a function of its own, and
  // both arms of a comparison are called the same way.
  packet->addFnAttr(llvm::Attribute::NoInline);
  return packet;
}

// The packet with its lane count fixed to W.
llvm::Function* CloneFull(llvm::Function& packet, const std::string& name,
                          int64_t width) {
  llvm::ValueToValueMapTy map;
  map[packet.getArg(3)] = llvm::ConstantInt::get(packet.getArg(3)->getType(),
                                                 static_cast<uint64_t>(width));
  llvm::Function* full = llvm::CloneFunction(&packet, map);
  full->setName(name);
  return full;
}

FunctionShape ShapeOf(const llvm::Function& function) {
  FunctionShape shape;
  shape.name = function.getName().str();
  shape.instructions = static_cast<int64_t>(function.getInstructionCount());
  shape.basic_blocks = static_cast<int64_t>(function.size());
  return shape;
}

void CheckAgainstPlan(const BodyEmitter& body, const Plan& plan) {
  if (body.allocated_bytes_per_worker() ==
          plan.static_snapshot_bytes_per_worker &&
      body.allocations() == plan.static_snapshot_allocations) {
    return;
  }
  throw std::logic_error(
      "planned " + std::to_string(plan.static_snapshot_bytes_per_worker) +
      " bytes in " + std::to_string(plan.static_snapshot_allocations) +
      " arrays, emitted " + std::to_string(body.allocated_bytes_per_worker()) +
      " in " + std::to_string(body.allocations()));
}

AccessReport ReportOf(const AccessCounts& counts) {
  return {counts.gather_loads, counts.contiguous_loads, counts.broadcast_loads,
          counts.scatter_stores, counts.contiguous_stores};
}

void AddEntries(llvm::Module& module, const TileOptions& options,
                const Plan& plan, llvm::Function* packet, llvm::Function* full,
                EmittedModule& emitted) {
  EntrySpec spec;
  spec.packet_width = options.packet_width;
  spec.workers_per_block = options.workers_per_block;
  spec.instances = plan.instances;
  spec.packet = packet;
  spec.full_packet = full;
  spec.symbol = emitted.block_symbol;
  EmitEntry(module, spec);
  spec.symbol = emitted.symbol;
  spec.packets_per_count = options.workers_per_block / options.packet_width;
  EmitEntry(module, spec);
}

}  // namespace

Result<EmittedModule> EmitModule(const tile::Program& program,
                                 const TileOptions& options,
                                 const Plan& plan) try {
  llvm::LLVMContext context;
  llvm::Module module(program.name, context);
  EmittedModule emitted;
  emitted.symbol = program.name + ".packet_batch.blocks";
  emitted.block_symbol = program.name + ".packet_batch";
  emitted.full_packet_symbol = program.name + ".packet.full";
  // Both, whether used or not: the digest is that of the mathematics and does
  // not depend on where it is called.
  emitted.math_helper_sha256 =
      Sha256Hex(TextOf(*ExpFunction(module, options.packet_width, true)) +
                TextOf(*ExpFunction(module, options.packet_width, false)));
  llvm::Function* packet = DeclarePacket(module, program.name + ".packet");
  const std::vector<LaneFacts> facts =
      FindLaneFacts(program, options.packet_width);
  const BodyInputs inputs{program, options, plan, facts};
  BodyEmitter body(inputs, *packet);
  body.Emit();
  CheckAgainstPlan(body, plan);
  emitted.accesses = ReportOf(body.accesses());

  llvm::Function* full = nullptr;
  emitted.packet_instructions = ShapeOf(*packet).instructions;
  if (options.full_packet &&
      emitted.packet_instructions <= options.max_full_packet_instructions) {
    full =
        CloneFull(*packet, emitted.full_packet_symbol, options.packet_width);
    emitted.full_packet_specializations = 1;
    emitted.full_packet_cloned_instructions = ShapeOf(*full).instructions;
  }
  AddEntries(module, options, plan, packet, full, emitted);

  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  if (llvm::verifyModule(module, &stream)) {
    throw std::logic_error("emitted invalid IR: " + complaint);
  }
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) {
      emitted.functions.push_back(ShapeOf(function));
    }
  }
  llvm::raw_string_ostream text(emitted.ir);
  module.print(text, nullptr);
  return emitted;
} catch (const EmissionTooLarge&) {
  return Error{ErrorKind::kLimitExceeded,
               "program " + program.name +
                   " would need more than 2000000 emitted element operations",
               "raise max_unrolled_tile_elements from 0, or lower it, so that "
               "traversals become run-time loops"};
}

}  // namespace exhibit
