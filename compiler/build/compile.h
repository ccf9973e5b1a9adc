// From a tile program to frozen code.
//
// CompileKernel plans, emits, optimises, JIT-links and captures in one go; the
// object it returns is byte for byte the one that ORC linked, and the entry it
// returns is that object's code in this process. The same program, options and
// CPU give the same text, object and report, whatever the process, clock or
// environment. Nothing of LLVM shows here.
// Normative: compiler/REALIZATION.md for the report.

#ifndef EXHIBIT_COMPILER_BUILD_COMPILE_H_
#define EXHIBIT_COMPILER_BUILD_COMPILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/tile/program.h"
#include "manifests/entry.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

struct CompileOptions {
  // "native" (detected name and features, both written into the report),
  // "x86-64", "x86-64-v2", "x86-64-v3" or "x86-64-v4".
  std::string cpu = "native";
  // A report's target_features: then `cpu` is its target_cpu, any name of
  // LLVM's, and nothing is detected. For making again what another machine
  // made.
  std::optional<std::string> features = std::nullopt;
};

// How long one phase took on this machine; never part of a frozen record that
// must be equal between machines.
struct CompilePhase {
  std::string name;  // plan, emit, optimize, assembly, jit
  int64_t duration_ns = 0;
};

struct CompiledKernel {
  std::string name;          // The program's.
  std::string symbol;        // "<name>.packet_batch.blocks": the entry to call.
  std::string program_text;  // program.tile: the canonical print.
  std::string ir;            // kernel.ll, before optimisation.
  std::string assembly;      // kernel.s, of the optimised module.
  std::string object;        // kernel.o, exactly the bytes ORC linked.
  std::string realization;   // realization.json, canonical.
  int64_t packet_instructions = 0;  // Of the packet body, before optimisation.
  bool has_full_packet_clone = false;
  uint64_t workspace_bytes = 0;  // What launch.workspace must offer, or 0.
  std::vector<CompilePhase> phases;

  // The JIT-linked code. Both stay valid as long as a copy of `code` lives.
  exhibit_entry* entry = nullptr;        // `symbol`
  exhibit_entry* block_entry = nullptr;  // "<name>.packet_batch"
  std::shared_ptr<const void> code;
};

// Compiles `program` as `options` ask.
//
// Fails with kInvalidArgument for options that CheckTileOptions refuses,
// kLimitExceeded when the plan passes the snapshot budget, kUnsupported for an
// unknown CPU, a feature without a /proc/cpuinfo name, features that this build
// would not write of that CPU, or a host that is not x86-64 Linux. A capacity
// that differs from the plan, an import outside memcpy, memmove and memset, and
// invalid IR are bugs and throw. The JIT needs a CPU that can run
// `options.cpu`; compiling for another CPU works, calling the entry then does
// not.
Result<CompiledKernel> CompileKernel(const tile::Program& program,
                                     const TileOptions& options,
                                     const CompileOptions& compile = {});

// The LLVM that this process runs, "22.1.8": with the same program, options and
// target it makes the same bytes.
std::string LlvmVersion();

// The shared library that the declared link makes of one object, in memory.
//
// Runs lld inside this process with `-shared -O0 --no-relax
// --hash-style=gnu --build-id=none`; equal bytes in, equal bytes out. Not
// thread-safe, as lld is not: one link at a time in a process.
// `placement_bytes` puts an object of so many trap instructions before it, so
// that its code stands that much further on, aligned as it asks: a multiple of
// 16 from 0, which adds nothing, to 4080.
// Fails with kInvalidArgument and the linker's own words when it refuses.
Result<std::string> LinkSharedLibrary(std::string_view object,
                                      int64_t placement_bytes = 0);

// The arguments of that link, without input and output: for records.
const std::vector<std::string>& SharedLibraryLinkArguments();

// Symbols that `object` leaves undefined, sorted. Fails with kCorrupt when the
// bytes are not a relocatable x86-64 ELF object.
Result<std::vector<std::string>> UndefinedSymbols(std::string_view object);

// What an object may import: memcpy, memmove, memset.
const std::vector<std::string>& AllowedImports();

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_BUILD_COMPILE_H_
