#include "archive/pack.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "archive/bundle.h"
#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "archive/gzip.h"
#include "archive/run_order.h"
#include "archive/staging.h"
#include "archive/tar_writer.h"
#include "archive/xz.h"
#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/folder_kind.h"
#include "manifests/json.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

constexpr int64_t kPasses = 3;  // Hash, write, compare.
// Exhibit's own source: the same for everybody, and full of words such as tool
// and build, which are somebody's name.
constexpr std::string_view kOwnSources = "sources/exhibit/";
constexpr char kClaimsSchema[] = "exhibit.claims/1";

Error Changed(const std::string& path) {
  return Error{ErrorKind::kIo, path + ": changed while the run was packed",
               "something writes to the run; wait until it has finished"};
}

class Packer {
 public:
  Packer(const std::string& run, const std::string& target,
         const PackOptions& options, std::vector<RunFile> files)
      : run_(run),
        target_(target),
        options_(options),
        files_(std::move(files)),
        steps_(options.watch, kPasses * static_cast<int64_t>(files_.size())) {}

  // Hashes all files, and refuses what must not leave the machine.
  Status HashRun();
  Status AddClaims();
  Status WriteEvidence();
  Status WriteSources();
  Status CompareWithRun();
  Status WriteProvenance();
  PackReport Report() const;

 private:
  Status AddFile(TarWriter& tar, const RunFile& file);
  Status CompareFile(const EvidenceFile& file, ByteSource& packed);
  const PrivateWords& WordsFor(const std::string& path) const;
  void Look(const std::string& place, const std::optional<PrivateFind>& find);
  Status CheckPrivacy() const;

  const std::string& run_;
  const std::string& target_;
  const PackOptions& options_;
  const std::vector<RunFile> files_;
  Steps steps_;
  FileDigests digests_;
  std::vector<std::pair<std::string, PrivateFind>> finds_;  // By place.
};

Status Packer::HashRun() {
  for (const RunFile& file : files_) {
    EXHIBIT_RETURN_IF_ERROR(steps_.Next("hash " + StepName(file.path)));
    EXHIBIT_ASSIGN_OR_RETURN(FileSource contents,
                             FileSource::Open(run_, file.path));
    StoppableSource stoppable(contents, steps_);
    ScanningSource scanned(stoppable, WordsFor(file.path));
    HashingSource hashed(scanned);
    EXHIBIT_ASSIGN_OR_RETURN(const uint64_t size_bytes, Drain(hashed));
    (void)size_bytes;
    digests_[file.path] = hashed.FinishHex();
    Look(file.path, scanned.Finish());
    // A path is looked at as if it stood in a command line.
    Look("the path " + file.path,
         FindPrivateWord("/" + file.path, WordsFor(file.path)));
  }
  return CheckPrivacy();
}

const PrivateWords& Packer::WordsFor(const std::string& path) const {
  static const PrivateWords kNone;
  return path.starts_with(kOwnSources) ? kNone : options_.private_words;
}

void Packer::Look(const std::string& place,
                  const std::optional<PrivateFind>& find) {
  if (find) finds_.push_back({place, *find});
}

Status Packer::CheckPrivacy() const {
  if (finds_.empty()) return Ok();
  constexpr size_t kNamedMax = 8;
  std::string message;
  for (size_t i = 0; i < std::min(finds_.size(), kNamedMax); ++i) {
    const auto& [place, find] = finds_[i];
    if (i > 0) message += "; ";
    message += place + ": holds " + find.word.meaning + " " +
               QuoteText(find.word.text) + " at offset " +
               std::to_string(find.offset);
  }
  if (finds_.size() > kNamedMax) {
    message += "; and " + std::to_string(finds_.size() - kNamedMax) + " more";
  }
  return Error{ErrorKind::kInvalidArgument, message,
               "build again with -ffile-prefix-map or strip, or run again "
               "from another folder; where it may be published, or is a word "
               "that only equals a name, give --allow-private"};
}

