// A fresh process for code that is not trusted to return.
//
// The parent executes its own program again with "--worker NAME"; main hands
// such a command line to RunAsWorker before it does anything else. Task and
// result travel in unnamed memory files that are read when the worker has
// ended, so no volume of output can block either side, nothing that a kernel
// prints or leaves running reaches them, and a result counts only when it is
// whole (length and digest). Standard input and output of the worker are
// /dev/null. It makes no core dumps, is killed when its parent dies, and its
// whole process group is killed when it ends.
//
// How the worker ended is a value (ProcessEnd), not an error: a crash of the
// measured code is data. Only the machinery's own failure is an Error.

#ifndef EXHIBIT_REPLAY_CALL_WORKER_PROCESS_H_
#define EXHIBIT_REPLAY_CALL_WORKER_PROCESS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

// ---- In the worker.

// Takes the task's bytes and returns the result's. An Error means that the
// work did not start: the worker's end is then `refused`, with the error's
// message as the reason. What a kernel got wrong belongs into the result.
using WorkerFunction = std::function<Result<std::string>(const std::string&)>;
using WorkerFunctions = std::map<std::string, WorkerFunction>;

// In a worker: the descriptor of the job's file. Open only when it had one.
inline constexpr int kWorkerFileFd = 5;

// If argv is {program, "--worker", NAME}, runs functions[NAME] and returns the
// exit status for main to return at once; otherwise nullopt. Must be the first
// statement of main.
//
// In a worker, SIGSEGV, SIGBUS, SIGILL and SIGFPE are reported with the buffer
// they hit (fault_report.h) before the process dies of them.
std::optional<int> RunAsWorker(int argc, char** argv,
                               const WorkerFunctions& functions);

// ---- In the parent.

struct WorkerJob {
  std::string function;    // A name in the map given to RunAsWorker.
  std::string task;        // Handed to it.
  int64_t timeout_ns = 0;  // Wall clock, from the start; must be positive.
  int file = -1;           // The worker's kWorkerFileFd; -1: none.
  uint64_t result_bytes_max = uint64_t{1} << 32;
  // Asked now and then, and when a signal arrives; when it says true the
  // worker is killed and the outcome is `interrupted`. Empty: never.
  std::function<bool()> interrupted;
};

struct WorkerOutcome {
  // status: completed (a whole result came back), refused, crashed, timed-out
  // or exited. The caller turns completed into failed-check where the result
  // says so.
  ProcessEnd end;
  std::string result;        // Only when completed.
  bool interrupted = false;  // Killed because job.interrupted said so.
};

// Starts a worker and waits for it. Not bound to one thread, but the calling
// thread must live until it returns.
//
// Fails with kIo when no process or memory file could be made.
Result<WorkerOutcome> RunWorker(const WorkerJob& job);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CALL_WORKER_PROCESS_H_
