#include "audit/digests.h"

#include <set>

#include "audit/checker.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

using Digests = std::set<std::string>;

// The digests of the arrays whose names are true.
Digests CheckArrayNames(const Subject& subject, FindingList& findings) {
  Digests sound;
  for (const auto& [path, file] : subject.files) {
    if (!path.starts_with("arrays/")) continue;
    if (path == ArrayPath(file.sha256)) {
      sound.insert(file.sha256);
      continue;
    }
    findings.Add({.code = "array-misnamed",
                  .path = path,
                  .message = "the name of an array is the digest of its file",
                  .expected = ArrayPath(file.sha256),
                  .found = path});
  }
  return sound;
}

// One line of a list of files.
template <typename Entry>
void CheckEntry(const Subject& subject, const Entry& entry,
                const std::string& record_path, Checker& check) {
  const SubjectFile* file = subject.Find(entry.path);
  if (file == nullptr) {
    check.Report({.code = "reference-unresolved",
                  .path = record_path,
                  .field = entry.path,
                  .message = "it lists a file that is not there",
                  .expected = entry.sha256});
    return;
  }
  const Claim claim{"digest-differs", entry.path, "",
                    record_path + " lists another digest or size"};
  if (check.Equal(claim, entry.sha256, file->sha256)) {
    check.Equal(claim, entry.bytes, static_cast<int64_t>(file->size_bytes));
  }
}

// References from the records of one case to arrays.
class References {
 public:
  References(const Subject& subject, const Digests& sound, CaseEvidence& c,
             FindingList& findings, Digests& used)
      : subject_(subject),
        sound_(sound),
        case_(c),
        check_(findings, c),
        used_(used) {}

  void CheckAll() {
    if (case_.record.record) {
      for (const CaseArray& array : case_.record.record->arrays) {
        Resolve(case_.record.path, array.name, array.sha256);
      }
    }
    for (const auto& [variant, capture] : case_.captures) {
      if (!capture.capture.record) continue;
      for (const CaptureOutput& output : capture.capture.record->outputs) {
        Resolve(capture.capture.path, output.name, output.jit_sha256);
        Resolve(capture.capture.path, output.name, output.prepared_sha256);
      }
    }
    for (const auto& visit : case_.calibrations) CheckVisit(visit);
    for (const auto& visit : case_.visits) CheckVisit(visit);
  }

 private:
  void CheckVisit(const Filed<VisitRecord>& visit) {
    if (!visit.record) return;
    for (const VisitOutput& output : visit.record->outputs) {
      Resolve(visit.path, output.name, output.first_sha256);
      Resolve(visit.path, output.name, output.last_sha256);
    }
    for (const VisitGuard& guard : visit.record->guards) {
      Resolve(visit.path, guard.buffer, guard.sha256);
    }
  }

  // An empty digest says that there is no array, which a later stage judges.
  void Resolve(const std::string& path, const std::string& name,
               const std::string& sha256) {
    if (sha256.empty()) return;
    used_.insert(sha256);
    if (sound_.contains(sha256)) return;
    if (subject_.Find(ArrayPath(sha256)) != nullptr) {
      case_.sound = false;  // The array itself has been reported.
      return;
    }
    check_.Report({.code = "reference-unresolved",
                   .path = path,
                   .field = name,
                   .message = "it refers to an array that is not there",
                   .expected = ArrayPath(sha256)});
  }

  const Subject& subject_;
  const Digests& sound_;
  CaseEvidence& case_;
  Checker check_;
  Digests& used_;
};

Claim Cites(const std::string& path, const std::string& field,
            const std::string& cited) {
  return {"chain-broken", path, field,
          "it does not cite " + cited + " as it is"};
}

void CheckVisitChain(const CaseEvidence& c, const Filed<VisitRecord>& visit,
                     const std::string& previous_path,
                     const std::string& previous_sha256, Checker& check) {
  if (!visit.record) return;
  check.Equal(Cites(visit.path, "plan_sha256", c.plan.path), c.plan.sha256,
              visit.record->plan_sha256);
  check.Equal(Cites(visit.path, "previous_sha256", previous_path),
              previous_sha256, visit.record->previous_sha256);
}

void CheckVisitsChain(const CaseEvidence& c, Checker& check) {
  std::string path = c.plan.path;
  std::string sha256 = c.plan.sha256;
  for (const auto* visits : {&c.calibrations, &c.visits}) {
    for (const Filed<VisitRecord>& visit : *visits) {
      CheckVisitChain(c, visit, path, sha256, check);
      path = visit.path;
      sha256 = visit.sha256;
    }
  }
}

