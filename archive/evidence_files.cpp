#include "archive/evidence_files.h"

#include <algorithm>
#include <utility>

#include "archive/bundle.h"

namespace exhibit {
namespace {

// The first bytes of a source, held against the digest they once had.
class SameBytes : public ByteSource {
 public:
  SameBytes(std::unique_ptr<ByteSource> source, EvidenceFile file,
            std::string sha256)
      : source_(std::move(source)),
        hashed_(*source_),
        file_(std::move(file)),
        sha256_(std::move(sha256)) {}

  Result<size_t> Read(char* data, size_t size) override {
    const uint64_t left = file_.size_bytes - hashed_.size_bytes();
    if (left == 0) return size_t{0};
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(left, size));
    EXHIBIT_ASSIGN_OR_RETURN(const size_t got, hashed_.Read(data, wanted));
    const bool whole = got == left;
    if (got == 0 || (whole && hashed_.FinishHex() != sha256_)) {
      return Error{
          ErrorKind::kIo, file_.path + ": changed after it was read",
          "something writes to the folder; wait until it has finished"};
    }
    return got;
  }

 private:
  const std::unique_ptr<ByteSource> source_;
  HashingSource hashed_;
  const EvidenceFile file_;
  const std::string sha256_;
};

}  // namespace

Status EvidenceFiles::Prepare() {
  if (form_ == Form::kRun || index_) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(FileSource evidence,
                           FileSource::Open(folder_, kEvidenceName));
  EXHIBIT_ASSIGN_OR_RETURN(index_,
                           XzIndex::Read(evidence, kEvidenceName, limits_));
  return Ok();
}

Result<std::unique_ptr<ByteSource>> EvidenceFiles::OpenContents(
    const EvidenceFile& file) {
  if (form_ == Form::kRun) {
    EXHIBIT_ASSIGN_OR_RETURN(FileSource contents,
                             FileSource::Open(folder_, file.path));
    return std::unique_ptr<ByteSource>(
        std::make_unique<FileSource>(std::move(contents)));
  }
  EXHIBIT_RETURN_IF_ERROR(Prepare());
  EXHIBIT_ASSIGN_OR_RETURN(FileSource evidence,
                           FileSource::Open(folder_, kEvidenceName));
  return index_->OpenAt(std::move(evidence), file.tar_offset);
}

Result<std::unique_ptr<ByteSource>> EvidenceFiles::Open(
    const EvidenceFile& file, const std::string& sha256) {
  EXHIBIT_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> contents,
                           OpenContents(file));
  return std::unique_ptr<ByteSource>(
      std::make_unique<SameBytes>(std::move(contents), file, sha256));
}

}  // namespace exhibit
