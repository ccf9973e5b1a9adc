#include "audit/arrays.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "manifests/little_endian.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

template <typename T>
void CopyOut(std::span<const char> bytes, std::vector<T>& values) {
  values.resize(bytes.size() / sizeof(T));
  if (values.empty()) return;
  std::memcpy(values.data(), bytes.data(), bytes.size());
  SwapUnlessLittle({reinterpret_cast<char*>(values.data()), bytes.size()},
                   sizeof(T));
}

}  // namespace

Result<NpyHeader> ArrayHeader(const Subject& subject,
                              const std::string& sha256) {
  const std::string path = ArrayPath(sha256);
  const SubjectFile* file = subject.Find(path);
  if (file == nullptr) {
    return Error{ErrorKind::kNotFound, path + ": is missing", ""};
  }
  if (file->array_header) return *file->array_header;
  if (file->bytes) return DecodeNpyHeader(*file->bytes, file->size_bytes, path);
  return Error{ErrorKind::kLimitExceeded, path + ": was too large to be read",
               ""};
}

ArrayStream::ArrayStream(const Subject& subject, NpyHeader header,
                         std::unique_ptr<ByteSource> source)
    : subject_(&subject),
      header_(std::move(header)),
      source_(std::move(source)) {
  const Result<uint64_t> count = ElementCount(header_.shape);
  if (count.ok()) element_count_ = *count;  // The header has been checked.
}

std::optional<ArrayStream> ArrayStream::Open(const Subject& subject,
                                             const std::string& sha256) {
  Result<NpyHeader> header = ArrayHeader(subject, sha256);
  if (!header.ok()) return std::nullopt;
  std::unique_ptr<ByteSource> source = subject.Open(ArrayPath(sha256));
  if (!source) return std::nullopt;
  std::string before(header->data_offset, '\0');
  const auto got = ReadFully(*source, before.data(), before.size());
  if (!got.ok()) {
    subject.NoteFailure(got.error());
    return std::nullopt;
  }
  return ArrayStream(subject, std::move(*header), std::move(source));
}

void ArrayStream::Require(bool fits) const {
  if (!fits) throw std::logic_error("array of another dtype");
}

std::span<const char> ArrayStream::NextPiece() {
  const uint64_t element_bytes = DTypeBytes(header_.dtype);
  piece_.resize(kPieceElements * element_bytes);
  const auto got = ReadFully(*source_, piece_.data(), piece_.size());
  if (!got.ok()) {
    subject_->NoteFailure(got.error());
    return {};
  }
  return std::span<const char>(piece_).first(*got - *got % element_bytes);
}

std::span<const char> ArrayStream::NextBytes() {
  Require(header_.dtype == DType::kU8);
  return NextPiece();
}

std::span<const float> ArrayStream::NextFloats() {
  Require(header_.dtype == DType::kF32);
  CopyOut(NextPiece(), floats_);
  return floats_;
}

std::span<const double> ArrayStream::NextDoubles() {
  if (header_.dtype == DType::kF32) {
    const std::span<const float> floats = NextFloats();
    doubles_.assign(floats.begin(), floats.end());
    return doubles_;
  }
  Require(header_.dtype == DType::kF64);
  CopyOut(NextPiece(), doubles_);
  return doubles_;
}

std::optional<std::vector<float>> FindFloats(const Subject& subject,
                                             const std::string& sha256) {
  std::optional<ArrayStream> stream = ArrayStream::Open(subject, sha256);
  if (!stream || stream->header().dtype != DType::kF32) return std::nullopt;
  std::vector<float> values;
  values.reserve(stream->element_count());
  for (auto piece = stream->NextFloats(); !piece.empty();
       piece = stream->NextFloats()) {
    values.insert(values.end(), piece.begin(), piece.end());
  }
  if (values.size() != stream->element_count()) return std::nullopt;
  return values;
}

Result<int64_t> RoomBesideInputs(const Subject& subject,
                                 const std::vector<CaseArray>& arrays) {
  const auto room = static_cast<uint64_t>(subject.computing_bytes_max);
  uint64_t bytes = 0;
  for (const CaseArray& array : arrays) {
    if (array.role != "input") continue;
    const SubjectFile* file = subject.Find(ArrayPath(array.sha256));
    if (file != nullptr) bytes += file->size_bytes;
  }
  if (bytes <= room) return static_cast<int64_t>(room - bytes);
  return Error{ErrorKind::kLimitExceeded,
               "the inputs have " + std::to_string(bytes) +
                   " bytes, more than a bundle of this size may ask to hold: " +
                   std::to_string(room),
               ""};
}

bool IsComparable(const NpyHeader& header) {
  return header.dtype == DType::kF32 || header.dtype == DType::kF64;
}

std::string NpyDigest(DType dtype, const std::vector<uint64_t>& shape,
                      std::span<const char> data) {
  Sha256Stream hash;
  hash.Update(EncodeNpyHeader(dtype, shape));
  hash.Update(std::string_view(data.data(), data.size()));
  return hash.FinishHex();
}

}  // namespace exhibit
