// The folder of a bundle: whatever lies there is a subject that can be judged,
// the same twice, and its seal is sound only if it is the list of what is
// there.
//
// The first byte of the input says what is made here of the parts that follow,
// each with a length (property.h): evidence, sources, provenance, claims,
// audit, report, signature, seal. An empty part is a file that is missing.

#include "archive/bundle.h"
#include "archive/gzip.h"
#include "archive/xz.h"
#include "audit/audit.h"
#include "audit/subject.h"
#include "manifests/sha256.h"
#include "tests/fuzz/archive_input.h"
#include "tests/fuzz/property.h"
#include "tests/fuzz/scratch_file.h"

using namespace exhibit;

namespace {

constexpr uint8_t kCompress = 1;  // The archives are tar streams.
constexpr uint8_t kSeal = 2;      // The seal is that of the other files.
constexpr const char* kNames[] = {kEvidenceName, kSourcesName, kProvenanceName,
                                  kClaimsName,   kAuditName,   kReportName,
                                  kSignatureName};

using Files = std::map<std::string, std::string>;

template <typename Encoder>
std::string Compressed(Result<std::unique_ptr<Encoder>> encoder,
                       std::string_view bytes, const StringSink& sink) {
  fuzz::Require(encoder.ok() && (*encoder)->Write(bytes).ok() &&
                    (*encoder)->Finish().ok(),
                "memory suffices to compress");
  return sink.bytes();
}

std::string HonestSeal(const Files& files) {
  FileDigests digests;
  for (const auto& [name, bytes] : files) {
    if (name != kSignatureName) digests[name] = Sha256Hex(bytes);
  }
  return EncodeIndex(digests);
}

Files ReadFiles(uint8_t flags, std::string_view bytes) {
  Files files;
  for (const char* name : kNames) {
    const std::string_view part = fuzz::TakePart(bytes);
    if (!part.empty()) files[name] = part;
  }
  if ((flags & kCompress) != 0) {
    StringSink xz, gzip;
    files[kEvidenceName] =
        Compressed(XzSink::Create(xz, 1), files[kEvidenceName], xz);
    files[kSourcesName] =
        Compressed(GzipSink::Create(gzip), files[kSourcesName], gzip);
  }
  const std::string_view seal = fuzz::TakePart(bytes);
  if (!seal.empty()) files[kSealName] = seal;
  if ((flags & kSeal) != 0) {
    files.erase(kSealName);
    files[kSealName] = HonestSeal(files);
  }
  return files;
}

void CheckSeal(const Subject& subject, Files files) {
  const auto seal = files.find(kSealName);
  fuzz::Require((seal == files.end()) == (subject.seal == Subject::Seal::kNone),
                "a seal that is there is seen");
  if (seal == files.end()) return;
  const std::string text = seal->second;
  files.erase(seal);
  const bool whole = files.contains(kEvidenceName) &&
                     files.contains(kSourcesName) &&
                     files.contains(kProvenanceName);
  fuzz::Require((subject.seal == Subject::Seal::kSound) ==
                    (whole && text == HonestSeal(files)),
                "a sound seal is the list of what is there");
  for (const std::string& difference : subject.seal_differences) {
    fuzz::RequireShowable(difference);
  }
}

void CheckFiles(const Subject& subject) {
  for (const auto& [path, file] : subject.files) {
    fuzz::Require(IsRunPath(path), "a path in a bundle is safe");
    if (!file.bytes) continue;
    // Of archives that cannot be read to the end nothing is hashed.
    fuzz::Require(
        file.sha256 ==
            (subject.content_id.empty() ? "" : Sha256Hex(*file.bytes)),
        "what is kept is what was hashed");
    fuzz::Require(file.size_bytes == file.bytes->size(),
                  "what is kept has the bytes that it announces");
  }
}

std::string AuditOf(const Subject& subject) {
  const AuditResult result = Audit(subject);
  // The corpus has no run that is whole.
  fuzz::Require(result.verdict != Verdict::kVerified,
                "a bundle that lacks files is not verified");
  fuzz::Require(!*subject.failure, "nothing changed meanwhile");
  return EncodeJson(result.json);
}

void Check(const Files& files) {
  const fuzz::ScratchFolder folder;
  for (const auto& [name, bytes] : files) folder.Write(name, bytes);
  SubjectLimits limits;
  limits.archive = fuzz::SmallLimits();
  const Result<Subject> subject = LoadSubject(folder.path(), limits);
  if (!subject.ok()) {
    fuzz::Require(subject.error().kind == ErrorKind::kNotFound && files.empty(),
                  "a folder with a file of a bundle can be judged");
    return;
  }
  CheckSeal(*subject, files);
  CheckFiles(*subject);
  const Result<Subject> again = LoadSubject(folder.path(), limits);
  fuzz::Require(again.ok() && AuditOf(*again) == AuditOf(*subject),
                "the same bundle has the same audit");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Check(ReadFiles(data[0], fuzz::TextOf(data + 1, size - 1)));
  return 0;
}
