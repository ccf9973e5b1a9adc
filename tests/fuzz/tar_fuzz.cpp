// Tar streams: what is accepted is what the writer makes of its members, and
// nothing depends on the pieces in which the bytes arrive.

#include <cstdio>
#include <utility>
#include <vector>

#include "archive/tar_reader.h"
#include "archive/tar_writer.h"
#include "tests/fuzz/archive_input.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

Result<Members> Read(std::string_view bytes, size_t piece_bytes) {
  fuzz::PieceSource source(bytes, piece_bytes);
  TarReader reader(source, "input");
  Members members;
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(const auto member, reader.Next());
    if (!member) return members;
    EXHIBIT_ASSIGN_OR_RETURN(std::string contents,
                             ReadAll(reader, member->path, bytes.size()));
    fuzz::Require(contents.size() == member->size_bytes,
                  "a member has the bytes that it announces");
    members.emplace_back(member->path, std::move(contents));
  }
}

std::string Write(const Members& members) {
  StringSink sink;
  TarWriter writer(sink);
  for (const auto& [path, contents] : members) {
    StringSource source(contents);
    fuzz::Require(writer.Add({path, contents.size()}, source).ok(),
                  "an accepted member can be written");
  }
  fuzz::Require(writer.Finish().ok(), "a stream in memory can be ended");
  return sink.bytes();
}

void Check(std::string_view bytes) {
  const Result<Members> members = Read(bytes, kPieceBytes);
  const Result<Members> in_pieces = Read(bytes, 100);
  fuzz::Require(members.ok() == in_pieces.ok(),
                "the size of pieces decides nothing");
  if (!members.ok()) {
    fuzz::RequireSound(members.error());
    fuzz::Require(members.error().message == in_pieces.error().message,
                  "the size of pieces changes no message");
    return;
  }
  fuzz::Require(*members == *in_pieces, "the size of pieces changes nothing");
  fuzz::Require(Write(*members) == bytes,
                "a stream is written back byte for byte");
}

// Every header with the checksum that its other bytes ask for: without it
// hardly any mutation would get beyond the checksum.
std::string Summed(std::string_view bytes) {
  std::string summed(bytes);
  for (size_t at = 0; at + kTarBlockBytes <= summed.size();
       at += kTarBlockBytes) {
    if (summed.compare(at + 257, 5, "ustar") != 0) continue;
    summed.replace(at + 148, 8, 8, ' ');
    unsigned sum = 0;
    for (size_t i = 0; i < kTarBlockBytes; ++i) {
      sum += static_cast<uint8_t>(summed[at + i]);
    }
    char digits[8];
    std::snprintf(digits, sizeof digits, "%06o", sum);
    summed.replace(at + 148, 7, digits, 7);
  }
  return summed;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  Check(bytes);
  Check(Summed(bytes));
  return 0;
}
