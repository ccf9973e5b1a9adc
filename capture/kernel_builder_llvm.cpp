#include <utility>

#include "capture/kernel_builder.h"
#include "capture/realization.h"
#include "compiler/build/compile.h"

namespace exhibit {

Status CheckBuildable(const ManifestVariant&) { return Ok(); }

Result<BuiltKernel> BuildTileKernel(const tile::Program& program,
                                    const TileOptions& options,
                                    const BuildTarget& target) {
  CompileOptions compile;
  compile.cpu = target.cpu;
  EXHIBIT_ASSIGN_OR_RETURN(CompiledKernel compiled,
                           CompileKernel(program, options, compile));
  EXHIBIT_ASSIGN_OR_RETURN(
      std::string library,
      LinkSharedLibrary(compiled.object, target.placement_bytes));
  EXHIBIT_ASSIGN_OR_RETURN(
      const RealizationFacts facts,
      ReadRealization(compiled.realization, "realization.json"));
  BuiltKernel kernel;
  for (const CompilePhase& phase : compiled.phases) {
    kernel.build_ns[phase.name] = phase.duration_ns;
  }
  kernel.symbol = compiled.symbol;
  kernel.workspace_bytes = compiled.workspace_bytes;
  kernel.required_cpu_flags = facts.required_cpu_flags;
  kernel.files["program.tile"] = std::move(compiled.program_text);
  kernel.files["kernel.ll"] = std::move(compiled.ir);
  kernel.files["kernel.s"] = std::move(compiled.assembly);
  kernel.files["kernel.o"] = std::move(compiled.object);
  kernel.files["kernel.so"] = std::move(library);
  kernel.files["realization.json"] = std::move(compiled.realization);
  kernel.entry = compiled.entry;
  kernel.code = std::move(compiled.code);
  return kernel;
}

Result<std::string> LinkLibraryObject(std::string_view object,
                                      int64_t placement_bytes) {
  return LinkSharedLibrary(object, placement_bytes);
}

}  // namespace exhibit
