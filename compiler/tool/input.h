// What exhibit-compile is given: a program and the options for it.

#ifndef EXHIBIT_COMPILER_TOOL_INPUT_H_
#define EXHIBIT_COMPILER_TOOL_INPUT_H_

#include <string>
#include <vector>

#include "compiler/tile/program.h"
#include "compiler/tool/failure.h"
#include "manifests/manifest.h"
#include "manifests/options.h"

namespace exhibit {

// "name=value" each, over the defaults. No name twice, nothing repaired.
Outcome<TileOptions> ReadSettings(const std::vector<std::string>& settings);

// The built-in attention program: `shape` as "B,Hq,Hkv,Q,K,D,Dv", `tile` as
// "BQ,BK".
Outcome<tile::Program> ReadAttention(const std::string& shape,
                                     const std::string& tile,
                                     const TileOptions& options);

// The program text at `path`, or on standard input where that is "-".
Outcome<tile::Program> ReadProgramText(const std::string& path);

struct CommandManifest {
  Manifest manifest;
  std::string folder;  // What its paths are relative to.
};

Outcome<CommandManifest> ReadManifest(const std::string& path);

// The program that one case of a manifest compiles under `options`. Library
// variants have none: kUnsupported.
Outcome<tile::Program> ReadCase(const CommandManifest& command,
                                const ManifestCase& manifest_case,
                                const TileOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_TOOL_INPUT_H_
