#include "archive/tar_writer.h"

#include <array>
#include <memory>

namespace exhibit {
namespace {

std::string_view View(const TarBlock& block, size_t size) {
  return std::string_view(block.data(), size);
}

Error SizeChanged(const TarMember& member) {
  return Error{ErrorKind::kIo,
               member.path + ": is no longer " +
                   std::to_string(member.size_bytes) + " bytes long",
               "something writes to the run; wait until it has finished"};
}

}  // namespace

Status TarWriter::Add(const TarMember& member, ByteSource& contents) {
  EXHIBIT_RETURN_IF_ERROR(
      sink_.Write(View(EncodeTarHeader(member), kTarBlockBytes)));
  const auto piece = std::make_unique<std::array<char, kPieceBytes>>();
  uint64_t left = member.size_bytes;
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                             contents.Read(piece->data(), piece->size()));
    if (got > left) return SizeChanged(member);
    if (got == 0) break;
    EXHIBIT_RETURN_IF_ERROR(sink_.Write(std::string_view(piece->data(), got)));
    left -= got;
  }
  if (left != 0) return SizeChanged(member);
  return sink_.Write(View(TarBlock{}, TarPaddingBytes(member.size_bytes)));
}

Status TarWriter::Finish() {
  EXHIBIT_RETURN_IF_ERROR(sink_.Write(View(TarBlock{}, kTarBlockBytes)));
  return sink_.Write(View(TarBlock{}, kTarBlockBytes));
}

}  // namespace exhibit
