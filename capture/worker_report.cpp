#include "capture/worker_report.h"

#include <map>
#include <utility>

#include "manifests/json.h"

namespace exhibit {
namespace {

// Takes the fields of one JSON object and remembers whether any was wrong.
class Fields {
 public:
  explicit Fields(const Json& json) : object_(json.AsObject()) {}

  std::string Text(const char* name) {
    const Json* field = Find(name);
    if (field == nullptr || field->AsString() == nullptr) return Wrong("");
    return *field->AsString();
  }
  int64_t Count(const char* name) {
    const Json* field = Find(name);
    if (field == nullptr || field->AsInteger() == nullptr) return Wrong(0);
    return *field->AsInteger() >= 0 ? *field->AsInteger() : Wrong(0);
  }
  Json::Array Array(const char* name) {
    const Json* field = Find(name);
    if (field == nullptr || field->AsArray() == nullptr) {
      return Wrong(Json::Array());
    }
    return *field->AsArray();
  }
  Json::Object Object(const char* name) {
    const Json* field = Find(name);
    if (field == nullptr || field->AsObject() == nullptr) {
      return Wrong(Json::Object());
    }
    return *field->AsObject();
  }
  std::vector<std::string> Texts(const char* name) {
    std::vector<std::string> texts;
    for (const Json& text : Array(name)) {
      texts.push_back(text.AsString() != nullptr ? *text.AsString()
                                                 : Wrong(std::string()));
    }
    return texts;
  }
  std::map<std::string, std::optional<int64_t>> CountMap(const char* name) {
    std::map<std::string, std::optional<int64_t>> counts;
    for (const auto& [key, value] : Object(name)) {
      const int64_t* count = value.AsInteger();
      counts[key] =
          count != nullptr && *count >= 0 ? *count : Wrong(int64_t{0});
    }
    return counts;
  }
  bool Has(const char* name) const {
    return object_ != nullptr && object_->count(name) != 0;
  }
  bool ok() const { return object_ != nullptr && ok_; }

 private:
  const Json* Find(const char* name) const {
    if (object_ == nullptr) return nullptr;
    const auto field = object_->find(name);
    return field == object_->end() ? nullptr : &field->second;
  }
  template <typename T>
  T Wrong(T value) {
    ok_ = false;
    return value;
  }

  const Json::Object* object_;
  bool ok_ = true;
};

Error Garbled(const char* what) {
  return Error{ErrorKind::kCorrupt,
               std::string("the ") + what + " of a worker is garbled", ""};
}

Json TextsJson(const std::vector<std::string>& texts) {
  return Json(Json::Array(texts.begin(), texts.end()));
}

Json ProcessJson(const ProcessFacts& process) {
  Json::Array mapped_files;
  for (const MappedFile& file : process.mapped_files) {
    mapped_files.push_back(Json::Object{{"build_id", file.build_id},
                                        {"name", file.name},
                                        {"sha256", file.sha256}});
  }
  return Json::Object{{"command", TextsJson(process.command)},
                      {"environment", Json::Object(process.environment.begin(),
                                                   process.environment.end())},
                      {"mapped_files", std::move(mapped_files)}};
}

Result<ProcessFacts> ProcessOf(const Json& json) {
  Fields fields(json);
  ProcessFacts process;
  process.command = fields.Texts("command");
  bool ok = true;
  for (const auto& [name, value] : fields.Object("environment")) {
    ok = ok && value.AsString() != nullptr;
    if (ok) process.environment[name] = *value.AsString();
  }
  for (const Json& entry : fields.Array("mapped_files")) {
    Fields file(entry);
    process.mapped_files.push_back(
        {file.Text("name"), file.Text("sha256"), file.Text("build_id")});
    ok = ok && file.ok();
  }
  if (!ok || !fields.ok()) return Garbled("process");
  return process;
}

}  // namespace

std::string EncodeTask(const WorkerTask& task) {
  return EncodeJson(Json::Object{{"case", task.case_name},
                                 {"folder", task.folder},
                                 {"library_path", task.library_path},
                                 {"library_sha256", task.library_sha256},
                                 {"run", task.run},
                                 {"variant", task.variant}});
}

Result<WorkerTask> DecodeTask(std::string_view bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json json, ParseJson(bytes, "task"));
  Fields fields(json);
  WorkerTask task;
  task.run = fields.Text("run");
  task.case_name = fields.Text("case");
  task.variant = fields.Text("variant");
  task.folder = fields.Text("folder");
  task.library_path = fields.Text("library_path");
  task.library_sha256 = fields.Text("library_sha256");
  if (!fields.ok()) return Garbled("task");
  return task;
}

