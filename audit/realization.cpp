#include "audit/realization.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace exhibit {
namespace {

constexpr char kSchema[] = "exhibit.realization/1";

// Every field there is and the type of its value.
struct FieldRule {
  std::string_view name;
  std::string_view type;
};
constexpr FieldRule kFields[] = {
    {"accesses", "object"},
    {"arrays", "array"},
    {"block_symbol", "string"},
    {"blocked_mmas", "integer"},
    {"full_packet_cloned_instructions", "integer"},
    {"full_packet_specializations", "integer"},
    {"full_packets_dispatched", "integer"},
    {"functions", "array"},
    {"llvm_version", "string"},
    {"math_helper_sha256", "string"},
    {"mmas", "array"},
    {"private_workspace_bytes", "integer"},
    {"program", "string"},
    {"realized", "object"},
    {"requested", "object"},
    {"required_cpu_flags", "array"},
    {"rolled_mmas", "integer"},
    {"schema", "string"},
    {"static_snapshot_allocations", "integer"},
    {"static_snapshot_bytes_per_worker", "integer"},
    {"symbol", "string"},
    {"tail_packets_dispatched", "integer"},
    {"target_cpu", "string"},
    {"target_features", "string"},
    {"two_dimensional_mmas", "integer"},
};

Error Corrupt(std::string_view where, const std::string& what) {
  return Error{ErrorKind::kCorrupt, std::string(where) + ": " + what, ""};
}

Status CheckFields(const Json::Object& object, std::string_view where) {
  std::set<std::string> known;
  for (const FieldRule& rule : kFields) {
    const std::string name(rule.name);
    known.insert(name);
    const auto field = object.find(name);
    if (field == object.end()) {
      return Corrupt(where, "field \"" + name + "\" is missing");
    }
    if (field->second.TypeName() != rule.type) {
      return Corrupt(where, "field \"" + name + "\": expected " +
                                std::string(rule.type) + ", found " +
                                QuoteJson(field->second));
    }
  }
  for (const auto& [name, value] : object) {
    if (!known.contains(name) && !name.starts_with("x-")) {
      return Corrupt(where, "unknown field " + QuoteText(name));
    }
  }
  return Ok();
}

std::string_view GroupingName(Grouping grouping) {
  switch (grouping) {
    case Grouping::kReference:
      return "reference";
    case Grouping::kRow:
      return "row";
    case Grouping::kBlock:
      return "block";
  }
  throw std::logic_error("unknown grouping");
}

Json PlannedMmas(const tile::Program& program, const Plan& plan) {
  Json::Array mmas;
  for (const MmaPlan& mma : plan.mmas) {
    Json::Object object;
    object["name"] = tile::ValueName(program, mma.result);
    object["terms"] = mma.terms;
    object["rolled"] = mma.rolled;
    object["grouping"] = GroupingName(mma.grouping);
    object["rows"] = mma.rows;
    object["columns"] = mma.columns;
    object["refusal"] = mma.refusal;
    object["cost"] = mma.cost ? Json(*mma.cost) : Json("unmodeled");
    mmas.emplace_back(std::move(object));
  }
  return mmas;
}

Json PlannedArrays(const Plan& plan) {
  Json::Array arrays;
  for (const ArrayPlan& array : plan.arrays) {
    Json::Object object;
    object["name"] = array.name;
    object["type"] = tile::NameOf(array.scalar);
    object["elements"] = array.elements;
    object["bytes"] = array.elements * tile::ScalarBytes(array.scalar);
    object["offset"] = array.offset_bytes;
    arrays.emplace_back(std::move(object));
  }
  return arrays;
}

// Each entry has the three documented fields, and no name stands twice.
Result<std::map<std::string, int64_t>> ReadFunctions(const Json::Array& entries,
                                                     std::string_view where) {
  std::map<std::string, int64_t> functions;
  for (const Json& entry : entries) {
    const Json::Object* object = entry.AsObject();
    const auto member = [&](const char* name) {
      const auto found = object->find(name);
      return found == object->end() ? Json() : found->second;
    };
    if (object == nullptr || object->size() != 3 ||
        member("name").AsString() == nullptr ||
        member("instructions").AsInteger() == nullptr ||
        member("basic_blocks").AsInteger() == nullptr) {
      return Corrupt(where,
                     "functions: expected name, instructions and "
                     "basic_blocks, found " +
                         QuoteJson(entry));
    }
    if (!functions
             .emplace(*member("name").AsString(),
                      *member("instructions").AsInteger())
             .second) {
      return Corrupt(
          where, "functions: " + QuoteJson(member("name")) + " stands twice");
    }
  }
  return functions;
}

}  // namespace

