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

Result<Json> FieldOf(const Json& report, std::string_view where,
                     const std::string& name) {
  const Json::Object* object = report.AsObject();
  if (object == nullptr) return BadField(where, name, "not in an object");
  const auto field = object->find(name);
  if (field == object->end()) return BadField(where, name, "missing");
  return field->second;
}

Result<int64_t> IntegerOf(const Json& report, std::string_view where,
                          const std::string& name) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json field, FieldOf(report, where, name));
  if (field.AsInteger() == nullptr) {
    return BadField(where, name, QuoteJson(field));
  }
  return *field.AsInteger();
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
  const std::string flags_name = "required_cpu_flags";
  EXHIBIT_ASSIGN_OR_RETURN(const Json flags,
                           FieldOf(report, where, flags_name));
  if (flags.AsArray() == nullptr) {
    return BadField(where, flags_name, QuoteJson(flags));
  }
  for (const Json& flag : *flags.AsArray()) {
    if (flag.AsString() == nullptr) {
      return BadField(where, flags_name, QuoteJson(flag));
    }
    facts.required_cpu_flags.push_back(*flag.AsString());
  }
  std::sort(facts.required_cpu_flags.begin(), facts.required_cpu_flags.end());
  return facts;
}

}  // namespace exhibit
