#include "capture/capture_job.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "capture/capture_worker.h"
#include "capture/output_comparison.h"
#include "capture/worker_report.h"
#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/options.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/call/worker_process.h"

namespace exhibit {
namespace {

// One worker's end and, when it came back, its report.
struct Stage {
  ProcessEnd end;
  CallReport report;
  bool interrupted = false;
};

// `name` stands before every reason, so that a reader sees which call it was.
Result<Stage> RunStage(const CaptureJob& job, const WorkerTask& task,
                       const char* function, const std::string& name) {
  WorkerJob worker;
  worker.function = function;
  worker.task = EncodeTask(task);
  worker.timeout_ns = job.timeout_ns;
  worker.interrupted = job.interrupted;
  EXHIBIT_ASSIGN_OR_RETURN(WorkerOutcome outcome, RunWorker(worker));
  Stage stage;
  stage.end = outcome.end;
  stage.interrupted = outcome.interrupted;
  if (outcome.interrupted) return stage;
  if (stage.end.status != "completed") {
    stage.end.reason = name + ": " + stage.end.reason;
    return stage;
  }
  EXHIBIT_ASSIGN_OR_RETURN(stage.report, DecodeCallReport(outcome.result));
  if (stage.report.could_not) return *stage.report.could_not;
  if (!stage.report.failure.empty()) {
    stage.end = {"failed-check", name + ": " + stage.report.failure, 0, 0};
  }
  return stage;
}

std::string HexOf(const OutputBytes& output) { return Sha256Hex(output.npy); }

Status PublishOutputs(const CaptureJob& job, const CallReport& jit,
                      const CallReport& prepared, CaptureRecord& record) {
  for (size_t i = 0; i < prepared.outputs.size(); ++i) {
    const OutputBytes& output = prepared.outputs[i];
    CaptureOutput entry{output.name, "", HexOf(output)};
    if (!jit.outputs.empty()) entry.jit_sha256 = HexOf(jit.outputs[i]);
    EXHIBIT_RETURN_IF_ERROR(PublishContent(
        job.run + "/" + ArrayPath(entry.prepared_sha256), output.npy));
    record.outputs.push_back(std::move(entry));
  }
  return Ok();
}

// Reads and removes what the build left for its callers. A worker that died
// before it wrote the facts left none.
Status TakeBuildFacts(const std::string& folder, CaptureRecord& record) {
  const std::string path = folder + "/" + kBuildFactsFile;
  if (!PathExists(path)) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(path, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(const BuildFacts facts, DecodeBuildFacts(bytes));
  record.symbol = facts.symbol;
  record.workspace_bytes = facts.workspace_bytes;
  record.required_cpu_flags = facts.required_cpu_flags;
  record.build_ns = facts.build_ns;
  if (::unlink(path.c_str()) != 0) {
    return Error{ErrorKind::kIo,
                 "cannot remove " + path + ": errno " + std::to_string(errno),
                 ""};
  }
  return Ok();
}

Status ListCaptureFiles(const CaptureJob& job, const std::string& folder,
                        CaptureRecord& record) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListFiles(folder));
  const std::string place =
      CaptureFolder(job.manifest_case->name, job.variant->name);
  for (const std::string& name : names) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                             ReadFile(folder + "/" + name, kLibraryBytesMax));
    record.files.push_back({place + "/" + name, Sha256Hex(bytes),
                            static_cast<int64_t>(bytes.size())});
  }
  return Ok();
}

// What a process that did not come back was.
ProcessFacts FactsOfLostWorker(const char* function) {
  ProcessFacts facts;
  facts.command = {"exhibit-capture", "--worker", function};
  facts.environment = AllowedEnvironment();
  return facts;
}

Result<CaptureRecord> StartRecord(const CaptureJob& job) {
  CaptureRecord record;
  record.freeze_sha256 = job.freeze_sha256;
  record.case_sha256 = job.case_sha256;
  record.case_name = job.manifest_case->name;
  record.variant = job.variant->name;
  record.kind = job.variant->kind;
  EXHIBIT_ASSIGN_OR_RETURN(
      const TileOptions options,
      OptionsFor(*job.manifest, *job.manifest_case, *job.variant));
  if (record.kind == "tile") record.options = TileOptionValues(options);
  record.workers_per_block = options.workers_per_block;
  record.attempt = job.attempt;
  record.tool = job.tool;
  record.start_ns = BootTimeNs();
  return record;
}