Status Packer::AddClaims() {
  if (options_.claims_file.empty()) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(options_.claims_file, kClaimsFileBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(const Json claims,
                           ParseJson(bytes, options_.claims_file));
  const Json::Object* object = claims.AsObject();
  if (object == nullptr || !object->contains("schema")) {
    return Error{ErrorKind::kCorrupt,
                 options_.claims_file + ": has no field \"schema\"",
                 "audit/CLAIMS.md shows an example"};
  }
  const Json& schema = object->at("schema");
  if (schema != Json(kClaimsSchema)) {
    const std::string* name = schema.AsString();
    const bool is_other =
        name != nullptr && name->starts_with("exhibit.claims/");
    return Error{is_other ? ErrorKind::kUnsupported : ErrorKind::kCorrupt,
                 options_.claims_file + ": schema is " + QuoteJson(schema) +
                     ", expected " + kClaimsSchema,
                 "audit/CLAIMS.md shows an example of what this version of "
                 "Exhibit knows"};
  }
  finds_.clear();
  Look(options_.claims_file, FindPrivateWord(bytes, options_.private_words));
  EXHIBIT_RETURN_IF_ERROR(CheckPrivacy());
  return PublishFile(target_ + "/" + kClaimsName, bytes);
}

Status Packer::AddFile(TarWriter& tar, const RunFile& file) {
  EXHIBIT_RETURN_IF_ERROR(steps_.Next("pack " + StepName(file.path)));
  EXHIBIT_ASSIGN_OR_RETURN(FileSource contents,
                           FileSource::Open(run_, file.path));
  StoppableSource stoppable(contents, steps_);
  HashingSource hashed(stoppable);
  const std::string name = std::string(kRunPrefix) + file.path;
  EXHIBIT_RETURN_IF_ERROR(tar.Add({name, file.size_bytes}, hashed));
  if (hashed.FinishHex() != digests_[file.path]) return Changed(file.path);
  return Ok();
}

Status Packer::WriteEvidence() {
  EXHIBIT_ASSIGN_OR_RETURN(
      FileSink file,
      FileSink::Create(target_ + "/" + kEvidenceName, kEvidenceName));
  EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<XzSink> xz,
                           XzSink::Create(file, options_.threads));
  TarWriter tar(*xz);
  const std::string index = EncodeIndex(digests_);
  StringSource index_source(index);
  EXHIBIT_RETURN_IF_ERROR(
      tar.Add({std::string(kIndexMember), index.size()}, index_source));
  for (const RunFile& run_file : files_) {
    if (IsSourcePath(run_file.path)) continue;
    EXHIBIT_RETURN_IF_ERROR(AddFile(tar, run_file));
  }
  EXHIBIT_RETURN_IF_ERROR(tar.Finish());
  EXHIBIT_RETURN_IF_ERROR(xz->Finish());
  return file.Finish();
}

Status Packer::WriteSources() {
  EXHIBIT_ASSIGN_OR_RETURN(
      FileSink file,
      FileSink::Create(target_ + "/" + kSourcesName, kSourcesName));
  EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<GzipSink> gzip,
                           GzipSink::Create(file));
  TarWriter tar(*gzip);
  for (const RunFile& run_file : files_) {
    if (!IsSourcePath(run_file.path)) continue;
    EXHIBIT_RETURN_IF_ERROR(AddFile(tar, run_file));
  }
  EXHIBIT_RETURN_IF_ERROR(tar.Finish());
  EXHIBIT_RETURN_IF_ERROR(gzip->Finish());
  return file.Finish();
}

Status Packer::CompareFile(const EvidenceFile& file, ByteSource& packed) {
  EXHIBIT_RETURN_IF_ERROR(steps_.Next("compare " + StepName(file.path)));
  EXHIBIT_ASSIGN_OR_RETURN(FileSource original,
                           FileSource::Open(run_, file.path));
  StoppableSource original_source(original, steps_);
  struct Pieces {
    std::array<char, kPieceBytes> packed, original;
  };
  const auto pieces = std::make_unique<Pieces>();
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(
        const size_t got,
        ReadFully(packed, pieces->packed.data(), kPieceBytes));
    EXHIBIT_ASSIGN_OR_RETURN(
        const size_t expected,
        ReadFully(original_source, pieces->original.data(), kPieceBytes));
    const std::string_view a(pieces->packed.data(), got);
    const std::string_view b(pieces->original.data(), expected);
    if (a != b) return Changed(file.path);
    if (got == 0) return Ok();
  }
}

Status Packer::CompareWithRun() {
  EXHIBIT_ASSIGN_OR_RETURN(
      const EvidenceSummary summary,
      ReadBundle(target_, options_.limits,
                 [this](const EvidenceFile& file, ByteSource& contents) {
                   return CompareFile(file, contents);
                 }));
  if (summary.found != digests_ || summary.stated != digests_) {
    throw std::logic_error("packed files are not the run's files");
  }
  return Ok();
}

Status Packer::WriteProvenance() {
  const Provenance provenance = DescribePacking(
      ContentId(digests_), digests_.at(kManifestPath), options_.producer);
  return PublishFile(target_ + "/" + kProvenanceName,
                     EncodeProvenance(provenance));
}

PackReport Packer::Report() const {
  PackReport report;
  report.content_id = ContentId(digests_);
  report.file_count = static_cast<int64_t>(files_.size());
  for (const RunFile& file : files_) report.contents_bytes += file.size_bytes;
  return report;
}

}  // namespace

Result<PackReport> PackRun(const std::string& run, const std::string& bundle,
                           const PackOptions& options) {
  EXHIBIT_RETURN_IF_ERROR(CheckIsRun(run));
  EXHIBIT_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  Result<std::vector<RunFile>> files = ListRun(run, options.limits);
  if (!files.ok()) return InFolder(run, files.error());
  EXHIBIT_ASSIGN_OR_RETURN(StagingFolder staging,
                           StagingFolder::Create(bundle));
  Packer packer(run, staging.path(), options, std::move(*files));
  EXHIBIT_RETURN_IF_ERROR(packer.HashRun());
  EXHIBIT_RETURN_IF_ERROR(packer.AddClaims());
  EXHIBIT_RETURN_IF_ERROR(packer.WriteEvidence());
  EXHIBIT_RETURN_IF_ERROR(packer.WriteSources());
  EXHIBIT_RETURN_IF_ERROR(packer.CompareWithRun());
  EXHIBIT_RETURN_IF_ERROR(packer.WriteProvenance());
  EXHIBIT_RETURN_IF_ERROR(staging.Publish());
  return packer.Report();
}

}  // namespace exhibit
