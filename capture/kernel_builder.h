// The one door from capture to the compiler.
//
// Two files implement it, and CMake chooses: kernel_builder_llvm.cpp where the
// compiler is built, kernel_builder_absent.cpp (EXHIBIT_COMPILER=OFF) where
// every call but the question itself is refused by name. Nothing of LLVM shows
// here, so the rest of the room is the same code in both builds.

#ifndef EXHIBIT_CAPTURE_KERNEL_BUILDER_H_
#define EXHIBIT_CAPTURE_KERNEL_BUILDER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/tile/program.h"
#include "manifests/entry.h"
#include "manifests/manifest.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

// A tile variant, compiled, linked into this process and into a library.
struct BuiltKernel {
  std::string symbol;  // The entry of kernel.so.
  uint64_t workspace_bytes = 0;
  std::vector<std::string> required_cpu_flags;  // Sorted.
  std::map<std::string, std::optional<int64_t>> build_ns;  // By phase.
  // What the capture's folder holds: program.tile, kernel.ll, kernel.s,
  // kernel.o, kernel.so and realization.json.
  std::map<std::string, std::string> files;

  // The JIT-linked code, valid as long as a copy of `code` lives.
  exhibit_entry* entry = nullptr;
  std::shared_ptr<const void> code;
};

// Whether this build can make what `variant` asks for: a tile variant and a
// library given as an object need the compiler. kUnsupported, naming the
// variant, where it cannot.
Status CheckBuildable(const ManifestVariant& variant);

struct BuildTarget {
  std::string cpu;
  int64_t placement_bytes = 0;  // As in LinkSharedLibrary.
};

// Compiles `program` for `target`. Fails as CompileKernel does. Not
// thread-safe: lld links inside it.
Result<BuiltKernel> BuildTileKernel(const tile::Program& program,
                                    const TileOptions& options,
                                    const BuildTarget& target);

// The library that the declared link makes of an author's object.
Result<std::string> LinkLibraryObject(std::string_view object,
                                      int64_t placement_bytes);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_KERNEL_BUILDER_H_
