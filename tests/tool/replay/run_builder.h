// A captured run, written straight from the records, so that replay is tested
// without the tool that captures.
//
// Program "custom": input x[n], output[n] = 2 * x + 1, a workspace of 64 bytes,
// n instances in blocks of 32.

#ifndef EXHIBIT_TESTS_TOOL_REPLAY_RUN_BUILDER_H_
#define EXHIBIT_TESTS_TOOL_REPLAY_RUN_BUILDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manifests/records.h"

namespace exhibit {

struct RunPlan {
  std::string folder;  // Made; must not exist.
  // Libraries by file name in the folder of test kernels.
  std::string baseline = "good.so";
  std::string candidate = "good_too.so";
  std::vector<std::string> cases = {"n200"};
  int64_t elements = 200;
  int64_t cycles = 1;
  int64_t samples = 2;
  int64_t warmup_ms = 1;
  int64_t target_ms = 1;
  int64_t timeout_s = 20;
  // Each may change a record before it is written.
  std::function<void(FreezeRecord&)> freeze = nullptr;
  std::function<void(CaptureRecord&)> capture = nullptr;
};

// Throws std::runtime_error when something cannot be written.
void BuildRun(const RunPlan& plan);

// "<temporary folder>/exhibit-replay-XXXXXX", made.
std::string MakeTemporaryFolder();
void RemoveFolder(const std::string& folder);

// Path -> bytes of every file of a run.
std::map<std::string, std::string> ReadTree(const std::string& folder);

// Decoded records of a run; each throws when it is absent or corrupt.
VisitRecord ReadVisitRecord(const std::string& run, const std::string& path);
PlanRecord ReadPlanRecord(const std::string& run, const std::string& path);
std::vector<AttemptRecord> ReadAttemptRecords(const std::string& run);

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_REPLAY_RUN_BUILDER_H_
