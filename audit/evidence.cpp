#include "audit/evidence.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "audit/expectations.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// Decodes the file `path` into `filed`; a missing file is left absent, for the
// shape stage to name.
template <typename Record, typename Decoder>
void Decode(const Subject& subject, const std::string& path, Decoder decoder,
            Filed<Record>& filed, FindingList& findings) {
  filed.path = path;
  const SubjectFile* file = subject.Find(path);
  if (file == nullptr) return;
  filed.sha256 = file->sha256;
  if (!file->bytes) return;  // Over a limit, which is a finding by itself.
  Result<Record> record = decoder(*file->bytes, path);
  if (record.ok()) {
    filed.record = std::move(*record);
  } else {
    findings.AddError("record-malformed", path, record.error());
  }
}

// The number of numbered files `prefix`N`.json` that are to be looked at: one
// more than the largest N. A file whose number is not spelt as VisitPath or
// CalibrationPath spell it is none of them, and so an extra file; and so is one
// whose number is twice as large as there are files, since a single file must
// not make room for thousands.
template <typename PathOf>
int64_t NumberedCount(const Subject& subject, const std::string& prefix,
                      PathOf path_of) {
  constexpr int64_t kNumberMax = 20'000;
  constexpr int64_t kNumberFree = 16;
  std::vector<int64_t> numbers;
  for (auto file = subject.files.lower_bound(prefix);
       file != subject.files.end() && file->first.starts_with(prefix); ++file) {
    const char* begin = file->first.data() + prefix.size();
    const char* end = file->first.data() + file->first.size();
    int64_t number = 0;
    if (std::from_chars(begin, end, number).ec != std::errc()) continue;
    if (number < 0 || number > kNumberMax) continue;
    if (path_of(number) == file->first) numbers.push_back(number);
  }
  const auto number_end =
      kNumberFree + 2 * static_cast<int64_t>(numbers.size());
  int64_t count = 0;
  for (const int64_t number : numbers) {
    if (number < number_end) count = std::max(count, number + 1);
  }
  return count;
}

void DecodeReplay(const Subject& subject, CaseEvidence& c,
                  FindingList& findings) {
  const std::string& name = c.name();
  Decode(subject, PlanPath(name), DecodePlan, c.plan, findings);
  const std::string folder = ReplayFolder(name) + "/";
  const auto calibration = [&](int64_t i) { return CalibrationPath(name, i); };
  const auto visit = [&](int64_t i) { return VisitPath(name, i); };
  const int64_t calibrations =
      NumberedCount(subject, folder + "calibration-", calibration);
  const int64_t visits = NumberedCount(subject, folder + "visit-", visit);
  c.calibrations.resize(static_cast<size_t>(calibrations));
  for (int64_t i = 0; i < calibrations; ++i) {
    Decode(subject, calibration(i), DecodeVisit,
           c.calibrations[static_cast<size_t>(i)], findings);
  }
  c.visits.resize(static_cast<size_t>(visits));
  for (int64_t i = 0; i < visits; ++i) {
    Decode(subject, visit(i), DecodeVisit, c.visits[static_cast<size_t>(i)],
           findings);
  }
}

// A text that is missing is missed by stage shape.
void DecodeProgram(const Subject& subject, CaseEvidence& c,
                   FindingList& findings) {
  if (c.declared->text.empty()) return;
  const std::string path = kManifestSources + c.declared->text;
  const SubjectFile* file = subject.Find(path);
  if (file == nullptr) return;
  if (!file->bytes) {
    findings.Add({.code = "over-limit",
                  .path = path,
                  .message = "the text of a program passes a limit",
                  .expected = std::to_string(ManifestLimits::kProgramBytesMax),
                  .found = std::to_string(file->size_bytes)});
    return;
  }
  Result<tile::Experiment> program = tile::ReadExperiment(*file->bytes, path);
  if (program.ok()) {
    c.program = std::move(*program);
  } else {
    findings.AddError("program-malformed", path, program.error());
  }
}

CaseEvidence DecodeCaseEvidence(const Subject& subject,
                                const Manifest& manifest,
                                const ManifestCase& declared,
                                FindingList& findings) {
  CaseEvidence c;
  c.declared = &declared;
  DecodeProgram(subject, c, findings);
  Decode(subject, CasePath(declared.name), DecodeCase, c.record, findings);
  for (const ManifestVariant& variant : declared.variants) {
    CaptureEvidence& capture = c.captures[variant.name];
    capture.variant = &variant;
    Decode(subject, CapturePath(declared.name, variant.name), DecodeCapture,
           capture.capture, findings);
  }
  DecodeReplay(subject, c, findings);
  c.unmet_expectations = UnmetExpectations(subject, manifest, c);
  return c;
}

bool Ended(const Filed<VisitRecord>& visit) {
  return !visit.record || visit.record->end.status == "completed";
}

}  // namespace

std::string_view EvidenceLevelName(EvidenceLevel level) {
  switch (level) {
    case EvidenceLevel::kReceiptsOnly:
      return "receipts-only";
    case EvidenceLevel::kComparedWithSupplied:
      return "compared-with-supplied";
    case EvidenceLevel::kRecomputed:
      return "numerically-recomputed";
  }
  throw std::logic_error("unknown evidence level");
}

const CaptureEvidence& CaseEvidence::Baseline(const Manifest& manifest) const {
  return captures.at(manifest.baseline);
}

const CaptureEvidence& CaseEvidence::Candidate(const Manifest& manifest) const {
  return captures.at(manifest.candidate);
}

bool CaseEvidence::Completed() const {
  const bool captured =
      std::all_of(captures.begin(), captures.end(), [](const auto& capture) {
        return !capture.second.capture.record || capture.second.Completed();
      });
  return captured &&
         std::all_of(calibrations.begin(), calibrations.end(), Ended) &&
         std::all_of(visits.begin(), visits.end(), Ended);
}

bool Evidence::CohortInvalid() const {
  return std::any_of(cases.begin(), cases.end(), [](const CaseEvidence& c) {
    return !c.Completed() || !c.unmet_expectations.empty();
  });
}

DecodedEvidence DecodeEvidence(const Subject& subject) {
  DecodedEvidence decoded;
  Evidence& evidence = decoded.evidence;
  FindingList& findings = decoded.findings;
  Decode(subject, kFreezePath, DecodeFreeze, evidence.freeze, findings);
  Decode(subject, kAttemptsPath, DecodeAttempts, evidence.attempts, findings);
  const SubjectFile* file = subject.Find(kManifestPath);
  if (file == nullptr) return decoded;
  evidence.manifest_sha256 = file->sha256;
  if (!file->bytes) return decoded;
  Result<Manifest> manifest = ParseManifest(*file->bytes, kManifestPath);
  if (!manifest.ok()) {
    findings.AddError("manifest-malformed", kManifestPath, manifest.error());
    return decoded;
  }
  evidence.manifest = std::move(*manifest);
  for (const ManifestCase& declared : evidence.manifest->cases) {
    evidence.cases.push_back(
        DecodeCaseEvidence(subject, *evidence.manifest, declared, findings));
  }
  return decoded;
}

}  // namespace exhibit
