#include "capture/kernel_builder.h"

namespace exhibit {
namespace {

Error NoCompiler(const std::string& what) {
  return Error{ErrorKind::kUnsupported,
               what + " needs the kernel compiler, which this build lacks",
               "Build Exhibit with -DEXHIBIT_COMPILER=ON, or name a shared "
               "library (.so)."};
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Status CheckBuildable(const ManifestVariant& variant) {
  if (variant.kind == "library" && EndsWith(variant.library, ".so")) {
    return Ok();
  }
  if (variant.kind == "library") {
    return NoCompiler("variant " + variant.name + ", the object " +
                      variant.library + ",");
  }
  return NoCompiler("variant " + variant.name + ", of kind " + variant.kind +
                    ",");
}

Result<BuiltKernel> BuildTileKernel(const tile::Program& program,
                                    const TileOptions&, const BuildTarget&) {
  return NoCompiler("program " + program.name);
}

Result<std::string> LinkLibraryObject(std::string_view, int64_t) {
  return NoCompiler("linking an object");
}

}  // namespace exhibit
