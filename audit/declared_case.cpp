// The part of stage declaration that looks at case.json and capture.json.

#include <algorithm>

#include "audit/declaration.h"
#include "manifests/options.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// The entry that the compiler gives the program of a case.
std::string TileSymbol(const CaseEvidence& c) {
  return c.ProgramName() + ".packet_batch.blocks";
}

int64_t DeclaredDispatch(const Manifest& manifest, const CaseEvidence& c) {
  if (c.program) return c.program->dispatch;
  return manifest.program == "attention" ? AttentionInstances(*c.declared)
                                         : c.declared->dispatch;
}

void CheckCaseArray(const Evidence& evidence, const CaseEvidence& c,
                    const CaseArray& array, const DeclaredBuffer& declared,
                    Checker& check) {
  const Claim differs{"case-differs", c.record.path, array.name,
                      "the buffer is declared otherwise"};
  check.Equal(differs, declared.name, array.name);
  check.Equal(differs, declared.is_output ? "output" : "input", array.role);
  check.Equal(differs, "f32", array.dtype);
  check.Equal(differs, declared.shape, array.shape);
  const char* made = declared.is_output ? "oracle" : "sine";
  const char* given = declared.is_output ? "supplied" : "file";
  check.Equal({"case-differs", c.record.path, array.name + ".origin",
               "the array comes from elsewhere than declared"},
              declared.from_file ? given : made, array.origin);
  CheckArray(evidence,
             {array.sha256, array.name, declared.shape,
              declared.is_output ? ArrayClaim::Type::kF32OrF64
                                 : ArrayClaim::Type::kF32},
             check);
}

void CheckCase(const Evidence& evidence, const CaseEvidence& c,
               const std::vector<DeclaredBuffer>& buffers, Checker& check) {
  const Manifest& manifest = *evidence.manifest;
  const CaseRecord& record = *c.record.record;
  const std::string& path = c.record.path;
  check.Equal({"names-differ", path, "case_name",
               "the record speaks of another case than its path"},
              c.name(), record.case_name);
  const std::string message = "the manifest declares otherwise";
  check.Equal({"case-differs", path, "program", message}, manifest.program,
              record.program);
  check.Equal({"case-differs", path, "shape", message}, c.declared->shape,
              record.shape);
  check.Equal({"case-differs", path, "tile", message}, c.declared->tile,
              record.tile);
  check.Equal({"case-differs", path, "dispatch", message},
              DeclaredDispatch(manifest, c), record.dispatch);
  if (!check.Equal({"case-differs", path, "arrays",
                    "the number of buffers is declared otherwise"},
                   buffers.size(), record.arrays.size())) {
    return;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    CheckCaseArray(evidence, c, record.arrays[i], buffers[i], check);
  }
}

// An array that the author supplied is the frozen file, where there is one.
void CheckSuppliedFiles(const Subject& subject, const CaseEvidence& c,
                        Checker& check) {
  for (const CaseArray& array : c.record.record->arrays) {
    const auto named = c.declared->files.find(array.name);
    if (named == c.declared->files.end()) continue;
    const SubjectFile* source = subject.Find(kManifestSources + named->second);
    if (source == nullptr) continue;
    check.Equal({"case-differs", c.record.path, array.name,
                 "the array is not the file that the manifest names"},
                source->sha256, array.sha256);
  }
}

void CheckOptionValues(const TileOptions& options,
                       const CaptureEvidence& capture, Checker& check) {
  const CaptureRecord& record = *capture.capture.record;
  const std::string& path = capture.capture.path;
  const std::map<std::string, Json> values = TileOptionValues(options);
  for (const auto& [name, value] : values) {
    const auto found = record.options.find(name);
    check.Equal(
        {"options-differ", path, "options." + name,
         "the manifest asks for another value"},
        QuoteJson(value),
        found == record.options.end() ? "nothing" : QuoteJson(found->second));
  }
  check.Equal(
      {"options-differ", path, "options", "the number of options differs"},
      values.size(), record.options.size());
}

void CheckOptions(const Manifest& manifest, const CaseEvidence& c,
                  const CaptureEvidence& capture, Checker& check) {
  const CaptureRecord& record = *capture.capture.record;
  const std::string& path = capture.capture.path;
  auto options = OptionsFor(manifest, *c.declared, *capture.variant);
  if (!options.ok()) {
    check.ReportError("options-differ", kManifestPath, options.error());
    return;
  }
  if (record.kind == "tile") {
    CheckOptionValues(*options, capture, check);
  } else {
    check.True({"options-differ", path, "options", "a library has no options"},
               record.options.empty());
  }
  check.Equal({"options-differ", path, "workers_per_block",
               "the manifest asks for another value"},
              options->workers_per_block, record.workers_per_block);
}

