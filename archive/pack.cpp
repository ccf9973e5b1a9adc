#include "archive/pack.h"

#include <array>
#include <memory>
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
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

constexpr int64_t kPasses = 3;  // Hash, write, compare.

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

  Status HashRun();
  Status WriteEvidence();
  Status WriteSources();
  Status CompareWithRun();
  Status WriteProvenance();
  PackReport Report() const;

 private:
  Status AddFile(TarWriter& tar, const RunFile& file);
  Status CompareFile(const EvidenceFile& file, ByteSource& packed);

  const std::string& run_;
  const std::string& target_;
  const PackOptions& options_;
  const std::vector<RunFile> files_;
  Steps steps_;
  FileDigests digests_;
};

Status Packer::HashRun() {
  for (const RunFile& file : files_) {
    EXHIBIT_RETURN_IF_ERROR(steps_.Next("hash " + file.path));
    EXHIBIT_ASSIGN_OR_RETURN(digests_[file.path], HashFile(run_, file.path));
  }
  return Ok();
}

Status Packer::AddFile(TarWriter& tar, const RunFile& file) {
  EXHIBIT_RETURN_IF_ERROR(steps_.Next("pack " + file.path));
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
  EXHIBIT_RETURN_IF_ERROR(steps_.Next("compare " + file.path));
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
  EXHIBIT_ASSIGN_OR_RETURN(const RunLock lock, RunLock::Acquire(run));
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<RunFile> files,
                           ListRun(run, options.limits));
  if (files.empty() || files.front().path != kManifestPath) {
    return Error{ErrorKind::kNotFound,
                 run + ": is not a run: it has no " + kManifestPath,
                 "give the folder that exhibit-capture wrote"};
  }
  EXHIBIT_ASSIGN_OR_RETURN(StagingFolder staging,
                           StagingFolder::Create(bundle));
  Packer packer(run, staging.path(), options, std::move(files));
  EXHIBIT_RETURN_IF_ERROR(packer.HashRun());
  EXHIBIT_RETURN_IF_ERROR(packer.WriteEvidence());
  EXHIBIT_RETURN_IF_ERROR(packer.WriteSources());
  EXHIBIT_RETURN_IF_ERROR(packer.CompareWithRun());
  EXHIBIT_RETURN_IF_ERROR(packer.WriteProvenance());
  EXHIBIT_RETURN_IF_ERROR(staging.Publish());
  return packer.Report();
}

}  // namespace exhibit
