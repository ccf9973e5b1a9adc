// One call of a kernel between guards, checked against what is expected.

#ifndef EXHIBIT_CAPTURE_GUARDED_RUN_H_
#define EXHIBIT_CAPTURE_GUARDED_RUN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "capture/worker_report.h"
#include "manifests/entry.h"
#include "manifests/records.h"
#include "manifests/result.h"
#include "manifests/tolerance.h"
#include "replay/call/guarded_buffers.h"

namespace exhibit {

// A case as a call needs it, read from a run.
struct CallableCase {
  std::vector<CallBuffer> buffers;                      // Declaration order.
  std::map<std::string, std::vector<double>> expected;  // By output.
  int64_t dispatch = 0;
};

// Reads the arrays of `record` from the run and checks their digests.
// Fails as ReadFile and DecodeNpy do, and with kCorrupt on another digest.
Result<CallableCase> LoadCallableCase(const std::string& run,
                                      const CaseRecord& record);

struct GuardedRun {
  exhibit_entry* entry = nullptr;
  int64_t workspace_bytes = 0;
  int64_t workers_per_block = 0;
  Tolerance tolerance;
};

// Calls the entry once over the whole dispatch and reports the outputs, the
// first thing that is wrong with guards or outputs, and what stood in this
// process. Fails when the call cannot be set up.
Result<CallReport> RunGuarded(const CallableCase& callable,
                              const GuardedRun& run);

// What stands in this process now.
Result<ProcessFacts> DescribeThisProcess();

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_GUARDED_RUN_H_
