// The index of an xz file: wherever reading begins, there is what a decoder of
// the whole stream gives, or a message. What that decoder refuses may pass here
// (the index tells nothing of a header), but never gives more than is asked.

#include <memory>

#include "archive/xz.h"
#include "archive/xz_index.h"
#include "tests/fuzz/codec_check.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/xz_sums.h"

using namespace exhibit;

namespace {

constexpr char kName[] = "input.xz";
constexpr uint64_t kContentsBytesMax = uint64_t{1} << 21;

using Index = Result<std::unique_ptr<XzIndex>>;

FileSource OpenInput(const fuzz::ScratchFolder& folder) {
  Result<FileSource> file = FileSource::Open(folder.path(), kName);
  fuzz::Require(file.ok(), "the scratch file can be read");
  return std::move(*file);
}

Result<std::string> ReadFrom(const XzIndex& index, FileSource file,
                             uint64_t offset) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                           index.OpenAt(std::move(file), offset));
  return ReadAll(*source, "contents", kContentsBytesMax);
}

// `contents` is what XzSource gives of the file.
void CheckWhole(const XzIndex& index, const fuzz::ScratchFolder& folder,
                std::string_view contents) {
  for (const size_t offset : {size_t{0}, contents.size() / 3,
                              contents.size() / 2, contents.size() - 1}) {
    if (offset >= contents.size()) continue;
    const auto rest = ReadFrom(index, OpenInput(folder), offset);
    fuzz::Require(rest.ok(), "a sound stream can be read from anywhere");
    fuzz::Require(*rest == contents.substr(offset),
                  "reading from anywhere gives the same contents");
  }
  fuzz::Require(!ReadFrom(index, OpenInput(folder), contents.size()).ok(),
                "nothing is read past the end");
}

void CheckDamaged(const XzIndex& index, const fuzz::ScratchFolder& folder) {
  for (const uint64_t offset :
       {uint64_t{0}, uint64_t{1}, uint64_t{1000}, ~uint64_t{0}}) {
    const auto rest = ReadFrom(index, OpenInput(folder), offset);
    if (!rest.ok()) fuzz::RequireSound(rest.error());
  }
}

void Check(std::string_view bytes) {
  static const fuzz::ScratchFolder folder;
  folder.Write(kName, bytes);
  const Result<std::string> contents =
      fuzz::Decompress<XzSource>(bytes, kPieceBytes);
  ArchiveLimits limits = fuzz::SmallLimits();
  limits.block_bytes_max = kContentsBytesMax;
  FileSource file = OpenInput(folder);
  const Index index = XzIndex::Read(file, kName, limits);
  if (!index.ok()) {
    fuzz::RequireSound(index.error());
    fuzz::Require(
        !contents.ok() || index.error().kind == ErrorKind::kLimitExceeded,
        "a sound stream has a sound index");
    return;
  }
  if (contents.ok()) {
    CheckWhole(**index, folder, *contents);
  } else {
    CheckDamaged(**index, folder);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::ForBothSums(fuzz::TextOf(data, size), Check);
  return 0;
}
