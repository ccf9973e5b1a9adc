// A visit, from inside its process: the only place where time is taken.
//
// Load, shift stack and heap, guard, call once and check, warm up, sample.
// Normative: replay/README.md.

#ifndef EXHIBIT_REPLAY_VISIT_WORKER_H_
#define EXHIBIT_REPLAY_VISIT_WORKER_H_

#include <string>

#include "manifests/result.h"
#include "replay/call/worker_process.h"

namespace exhibit {

inline constexpr char kVisitFunction[] = "visit";

// Takes an encoded VisitTask and returns an encoded VisitReport whose record
// ended as `completed` or `failed-check`. An Error when the visit could not
// start: library, CPU flags, arrays, memory, pinning.
//
// Changes the working directory and the thread's CPU: for workers only.
Result<std::string> RunVisit(const std::string& task);

// For main.
WorkerFunctions ReplayWorkers();

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_VISIT_WORKER_H_
