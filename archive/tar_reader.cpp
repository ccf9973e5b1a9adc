#include "archive/tar_reader.h"

#include <algorithm>
#include <utility>

namespace exhibit {
namespace {

bool IsZero(const char* data, size_t size) {
  return std::all_of(data, data + size, [](char c) { return c == '\0'; });
}

}  // namespace

TarReader::TarReader(ByteSource& source, std::string name)
    : source_(source), name_(std::move(name)) {}

std::string TarReader::Where() const {
  std::string where = name_ + ": tar offset " + std::to_string(offset_);
  if (!member_.path.empty()) where += ", member " + member_.path;
  return where;
}

Status TarReader::ReadExactly(char* data, size_t size, const char* what) {
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got, ReadFully(source_, data, size));
  if (got != size) {
    return Error{ErrorKind::kCorrupt,
                 Where() + ": ends after " + std::to_string(got) + " of " +
                     std::to_string(size) + " bytes of " + what,
                 "the file was cut short; fetch it again"};
  }
  offset_ += size;
  return Ok();
}

Result<std::optional<TarMember>> TarReader::Next() {
  if (ended_) return std::optional<TarMember>();
  EXHIBIT_RETURN_IF_ERROR(FinishMember());
  member_ = {};
  TarBlock block;
  const std::string where = Where();
  EXHIBIT_RETURN_IF_ERROR(ReadExactly(block.data(), block.size(), "a header"));
  if (IsZero(block.data(), block.size())) {
    EXHIBIT_RETURN_IF_ERROR(FinishStream());
    return std::optional<TarMember>();
  }
  EXHIBIT_ASSIGN_OR_RETURN(member_, DecodeTarHeader(block, where));
  left_ = member_.size_bytes;
  return std::optional<TarMember>(member_);
}

Result<size_t> TarReader::Read(char* data, size_t size) {
  const size_t wanted =
      static_cast<size_t>(std::min<uint64_t>({size, left_, kPieceBytes}));
  if (wanted == 0) return size_t{0};
  EXHIBIT_RETURN_IF_ERROR(ReadExactly(data, wanted, "contents"));
  left_ -= wanted;
  return wanted;
}

Status TarReader::FinishMember() {
  EXHIBIT_ASSIGN_OR_RETURN(const uint64_t skipped, Drain(*this));
  (void)skipped;
  TarBlock block;
  const uint64_t padding = TarPaddingBytes(member_.size_bytes);
  const std::string where = Where();
  EXHIBIT_RETURN_IF_ERROR(ReadExactly(block.data(), padding, "padding"));
  if (!IsZero(block.data(), padding)) {
    return Error{ErrorKind::kCorrupt,
                 where + ": padding after the contents is not zero", ""};
  }
  return Ok();
}

Status TarReader::FinishStream() {
  TarBlock block;
  EXHIBIT_RETURN_IF_ERROR(
      ReadExactly(block.data(), block.size(), "the second zero block"));
  if (!IsZero(block.data(), block.size())) {
    return Error{ErrorKind::kCorrupt,
                 Where() + ": one zero block where two end the stream", ""};
  }
  char extra;
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got, source_.Read(&extra, 1));
  if (got != 0) {
    return Error{ErrorKind::kCorrupt,
                 Where() + ": bytes follow the two zero blocks", ""};
  }
  ended_ = true;
  return Ok();
}

}  // namespace exhibit
