// From IR text to machine code: optimiser, assembly, JIT and capture.
//
// Private to build/; nothing of LLVM shows here.

#ifndef EXHIBIT_COMPILER_BUILD_MACHINE_CODE_H_
#define EXHIBIT_COMPILER_BUILD_MACHINE_CODE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/build/compile.h"
#include "compiler/build/target_cpu.h"
#include "manifests/entry.h"

namespace exhibit {

struct MachineCode {
  std::string assembly;
  std::string object;                   // The bytes that ORC linked.
  std::vector<std::string> functions;   // Defined in it.
  std::vector<exhibit_entry*> entries;  // As asked for.
  std::shared_ptr<const void> code;     // Keeps the entries callable.
  std::vector<CompilePhase> phases;     // optimize, assembly, jit
};

// Optimises `ir` by the O2 pipeline for `target`, prints its assembly,
// JIT-links it with nothing but the allowed imports, and looks `symbols` up.
//
// Whatever fails here is a bug in what we emitted and throws std::logic_error,
// except a target that LLVM does not have: kUnsupported.
Result<MachineCode> CompileIr(std::string_view ir, const TargetCpu& target,
                              const std::vector<std::string>& symbols);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_BUILD_MACHINE_CODE_H_
