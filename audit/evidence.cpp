#include "audit/evidence.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "audit/expectations.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// How many JSON values `text` may hold, where it is JSON: each but the first
// follows one of these, with or without its key.
uint64_t ValueCountMax(std::string_view text) {
  uint64_t count = 1;
  for (const char c : text) count += c == ',' || c == '[' || c == '{';
  return count;
}

// Decodes records, as many as there is room for: a value takes a hundred times
// the bytes that it takes in an archive.
class RecordDecoder {
 public:
  RecordDecoder(const Subject& subject, FindingList& findings)
      : subject_(subject),
        findings_(findings),
        values_left_(subject.record_values_max) {}

  const Subject& subject() const { return subject_; }
  // The file `path` into `filed`; a missing file is left absent, for the shape
  // stage to name.
  template <typename Record, typename Decoder>
  void Decode(const std::string& path, Decoder decoder, Filed<Record>& filed) {
    filed.path = path;
    const SubjectFile* file = subject_.Find(path);
    if (file == nullptr) return;
    filed.sha256 = file->sha256;
    if (!file->bytes) return;  // Over a limit, which is a finding by itself.
    if (!TakeValues(*file->bytes)) {
      findings_.Add({.code = "over-limit",
                     .path = path,
                     .message = "the records hold more values than a bundle of "
                                "this size may ask to keep"});
      return;
    }
    Result<Record> record = decoder(*file->bytes, path);
    if (record.ok()) {
      filed.record = std::move(*record);
    } else {
      findings_.AddError("record-malformed", path, record.error());
    }
  }

 private:
  bool TakeValues(std::string_view text) {
    const uint64_t count = ValueCountMax(text);
    if (count > values_left_) return false;
    values_left_ -= count;
    return true;
  }

  const Subject& subject_;
  FindingList& findings_;
  uint64_t values_left_;
};

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

void DecodeReplay(RecordDecoder& records, CaseEvidence& c) {
  const std::string& name = c.name();
  const Subject& subject = records.subject();
  records.Decode(PlanPath(name), DecodePlan, c.plan);
  const std::string folder = ReplayFolder(name) + "/";
  const auto calibration = [&](int64_t i) { return CalibrationPath(name, i); };
  const auto visit = [&](int64_t i) { return VisitPath(name, i); };
  const int64_t calibrations =
      NumberedCount(subject, folder + "calibration-", calibration);
  const int64_t visits = NumberedCount(subject, folder + "visit-", visit);
  c.calibrations.resize(static_cast<size_t>(calibrations));
  for (int64_t i = 0; i < calibrations; ++i) {
    records.Decode(calibration(i), DecodeVisit,
                   c.calibrations[static_cast<size_t>(i)]);
  }
  c.visits.resize(static_cast<size_t>(visits));
  for (int64_t i = 0; i < visits; ++i) {
    records.Decode(visit(i), DecodeVisit, c.visits[static_cast<size_t>(i)]);
  }
}

// The texts that cases name, each read once.
class Programs {
 public:
  Programs(const Subject& subject, FindingList& findings)
      : subject_(subject), findings_(findings) {}

  // Null where a finding says why, or where stage shape misses the text.
  std::shared_ptr<const tile::Experiment> Of(const ManifestCase& declared) {
    if (declared.text.empty()) return nullptr;
    const auto [known, first] = by_text_.try_emplace(declared.text);
    if (first) known->second = Read(kManifestSources + declared.text);
    return known->second;
  }

 private:
  std::shared_ptr<const tile::Experiment> Read(const std::string& path) {
    const SubjectFile* file = subject_.Find(path);
    if (file == nullptr) return nullptr;
    if (!file->bytes) {
      findings_.Add(
          {.code = "over-limit",
           .path = path,
           .message = "the text of a program passes a limit",
           .expected = std::to_string(ManifestLimits::kProgramBytesMax),
           .found = std::to_string(file->size_bytes)});
      return nullptr;
    }
    Result<tile::Experiment> program = tile::ReadExperiment(*file->bytes, path);
    if (program.ok()) {
      return std::make_shared<const tile::Experiment>(std::move(*program));
    }
    findings_.AddError("program-malformed", path, program.error());
    return nullptr;
  }

  const Subject& subject_;
  FindingList& findings_;
  std::map<std::string, std::shared_ptr<const tile::Experiment>> by_text_;
};

CaseEvidence DecodeCaseEvidence(RecordDecoder& records, Programs& programs,
                                const Manifest& manifest,
                                const ManifestCase& declared) {
  CaseEvidence c;
  c.declared = &declared;
  c.program = programs.Of(declared);
  records.Decode(CasePath(declared.name), DecodeCase, c.record);
  for (const ManifestVariant& variant : declared.variants) {
    CaptureEvidence& capture = c.captures[variant.name];
    capture.variant = &variant;
    records.Decode(CapturePath(declared.name, variant.name), DecodeCapture,
                   capture.capture);
  }
  DecodeReplay(records, c);
  c.unmet_expectations = UnmetExpectations(records.subject(), manifest, c);
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
  RecordDecoder records(subject, findings);
  records.Decode(kFreezePath, DecodeFreeze, evidence.freeze);
  records.Decode(kAttemptsPath, DecodeAttempts, evidence.attempts);
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
  Programs programs(subject, findings);
  for (const ManifestCase& declared : evidence.manifest->cases) {
    evidence.cases.push_back(
        DecodeCaseEvidence(records, programs, *evidence.manifest, declared));
  }
  return decoded;
}

}  // namespace exhibit