std::string EncodeBuildFacts(const BuildFacts& facts) {
  Json::Object build_ns;
  for (const auto& [phase, duration_ns] : facts.build_ns) {
    build_ns[phase] = duration_ns.value();
  }
  return EncodeJson(
      Json::Object{{"build_ns", std::move(build_ns)},
                   {"library_sha256", facts.library_sha256},
                   {"required_cpu_flags", TextsJson(facts.required_cpu_flags)},
                   {"symbol", facts.symbol},
                   {"workspace_bytes", facts.workspace_bytes}});
}

Result<BuildFacts> DecodeBuildFacts(std::string_view bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json json, ParseJson(bytes, "build facts"));
  Fields fields(json);
  BuildFacts facts;
  facts.symbol = fields.Text("symbol");
  facts.workspace_bytes = fields.Count("workspace_bytes");
  facts.required_cpu_flags = fields.Texts("required_cpu_flags");
  facts.library_sha256 = fields.Text("library_sha256");
  facts.build_ns = fields.CountMap("build_ns");
  if (!fields.ok()) return Garbled("build facts");
  return facts;
}

// One line of JSON, then the arrays one after the other.
std::string EncodeCallReport(const CallReport& report) {
  Json::Object object{{"failure", report.failure},
                      {"process", ProcessJson(report.process)}};
  if (report.could_not) {
    object["could_not"] =
        Json::Object{{"hint", report.could_not->hint},
                     {"kind", static_cast<int64_t>(report.could_not->kind)},
                     {"message", report.could_not->message}};
  }
  Json::Array outputs;
  for (const OutputBytes& output : report.outputs) {
    outputs.push_back(
        Json::Object{{"bytes", static_cast<int64_t>(output.npy.size())},
                     {"name", output.name}});
  }
  object["outputs"] = std::move(outputs);
  std::string bytes = EncodeJson(std::move(object));
  for (const OutputBytes& output : report.outputs) bytes += output.npy;
  return bytes;
}

Result<CallReport> DecodeCallReport(std::string_view bytes) {
  const size_t line_end = bytes.find('\n');
  if (line_end == std::string_view::npos) return Garbled("report");
  EXHIBIT_ASSIGN_OR_RETURN(const Json json,
                           ParseJson(bytes.substr(0, line_end + 1), "report"));
  Fields fields(json);
  CallReport report;
  report.failure = fields.Text("failure");
  const Json process(fields.Object("process"));
  EXHIBIT_ASSIGN_OR_RETURN(report.process, ProcessOf(process));
  if (fields.Has("could_not")) {
    const Json error(fields.Object("could_not"));
    Fields parts(error);
    const int64_t kind = parts.Count("kind");
    report.could_not = Error{static_cast<ErrorKind>(kind),
                             parts.Text("message"), parts.Text("hint")};
    if (!parts.ok() || kind > static_cast<int64_t>(ErrorKind::kIo)) {
      return Garbled("report");
    }
  }
  std::string_view rest = bytes.substr(line_end + 1);
  for (const Json& entry : fields.Array("outputs")) {
    Fields output(entry);
    const uint64_t size = static_cast<uint64_t>(output.Count("bytes"));
    if (size > rest.size()) return Garbled("report");
    report.outputs.push_back(
        {output.Text("name"), std::string(rest.substr(0, size))});
    rest.remove_prefix(size);
    if (!output.ok()) return Garbled("report");
  }
  if (!fields.ok() || !rest.empty()) return Garbled("report");
  return report;
}

}  // namespace exhibit
