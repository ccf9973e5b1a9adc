// exhibit-replay: executes the prepared libraries of a run for time.

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "manifests/file.h"
#include "manifests/folder_kind.h"
#include "manifests/host/attempt_log.h"
#include "manifests/host/host.h"
#include "manifests/tool/command.h"
#include "manifests/tool/identity.h"
#include "manifests/tool/progress.h"
#include "manifests/tool/talk.h"
#include "replay/case_store.h"
#include "replay/cohort.h"
#include "replay/disturbance.h"
#include "replay/plan_for.h"
#include "replay/plan_table.h"
#include "replay/run_state.h"
#include "replay/visit_worker.h"

namespace exhibit {
namespace {

constexpr char kTool[] = "exhibit-replay";
constexpr int64_t kCpuNotGiven = -1;

struct Words {
  std::string run;
  std::string plan_for;  // As typed; "" to replay.
  int64_t cpu = kCpuNotGiven;
  std::vector<std::string> command;
};

// The CPU that visits are pinned to: that of an existing plan, else what was
// asked for, else the highest allowed one.
Result<int64_t> ChooseCpu(const RunState& run, int64_t wanted,
                          const std::vector<int64_t>& allowed) {
  int64_t cpu = wanted != kCpuNotGiven ? wanted : allowed.back();
  for (const CaseState& state : run.cases) {
    if (!state.plan) continue;
    if (wanted != kCpuNotGiven && wanted != state.plan->cpu) {
      return Error{ErrorKind::kInvalidArgument,
                   "--cpu " + std::to_string(wanted) +
                       ": this run is planned for CPU " +
                       std::to_string(state.plan->cpu),
                   "Leave --cpu out to go on with the run."};
    }
    cpu = state.plan->cpu;
  }
  if (!std::binary_search(allowed.begin(), allowed.end(), cpu)) {
    return Error{ErrorKind::kInvalidArgument,
                 "CPU " + std::to_string(cpu) +
                     " is not one that this process may run on",
                 "See the allowed ones with: taskset -cp $$"};
  }
  return cpu;
}

// Keeps the driver off the CPU that is measured, where there is another.
Status StepAside(int64_t cpu, const std::vector<int64_t>& allowed) {
  for (int64_t other : allowed) {
    if (other != cpu) return PinToCpu(other);
  }
  return Ok();
}

// "8 of 28 visits are made".
std::string MadeText(const RunState& run) {
  const int64_t made = VisitsMade(run);
  return std::to_string(made) + " of " +
         std::to_string(made + VisitsLeft(run)) + " visits are made";
}

void Announce(const RunState& run, const HostFacts& host, int64_t cpu) {
  for (const auto& warning : Disturbances(ProbeSurroundings(host, cpu))) {
    Warn(warning);
  }
  if (IsQuiet()) return;
  if (VisitsMade(run) > 0) SayLine("going on: " + MadeText(run));
  SayLine(std::to_string(VisitsLeft(run)) + " visits of " +
          std::to_string(run.cases.size()) + " cases on CPU " +
          std::to_string(cpu) + ", about " + DurationText(EstimateNs(run)));
}

// Once the calibrations say how fast the kernels and this machine are.
void AnnounceCycles(const RunState& run) {
  if (IsQuiet() || VisitsLeft(run) == 0) return;
  SayLine("calibrated: " + std::to_string(VisitsLeft(run)) +
          " visits left, which take " + DurationText(EstimateNs(run)));
}

// How much of the time since `start_ns` went into what was asked for.
void SayShare(const CohortReport& report, int64_t start_ns) {
  if (IsQuiet() || report.visits == 0) return;
  int64_t wall_ns = BootTimeNs() - start_ns;
  SayLine(std::to_string(report.visits) + " visits in " +
          DurationText(wall_ns) + ", " +
          std::to_string((100 * report.kernel_ns + wall_ns / 2) / wall_ns) +
          "% of it warm-up, calibration and samples");
}

// Ends the attempt. The error that ended it is reported, not one that comes
// from writing it down.
Exit EndWithError(AttemptLog& attempt, const Error& error) {
  Status written = attempt.End("error", error.message);
  if (!written.ok()) Warn("attempts.jsonl: " + written.error().message);
  return ReportError(error);
}

Exit EndInvalid(AttemptLog& attempt, const std::vector<std::string>& failures) {
  std::string message;
  for (const std::string& failure : failures) {
    message += (message.empty() ? "" : "; ") + failure;
  }
  Status written = attempt.End("invalid", message);
  if (!written.ok()) return ReportError(written.error());
  SayLine("error: the cohort is invalid: " + message);
  SayPlainLine(
      "hint: an invalid cohort is kept as it is and never repaired; correct "
      "the cause and start a new run");
  return Exit::kDoesNotHold;
}

Exit EndCohort(AttemptLog& attempt, const CohortReport& report,
               const RunState& run) {
  switch (report.end) {
    case CohortEnd::kInterrupted: {
      Status written = attempt.End("interrupted",
                                   "signal " + std::to_string(PendingSignal()));
      if (!written.ok()) return ReportError(written.error());
      Warn("interrupted, " + MadeText(run) + "; to go on: exhibit-replay " +
           run.path);
      // RunTool turns the signal into the exit status.
      return Exit::kCouldNot;
    }
    case CohortEnd::kInvalid:
      return EndInvalid(attempt, report.failures);
    case CohortEnd::kComplete:
      break;
  }
  Status written = attempt.End("done", "");
  return written.ok() ? Exit::kDone : ReportError(written.error());
}

// A run that may be added to, and what is needed for it.
struct Prepared {
  RunState run;
  HostFacts host;
  ToolIdentity tool;
  CaseStore arrays;
  std::vector<int64_t> allowed;  // CPUs.
  int64_t cpu = 0;
};

// Nothing is written. The run must be locked.
Result<Prepared> Prepare(const Words& words, RunState run) {
  EXHIBIT_ASSIGN_OR_RETURN(HostFacts host, ProbeHost());
  EXHIBIT_ASSIGN_OR_RETURN(ToolIdentity tool, ThisTool(kTool));
  EXHIBIT_RETURN_IF_ERROR(CheckSameCohort(run.freeze, host, tool));
  EXHIBIT_ASSIGN_OR_RETURN(CaseStore arrays, CaseStore::Load(run));
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<int64_t> allowed, AllowedCpus());
  EXHIBIT_ASSIGN_OR_RETURN(int64_t cpu, ChooseCpu(run, words.cpu, allowed));
  return Prepared{std::move(run),    std::move(host),    std::move(tool),
                  std::move(arrays), std::move(allowed), cpu};
}

CohortRequest RequestOf(Prepared& prepared, const Words& words,
                        const AttemptLog& attempt) {
  CohortRequest request;
  request.context = {.tool = prepared.tool,
                     .command = words.command,
                     .attempt = attempt.attempt(),
                     .interrupted = [] { return PendingSignal() != 0; }};
  request.arrays = &prepared.arrays;
  request.cpu = prepared.cpu;
  return request;
}

Exit EndPlanFor(AttemptLog& attempt, const PlanForReport& report,
                const std::string& percent) {
  if (report.interrupted) {
    Status written =
        attempt.End("interrupted", "signal " + std::to_string(PendingSignal()));
    return written.ok() ? Exit::kCouldNot : ReportError(written.error());
  }
  if (!IsQuiet()) {
    SayLine(
        "attempts.jsonl of the run tells of this attempt; nothing else was "
        "written");
  }
  Status printed = PrintProduct(PlanForTable(report, percent));
  if (!printed.ok()) return EndWithError(attempt, printed.error());
  Status written =
      attempt.End("done", "planned for an effect of " + percent +
                              "%; of what was measured nothing is kept");
  return written.ok() ? Exit::kDone : ReportError(written.error());
}

Exit PlanFor(const Words& words, Prepared& prepared) {
  Result<double> effect = ParsePercent(words.plan_for);
  if (!effect.ok()) return ReportUsage(effect.error());
  // Before the start line: it depends on the manifest alone.
  Status possible = CheckEffect(prepared.run.manifest, *effect);
  if (!possible.ok()) return ReportUsage(possible.error());
  Result<AttemptLog> attempt =
      AttemptLog::Start(words.run, "replay", prepared.tool);
  if (!attempt.ok()) return ReportError(attempt.error());
  std::vector<std::string> failures = Failures(prepared.run);
  if (!failures.empty()) return EndInvalid(*attempt, failures);
  for (const auto& warning :
       Disturbances(ProbeSurroundings(prepared.host, prepared.cpu))) {
    Warn(warning);
  }
  Status aside = StepAside(prepared.cpu, prepared.allowed);
  if (!aside.ok()) return EndWithError(*attempt, aside.error());
  CohortRequest request = RequestOf(prepared, words, *attempt);
  Progress progress("planning",
                    static_cast<int64_t>(prepared.run.cases.size()));
  request.progress = [&](int64_t done, int64_t, const std::string& what) {
    progress.Update(done, what);
  };
  Result<PlanForReport> report = PlanForEffect(request, prepared.run, *effect);
  if (!report.ok()) return EndWithError(*attempt, report.error());
  return EndPlanFor(*attempt, *report, PercentText(words.plan_for));
}

Exit PerformReplay(const Words& words, Prepared& prepared, int64_t start_ns) {
  Result<AttemptLog> attempt =
      AttemptLog::Start(words.run, "replay", prepared.tool);
  if (!attempt.ok()) return ReportError(attempt.error());
  prepared.run.attempt = attempt->attempt();
  std::vector<std::string> failures = Failures(prepared.run);
  if (!failures.empty()) return EndInvalid(*attempt, failures);
  Announce(prepared.run, prepared.host, prepared.cpu);
  Status aside = StepAside(prepared.cpu, prepared.allowed);
  if (!aside.ok()) return EndWithError(*attempt, aside.error());
  const int64_t total = VisitsMade(prepared.run) + VisitsLeft(prepared.run);
  Progress progress("replay", total);
  CohortRequest request = RequestOf(prepared, words, *attempt);
  request.progress = [&](int64_t done, int64_t, const std::string& what) {
    progress.Update(done, what);
  };
  request.calibrated = AnnounceCycles;
  Result<CohortReport> report = PerformCohort(request, prepared.run);
  if (!report.ok()) return EndWithError(*attempt, report.error());
  if (report->end == CohortEnd::kComplete) progress.Update(total, "");
  SayShare(*report, start_ns);
  // Whatever goes on with it is another one.
  ++prepared.run.attempt;
  return EndCohort(*attempt, *report, prepared.run);
}

Exit Replay(const Words& words) {
  int64_t start_ns = BootTimeNs();
  if (!words.plan_for.empty()) {
    Result<double> effect = ParsePercent(words.plan_for);
    if (!effect.ok()) return ReportUsage(effect.error());
  }
  WatchSignals();
  Status is_run = CheckIsRun(words.run);
  if (!is_run.ok()) return ReportError(is_run.error());
  Result<RunLock> lock = RunLock::Acquire(words.run);
  if (!lock.ok()) return ReportError(lock.error());
  Result<RunState> run = ReadRunState(words.run);
  if (!run.ok()) return ReportError(run.error());
  bool complete = Failures(*run).empty() && IsComplete(*run);
  Result<Prepared> prepared = Prepare(words, std::move(*run));
  if (!prepared.ok()) return ReportError(prepared.error());
  if (!words.plan_for.empty()) return PlanFor(words, *prepared);
  if (complete) {
    if (!IsQuiet()) SayLine("nothing to do: the run has all its visits");
    return Exit::kDone;
  }
  return PerformReplay(words, *prepared, start_ns);
}

}  // namespace
}  // namespace exhibit

