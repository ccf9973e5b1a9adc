// The captures of a run that are still to be made, several at a time.

#ifndef EXHIBIT_CAPTURE_CAPTURE_QUEUE_H_
#define EXHIBIT_CAPTURE_CAPTURE_QUEUE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture/capture_job.h"
#include "manifests/result.h"

namespace exhibit {

struct QueueOptions {
  int64_t jobs = 1;
  // Called after each capture, by one thread at a time.
  std::function<void(const CaptureJob& job, const ProcessEnd& end)> finished;
};

// Makes them in order, `jobs` at a time; each waits for its own workers, so
// that lld and LLVM are never entered by two threads of one process. Returns
// how many were made; fewer than asked for means that the work was interrupted.
// After an Error no further capture starts, those under way are finished, and
// the first in the order of `list` is returned.
Result<int64_t> MakeCaptures(const std::vector<CaptureJob>& list,
                             const QueueOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_CAPTURE_QUEUE_H_
