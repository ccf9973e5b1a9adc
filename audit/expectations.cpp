#include "audit/expectations.h"

#include <set>

#include "audit/realization.h"
#include "manifests/json.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// The integer field `name` of a capture's report, as text.
std::string ReportedText(const Subject& subject, const CaseEvidence& c,
                         const CaptureEvidence& capture,
                         const std::string& name) {
  const std::string path =
      CaptureFolder(c.name(), capture.variant->name) + "/realization.json";
  const std::string* bytes = subject.Bytes(path);
  if (bytes == nullptr) return "not reported";
  const Result<Json> report =
      ParseJson(*bytes, path, {.value_count_max = kRealizationValuesMax});
  if (!report.ok() || report->AsObject() == nullptr) return "not reported";
  const auto field = report->AsObject()->find(name);
  return field == report->AsObject()->end() ? "not reported"
                                            : QuoteJson(field->second);
}

void CompareOutputs(const CaseEvidence& c, const CaptureRecord& baseline,
                    const CaptureRecord& candidate,
                    std::vector<std::string>& unmet) {
  // Every array that stands for an output, in captures and in visits.
  std::map<std::string, std::set<std::string>> digests;
  for (const CaptureRecord* record : {&baseline, &candidate}) {
    for (const CaptureOutput& output : record->outputs) {
      digests[output.name].insert(output.prepared_sha256);
    }
  }
  for (const auto* visits : {&c.calibrations, &c.visits}) {
    for (const Filed<VisitRecord>& visit : *visits) {
      if (!visit.record || visit.record->end.status != "completed") continue;
      for (const VisitOutput& output : visit.record->outputs) {
        digests[output.name].insert(output.first_sha256);
        digests[output.name].insert(output.last_sha256);
      }
    }
  }
  for (const auto& [name, values] : digests) {
    if (values.size() <= 1) continue;
    unmet.push_back("output " + name +
                    " was expected to be bitwise-equal in both arms and has " +
                    std::to_string(values.size()) + " values");
  }
}

}  // namespace

std::vector<std::string> UnmetExpectations(const Subject& subject,
                                           const Manifest& manifest,
                                           const CaseEvidence& c) {
  std::vector<std::string> unmet;
  const CaptureEvidence& baseline = c.Baseline(manifest);
  const CaptureEvidence& candidate = c.Candidate(manifest);
  if (!baseline.Completed() || !candidate.Completed()) return unmet;
  if (manifest.expect_outputs == "bitwise-equal") {
    CompareOutputs(c, *baseline.capture.record, *candidate.capture.record,
                   unmet);
  }
  if (manifest.expect_capacity != "equal") return unmet;
  const auto compare = [&](const std::string& what, const std::string& a,
                           const std::string& b) {
    if (a == b) return;
    unmet.push_back(what + " was expected to be equal in both arms and is " +
                    a + " and " + b);
  };
  const std::string snapshots = "static_snapshot_bytes_per_worker";
  compare(snapshots, ReportedText(subject, c, baseline, snapshots),
          ReportedText(subject, c, candidate, snapshots));
  compare("workspace_bytes",
          std::to_string(baseline.capture.record->workspace_bytes),
          std::to_string(candidate.capture.record->workspace_bytes));
  return unmet;
}

}  // namespace exhibit
