#include "compiler/build/compile.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "compiler/build/machine_code.h"
#include "compiler/build/realization.h"
#include "compiler/build/target_cpu.h"
#include "compiler/emit/emit.h"
#include "compiler/plan/plan.h"
#include "compiler/tile/text.h"
#include "compiler/tile/verify.h"

namespace exhibit {
namespace {

bool UsesFma(const std::vector<tile::Op>& ops) {
  for (const tile::Op& op : ops) {
    if (const auto* mma = std::get_if<tile::Mma>(&op.node)) {
      if (mma->permission == tile::Permission::kFma) return true;
    }
    if (const auto* pipeline = std::get_if<tile::Pipeline>(&op.node)) {
      if (UsesFma(pipeline->body)) return true;
    }
  }
  return false;
}

// Without the instruction a fused operation would become a call of libm.
Status CheckFma(const tile::Program& program, const TargetCpu& target) {
  const std::string features = "," + target.features + ",";
  if (!UsesFma(program.body) || features.find(",+fma,") != std::string::npos) {
    return Ok();
  }
  return Error{ErrorKind::kUnsupported,
               "program " + program.name +
                   " has an mma with permission fma, "
                   "which target " +
                   target.name + " lacks",
               "choose --cpu x86-64-v3 or newer"};
}

int64_t Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

Result<CompiledKernel> CompileKernel(const tile::Program& program,
                                     const TileOptions& options,
                                     const CompileOptions& compile) {
  EXHIBIT_RETURN_IF_ERROR(CheckTileOptions(options));
  EXHIBIT_RETURN_IF_ERROR(tile::VerifyProgram(program));
  EXHIBIT_ASSIGN_OR_RETURN(
      const TargetCpu target,
      compile.features ? RecordedTargetCpu(compile.cpu, *compile.features)
                       : ResolveTargetCpu(compile.cpu));
  EXHIBIT_RETURN_IF_ERROR(CheckFma(program, target));
  CompiledKernel kernel;
  auto start = std::chrono::steady_clock::now();
  EXHIBIT_ASSIGN_OR_RETURN(const Plan plan, PlanProgram(program, options));
  kernel.phases.push_back({"plan", Since(start)});
  start = std::chrono::steady_clock::now();
  EXHIBIT_ASSIGN_OR_RETURN(EmittedModule emitted,
                           EmitModule(program, options, plan));
  kernel.phases.push_back({"emit", Since(start)});
  EXHIBIT_ASSIGN_OR_RETURN(
      MachineCode code,
      CompileIr(emitted.ir, target, {emitted.symbol, emitted.block_symbol}));
  if (std::ranges::find(code.functions, emitted.full_packet_symbol) ==
      code.functions.end()) {
    // Nor is it there where the optimiser saw that no packet can be full.
    emitted.full_packet_specializations = 0;
    emitted.full_packet_cloned_instructions = 0;
  }
  kernel.realization = EncodeJson(
      Realization({program, options, plan, emitted, target, LlvmVersion()}));
  kernel.name = program.name;
  kernel.symbol = std::move(emitted.symbol);
  kernel.program_text = tile::PrintProgram(program);
  kernel.ir = std::move(emitted.ir);
  kernel.assembly = std::move(code.assembly);
  kernel.object = std::move(code.object);
  kernel.packet_instructions = emitted.packet_instructions;
  kernel.has_full_packet_clone = emitted.full_packet_specializations == 1;
  kernel.workspace_bytes = static_cast<uint64_t>(plan.private_workspace_bytes);
  kernel.phases.insert(kernel.phases.end(), code.phases.begin(),
                       code.phases.end());
  kernel.entry = code.entries[0];
  kernel.block_entry = code.entries[1];
  kernel.code = std::move(code.code);
  return kernel;
}

}  // namespace exhibit
