#include "replay/visit_message.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "manifests/json.h"

namespace exhibit {
namespace {

constexpr char kWhere[] = "message of a visit";
constexpr uint64_t kPartCountMax = 4096;

Error Corrupt(const std::string& what) {
  return Error{ErrorKind::kCorrupt, std::string(kWhere) + ": " + what, ""};
}

// Takes a line with one canonical decimal number off `bytes`.
Result<uint64_t> TakeNumber(std::string_view& bytes) {
  size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return Corrupt("a line has no end");
  std::string_view text = bytes.substr(0, end);
  uint64_t number = 0;
  auto parsed = std::from_chars(text.data(), text.data() + end, number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + end ||
      std::to_string(number) != text) {
    return Corrupt("not a number: " + QuoteText(text));
  }
  bytes.remove_prefix(end + 1);
  return number;
}

Result<double> TakeDouble(const Json::Object& object, const char* name) {
  auto found = object.find(name);
  if (found == object.end()) return Corrupt(std::string("no ") + name);
  if (const double* value = found->second.AsDouble()) return *value;
  if (const int64_t* value = found->second.AsInteger()) {
    return static_cast<double>(*value);
  }
  return Corrupt(std::string(name) + " is no number");
}

}  // namespace

std::string PackParts(const std::vector<std::string>& parts) {
  std::string bytes = std::to_string(parts.size()) + "\n";
  for (const std::string& part : parts) {
    bytes += std::to_string(part.size()) + "\n";
  }
  for (const std::string& part : parts) bytes += part;
  return bytes;
}

Result<std::vector<std::string>> UnpackParts(std::string_view bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(uint64_t count, TakeNumber(bytes));
  if (count > kPartCountMax) {
    return Corrupt(std::to_string(count) + " parts");
  }
  std::vector<uint64_t> lengths;
  for (uint64_t i = 0; i < count; ++i) {
    EXHIBIT_ASSIGN_OR_RETURN(uint64_t length, TakeNumber(bytes));
    lengths.push_back(length);
  }
  std::vector<std::string> parts;
  for (uint64_t length : lengths) {
    if (length > bytes.size()) return Corrupt("a part is cut short");
    parts.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  if (!bytes.empty()) return Corrupt("bytes after the last part");
  return parts;
}

std::string EncodeVisitTask(const VisitTask& task) {
  Json settings(Json::Object{{"absolute", task.tolerance.absolute},
                             {"relative", task.tolerance.relative}});
  return PackParts({task.run, EncodeJson(settings), EncodePlan(task.plan),
                    EncodeCase(task.case_record), EncodeCapture(task.capture),
                    EncodeVisit(task.draft)});
}

Result<VisitTask> DecodeVisitTask(std::string_view bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<std::string> parts, UnpackParts(bytes));
  if (parts.size() != 6) return Corrupt("a task has six parts");
  VisitTask task;
  task.run = parts[0];
  EXHIBIT_ASSIGN_OR_RETURN(Json settings, ParseJson(parts[1], kWhere));
  if (settings.AsObject() == nullptr) return Corrupt("settings are no object");
  EXHIBIT_ASSIGN_OR_RETURN(task.tolerance.absolute,
                           TakeDouble(*settings.AsObject(), "absolute"));
  EXHIBIT_ASSIGN_OR_RETURN(task.tolerance.relative,
                           TakeDouble(*settings.AsObject(), "relative"));
  EXHIBIT_ASSIGN_OR_RETURN(task.plan, DecodePlan(parts[2], kWhere));
  EXHIBIT_ASSIGN_OR_RETURN(task.case_record, DecodeCase(parts[3], kWhere));
  EXHIBIT_ASSIGN_OR_RETURN(task.capture, DecodeCapture(parts[4], kWhere));
  EXHIBIT_ASSIGN_OR_RETURN(task.draft, DecodeVisit(parts[5], kWhere));
  return task;
}

std::string EncodeVisitReport(const VisitReport& report) {
  std::vector<std::string> parts = {EncodeVisit(report.record), report.maps};
  for (const std::string& array : report.arrays) parts.push_back(array);
  return PackParts(parts);
}

Result<VisitReport> DecodeVisitReport(std::string_view bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<std::string> parts, UnpackParts(bytes));
  if (parts.size() < 2) return Corrupt("a report has two parts or more");
  VisitReport report;
  EXHIBIT_ASSIGN_OR_RETURN(report.record, DecodeVisit(parts[0], kWhere));
  report.maps = std::move(parts[1]);
  for (size_t i = 2; i < parts.size(); ++i) {
    report.arrays.push_back(std::move(parts[i]));
  }
  return report;
}

}  // namespace exhibit
