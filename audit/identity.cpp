#include "audit/identity.h"

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "audit/identity/inspect.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// The kernel needs no flag that the recorded host lacks.
void CheckHostFlags(const CaptureFiles& files,
                    const std::set<std::string_view>& flags, Checker& check) {
  for (const std::string& flag : files.record.required_cpu_flags) {
    check.True(
        {"cpu-flags-differ", files.Path("capture.json"), "required_cpu_flags",
         "the host that freeze.json records lacks " + Printable(flag)},
        flags.contains(flag));
  }
}

struct ArmReport {
  std::string path;
  RealizationReport report;
};

// The variants of a case differ in what is declared and in nothing else that
// made them.
void CheckOneProducer(const std::vector<ArmReport>& reports, Checker& check) {
  for (size_t i = 1; i < reports.size(); ++i) {
    const RealizationReport& first = reports[0].report;
    const RealizationReport& other = reports[i].report;
    const auto same = [&](const char* field, const std::string& expected,
                          const std::string& found) {
      check.Equal({"realization-differs", reports[i].path, field,
                   "the other variant was made otherwise"},
                  expected, found);
    };
    same("math_helper_sha256", first.math_helper_sha256,
         other.math_helper_sha256);
    same("llvm_version", first.llvm_version, other.llvm_version);
    same("target_cpu", first.target_cpu, other.target_cpu);
    same("target_features", first.target_features, other.target_features);
    same("required_cpu_flags", TextOf(first.required_cpu_flags),
         TextOf(other.required_cpu_flags));
  }
}

// The arms of a null case are one object, or else one library.
void CheckNullCase(const Subject& subject, const CaseEvidence& c,
                   Checker& check) {
  if (c.declared->null_of.empty()) return;
  std::string first;
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.Completed()) return;
    const std::string folder = CaptureFolder(c.name(), variant);
    const SubjectFile* file = subject.Find(folder + "/kernel.o");
    if (file == nullptr) file = subject.Find(folder + "/kernel.so");
    if (file == nullptr) return;  // Missing or over a limit: reported.
    const auto details = c.details.find(variant);
    const bool linked = details == c.details.end() ||
                        !details->second.contains("link_not_checked");
    // An object of which nobody knows that it is the library's says nothing;
    // but a library that is placed elsewhere is another one.
    if (!linked && c.declared->placement_bytes == 0) {
      file = subject.Find(folder + "/kernel.so");
    }
    if (file == nullptr) return;
    if (first.empty()) first = file->sha256;
    check.Equal({"realization-differs", folder, "",
                 "the arms of a null case are two objects"},
                first, file->sha256);
  }
}

// What all cases are held against.
struct Run {
  const Subject& subject;
  const Evidence& evidence;
  std::set<std::string_view>
      cpu_flags;  // Of the host that freeze.json records.
};

void CheckCase(const Run& run, CaseEvidence& c, FindingList& findings) {
  Checker check(findings, c);
  std::vector<ArmReport> reports;
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.Completed()) continue;
    const CaptureFiles files{run.subject, CaptureFolder(c.name(), variant),
                             *capture.capture.record, c.ProgramName(),
                             capture.variant->placement_bytes};
    Json::Object& details = c.details[variant];
    CheckHostFlags(files, run.cpu_flags, check);
    std::optional<RealizationReport> report;
    if (capture.variant->kind == "tile") {
      report = CheckProgram(files, *run.evidence.manifest, *capture.variant, c,
                            check);
    }
    CheckObjects(files, report ? &*report : nullptr, details, check);
    const std::string* library = run.subject.Bytes(files.Path("kernel.so"));
    if (library != nullptr) {
      const Result<std::string> loaded = LoadedDigest(*library);
      if (loaded.ok()) c.loaded_sha256[variant] = *loaded;
    }
    if (details.contains("link_not_checked")) {
      c.remarks.push_back("link-not-checked: " + variant);
    }
    if (report) {
      reports.push_back({files.Path("realization.json"), std::move(*report)});
    }
  }
  CheckOneProducer(reports, check);
  CheckNullCase(run.subject, c, check);
}

}  // namespace

void CheckIdentity(const Subject& subject, Evidence& evidence,
                   FindingList& findings) {
  const std::vector<std::string>& flags =
      evidence.freeze.record->host.cpu_flags;
  const Run run{subject, evidence, {flags.begin(), flags.end()}};
  for (CaseEvidence& c : evidence.cases) {
    if (c.sound) CheckCase(run, c, findings);
  }
}

}  // namespace exhibit
