#include "replay/attempts.h"

#include <vector>

#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

Result<std::string> ReadAttempts(const std::string& run) {
  std::string path = run + "/" + kAttemptsPath;
  if (!PathExists(path)) return std::string();
  return ReadFile(path, kRecordBytesMax);
}

std::string Without(std::string text, const std::string& folder) {
  std::string prefix = folder + "/";
  for (size_t at; (at = text.find(prefix)) != std::string::npos;) {
    text.erase(at, prefix.size());
  }
  return text;
}

}  // namespace

Result<Attempt> Attempt::Start(const std::string& run,
                               const ToolIdentity& tool) {
  EXHIBIT_ASSIGN_OR_RETURN(std::string bytes, ReadAttempts(run));
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<AttemptRecord> before,
                           DecodeAttempts(bytes, kAttemptsPath));
  Attempt attempt;
  attempt.run_ = run;
  attempt.tool_ = tool;
  for (const AttemptRecord& line : before) {
    attempt.number_ += line.event == "start";
  }
  AttemptRecord line;
  line.attempt = attempt.number_;
  line.event = "start";
  line.stage = "replay";
  line.previous_sha256 = Sha256Hex(bytes);
  line.tool = tool;
  line.time_ns = BootTimeNs();
  EXHIBIT_RETURN_IF_ERROR(
      AppendFile(run + "/" + kAttemptsPath, EncodeAttempt(line)));
  return attempt;
}

Status Attempt::End(const std::string& result, const std::string& message) {
  EXHIBIT_ASSIGN_OR_RETURN(std::string bytes, ReadAttempts(run_));
  AttemptRecord line;
  line.attempt = number_;
  line.event = "end";
  line.stage = "replay";
  line.result = result;
  line.message = Without(message, run_);
  line.previous_sha256 = Sha256Hex(bytes);
  line.tool = tool_;
  line.time_ns = BootTimeNs();
  return AppendFile(run_ + "/" + kAttemptsPath, EncodeAttempt(line));
}

}  // namespace exhibit
