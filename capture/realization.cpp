#include "capture/realization.h"

#include <algorithm>

#include "manifests/json.h"

namespace exhibit {
namespace {

Error BadField(std::string_view where, const std::string& name,
               const std::string& found) {
  return Error{ErrorKind::kCorrupt,
               std::string(where) + ": field " + name + ": " + found, ""};
}

// The field, within `report`.
Result<const Json*> FieldOf(const Json& report, std::string_view where,
                            const std::string& name) {
  const Json::Object* object = report.AsObject();
  if (object == nullptr) return BadField(where, name, "not in an object");
  const auto field = object->find(name);
  if (field == object->end()) return BadField(where, name, "missing");
  return &field->second;
}

Result<int64_t> IntegerOf(const Json& report, std::string_view where,
                          const std::string& name) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json* const field,
                           FieldOf(report, where, name));
  const int64_t* integer = field->AsInteger();
  if (integer == nullptr) return BadField(where, name, QuoteJson(*field));
  return *integer;
}

Result<std::vector<std::string>> TextsOf(const Json& report,
                                         std::string_view where,
                                         const std::string& name) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json* const field,
                           FieldOf(report, where, name));
  const Json::Array* array = field->AsArray();
  if (array == nullptr) return BadField(where, name, QuoteJson(*field));
  std::vector<std::string> texts;
  for (const Json& entry : *array) {
    const std::string* text = entry.AsString();
    if (text == nullptr) return BadField(where, name, QuoteJson(entry));
    texts.push_back(*text);
  }
  return texts;
}

}  // namespace

Result<RealizationFacts> ReadRealization(std::string_view bytes,
                                         std::string_view where) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json report, ParseJson(bytes, where));
  RealizationFacts facts;
  EXHIBIT_ASSIGN_OR_RETURN(
      facts.static_snapshot_bytes_per_worker,
      IntegerOf(report, where, "static_snapshot_bytes_per_worker"));
  EXHIBIT_ASSIGN_OR_RETURN(facts.private_workspace_bytes,
                           IntegerOf(report, where, "private_workspace_bytes"));
  EXHIBIT_ASSIGN_OR_RETURN(facts.required_cpu_flags,
                           TextsOf(report, where, "required_cpu_flags"));
  std::sort(facts.required_cpu_flags.begin(), facts.required_cpu_flags.end());
  return facts;
}

}  // namespace exhibit
