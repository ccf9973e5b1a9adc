// A visit's calls: once and checked, warm-up, samples. Nothing here depends on
// the process around it, so tests run it with a clock of their own.
// Normative: replay/README.md.

#ifndef EXHIBIT_REPLAY_VISIT_RUN_H_
#define EXHIBIT_REPLAY_VISIT_RUN_H_

#include <vector>

#include "manifests/entry.h"
#include "manifests/result.h"
#include "replay/call/guarded_buffers.h"
#include "replay/case_data.h"
#include "replay/visit_clock.h"
#include "replay/visit_message.h"

namespace exhibit {

struct VisitParts {
  exhibit_entry* entry = nullptr;
  GuardedBuffers buffers;
  std::vector<ExpectedOutput> expected;  // One per output of the buffers.
  VisitClock& clock;
};

// Calls the entry as the task's plan says. The record's end is `completed`,
// `failed-check` when an output or a guard was wrong, or `disturbed` when the
// clock went back or is too coarse, the host was suspended, or the kernel did
// not stay one thread. Fails with kIo when /proc is not readable.
Result<VisitReport> RunVisitCalls(const VisitTask& task, VisitParts parts);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_VISIT_RUN_H_
