// The trace that every start of a replay leaves in attempts.jsonl.

#ifndef EXHIBIT_REPLAY_ATTEMPTS_H_
#define EXHIBIT_REPLAY_ATTEMPTS_H_

#include <cstdint>
#include <string>

#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

class Attempt {
 public:
  // Appends the line that says that a replay of `run` starts. Fails with
  // kCorrupt when the file is not a chain of attempts, and with kIo.
  static Result<Attempt> Start(const std::string& run,
                               const ToolIdentity& tool);

  // Appends the line that says how it ended: done, invalid, interrupted or
  // error. The run's folder is cut from the message: a record holds no path
  // of the machine.
  Status End(const std::string& result, const std::string& message);

  int64_t number() const { return number_; }

 private:
  Attempt() = default;
  std::string run_;
  ToolIdentity tool_;
  int64_t number_ = 0;
};

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_ATTEMPTS_H_