Result<RealizationReport> DecodeRealization(std::string_view bytes,
                                            std::string_view where) {
  EXHIBIT_ASSIGN_OR_RETURN(
      Json json,
      ParseJson(bytes, where, {.value_count_max = kRealizationValuesMax}));
  if (json.AsObject() == nullptr) return Corrupt(where, "not an object");
  RealizationReport report;
  report.fields = *json.AsObject();
  const auto schema = report.fields.find("schema");
  if (schema != report.fields.end() && schema->second != Json(kSchema)) {
    return Error{ErrorKind::kUnsupported,
                 std::string(where) + ": schema " + QuoteJson(schema->second) +
                     " is unknown here, expected \"" + kSchema + "\"",
                 "A newer Exhibit may read it."};
  }
  if (EncodeJson(json) != bytes) return Corrupt(where, "not canonical");
  EXHIBIT_RETURN_IF_ERROR(CheckFields(report.fields, where));
  const Json::Object& fields = report.fields;
  report.full_packet_specializations =
      *fields.at("full_packet_specializations").AsInteger();
  report.full_packet_cloned_instructions =
      *fields.at("full_packet_cloned_instructions").AsInteger();
  report.math_helper_sha256 = *fields.at("math_helper_sha256").AsString();
  report.llvm_version = *fields.at("llvm_version").AsString();
  report.target_cpu = *fields.at("target_cpu").AsString();
  report.target_features = *fields.at("target_features").AsString();
  for (const Json& flag : *fields.at("required_cpu_flags").AsArray()) {
    if (flag.AsString() == nullptr) {
      return Corrupt(where, "required_cpu_flags: expected strings, found " +
                                QuoteJson(flag));
    }
    report.required_cpu_flags.push_back(*flag.AsString());
  }
  EXHIBIT_ASSIGN_OR_RETURN(
      report.functions,
      ReadFunctions(*fields.at("functions").AsArray(), where));
  return report;
}

Json::Object PlannedFields(const tile::Program& program,
                           const TileOptions& options, const Plan& plan) {
  Json::Object fields;
  fields["program"] = program.name;
  fields["symbol"] = program.name + ".packet_batch.blocks";
  fields["block_symbol"] = program.name + ".packet_batch";
  const std::map<std::string, Json> requested = TileOptionValues(options);
  fields["requested"] = Json::Object(requested.begin(), requested.end());
  fields["static_snapshot_bytes_per_worker"] =
      plan.static_snapshot_bytes_per_worker;
  fields["static_snapshot_allocations"] = plan.static_snapshot_allocations;
  fields["arrays"] = PlannedArrays(plan);
  fields["private_workspace_bytes"] = plan.private_workspace_bytes;
  fields["mmas"] = PlannedMmas(program, plan);
  fields["blocked_mmas"] = plan.blocked_mmas;
  fields["two_dimensional_mmas"] = plan.two_dimensional_mmas;
  fields["rolled_mmas"] = plan.rolled_mmas;
  fields["full_packets_dispatched"] = plan.full_packets_dispatched;
  fields["tail_packets_dispatched"] = plan.tail_packets_dispatched;
  return fields;
}

Json::Object PlannedOptions(const TileOptions& options, const Plan& plan) {
  TileOptions realized = options;
  realized.mma_output_block = 1;
  for (const MmaPlan& mma : plan.mmas) {
    realized.mma_output_block =
        std::max(realized.mma_output_block, mma.rows * mma.columns);
  }
  realized.enable_mma_2d_blocking = plan.two_dimensional_mmas > 0;
  realized.snapshot_budget = options.SnapshotBudgetBytes();
  std::map<std::string, Json> values = TileOptionValues(realized);
  values.erase("full_packet");
  return Json::Object(values.begin(), values.end());
}

}  // namespace exhibit