// A capture whose build failed knows neither symbol nor workspace.
void CheckEntry(const CaseEvidence& c, const CaptureEvidence& capture,
                Checker& check) {
  const CaptureRecord& record = *capture.capture.record;
  const std::string& path = capture.capture.path;
  if (!capture.Completed() && record.symbol.empty()) return;
  const bool tile = record.kind == "tile";
  check.Equal({"arm-differs", path, "symbol", "another entry is declared"},
              tile ? TileSymbol(c) : capture.variant->symbol, record.symbol);
  if (tile) return;  // The plan says how much; stage identity compares it.
  check.Equal({"arm-differs", path, "workspace_bytes",
               "the manifest asks for another size"},
              capture.variant->workspace_bytes, record.workspace_bytes);
}

// kernel.so, or kernel.o, is the declared file where the author froze it.
void CheckLibraryFile(const Subject& subject, const CaseEvidence& c,
                      const CaptureEvidence& capture, Checker& check) {
  const std::string& declared = capture.variant->library;
  const SubjectFile* source = subject.Find(kManifestSources + declared);
  if (source == nullptr) return;
  const std::string path =
      CaptureFolder(c.name(), capture.variant->name) +
      (declared.ends_with(".o") ? "/kernel.o" : "/kernel.so");
  const SubjectFile* file = subject.Find(path);
  if (file == nullptr) return;
  check.Equal({"library-differs", path, "",
               "it is not the file that the manifest names"},
              source->sha256, file->sha256);
}

void CheckCaptureOutputs(const Evidence& evidence,
                         const CaptureEvidence& capture,
                         const std::vector<DeclaredBuffer>& buffers,
                         Checker& check) {
  const CaptureRecord& record = *capture.capture.record;
  const std::string& path = capture.capture.path;
  if (!capture.Completed() && record.outputs.empty()) return;
  std::vector<DeclaredBuffer> outputs;
  std::copy_if(buffers.begin(), buffers.end(), std::back_inserter(outputs),
               [](const DeclaredBuffer& b) { return b.is_output; });
  if (!check.Equal({"end-inconsistent", path, "outputs",
                    "the number of outputs is declared otherwise"},
                   outputs.size(), record.outputs.size())) {
    return;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const CaptureOutput& found = record.outputs[i];
    check.Equal(
        {"case-differs", path, "outputs", "the output is declared otherwise"},
        outputs[i].name, found.name);
    check.True({"end-inconsistent", path, found.name,
                "a completed capture has every output, and a library has none "
                "from a JIT"},
               !capture.Completed() ||
                   (!found.prepared_sha256.empty() &&
                    found.jit_sha256.empty() == (record.kind == "library")));
    for (const std::string& sha256 :
         {found.jit_sha256, found.prepared_sha256}) {
      CheckArray(evidence, {sha256, found.name, outputs[i].shape}, check);
    }
  }
}

void CheckCapture(const Subject& subject, const Evidence& evidence,
                  const CaseEvidence& c, const CaptureEvidence& capture,
                  const std::vector<DeclaredBuffer>& buffers, Checker& check) {
  const CaptureRecord& record = *capture.capture.record;
  const std::string& path = capture.capture.path;
  const std::string message = "the record speaks of another capture";
  check.Equal({"names-differ", path, "case_name", message}, c.name(),
              record.case_name);
  check.Equal({"names-differ", path, "variant", message}, capture.variant->name,
              record.variant);
  if (!check.Equal(
          {"names-differ", path, "kind", "the manifest declares another kind"},
          capture.variant->kind, record.kind)) {
    return;
  }
  CheckOptions(*evidence.manifest, c, capture, check);
  CheckEntry(c, capture, check);
  if (record.kind == "library") CheckLibraryFile(subject, c, capture, check);
  CheckCaptureOutputs(evidence, capture, buffers, check);
}

}  // namespace

void CheckCaseDeclaration(const Subject& subject, const Evidence& evidence,
                          CaseEvidence& c, Checker& check) {
  const std::vector<DeclaredBuffer> buffers =
      DeclaredBuffers(*evidence.manifest, c);
  CheckCase(evidence, c, buffers, check);
  CheckSuppliedFiles(subject, c, check);
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.capture.record) continue;
    CheckCapture(subject, evidence, c, capture, buffers, check);
  }
}

}  // namespace exhibit
