#include "capture/expectations.h"

#include <optional>
#include <utility>

#include "capture/realization.h"
#include "manifests/file.h"
#include "manifests/records.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// An arm of one case.
struct ArmCapture {
  CaptureRecord record;
  std::optional<int64_t> snapshot_bytes;  // Absent for a library.
  int64_t workspace_bytes = 0;
};

Result<ArmCapture> ReadArm(const std::string& run, const std::string& case_name,
                           const std::string& variant) {
  const std::string path = CapturePath(case_name, variant);
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(run + "/" + path, kRecordBytesMax));
  ArmCapture arm;
  EXHIBIT_ASSIGN_OR_RETURN(arm.record, DecodeCapture(bytes, path));
  arm.workspace_bytes = arm.record.workspace_bytes;
  if (arm.record.kind != "tile" || arm.record.end.status != "completed") {
    return arm;
  }
  const std::string report =
      CaptureFolder(case_name, variant) + "/realization.json";
  EXHIBIT_ASSIGN_OR_RETURN(const std::string realization,
                           ReadFile(run + "/" + report, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(const RealizationFacts facts,
                           ReadRealization(realization, report));
  arm.snapshot_bytes = facts.static_snapshot_bytes_per_worker;
  arm.workspace_bytes = facts.private_workspace_bytes;
  return arm;
}

std::string TextOf(const std::optional<int64_t>& bytes) {
  return bytes ? std::to_string(*bytes) : "not reported";
}

void CompareOutputs(const ArmCapture& a, const ArmCapture& b,
                    std::vector<std::string>& violations) {
  for (size_t i = 0; i < a.record.outputs.size(); ++i) {
    const CaptureOutput& output = a.record.outputs[i];
    if (output.prepared_sha256 == b.record.outputs.at(i).prepared_sha256) {
      continue;
    }
    violations.push_back("case " + a.record.case_name + ": output " +
                         output.name + " of " + a.record.variant + " and " +
                         b.record.variant +
                         " was expected to be bitwise-equal and is not");
  }
}

void CompareCapacity(const ArmCapture& a, const ArmCapture& b,
                     std::vector<std::string>& violations) {
  const std::pair<const char*, std::pair<std::string, std::string>> rows[] = {
      {"static_snapshot_bytes_per_worker",
       {TextOf(a.snapshot_bytes), TextOf(b.snapshot_bytes)}},
      {"private_workspace_bytes",
       {TextOf(a.workspace_bytes), TextOf(b.workspace_bytes)}},
  };
  for (const auto& [name, values] : rows) {
    if (values.first == values.second) continue;
    violations.push_back("case " + a.record.case_name + ": " + name + " of " +
                         a.record.variant + " and " + b.record.variant +
                         " was expected to be equal and is " + values.first +
                         " and " + values.second);
  }
}

}  // namespace

Result<std::vector<std::string>> ViolatedExpectations(const Manifest& manifest,
                                                      const std::string& run) {
  std::vector<std::string> violations;
  for (const ManifestCase& manifest_case : manifest.cases) {
    EXHIBIT_ASSIGN_OR_RETURN(
        const ArmCapture a,
        ReadArm(run, manifest_case.name, manifest.baseline));
    EXHIBIT_ASSIGN_OR_RETURN(
        const ArmCapture b,
        ReadArm(run, manifest_case.name, manifest.candidate));
    if (a.record.end.status != "completed" ||
        b.record.end.status != "completed") {
      continue;
    }
    if (manifest.expect_outputs == "bitwise-equal") {
      CompareOutputs(a, b, violations);
    }
    if (manifest.expect_capacity == "equal") CompareCapacity(a, b, violations);
  }
  return violations;
}

}  // namespace exhibit
