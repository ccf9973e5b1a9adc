#include "audit/shape.h"

#include <algorithm>
#include <set>

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

void ExpectCapture(const CaseEvidence& c, const CaptureEvidence& capture,
                   ExpectedFiles& expected) {
  const std::string folder =
      CaptureFolder(c.name(), capture.variant->name) + "/";
  expected.required.insert(capture.capture.path);
  for (const bool with_object : {true, false}) {
    const std::vector<std::string> names =
        CaptureFileNames(capture.variant->kind, with_object);
    for (const std::string& name : names) {
      if (capture.Completed() && !with_object) {
        expected.required.insert(folder + name);
      } else {
        expected.allowed.insert(folder + name);
      }
    }
  }
  if (!capture.capture.record) return;
  for (const FileEntry& file : capture.capture.record->files) {
    if (expected.allowed.contains(file.path)) {
      expected.required.insert(file.path);
    }
  }
}

void ExpectReplay(const CaseEvidence& c, int64_t cycles, bool may_be_cut_short,
                  ExpectedFiles& expected) {
  const auto found = static_cast<int64_t>(c.visits.size());
  if (may_be_cut_short && !c.plan.present() && found == 0 &&
      c.calibrations.empty()) {
    return;
  }
  expected.required.insert(c.plan.path);
  const int64_t calibrations =
      may_be_cut_short
          ? std::min<int64_t>(2, static_cast<int64_t>(c.calibrations.size()))
          : 2;
  for (int64_t i = 0; i < calibrations; ++i) {
    expected.required.insert(CalibrationPath(c.name(), i));
  }
  const int64_t planned =
      may_be_cut_short ? 0
                       : 4 * std::min<int64_t>(cycles, kExpectedVisitsMax / 4);
  for (int64_t i = 0; i < std::max(planned, found); ++i) {
    expected.required.insert(VisitPath(c.name(), i));
  }
}

ExpectedFiles Expect(const Subject& subject, const Evidence& evidence) {
  ExpectedFiles expected;
  expected.required = {kManifestPath, kFreezePath, kAttemptsPath};
  ExpectFrozenFiles(evidence, subject, expected);
  const bool may_be_cut_short = evidence.CohortInvalid();
  for (const CaseEvidence& c : evidence.cases) {
    expected.required.insert(c.record.path);
    for (const auto& [variant, capture] : c.captures) {
      ExpectCapture(c, capture, expected);
    }
    ExpectReplay(c, evidence.manifest->cycles, may_be_cut_short, expected);
  }
  return expected;
}

// The case that a path belongs to, or null.
CaseEvidence* CaseOf(const std::string& path, Evidence& evidence) {
  for (CaseEvidence& c : evidence.cases) {
    for (const char* folder : {"cases/", "captures/", "replays/"}) {
      if (path.starts_with(folder + c.name() + "/")) return &c;
    }
  }
  return nullptr;
}

void Report(const std::string& path, const char* code, const char* message,
            Evidence& evidence, FindingList& findings) {
  CaseEvidence* c = CaseOf(path, evidence);
  if (c != nullptr) c->sound = false;
  findings.Add({.code = code, .path = path, .message = message});
}

}  // namespace

std::vector<std::string> CaptureFileNames(const std::string& kind,
                                          bool with_object) {
  if (kind == "tile") {
    return {"kernel.ll", "kernel.o",     "kernel.s",
            "kernel.so", "program.tile", "realization.json"};
  }
  if (with_object) return {"kernel.o", "kernel.so"};
  return {"kernel.so"};
}

void CheckShape(const Subject& subject, Evidence& evidence,
                FindingList& findings) {
  if (!evidence.manifest) {
    for (const char* path : {kManifestPath, kFreezePath, kAttemptsPath}) {
      if (subject.Find(path) != nullptr) continue;
      Report(path, "file-missing", "every run has it", evidence, findings);
    }
    return;
  }
  const ExpectedFiles expected = Expect(subject, evidence);
  for (const std::string& path : expected.required) {
    if (subject.Find(path) != nullptr) continue;
    Report(path, "file-missing", "the manifest or a record asks for it",
           evidence, findings);
  }
  for (const auto& [path, file] : subject.files) {
    if (expected.Has(path) || IsArrayPath(path)) continue;
    Report(path, "file-extra", "no manifest entry and no record asks for it",
           evidence, findings);
  }
}

}  // namespace exhibit
