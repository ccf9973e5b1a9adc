#include "replay/visit_worker.h"

#include <alloca.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "manifests/host/host.h"
#include "manifests/run_layout.h"
#include "replay/call/call.h"
#include "replay/case_data.h"
#include "replay/process_use.h"
#include "replay/visit_message.h"
#include "replay/visit_run.h"

namespace exhibit {
namespace {

Result<VisitReport> Perform(const VisitTask& task) {
  if (chdir(task.run.c_str()) != 0) {
    return Error{ErrorKind::kIo,
                 std::string("cannot enter the run: ") + strerror(errno), ""};
  }
  EXHIBIT_RETURN_IF_ERROR(PinToCpu(task.draft.cpu));
  EXHIBIT_ASSIGN_OR_RETURN(
      PreparedLibrary library,
      LoadLibrary(
          {.path = LibraryPath(task.draft.case_name, task.draft.variant),
           .sha256 = task.draft.library_sha256,
           .symbol = task.draft.symbol,
           .required_cpu_flags = task.capture.required_cpu_flags}));
  EXHIBIT_ASSIGN_OR_RETURN(CaseContents contents,
                           ReadCaseContents(kWorkerFileFd, task.case_record));
  CallShape shape;
  shape.workspace_bytes = static_cast<uint64_t>(task.capture.workspace_bytes);
  shape.dispatch = static_cast<uint32_t>(task.case_record.dispatch);
  shape.workers_per_block =
      static_cast<uint32_t>(task.capture.workers_per_block);
  EXHIBIT_ASSIGN_OR_RETURN(GuardedBuffers buffers,
                           GuardedBuffers::Create(contents.buffers, shape));
  close(kWorkerFileFd);  // Nothing that a kernel has to do with.
  WatchChildren();
  EXHIBIT_RETURN_IF_ERROR(LimitMemory(kKernelMemoryBytesMax));
  Result<VisitReport> report =
      RunVisitCalls(task, {.entry = library.entry(),
                           .buffers = std::move(buffers),
                           .expected = std::move(contents.expected),
                           .clock = HostClock()});
  LiftMemoryLimit();
  return report;
}

// Everything below runs with the stack moved down by the pair's shift.
__attribute__((noinline)) Result<VisitReport> PerformWithShiftedStack(
    const VisitTask& task) {
  size_t shift = static_cast<size_t>(task.draft.shift.stack_bytes);
  volatile char* room = static_cast<volatile char*>(alloca(shift + 16));
  room[0] = 0;  // Keeps the compiler from dropping it.
  Result<VisitReport> report = Perform(task);
  room[shift] = 0;
  return report;
}

}  // namespace

Result<std::string> RunVisit(const std::string& task_bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(VisitTask task, DecodeVisitTask(task_bytes));
  // Held until the end: later allocations lie behind it.
  std::unique_ptr<void, void (*)(void*)> heap(
      malloc(static_cast<size_t>(task.draft.shift.heap_bytes) + 16), free);
  if (heap == nullptr) return Error{ErrorKind::kIo, "out of memory", ""};
  EXHIBIT_ASSIGN_OR_RETURN(VisitReport report, PerformWithShiftedStack(task));
  return EncodeVisitReport(report);
}

WorkerFunctions ReplayWorkers() { return {{kVisitFunction, RunVisit}}; }

}  // namespace exhibit