void CheckPlanArm(const Subject& subject, const CaseEvidence& c,
                  const char* arm_name, const PlanArm& arm,
                  const CaptureEvidence& capture, Checker& check) {
  const std::string field = std::string(arm_name) + ".";
  check.Equal(
      Cites(c.plan.path, field + "capture_sha256", capture.capture.path),
      capture.capture.sha256, arm.capture_sha256);
  const std::string library = LibraryPath(c.name(), capture.variant->name);
  const SubjectFile* file = subject.Find(library);
  check.Equal(Cites(c.plan.path, field + "library_sha256", library),
              file == nullptr ? std::string() : file->sha256,
              arm.library_sha256);
}

void CheckChain(const Subject& subject, const Evidence& evidence,
                CaseEvidence& c, FindingList& findings) {
  Checker check(findings, c);
  const std::string& freeze = evidence.freeze.sha256;
  if (c.record.record) {
    check.Equal(Cites(c.record.path, "freeze_sha256", kFreezePath), freeze,
                c.record.record->freeze_sha256);
  }
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.capture.record) continue;
    const std::string& path = capture.capture.path;
    check.Equal(Cites(path, "freeze_sha256", kFreezePath), freeze,
                capture.capture.record->freeze_sha256);
    check.Equal(Cites(path, "case_sha256", c.record.path), c.record.sha256,
                capture.capture.record->case_sha256);
  }
  if (c.plan.record) {
    check.Equal(Cites(c.plan.path, "freeze_sha256", kFreezePath), freeze,
                c.plan.record->freeze_sha256);
    CheckPlanArm(subject, c, "baseline", c.plan.record->baseline,
                 c.Baseline(*evidence.manifest), check);
    CheckPlanArm(subject, c, "candidate", c.plan.record->candidate,
                 c.Candidate(*evidence.manifest), check);
  }
  CheckVisitsChain(c, check);
}

void CheckFreeze(const Subject& subject, const Evidence& evidence,
                 FindingList& findings) {
  if (!evidence.freeze.record) return;
  const FreezeRecord& freeze = *evidence.freeze.record;
  Checker check(findings);
  std::string note;
  if (freeze.manifest_sha256 != evidence.manifest_sha256) {
    const std::string* bytes = subject.Bytes(kManifestPath);
    if (bytes != nullptr) note = LineEndNote(*bytes, freeze.manifest_sha256);
  }
  check.Equal({"manifest-changed", kManifestPath, "",
               "freeze.json froze another manifest" + note},
              freeze.manifest_sha256, evidence.manifest_sha256);
  std::set<std::string> listed;
  for (const FileEntry& source : freeze.sources) {
    CheckEntry(subject, source, kFreezePath, check);
    check.True(
        {"digest-differs", source.path, "", "freeze.json lists it twice"},
        listed.insert(source.path).second);
  }
  for (const Attachment& attachment : freeze.attachments) {
    CheckEntry(subject, attachment, kFreezePath, check);
  }
}

// Every file of a capture's folder stands in its list, once.
void CheckCaptureFiles(const Subject& subject, CaseEvidence& c,
                       FindingList& findings) {
  Checker check(findings, c);
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.capture.record) continue;
    std::set<std::string> listed = {capture.capture.path};
    const std::string folder = CaptureFolder(c.name(), variant) + "/";
    for (const FileEntry& file : capture.capture.record->files) {
      CheckEntry(subject, file, capture.capture.path, check);
      check.True(
          {"digest-differs", file.path, "",
           capture.capture.path + " lists it twice, or outside its own folder"},
          listed.insert(file.path).second && file.path.starts_with(folder));
    }
    for (auto file = subject.files.lower_bound(folder);
         file != subject.files.end() && file->first.starts_with(folder);
         ++file) {
      check.True({"file-extra", file->first, "",
                  capture.capture.path + " does not list it"},
                 listed.contains(file->first));
    }
  }
}

// An array that nothing refers to. Where a record is missing or unreadable
// nobody can tell, and that is a finding already.
void CheckUnreferenced(const Digests& sound, const Digests& used,
                       FindingList& findings) {
  for (const std::string& sha256 : sound) {
    if (used.contains(sha256)) continue;
    findings.Add({.code = "array-unreferenced",
                  .path = ArrayPath(sha256),
                  .message = "no record refers to it"});
  }
}

}  // namespace

void CheckDigests(const Subject& subject, Evidence& evidence,
                  FindingList& findings) {
  const Digests sound = CheckArrayNames(subject, findings);
  CheckFreeze(subject, evidence, findings);
  Digests used;
  for (CaseEvidence& c : evidence.cases) {
    CheckCaptureFiles(subject, c, findings);
    References(subject, sound, c, findings, used).CheckAll();
    CheckChain(subject, evidence, c, findings);
  }
  if (evidence.manifest) CheckUnreferenced(sound, used, findings);
  for (const std::string& sha256 : sound) evidence.arrays[sha256] = {};
}

}  // namespace exhibit
