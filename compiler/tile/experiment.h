// A tile program as the subject of an experiment.
//
// An experiment makes arrays for the buffers of a program, calls it and
// compares what it wrote, so it asks for more than a program that means
// something: f32 buffers that are either read or written, of a size that an
// array file may have, and one right result.
// Normative: manifests/MANIFEST.md, "Tile programs".

#ifndef EXHIBIT_COMPILER_TILE_EXPERIMENT_H_
#define EXHIBIT_COMPILER_TILE_EXPERIMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/tile/program.h"
#include "manifests/manifest.h"
#include "manifests/result.h"

namespace exhibit::tile {

struct Experiment {
  Program program;                      // Verified.
  std::vector<ManifestBuffer> buffers;  // In declaration order.
  int64_t dispatch = 0;                 // Program instances.
};

// Reads the text of a case. `where` names it in messages.
//
// Fails as ReadProgram does; with kUnsupported for an inout buffer, a buffer of
// i64 and an mma that is `relaxed`; with kInvalidArgument for a buffer's name,
// for a program without an output and for an empty buffer; with kLimitExceeded
// past ManifestLimits. Every message names what it is about.
Result<Experiment> ReadExperiment(std::string_view text,
                                  std::string_view where);

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_EXPERIMENT_H_
