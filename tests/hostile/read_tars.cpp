// What Exhibit and libarchive see in tar streams.
//
//   read_tars FILE...
//
// For each file and reader one line `reader READER accepted` or `refused`, then
// for what was accepted one line `member PATH SIZE SHA256` each, in order. To
// Exhibit each file is the uncompressed evidence of a bundle without sources.

#include <archive.h>
#include <archive_entry.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "archive/tar_writer.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

struct Member {
  std::string path;
  std::string contents;
};
using Members = std::optional<std::vector<Member>>;  // Absent when refused.

Members ReadAsEvidence(const std::string& bytes) {
  StringSink no_members;
  if (!TarWriter(no_members).Finish().ok()) return std::nullopt;
  StringSource evidence(bytes), sources(no_members.bytes());
  std::vector<Member> members;
  const auto summary = ReadTarStreams(
      evidence, sources, {},
      [&](const EvidenceFile& file, ByteSource& contents) -> Status {
        EXHIBIT_ASSIGN_OR_RETURN(std::string read,
                                 ReadAll(contents, file.path, file.size_bytes));
        members.push_back({"run/" + file.path, std::move(read)});
        return Ok();
      });
  if (!summary.ok()) return std::nullopt;
  return members;
}

Members ReadByLibarchive(const std::string& bytes) {
  archive* const reader = archive_read_new();
  archive_read_support_format_tar(reader);
  std::vector<Member> members;
  bool sound = archive_read_open_memory(reader, bytes.data(), bytes.size()) ==
               ARCHIVE_OK;
  while (sound) {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader, &entry);
    if (code == ARCHIVE_EOF) break;
    sound = code == ARCHIVE_OK && archive_entry_filetype(entry) == AE_IFREG &&
            archive_entry_hardlink(entry) == nullptr;
    if (!sound) break;
    Member member{archive_entry_pathname(entry), ""};
    char piece[4096];
    la_ssize_t got = 0;
    while ((got = archive_read_data(reader, piece, sizeof piece)) > 0) {
      member.contents.append(piece, static_cast<size_t>(got));
    }
    sound = got == 0;
    members.push_back(std::move(member));
  }
  archive_read_free(reader);
  if (!sound) return std::nullopt;
  return members;
}

void Print(const char* reader, const Members& members) {
  std::printf("reader %s %s\n", reader, members ? "accepted" : "refused");
  if (!members) return;
  for (const Member& member : *members) {
    std::printf("member %s %zu %s\n", member.path.c_str(),
                member.contents.size(), Sha256Hex(member.contents).c_str());
  }
}

}  // namespace
}  // namespace exhibit

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::printf("file %s\n", argv[i]);
    exhibit::Print("exhibit", exhibit::ReadAsEvidence(bytes));
    exhibit::Print("libarchive", exhibit::ReadByLibarchive(bytes));
  }
  return 0;
}
