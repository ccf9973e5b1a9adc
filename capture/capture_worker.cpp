#include "capture/capture_worker.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "capture/case_program.h"
#include "capture/guarded_run.h"
#include "capture/kernel_builder.h"
#include "capture/worker_report.h"
#include "manifests/file.h"
#include "manifests/json.h"
#include "manifests/manifest.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/call/prepared_library.h"

namespace exhibit {
namespace {

// What a task names, read from the run.
struct Subject {
  Manifest manifest;
  const ManifestCase* manifest_case = nullptr;
  const ManifestVariant* variant = nullptr;
  CaseProgram program;
  CallableCase callable;
  TileOptions options;

  Tolerance tolerance() const {
    return {manifest.absolute_tolerance, manifest.relative_tolerance};
  }
};

Result<std::unique_ptr<Subject>> LoadSubject(const WorkerTask& task) {
  auto subject = std::make_unique<Subject>();
  EXHIBIT_ASSIGN_OR_RETURN(
      const std::string text,
      ReadFile(task.run + "/" + kManifestPath, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(subject->manifest,
                           ParseManifest(text, kManifestPath));
  subject->manifest_case = subject->manifest.FindCase(task.case_name);
  if (subject->manifest_case != nullptr) {
    subject->variant = subject->manifest_case->FindVariant(task.variant);
  }
  if (subject->variant == nullptr) {
    return Error{ErrorKind::kCorrupt,
                 "the manifest of the run has no case " + task.case_name +
                     " or no variant " + task.variant,
                 ""};
  }
  const std::string case_path = CasePath(task.case_name);
  EXHIBIT_ASSIGN_OR_RETURN(
      const std::string bytes,
      ReadFile(task.run + "/" + case_path, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(const CaseRecord record,
                           DecodeCase(bytes, case_path));
  EXHIBIT_ASSIGN_OR_RETURN(subject->callable,
                           LoadCallableCase(task.run, record));
  EXHIBIT_ASSIGN_OR_RETURN(
      subject->program,
      ReadCaseProgram(subject->manifest, *subject->manifest_case,
                      FrozenSourceFolder(task.run)));
  EXHIBIT_ASSIGN_OR_RETURN(
      subject->options, OptionsFor(subject->manifest, *subject->manifest_case,
                                   *subject->variant));
  return subject;
}

Result<std::string> CouldNot(const Error& error) {
  CallReport report;
  report.could_not = error;
  return EncodeCallReport(report);
}

// What building made: the files, the facts, and the code in this process.
struct Built {
  std::map<std::string, std::string> files;
  BuildFacts facts;
  exhibit_entry* entry = nullptr;  // Null for a library.
  std::shared_ptr<const void> code;
};

Result<Built> BuildTile(const Subject& subject) {
  EXHIBIT_ASSIGN_OR_RETURN(const tile::Program program,
                           ProgramToCompile(*subject.manifest_case,
                                            subject.program, subject.options));
  EXHIBIT_ASSIGN_OR_RETURN(BuiltKernel kernel,
                           BuildTileKernel(program, subject.options,
                                           {subject.manifest.cpu,
                                            subject.variant->placement_bytes}));
  Built built;
  built.files = std::move(kernel.files);
  built.facts.symbol = kernel.symbol;
  built.facts.workspace_bytes = static_cast<int64_t>(kernel.workspace_bytes);
  built.facts.required_cpu_flags = std::move(kernel.required_cpu_flags);
  built.facts.build_ns = std::move(kernel.build_ns);
  built.entry = kernel.entry;
  built.code = std::move(kernel.code);
  return built;
}

// `library` is the author's file: a shared library as it is, or an object.
Result<Built> BuildLibrary(const ManifestVariant& variant,
                           const std::string& library) {
  Built built;
  built.facts.symbol = variant.symbol;
  built.facts.workspace_bytes = variant.workspace_bytes;
  if (!variant.library.ends_with(".o")) {
    built.files["kernel.so"] = library;
    return built;
  }
  EXHIBIT_ASSIGN_OR_RETURN(built.files["kernel.so"],
                           LinkLibraryObject(library, variant.placement_bytes));
  built.files["kernel.o"] = library;
  return built;
}

Result<std::string> ReadLibrary(const WorkerTask& task) {
  EXHIBIT_ASSIGN_OR_RETURN(std::string library,
                           ReadFile(task.library_path, kLibraryBytesMax));
  const std::string found = Sha256Hex(library);
  if (found == task.library_sha256) return library;
  return Error{ErrorKind::kInvalidArgument,
               "the library of variant " + task.variant +
                   " changed while it was captured: SHA-256 " +
                   task.library_sha256 + " at the start, now " + found,
               "Capture into a new folder."};
}

Status WriteBuilt(const Built& built, const std::string& folder) {
  for (const auto& [name, bytes] : built.files) {
    EXHIBIT_RETURN_IF_ERROR(PublishFile(folder + "/" + name, bytes));
  }
  return PublishFile(folder + "/" + kBuildFactsFile,
                     EncodeBuildFacts(built.facts));
}

// Refused before the first instruction that this CPU does not have.
Status CheckCpu(const std::vector<std::string>& required) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> available,
                           ReadCpuFlags());
  const std::vector<std::string> missing = MissingFlags(required, available);
  if (missing.empty()) return Ok();
  std::string names;
  for (const std::string& flag : missing) names += " " + flag;
  return Error{ErrorKind::kUnsupported, "this CPU lacks" + names, ""};
}

Result<Built> Build(const Subject& subject, const std::string& library) {
  if (subject.variant->kind == "tile") return BuildTile(subject);
  return BuildLibrary(*subject.variant, library);
}

Result<std::string> RunBuild(const std::string& bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(const WorkerTask task, DecodeTask(bytes));
  Result<std::unique_ptr<Subject>> subject = LoadSubject(task);
  if (!subject.ok()) return CouldNot(subject.error());
  std::string library;
  if (!task.library_path.empty()) {
    Result<std::string> read = ReadLibrary(task);
    if (!read.ok()) return CouldNot(read.error());
    library = std::move(*read);
  }
  EXHIBIT_ASSIGN_OR_RETURN(Built built, Build(**subject, library));
  built.facts.library_sha256 = Sha256Hex(built.files.at("kernel.so"));
  const Status written = WriteBuilt(built, task.folder);
  if (!written.ok()) return CouldNot(written.error());
  if (built.entry == nullptr) return EncodeCallReport(CallReport());
  EXHIBIT_RETURN_IF_ERROR(CheckCpu(built.facts.required_cpu_flags));
  GuardedRun run;
  run.entry = built.entry;
  run.workspace_bytes = built.facts.workspace_bytes;
  run.workers_per_block = (*subject)->options.workers_per_block;
  run.tolerance = (*subject)->tolerance();
  EXHIBIT_ASSIGN_OR_RETURN(const CallReport report,
                           RunGuarded((*subject)->callable, run));
  return EncodeCallReport(report);
}

Result<BuildFacts> ReadBuildFacts(const WorkerTask& task) {
  EXHIBIT_ASSIGN_OR_RETURN(
      const std::string bytes,
      ReadFile(task.folder + "/" + kBuildFactsFile, kRecordBytesMax));
  return DecodeBuildFacts(bytes);
}

Result<std::string> RunCall(const std::string& bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(const WorkerTask task, DecodeTask(bytes));
  const Result<std::unique_ptr<Subject>> subject = LoadSubject(task);
  if (!subject.ok()) return CouldNot(subject.error());
  const Result<BuildFacts> facts = ReadBuildFacts(task);
  if (!facts.ok()) return CouldNot(facts.error());
  LibraryRequest request;
  request.path = task.folder + "/kernel.so";
  request.sha256 = facts->library_sha256;
  request.symbol = facts->symbol;
  request.required_cpu_flags = facts->required_cpu_flags;
  EXHIBIT_ASSIGN_OR_RETURN(const PreparedLibrary library, LoadLibrary(request));
  GuardedRun run;
  run.entry = library.entry();
  run.workspace_bytes = facts->workspace_bytes;
  run.workers_per_block = (*subject)->options.workers_per_block;
  run.tolerance = (*subject)->tolerance();
  EXHIBIT_ASSIGN_OR_RETURN(CallReport report,
                           RunGuarded((*subject)->callable, run));
  AddLoadedLibrary(facts->library_sha256, report.process.mapped_files);
  return EncodeCallReport(report);
}

}  // namespace

WorkerFunctions CaptureWorkers() {
  return {{kBuildWorker, RunBuild}, {kCallWorker, RunCall}};
}

}  // namespace exhibit
