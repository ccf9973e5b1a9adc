// The trace that every start of a stage leaves in a run: attempts.jsonl.
//
// A line when an attempt starts, a line when it ends. A stage that is killed
// leaves a start without an end, which is what happened. Lines are appended,
// each naming the digest of the file before it, and never changed.

#ifndef EXHIBIT_CAPTURE_ATTEMPT_LOG_H_
#define EXHIBIT_CAPTURE_ATTEMPT_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

class AttemptLog {
 public:
  // Reads what `run` has of attempts; none is an empty list.
  static Result<std::vector<AttemptRecord>> Read(const std::string& run);

  // Appends the start line of a capture and numbers it after the last attempt.
  static Result<AttemptLog> Start(const std::string& run,
                                  const ToolIdentity& tool);

  // Appends the end line. `result`: done, invalid, interrupted, error.
  Status End(const std::string& result, const std::string& message);

  int64_t attempt() const { return attempt_; }

 private:
  AttemptLog(std::string run, ToolIdentity tool, int64_t attempt)
      : run_(std::move(run)), tool_(std::move(tool)), attempt_(attempt) {}
  Status Append(AttemptRecord record);

  std::string run_;
  ToolIdentity tool_;
  int64_t attempt_ = 0;
};

// True when the last attempt at a capture reached its end with every capture
// made, so that there is nothing to resume.
bool CaptureIsFinished(const std::vector<AttemptRecord>& attempts);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_ATTEMPT_LOG_H_
