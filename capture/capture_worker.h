// What capture does in worker processes, where a kernel may do its worst.
//
//   build  makes the files of a capture; for a tile variant it then calls the
//          JIT-linked code once
//   call   a fresh process that calls kernel.so once
//
// Each takes an EncodeTask and returns an EncodeCallReport. What a kernel gets
// wrong is a report's failure or the process's end; what keeps it from
// starting (an illegal option, a missing symbol or CPU flag) is an Error and
// becomes `refused`; what the machine refuses (disk, memory files) is the
// report's could_not.

#ifndef EXHIBIT_CAPTURE_CAPTURE_WORKER_H_
#define EXHIBIT_CAPTURE_CAPTURE_WORKER_H_

#include "replay/call/worker_process.h"

namespace exhibit {

inline constexpr char kBuildWorker[] = "build";
inline constexpr char kCallWorker[] = "call";

// BuildFacts, in the folder of a capture that is being made; removed before
// the folder gets its name.
inline constexpr char kBuildFactsFile[] = ".build.json";

// For RunAsWorker, by the names above.
WorkerFunctions CaptureWorkers();

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_CAPTURE_WORKER_H_
