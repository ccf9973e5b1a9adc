#include "audit/decoding.h"

#include <algorithm>
#include <utility>

#include "audit/arrays.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

void DecodeArrays(const Subject& subject, Evidence& evidence,
                  FindingList& findings) {
  for (auto array = evidence.arrays.begin(); array != evidence.arrays.end();) {
    const std::string path = ArrayPath(array->first);
    Result<NpyHeader> header = ArrayHeader(subject, array->first);
    if (!header.ok()) {
      findings.AddError("array-malformed", path, header.error());
      array = evidence.arrays.erase(array);
      continue;
    }
    array->second = {header->dtype, std::move(header->shape)};
    ++array;
  }
}

bool AllDecoded(const std::vector<Filed<VisitRecord>>& visits) {
  return std::all_of(visits.begin(), visits.end(),
                     [](const auto& visit) { return visit.record; });
}

// An array that was referred to and did not decode is of no use.
bool ArraysDecoded(const Evidence& evidence, const CaseEvidence& c) {
  const auto known = [&](const std::string& sha256) {
    return sha256.empty() || evidence.arrays.contains(sha256);
  };
  for (const CaseArray& array : c.record.record->arrays) {
    if (!known(array.sha256)) return false;
  }
  for (const auto& [variant, capture] : c.captures) {
    for (const CaptureOutput& output : capture.capture.record->outputs) {
      if (!known(output.prepared_sha256)) return false;
    }
  }
  for (const Filed<VisitRecord>& visit : c.visits) {
    for (const VisitOutput& output : visit.record->outputs) {
      if (!known(output.first_sha256) || !known(output.last_sha256)) {
        return false;
      }
    }
    for (const VisitGuard& guard : visit.record->guards) {
      if (!known(guard.sha256)) return false;
    }
  }
  return true;
}

void CheckCase(const Evidence& evidence, CaseEvidence& c) {
  const bool captured = std::all_of(
      c.captures.begin(), c.captures.end(),
      [](const auto& entry) { return entry.second.capture.record; });
  const bool replayed = c.plan.record || !c.plan.present();
  const bool read = c.declared->text.empty() || c.program;
  if (!read || !c.record.record || !captured || !replayed ||
      !AllDecoded(c.calibrations) || !AllDecoded(c.visits) ||
      !ArraysDecoded(evidence, c)) {
    c.sound = false;
  }
}

}  // namespace

void CheckDecoding(const Subject& subject, const FindingList& decoded,
                   Evidence& evidence, FindingList& findings) {
  findings.Merge(decoded);
  DecodeArrays(subject, evidence, findings);
  for (CaseEvidence& c : evidence.cases) CheckCase(evidence, c);
}

}  // namespace exhibit
