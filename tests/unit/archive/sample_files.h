// What the tests of this folder are made of: files, runs, tar streams.

#ifndef EXHIBIT_TESTS_UNIT_ARCHIVE_SAMPLE_FILES_H_
#define EXHIBIT_TESTS_UNIT_ARCHIVE_SAMPLE_FILES_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "archive/gzip.h"
#include "archive/pack.h"
#include "archive/tar_header.h"
#include "archive/tar_reader.h"
#include "archive/tar_writer.h"
#include "archive/xz.h"
#include "manifests/content_id.h"
#include "manifests/sha256.h"

namespace exhibit {

// A folder of its own, removed in the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "exhibit-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::logic_error("mkdtemp");
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

  // Names of everything in it, hidden names included.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

inline void WriteBytes(const std::string& path, std::string_view bytes) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

using Files = std::map<std::string, std::string>;  // Path -> contents.

// The smallest run that shows every rule of order.
inline Files SampleFiles() {
  return {{"manifest.json", "{\"name\":\"sample\"}\n"},
          {"freeze.json", "{}\n"},
          {"attempts.jsonl", "{}\n{}\n"},
          {"arrays/empty.npy", ""},
          {"arrays/full.npy", std::string(512, '\x01')},
          {"arrays/odd.npy", std::string(1000, '\x02')},
          {"logs/capture.log", "said nothing\n"},
          {"sources/archive/pack.cpp", "int main() {}\n"},
          {"sources/A.txt", "a\n"}};
}

inline void WriteRun(const std::string& folder, const Files& files) {
  for (const auto& [path, bytes] : files) {
    WriteBytes(folder + "/" + path, bytes);
  }
}

using Members = std::vector<std::pair<std::string, std::string>>;

inline std::string TarBytes(const Members& members) {
  StringSink sink;
  TarWriter writer(sink);
  for (const auto& [path, contents] : members) {
    StringSource source(contents);
    EXPECT_TRUE(writer.Add({path, contents.size()}, source).ok());
  }
  EXPECT_TRUE(writer.Finish().ok());
  return sink.bytes();
}

inline Result<Members> ReadTar(std::string_view bytes) {
  StringSource source(bytes);
  TarReader reader(source, "test.tar");
  Members members;
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::optional<TarMember> member,
                             reader.Next());
    if (!member) return members;
    EXHIBIT_ASSIGN_OR_RETURN(std::string contents,
                             ReadAll(reader, member->path, 1 << 20));
    members.emplace_back(member->path, std::move(contents));
  }
}

inline std::string XzBytes(std::string_view contents, int threads = 1) {
  StringSink sink;
  auto xz = XzSink::Create(sink, threads);
  EXPECT_TRUE(xz.ok() && (*xz)->Write(contents).ok() && (*xz)->Finish().ok());
  return sink.bytes();
}

inline std::string GzipBytes(std::string_view contents) {
  StringSink sink;
  auto gzip = GzipSink::Create(sink);
  EXPECT_TRUE(gzip.ok() && (*gzip)->Write(contents).ok() &&
              (*gzip)->Finish().ok());
  return sink.bytes();
}

// The two tar streams of a run, built by hand so that tests can bend them.
struct TarStreams {
  std::string evidence;
  std::string sources;
};

inline std::string IndexOf(const Files& files) {
  FileDigests digests;
  for (const auto& [path, bytes] : files) digests[path] = Sha256Hex(bytes);
  return EncodeIndex(digests);
}

inline Members EvidenceMembers(const Files& files) {
  Members members = {{"index.sha256", IndexOf(files)}};
  Files rest = files;
  for (const char* first : {"manifest.json", "freeze.json", "attempts.jsonl"}) {
    if (rest.count(first) == 0) continue;
    members.emplace_back("run/" + std::string(first), rest.at(first));
    rest.erase(first);
  }
  for (const auto& [path, bytes] : rest) {
    if (!path.starts_with("sources/")) {
      members.emplace_back("run/" + path, bytes);
    }
  }
  return members;
}

inline Members SourceMembers(const Files& files) {
  Members members;
  for (const auto& [path, bytes] : files) {
    if (path.starts_with("sources/"))
      members.emplace_back("run/" + path, bytes);
  }
  return members;
}

// Reads two tar streams, keeping what the visitor is shown.
inline Result<EvidenceSummary> ReadStreams(const TarStreams& streams,
                                           Members& seen,
                                           const ArchiveLimits& limits = {}) {
  StringSource evidence(streams.evidence), sources(streams.sources);
  return ReadTarStreams(
      evidence, sources, limits,
      [&seen](const EvidenceFile& file, ByteSource& contents) -> Status {
        EXHIBIT_ASSIGN_OR_RETURN(std::string bytes,
                                 ReadAll(contents, file.path, 1 << 20));
        seen.emplace_back(file.path, std::move(bytes));
        return Ok();
      });
}

inline PackOptions TestPackOptions(int threads = 1) {
  PackOptions options;
  options.threads = threads;
  options.producer.tool = {"exhibit-archive", "0", Sha256Hex("tool"),
                           Sha256Hex("source")};
  options.producer.source_commit = "unknown";
  options.producer.libraries = {{"liblzma", "5", Sha256Hex("liblzma")}};
  return options;
}

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_UNIT_ARCHIVE_SAMPLE_FILES_H_
