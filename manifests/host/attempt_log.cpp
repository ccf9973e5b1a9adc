#include "manifests/host/attempt_log.h"

#include <utility>

#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

// The bytes of attempts.jsonl so far; "" when there is none yet.
Result<std::string> ReadLog(const std::string& run) {
  const std::string path = run + "/" + kAttemptsPath;
  if (!PathExists(path)) return std::string();
  return ReadFile(path, kRecordBytesMax);
}

std::string Without(std::string text, const std::string& folder) {
  const std::string prefix = folder + "/";
  for (size_t at; (at = text.find(prefix)) != std::string::npos;) {
    text.erase(at, prefix.size());
  }
  return text;
}

}  // namespace

Result<std::vector<AttemptRecord>> AttemptLog::Read(const std::string& run) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes, ReadLog(run));
  if (bytes.empty()) return std::vector<AttemptRecord>();
  return DecodeAttempts(bytes, kAttemptsPath);
}

Result<AttemptLog> AttemptLog::Start(const std::string& run,
                                     const std::string& stage,
                                     const ToolIdentity& tool) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<AttemptRecord> before, Read(run));
  AttemptLog log(run, stage, tool);
  for (const AttemptRecord& record : before) {
    if (record.event == "start") log.attempt_ = record.attempt + 1;
  }
  AttemptRecord record;
  record.event = "start";
  EXHIBIT_RETURN_IF_ERROR(log.Append(std::move(record)));
  return log;
}

Status AttemptLog::End(const std::string& result, const std::string& message) {
  AttemptRecord record;
  record.event = "end";
  record.result = result;
  record.message = Without(message, run_);
  return Append(std::move(record));
}

Status AttemptLog::Append(AttemptRecord record) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes, ReadLog(run_));
  record.attempt = attempt_;
  record.stage = stage_;
  record.previous_sha256 = Sha256Hex(bytes);
  record.tool = tool_;
  record.time_ns = BootTimeNs();
  return AppendFile(run_ + "/" + kAttemptsPath, EncodeAttempt(record));
}

}  // namespace exhibit
