#include "replay/run_state.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "manifests/file.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "manifests/visit_order.h"

namespace exhibit {
namespace {

Error Corrupt(const std::string& where, const std::string& what) {
  return Error{ErrorKind::kCorrupt, where + ": " + what,
               "A run is never edited; start a new one."};
}

Error Unfinished(const std::string& where) {
  return Error{ErrorKind::kNotFound, "the run has no " + where,
               "Finish it with exhibit-capture first."};
}

std::string InRun(const std::string& run, const std::string& path) {
  return run + "/" + path;
}

Status Cites(const std::string& where, const std::string& field,
             const std::string& cited, const std::string& found) {
  if (cited == found) return Ok();
  return Corrupt(where, field + " is " + cited + ", but the file has " + found);
}

// "" when the capture lists none, as one that failed to build does.
std::string LibraryDigest(const CaptureRecord& record) {
  std::string path = LibraryPath(record.case_name, record.variant);
  for (const FileEntry& file : record.files) {
    if (file.path == path || file.path == "kernel.so") return file.sha256;
  }
  return "";
}

Result<CaptureState> ReadCapture(const RunState& run, const CaseState& state,
                                 const std::string& case_sha256,
                                 const std::string& variant) {
  std::string where = CapturePath(state.name, variant);
  std::string path = InRun(run.path, where);
  if (!PathExists(path)) return Unfinished(where);
  EXHIBIT_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kRecordBytesMax));
  CaptureState capture;
  EXHIBIT_ASSIGN_OR_RETURN(capture.record, DecodeCapture(bytes, where));
  capture.sha256 = Sha256Hex(bytes);
  EXHIBIT_RETURN_IF_ERROR(Cites(
      where, "freeze_sha256", capture.record.freeze_sha256, run.freeze_sha256));
  EXHIBIT_RETURN_IF_ERROR(
      Cites(where, "case_sha256", capture.record.case_sha256, case_sha256));
  if (capture.record.case_name != state.name ||
      capture.record.variant != variant) {
    return Corrupt(where, "it is of case '" + capture.record.case_name +
                              "', variant '" + capture.record.variant + "'");
  }
  if (capture.record.end.status != "completed") return capture;
  capture.library_sha256 = LibraryDigest(capture.record);
  if (capture.library_sha256.empty()) {
    return Corrupt(where, "it completed but lists no kernel.so");
  }
  std::string library = LibraryPath(state.name, variant);
  EXHIBIT_ASSIGN_OR_RETURN(
      std::string contents,
      ReadFile(InRun(run.path, library), kLibraryBytesMax));
  EXHIBIT_RETURN_IF_ERROR(Cites(where, "digest of " + library,
                                capture.library_sha256, Sha256Hex(contents)));
  int64_t largest = int64_t{1} << 30;
  if (capture.record.workers_per_block < 1 ||
      capture.record.workers_per_block > largest) {
    return Corrupt(where, "workers_per_block is " +
                              std::to_string(capture.record.workers_per_block));
  }
  return capture;
}

PlanArm ArmOf(const CaptureState& capture) {
  return {capture.record.variant, capture.sha256, capture.library_sha256};
}