// Builds and calls; fills the record's end, process and outputs. True when the
// work was interrupted.
Result<bool> RunStages(const CaptureJob& job, const WorkerTask& task,
                       CaptureRecord& record) {
  const std::string first = record.kind == "tile" ? "build and jit" : "build";
  EXHIBIT_ASSIGN_OR_RETURN(const Stage build,
                           RunStage(job, task, kBuildWorker, first));
  if (build.interrupted) return true;
  record.end = build.end;
  record.process = build.report.process;
  if (build.end.status != "completed") {
    if (record.process.command.empty()) {
      record.process = FactsOfLostWorker(kBuildWorker);
    }
    return false;
  }
  EXHIBIT_ASSIGN_OR_RETURN(const Stage call,
                           RunStage(job, task, kCallWorker, "prepared"));
  if (call.interrupted) return true;
  record.end = call.end;
  record.process = call.report.process;
  if (record.process.command.empty()) {
    record.process = FactsOfLostWorker(kCallWorker);
  }
  if (call.end.status != "completed") return false;
  // A library was never JIT-linked.
  if (record.kind == "tile") {
    EXHIBIT_ASSIGN_OR_RETURN(
        const std::string difference,
        FirstDifference(build.report.outputs, call.report.outputs));
    if (!difference.empty()) {
      record.end = {"failed-check", difference, 0, 0};
      return false;
    }
  }
  EXHIBIT_RETURN_IF_ERROR(
      PublishOutputs(job, build.report, call.report, record));
  return false;
}

// capture.json, then the name.
Status Publish(const CaptureJob& job, const std::string& folder,
               CaptureRecord& record) {
  EXHIBIT_RETURN_IF_ERROR(TakeBuildFacts(folder, record));
  EXHIBIT_RETURN_IF_ERROR(ListCaptureFiles(job, folder, record));
  record.end_ns = BootTimeNs();
  EXHIBIT_RETURN_IF_ERROR(
      PublishFile(folder + "/capture.json", EncodeCapture(record)));
  EXHIBIT_RETURN_IF_ERROR(SyncFolder(folder));
  const std::string place =
      job.run + "/" + CaptureFolder(record.case_name, record.variant);
  if (::rename(folder.c_str(), place.c_str()) != 0) {
    return Error{
        ErrorKind::kIo,
        "cannot give " + folder + " its name: errno " + std::to_string(errno),
        ""};
  }
  return SyncFolder(std::filesystem::path(place).parent_path().string());
}

}  // namespace

std::string PartialCaptureFolder(const std::string& case_name,
                                 const std::string& variant) {
  return "captures/" + case_name + "/." + variant + ".partial";
}

Status RemovePartialCapture(const std::string& run,
                            const std::string& case_name,
                            const std::string& variant) {
  const std::string folder =
      run + "/" + PartialCaptureFolder(case_name, variant);
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) return Ok();
  return Error{ErrorKind::kIo,
               "cannot remove " + folder + ": " + error.message(), ""};
}

Result<CaptureOutcome> MakeCapture(const CaptureJob& job) {
  const std::string& case_name = job.manifest_case->name;
  const std::string& variant = job.variant->name;
  const std::string folder =
      job.run + "/" + PartialCaptureFolder(case_name, variant);
  EXHIBIT_RETURN_IF_ERROR(RemovePartialCapture(job.run, case_name, variant));
  EXHIBIT_RETURN_IF_ERROR(CreateFolders(folder));
  const WorkerTask task{job.run, case_name,        variant,
                        folder,  job.library_path, job.library_sha256};
  EXHIBIT_ASSIGN_OR_RETURN(CaptureRecord record, StartRecord(job));
  EXHIBIT_ASSIGN_OR_RETURN(const bool interrupted,
                           RunStages(job, task, record));
  CaptureOutcome outcome;
  if (interrupted) {
    outcome.interrupted = true;
    EXHIBIT_RETURN_IF_ERROR(RemovePartialCapture(job.run, case_name, variant));
    return outcome;
  }
  outcome.end = record.end;
  EXHIBIT_RETURN_IF_ERROR(Publish(job, folder, record));
  return outcome;
}

}  // namespace exhibit
