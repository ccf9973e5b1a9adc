#include "replay/visit.h"

#include <numeric>
#include <utility>

#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/call/prepared_library.h"
#include "replay/call/worker_process.h"
#include "replay/visit_message.h"
#include "replay/visit_worker.h"

namespace exhibit {
namespace {

// A visit's outputs, twice, and its guards are far below this.
constexpr uint64_t kReportBytesMax = uint64_t{1} << 33;

VisitRecord Draft(const VisitContext& context, const NextVisit& next,
                  const CaseState& state) {
  const CaptureState& capture = state.ArmCapture(next.arm);
  VisitRecord record;
  record.kind = next.kind;
  record.plan_sha256 = state.plan_sha256;
  record.previous_sha256 = state.last_sha256;
  record.case_name = state.name;
  record.index = next.index;
  record.cycle = next.kind == "timed" ? next.index / 4 : 0;
  record.position = next.kind == "timed" ? next.index % 4 : next.index;
  record.arm = next.arm;
  record.variant = capture.record.variant;
  record.library_sha256 = capture.library_sha256;
  record.symbol = capture.record.symbol;
  record.attempt = context.attempt;
  record.cpu = state.plan->cpu;
  record.shift = next.shift;
  record.repetitions = next.repetitions;
  record.end.status = "completed";
  record.tool = context.tool;
  record.process.command = CommandWithoutPaths(context.command);
  record.process.environment = AllowedEnvironment();
  return record;
}

// What was measured, and nothing that the draft already says: a kernel shared
// its memory with the report.
void TakeMeasured(VisitRecord& from, VisitRecord& to) {
  to.end = std::move(from.end);
  to.first_call_ns = from.first_call_ns;
  to.warmup_calls = from.warmup_calls;
  to.warmup_ns = from.warmup_ns;
  to.probe_ns = from.probe_ns;
  to.samples_ns = std::move(from.samples_ns);
  to.checks_passed = from.checks_passed;
  to.outputs = std::move(from.outputs);
  to.guards = std::move(from.guards);
  to.clock = from.clock;
  to.before = from.before;
  to.after = from.after;
  to.counts = from.counts;
  to.counters = std::move(from.counters);
}

Status PublishArrays(const std::string& run,
                     const std::vector<std::string>& arrays) {
  for (const std::string& bytes : arrays) {
    EXHIBIT_RETURN_IF_ERROR(
        PublishContent(run + "/" + ArrayPath(Sha256Hex(bytes)), bytes));
  }
  return Ok();
}

std::string PathOf(const VisitRecord& record) {
  return record.kind == "timed"
             ? VisitPath(record.case_name, record.index)
             : CalibrationPath(record.case_name, record.index);
}

}  // namespace

int64_t KernelNs(const VisitRecord& record) {
  return record.first_call_ns + record.warmup_ns +
         std::accumulate(record.samples_ns.begin(), record.samples_ns.end(),
                         int64_t{0});
}

Result<std::optional<MeasuredVisit>> MeasureVisit(const RunState& run,
                                                  const VisitContext& context,
                                                  const NextVisit& next,
                                                  const CaseState& state) {
  MeasuredVisit visit{.record = Draft(context, next, state), .arrays = {}};
  VisitRecord& record = visit.record;
  record.start_ns = BootTimeNs();
  record.before = ProbeHostState(record.cpu);
  VisitTask task{.run = run.path,
                 .tolerance = {run.manifest.absolute_tolerance,
                               run.manifest.relative_tolerance},
                 .plan = *state.plan,
                 .case_record = state.record,
                 .capture = state.ArmCapture(next.arm).record,
                 .draft = record};
  EXHIBIT_ASSIGN_OR_RETURN(WorkerOutcome outcome,
                           RunWorker({.function = kVisitFunction,
                                      .task = EncodeVisitTask(task),
                                      .timeout_ns = state.plan->timeout_ns,
                                      .file = next.data,
                                      .result_bytes_max = kReportBytesMax,
                                      .interrupted = context.interrupted}));
  if (outcome.interrupted) return std::optional<MeasuredVisit>();
  record.after = ProbeHostState(record.cpu);
  record.end = outcome.end;
  if (outcome.end.status == "completed") {
    EXHIBIT_ASSIGN_OR_RETURN(VisitReport report,
                             DecodeVisitReport(outcome.result));
    TakeMeasured(report.record, record);
    EXHIBIT_ASSIGN_OR_RETURN(record.process.mapped_files,
                             DescribeMappedFiles(report.maps));
    AddLoadedLibrary(record.library_sha256, record.process.mapped_files);
    visit.arrays = std::move(report.arrays);
  }
  return std::optional<MeasuredVisit>(std::move(visit));
}

Result<VisitEnd> PerformVisit(const RunState& run, const VisitContext& context,
                              const NextVisit& next, CaseState& state) {
  EXHIBIT_ASSIGN_OR_RETURN(std::optional<MeasuredVisit> visit,
                           MeasureVisit(run, context, next, state));
  if (!visit) return VisitEnd::kInterrupted;
  EXHIBIT_RETURN_IF_ERROR(PublishArrays(run.path, visit->arrays));
  VisitRecord& record = visit->record;
  record.end_ns = BootTimeNs();
  std::string bytes = EncodeVisit(record);
  EXHIBIT_RETURN_IF_ERROR(PublishFile(run.path + "/" + PathOf(record), bytes));
  state.last_sha256 = Sha256Hex(bytes);
  auto& list = next.kind == "timed" ? state.visits : state.calibrations;
  list.push_back(std::move(record));
  return VisitEnd::kPublished;
}

}  // namespace exhibit
