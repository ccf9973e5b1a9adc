#include "capture/attempt_log.h"

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

}  // namespace

Result<std::vector<AttemptRecord>> AttemptLog::Read(const std::string& run) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes, ReadLog(run));
  if (bytes.empty()) return std::vector<AttemptRecord>();
  return DecodeAttempts(bytes, kAttemptsPath);
}

Result<AttemptLog> AttemptLog::Start(const std::string& run,
                                     const ToolIdentity& tool) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<AttemptRecord> before, Read(run));
  int64_t attempt = 0;
  for (const AttemptRecord& record : before) {
    if (record.event == "start") attempt = record.attempt + 1;
  }
  AttemptLog log(run, tool, attempt);
  AttemptRecord record;
  record.event = "start";
  EXHIBIT_RETURN_IF_ERROR(log.Append(std::move(record)));
  return log;
}

Status AttemptLog::End(const std::string& result, const std::string& message) {
  AttemptRecord record;
  record.event = "end";
  record.result = result;
  record.message = message;
  return Append(std::move(record));
}

Status AttemptLog::Append(AttemptRecord record) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes, ReadLog(run_));
  record.attempt = attempt_;
  record.stage = "capture";
  record.previous_sha256 = Sha256Hex(bytes);
  record.tool = tool_;
  record.time_ns = BootTimeNs();
  return AppendFile(run_ + "/" + kAttemptsPath, EncodeAttempt(record));
}

bool CaptureIsFinished(const std::vector<AttemptRecord>& attempts) {
  bool finished = false;
  for (const AttemptRecord& record : attempts) {
    if (record.stage != "capture") continue;
    finished = record.event == "end" &&
               (record.result == "done" || record.result == "invalid");
  }
  return finished;
}

}  // namespace exhibit
