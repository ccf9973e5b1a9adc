#include "capture/case_program.h"

#include <algorithm>
#include <utility>

#include "compiler/tile/attention.h"
#include "compiler/tile/experiment.h"
#include "manifests/file.h"
#include "manifests/json.h"

namespace exhibit {
namespace {

Error InCase(const ManifestCase& manifest_case, Error error) {
  error.message = "case " + manifest_case.name + ": " + error.message;
  return error;
}

// Whether the case is an attention program at all, so that an illegal shape
// ends a capture before anything is written.
Status CheckAttentionCase(const ManifestCase& manifest_case) {
  const Result<std::string> text =
      tile::AttentionText(tile::AttentionSpecOf(manifest_case, TileOptions()));
  if (!text.ok()) return InCase(manifest_case, text.error());
  return Ok();
}

// query, key, value, output.
CaseProgram AttentionProgram(const ManifestCase& manifest_case) {
  const std::vector<int64_t>& shape = manifest_case.shape;
  const int64_t batch = shape.at(0), query_heads = shape.at(1),
                kv_heads = shape.at(2), queries = shape.at(3),
                keys = shape.at(4), depth = shape.at(5),
                value_depth = shape.at(6);
  CaseProgram program;
  program.buffers = {
      {"query", "input", "f32", {batch, query_heads, queries, depth}},
      {"key", "input", "f32", {batch, kv_heads, keys, depth}},
      {"value", "input", "f32", {batch, kv_heads, keys, value_depth}},
      {"output", "output", "f32", {batch, query_heads, queries, value_depth}},
  };
  program.dispatch = AttentionInstances(manifest_case);
  return program;
}

Status CheckFileNames(const ManifestCase& manifest_case,
                      const std::vector<ManifestBuffer>& buffers) {
  for (const auto& [name, path] : manifest_case.files) {
    const bool declared = std::any_of(
        buffers.begin(), buffers.end(),
        [&](const ManifestBuffer& buffer) { return buffer.name == name; });
    if (declared) continue;
    return Error{ErrorKind::kInvalidArgument,
                 "field \"files\": " + manifest_case.text +
                     " declares no buffer " + QuoteText(name),
                 ""};
  }
  return Ok();
}

Result<CaseProgram> TileProgram(const ManifestCase& manifest_case,
                                const std::string& text_folder) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string text,
                           ReadFile(text_folder + "/" + manifest_case.text,
                                    ManifestLimits::kProgramBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(tile::Experiment experiment,
                           tile::ReadExperiment(text, manifest_case.text));
  EXHIBIT_RETURN_IF_ERROR(CheckFileNames(manifest_case, experiment.buffers));
  return CaseProgram{std::move(experiment.buffers), experiment.dispatch,
                     std::move(experiment.program)};
}

}  // namespace

std::string FrozenSourceFolder(const std::string& run) {
  return run + "/sources/manifest";
}

Result<CaseProgram> ReadCaseProgram(const Manifest& manifest,
                                    const ManifestCase& manifest_case,
                                    const std::string& text_folder) {
  if (manifest.program == "tile") {
    Result<CaseProgram> program = TileProgram(manifest_case, text_folder);
    if (!program.ok()) return InCase(manifest_case, program.error());
    return program;
  }
  if (manifest.program == "attention") {
    EXHIBIT_RETURN_IF_ERROR(CheckAttentionCase(manifest_case));
    return AttentionProgram(manifest_case);
  }
  return CaseProgram{manifest_case.buffers, manifest_case.dispatch, {}};
}

Result<tile::Program> ProgramToCompile(const ManifestCase& manifest_case,
                                       const CaseProgram& program,
                                       const TileOptions& options) {
  if (program.text) return *program.text;
  return tile::BuildAttention(tile::AttentionSpecOf(manifest_case, options));
}

}  // namespace exhibit
