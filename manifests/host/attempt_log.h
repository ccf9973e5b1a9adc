// The trace that every start of a stage leaves in a run: attempts.jsonl.
//
// A line when an attempt starts, a line when it ends. A stage that is killed
// leaves a start without an end, which is what happened. Lines are appended,
// each naming the digest of the file before it, and never changed.

#ifndef EXHIBIT_MANIFESTS_HOST_ATTEMPT_LOG_H_
#define EXHIBIT_MANIFESTS_HOST_ATTEMPT_LOG_H_

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

  // Appends the start line of `stage` (capture, replay) and numbers it after
  // the last attempt. Fails with kCorrupt when the file is not a chain of
  // attempts, and with kIo.
  static Result<AttemptLog> Start(const std::string& run,
                                  const std::string& stage,
                                  const ToolIdentity& tool);

  // Appends the end line. `result`: done, invalid, interrupted, error. The
  // run's folder is cut from the message: a record holds no path of the
  // machine.
  Status End(const std::string& result, const std::string& message);

  int64_t attempt() const { return attempt_; }

 private:
  AttemptLog(std::string run, std::string stage, ToolIdentity tool)
      : run_(std::move(run)),
        stage_(std::move(stage)),
        tool_(std::move(tool)) {}
  Status Append(AttemptRecord record);

  std::string run_;
  std::string stage_;
  ToolIdentity tool_;
  int64_t attempt_ = 0;
};

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_HOST_ATTEMPT_LOG_H_
