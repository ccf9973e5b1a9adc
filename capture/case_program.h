// What a case computes: its buffers, its program instances and, unless the
// author supplies the code alone, the program itself. Needs no LLVM.

#ifndef EXHIBIT_CAPTURE_CASE_PROGRAM_H_
#define EXHIBIT_CAPTURE_CASE_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/tile/program.h"
#include "manifests/manifest.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

// Where the files that the manifest names as source lie in a run: what `text`
// of a case is relative to once the run exists.
std::string FrozenSourceFolder(const std::string& run);

struct CaseProgram {
  std::vector<ManifestBuffer> buffers;  // In declaration order.
  int64_t dispatch = 0;                 // Program instances.
  // Of manifest program `tile`: the text of the case, read.
  std::optional<tile::Program> text;
};

// From the manifest or, for program `tile`, from the file that the case names,
// relative to `text_folder`.
//
// Fails, naming the case, as ReadFile and tile::ReadExperiment do, with what
// makes an attention shape illegal, and with kInvalidArgument where `files`
// names a buffer that the text does not declare.
Result<CaseProgram> ReadCaseProgram(const Manifest& manifest,
                                    const ManifestCase& manifest_case,
                                    const std::string& text_folder);

// What a tile variant of the case compiles: the attention program of its shape
// and options, or the text that was read.
Result<tile::Program> ProgramToCompile(const ManifestCase& manifest_case,
                                       const CaseProgram& program,
                                       const TileOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_CASE_PROGRAM_H_
