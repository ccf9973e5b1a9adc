// realization.json: what is accepted has every field, and its fields are its
// bytes.

#include "audit/realization.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

void Check(std::string_view bytes) {
  const Result<RealizationReport> report = DecodeRealization(bytes, "input");
  if (!report.ok()) {
    fuzz::RequireSound(report.error());
    return;
  }
  fuzz::Require(EncodeJson(report->fields) == bytes,
                "the fields are written back byte for byte");
  Json::Array flags;
  for (const std::string& flag : report->required_cpu_flags) {
    flags.emplace_back(flag);
  }
  const Json::Object& fields = report->fields;
  fuzz::Require(
      fields.at("required_cpu_flags") == Json(flags) &&
          fields.at("target_cpu") == Json(report->target_cpu) &&
          fields.at("target_features") == Json(report->target_features) &&
          fields.at("math_helper_sha256") == Json(report->math_helper_sha256) &&
          fields.at("full_packet_specializations") ==
              Json(report->full_packet_specializations) &&
          fields.at("full_packet_cloned_instructions") ==
              Json(report->full_packet_cloned_instructions),
      "what is used is what stands there");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  Check(bytes);
  const std::optional<std::string> canonical = fuzz::Canonical(bytes);
  if (canonical && *canonical != bytes) Check(*canonical);
  return 0;
}