int main(int argc, char** argv) {
  if (auto status =
          exhibit::RunAsWorker(argc, argv, exhibit::ReplayWorkers())) {
    return *status;
  }
  // Memory that is given back and taken again faults again, page by page.
  mallopt(M_MMAP_THRESHOLD, 1 << 25);  // The largest that it takes.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  exhibit::Words words;
  words.command.assign(argv, argv + argc);
  exhibit::CommandLine command(
      exhibit::kTool,
      "Executes the prepared libraries of a run against each other in A B B A "
      "cycles and records every sample. An interrupted replay goes on when it "
      "is started again.",
      {"exhibit-capture manifest.json --output out/run",
       "exhibit-replay --plan-for 2% out/run", "exhibit-replay out/run"});
  command.RequiredText("RUN", words.run, "The run's folder");
  command.Integer("--cpu", words.cpu, 0, 16383,
                  "Pin every visit to this CPU (default: the highest allowed)");
  command.Text("--plan-for", words.plan_for,
               "PERCENT: do not replay: measure how much this machine wavers "
               "now, and say how many cycles would find a true effect of so "
               "many per cent (2%, with its sign) with a chance of 80%, "
               "and how long they would take; writes nothing but start and end "
               "of this attempt into attempts.jsonl of the run");
  return exhibit::RunTool(argc, argv, command,
                          [&words] { return exhibit::Replay(words); });
}