Status ReadPlan(const RunState& run, CaseState& state) {
  std::string where = PlanPath(state.name);
  if (!PathExists(InRun(run.path, where))) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(std::string bytes,
                           ReadFile(InRun(run.path, where), kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(PlanRecord plan, DecodePlan(bytes, where));
  EXHIBIT_RETURN_IF_ERROR(
      Cites(where, "freeze_sha256", plan.freeze_sha256, run.freeze_sha256));
  const Manifest& m = run.manifest;
  Arm starting = StartingArm(m.seed, state.name);
  if (plan.case_name != state.name || plan.cycles != m.cycles ||
      plan.samples != m.samples || plan.seed != m.seed ||
      plan.warmup_ns != m.warmup_ms * 1'000'000 ||
      plan.target_ns != m.target_ms * 1'000'000 ||
      plan.timeout_ns != m.timeout_s * 1'000'000'000 ||
      plan.starting_arm != ArmName(starting) ||
      plan.baseline != ArmOf(state.baseline) ||
      plan.candidate != ArmOf(state.candidate)) {
    return Corrupt(where, "it is not the plan of this manifest and captures");
  }
  state.plan = std::move(plan);
  state.plan_sha256 = Sha256Hex(bytes);
  state.last_sha256 = state.plan_sha256;
  return Ok();
}

// Reads the record at `where` if there is one, and appends it to `visits`.
Result<std::string> ReadVisit(const RunState& run, CaseState& state,
                              const std::string& kind,
                              std::vector<VisitRecord>& visits) {
  int64_t index = static_cast<int64_t>(visits.size());
  std::string where = kind == "timed" ? VisitPath(state.name, index)
                                      : CalibrationPath(state.name, index);
  if (!PathExists(InRun(run.path, where))) return std::string();
  EXHIBIT_ASSIGN_OR_RETURN(std::string bytes,
                           ReadFile(InRun(run.path, where), kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(VisitRecord visit, DecodeVisit(bytes, where));
  EXHIBIT_RETURN_IF_ERROR(
      Cites(where, "plan_sha256", visit.plan_sha256, state.plan_sha256));
  EXHIBIT_RETURN_IF_ERROR(Cites(where, "previous_sha256", visit.previous_sha256,
                                state.last_sha256));
  Arm starting = StartingArm(run.manifest.seed, state.name);
  if (visit.kind != kind || visit.index != index ||
      visit.case_name != state.name ||
      visit.arm != ArmName(ArmOfVisit(starting, index))) {
    return Corrupt(where, "it is " + visit.kind + " visit " +
                              std::to_string(visit.index) + " of case '" +
                              visit.case_name + "', arm " + visit.arm);
  }
  state.last_sha256 = Sha256Hex(bytes);
  visits.push_back(std::move(visit));
  return where;
}

Status ReadVisits(const RunState& run, CaseState& state) {
  if (!state.plan) return Ok();
  while (state.calibrations.size() < 2) {
    EXHIBIT_ASSIGN_OR_RETURN(
        std::string found,
        ReadVisit(run, state, "calibration", state.calibrations));
    if (found.empty()) return Ok();
  }
  while (static_cast<int64_t>(state.visits.size()) < kVisitCountMax) {
    EXHIBIT_ASSIGN_OR_RETURN(std::string found,
                             ReadVisit(run, state, "timed", state.visits));
    if (found.empty()) return Ok();
  }
  return Error{ErrorKind::kLimitExceeded,
               "case '" + state.name + "' has " +
                   std::to_string(kVisitCountMax) + " visits or more",
               "Start a new run."};
}

// A visit that is missing before others cannot be made up for.
Status CheckNoGap(const RunState& run, const CaseState& state) {
  const std::string folder = InRun(run.path, ReplayFolder(state.name));
  if (!PathExists(folder)) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListFiles(folder));
  const auto found = std::count_if(
      names.begin(), names.end(),
      [](const std::string& name) { return name.starts_with("visit-"); });
  const auto read = static_cast<std::ptrdiff_t>(state.visits.size());
  if (found == read) return Ok();
  return Corrupt(VisitPath(state.name, read),
                 "it is missing, and a later visit stands");
}

Result<CaseState> ReadCase(const RunState& run, const std::string& name) {
  CaseState state;
  state.name = name;
  std::string where = CasePath(name);
  if (!PathExists(InRun(run.path, where))) return Unfinished(where);
  EXHIBIT_ASSIGN_OR_RETURN(std::string bytes,
                           ReadFile(InRun(run.path, where), kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(state.record, DecodeCase(bytes, where));
  EXHIBIT_RETURN_IF_ERROR(Cites(where, "freeze_sha256",
                                state.record.freeze_sha256, run.freeze_sha256));
  if (state.record.case_name != name) {
    return Corrupt(where, "it is of case '" + state.record.case_name + "'");
  }
  if (state.record.dispatch < 1 || state.record.dispatch > (int64_t{1} << 30)) {
    return Corrupt(where,
                   "dispatch is " + std::to_string(state.record.dispatch));
  }
  std::string sha256 = Sha256Hex(bytes);
  EXHIBIT_ASSIGN_OR_RETURN(
      state.baseline, ReadCapture(run, state, sha256, run.manifest.baseline));
  EXHIBIT_ASSIGN_OR_RETURN(
      state.candidate, ReadCapture(run, state, sha256, run.manifest.candidate));
  EXHIBIT_RETURN_IF_ERROR(ReadPlan(run, state));
  EXHIBIT_RETURN_IF_ERROR(ReadVisits(run, state));
  EXHIBIT_RETURN_IF_ERROR(CheckNoGap(run, state));
  return state;
}

}  // namespace

std::vector<int64_t> CaseState::Attempts() const {
  std::vector<int64_t> attempts;
  for (const VisitRecord& visit : visits) attempts.push_back(visit.attempt);
  return attempts;
}

std::string CaseState::FirstFailure() const {
  for (const CaptureState* capture : {&baseline, &candidate}) {
    const ProcessEnd& end = capture->record.end;
    if (end.status == "completed") continue;
    return "case '" + name + "': the capture of variant '" +
           capture->record.variant + "' is " + end.status + ": " + end.reason;
  }
  for (const auto* list : {&calibrations, &visits}) {
    for (const VisitRecord& visit : *list) {
      if (visit.end.status == "completed") continue;
      std::string what = visit.kind == "timed" ? "visit " : "calibration ";
      return "case '" + name + "': " + what + std::to_string(visit.index) +
             " of variant '" + visit.variant + "' is " + visit.end.status +
             ": " + visit.end.reason;
    }
  }
  return "";
}

Result<RunState> ReadRunState(const std::string& path) {
  RunState run;
  run.path = path;
  if (!PathExists(path)) {
    return Error{ErrorKind::kNotFound, "no run at " + path,
                 "Make one with exhibit-capture."};
  }
  for (const char* needed : {kManifestPath, kFreezePath}) {
    if (!PathExists(InRun(path, needed))) return Unfinished(needed);
  }
  EXHIBIT_ASSIGN_OR_RETURN(
      std::string manifest,
      ReadFile(InRun(path, kManifestPath), kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(std::string freeze,
                           ReadFile(InRun(path, kFreezePath), kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(run.freeze, DecodeFreeze(freeze, kFreezePath));
  run.freeze_sha256 = Sha256Hex(freeze);
  EXHIBIT_RETURN_IF_ERROR(Cites(kFreezePath, "manifest_sha256",
                                run.freeze.manifest_sha256,
                                Sha256Hex(manifest)));
  EXHIBIT_ASSIGN_OR_RETURN(run.manifest,
                           ParseManifest(manifest, kManifestPath));
  for (const ManifestCase& declared : run.manifest.cases) {
    EXHIBIT_ASSIGN_OR_RETURN(CaseState state, ReadCase(run, declared.name));
    run.cases.push_back(std::move(state));
  }
  return run;
}

Status CheckSameCohort(const FreezeRecord& freeze, const HostFacts& host,
                       const ToolIdentity& tool) {
  std::string what;
  if (host.architecture != freeze.host.architecture ||
      host.cpu_model != freeze.host.cpu_model) {
    what = "it was captured on another CPU, " + freeze.host.cpu_model +
           ", and this is " + host.cpu_model;
  } else if (host.boot_id_sha256 != freeze.host.boot_id_sha256) {
    what = "it was captured in another boot or on another host";
  } else if (tool.source_sha256 != freeze.tool.source_sha256) {
    what = "it was captured by tools built from source " +
           freeze.tool.source_sha256 + ", and this tool from " +
           tool.source_sha256;
  } else {
    return Ok();
  }
  return Error{ErrorKind::kInvalidArgument,
               "this run holds one cohort and cannot grow here: " + what,
               "Start a new run whose manifest names this one's content id in "
               "\"continues\"."};
}

}  // namespace exhibit
