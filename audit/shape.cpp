#include "audit/shape.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "audit/checker.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

// Above any plan; a hostile manifest must not make the list of what is missing
// endless.
constexpr int64_t kExpectedVisitsMax = 20'000;

struct ExpectedFiles {
  std::set<std::string> required;
  std::set<std::string> allowed;  // Besides the required ones.

  bool Has(const std::string& path) const {
    return required.contains(path) || allowed.contains(path);
  }
};

bool IsArrayPath(const std::string& path) {
  constexpr std::string_view kFolder = "arrays/";
  if (!path.starts_with(kFolder)) return false;
  const std::string name = path.substr(kFolder.size());
  return name.ends_with(".npy") &&
         IsSha256Hex(std::string_view(name).substr(0, name.size() - 4));
}

void ExpectFrozenFiles(const Evidence& evidence, const Subject& subject,
                       ExpectedFiles& expected) {
  if (evidence.freeze.record) {
    for (const FileEntry& source : evidence.freeze.record->sources) {
      expected.required.insert(source.path);
    }
    for (const Attachment& file : evidence.freeze.record->attachments) {
      expected.required.insert(file.path);
    }
    return;
  }
  // Without freeze.json nothing says which of these there should be.
  for (const auto& [path, file] : subject.files) {
    if (path.starts_with("sources/") || path.starts_with("attachments/")) {
      expected.allowed.insert(path);
    }
  }
}

// A capture that did not complete has what it reached: no more than it lists.
void ExpectCapture(const CaseEvidence& c, const CaptureEvidence& capture,
                   ExpectedFiles& expected) {
  const std::string folder =
      CaptureFolder(c.name(), capture.variant->name) + "/";
  expected.required.insert(capture.capture.path);
  for (const std::string& name : CaptureFileNames(*capture.variant)) {
    (capture.Completed() ? expected.required : expected.allowed)
        .insert(folder + name);
  }
  if (!capture.capture.record) return;
  for (const FileEntry& file : capture.capture.record->files) {
    if (expected.allowed.contains(file.path)) {
      expected.required.insert(file.path);
    }
  }
}

// What a replay has whatever happened: files without gaps.
void ExpectReplaySoFar(const CaseEvidence& c, ExpectedFiles& expected) {
  if (!c.plan.present() && c.visits.empty() && c.calibrations.empty()) return;
  expected.required.insert(c.plan.path);
  for (size_t i = 0; i < std::min<size_t>(2, c.calibrations.size()); ++i) {
    expected.required.insert(
        CalibrationPath(c.name(), static_cast<int64_t>(i)));
  }
  for (size_t i = 0; i < c.visits.size(); ++i) {
    expected.required.insert(VisitPath(c.name(), static_cast<int64_t>(i)));
  }
}

// What a replay has that nothing cut short.
void ExpectWholeReplay(const CaseEvidence& c, int64_t cycles,
                       ExpectedFiles& expected) {
  expected.required.insert(c.plan.path);
  for (int64_t i = 0; i < 2; ++i) {
    expected.required.insert(CalibrationPath(c.name(), i));
  }
  const int64_t planned = std::min(4 * cycles, kExpectedVisitsMax);
  for (int64_t i = 0; i < planned; ++i) {
    expected.required.insert(VisitPath(c.name(), i));
  }
}

ExpectedFiles Expect(const Subject& subject, const Evidence& evidence) {
  ExpectedFiles expected;
  expected.required = {kManifestPath, kFreezePath, kAttemptsPath};
  ExpectFrozenFiles(evidence, subject, expected);
  const bool cohort_invalid = evidence.CohortInvalid();
  for (const CaseEvidence& c : evidence.cases) {
    expected.required.insert(c.record.path);
    if (!c.declared->text.empty()) {
      expected.required.insert(kManifestSources + c.declared->text);
    }
    for (const auto& [variant, capture] : c.captures) {
      ExpectCapture(c, capture, expected);
    }
    ExpectReplaySoFar(c, expected);
    if (cohort_invalid) continue;
    ExpectWholeReplay(c, evidence.manifest->cycles, expected);
  }
  return expected;
}

using CasesByName = std::map<std::string_view, CaseEvidence*>;

// The case that a path belongs to, or null. A subject may name very many paths.
CaseEvidence* CaseOf(std::string_view path, const CasesByName& cases) {
  for (const std::string_view folder : {"cases/", "captures/", "replays/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view rest = path.substr(folder.size());
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return nullptr;
    const auto found = cases.find(rest.substr(0, slash));
    return found == cases.end() ? nullptr : found->second;
  }
  return nullptr;
}

void Report(const std::string& path, const char* code, const char* message,
            const CasesByName& cases, FindingList& findings) {
  CaseEvidence* c = CaseOf(path, cases);
  if (c != nullptr) c->sound = false;
  findings.Add({.code = code, .path = path, .message = message});
}

}  // namespace

std::vector<std::string> CaptureFileNames(const ManifestVariant& variant) {
  if (variant.kind == "tile") {
    return {"kernel.ll", "kernel.o",     "kernel.s",
            "kernel.so", "program.tile", "realization.json"};
  }
  if (variant.library.ends_with(".o")) return {"kernel.o", "kernel.so"};
  return {"kernel.so"};
}

void CheckShape(const Subject& subject, Evidence& evidence,
                FindingList& findings) {
  if (!evidence.manifest) {
    for (const char* path : {kManifestPath, kFreezePath, kAttemptsPath}) {
      if (subject.Find(path) != nullptr) continue;
      Report(path, "file-missing", "every run has it", {}, findings);
    }
    return;
  }
  const ExpectedFiles expected = Expect(subject, evidence);
  CasesByName cases;
  for (CaseEvidence& c : evidence.cases) cases[c.name()] = &c;
  for (const std::string& path : expected.required) {
    if (subject.Find(path) != nullptr) continue;
    Report(path, "file-missing", "the manifest or a record asks for it", cases,
           findings);
  }
  for (const auto& [path, file] : subject.files) {
    if (expected.Has(path) || IsArrayPath(path)) continue;
    Report(path, "file-extra", "no manifest entry and no record asks for it",
           cases, findings);
  }
}

}  // namespace exhibit
