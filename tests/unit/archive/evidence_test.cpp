#include <gtest/gtest.h>

#include "archive/gzip.h"
#include "archive/run_order.h"
#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

TarStreams Streams(const Members& evidence, const Members& sources) {
  return {TarBytes(evidence), TarBytes(sources)};
}

TarStreams SampleStreams() {
  return Streams(EvidenceMembers(SampleFiles()), SourceMembers(SampleFiles()));
}

void ExpectRejected(const TarStreams& streams, const std::string& part,
                    const ArchiveLimits& limits = {},
                    ErrorKind kind = ErrorKind::kCorrupt) {
  Members seen;
  const auto read = ReadStreams(streams, seen, limits);
  ASSERT_FALSE(read.ok()) << part;
  EXPECT_EQ(read.error().kind, kind) << read.error().message;
  EXPECT_NE(read.error().message.find(part), std::string::npos)
      << read.error().message;
}

TEST(EvidenceTest, FilesAreShownInArchiveOrderWithTheirContents) {
  Members seen;
  const auto read = ReadStreams(SampleStreams(), seen);
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<std::string> order;
  for (const auto& [path, contents] : seen) {
    order.push_back(path);
    EXPECT_EQ(contents, SampleFiles().at(path));
  }
  EXPECT_EQ(order, (std::vector<std::string>{
                       "manifest.json", "freeze.json", "attempts.jsonl",
                       "arrays/empty.npy", "arrays/full.npy", "arrays/odd.npy",
                       "logs/capture.log", "sources/A.txt",
                       "sources/archive/pack.cpp"}));
  EXPECT_EQ(read->content_id, Sha256Hex(IndexOf(SampleFiles())));
  EXPECT_TRUE(IndexDifferences(*read).empty());
}

TEST(EvidenceTest, AVisitorNeedsNotReadAnything) {
  const TarStreams streams = SampleStreams();
  StringSource evidence(streams.evidence), sources(streams.sources);
  const auto read =
      ReadTarStreams(evidence, sources, {},
                     [](const EvidenceFile&, ByteSource&) { return Ok(); });
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->found, read->stated);
}

TEST(EvidenceTest, AnErrorOfTheVisitorIsPassedOn) {
  const TarStreams streams = SampleStreams();
  StringSource evidence(streams.evidence), sources(streams.sources);
  const auto read = ReadTarStreams(
      evidence, sources, {}, [](const EvidenceFile&, ByteSource&) -> Status {
        return Error{ErrorKind::kUnsupported, "enough", ""};
      });
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "enough");
}

TEST(EvidenceTest, AMissingIndexIsRejected) {
  Members evidence = EvidenceMembers(SampleFiles());
  evidence.erase(evidence.begin());
  ExpectRejected(Streams(evidence, {}), "is not the first member");
  ExpectRejected(Streams({}, {}), "is not the first member");
}

TEST(EvidenceTest, ASecondIndexIsRejected) {
  Members evidence = EvidenceMembers(SampleFiles());
  evidence.push_back(evidence.front());
  ExpectRejected(Streams(evidence, {}), "not below run/");
  ExpectRejected(Streams(EvidenceMembers(SampleFiles()), {evidence.front()}),
                 "not below run/");
}

TEST(EvidenceTest, AnUnsortedIndexIsRejected) {
  Members evidence = EvidenceMembers(SampleFiles());
  std::string& index = evidence.front().second;
  const size_t line = index.find('\n') + 1;
  index = index.substr(line) + index.substr(0, line);
  ExpectRejected(Streams(evidence, {}), "order");
}

TEST(EvidenceTest, MembersOutOfOrderAreRejected) {
  const Members good = EvidenceMembers(SampleFiles());
  for (size_t i = 1; i + 1 < good.size(); ++i) {
    Members evidence = good;
    std::swap(evidence[i], evidence[i + 1]);
    ExpectRejected(Streams(evidence, SourceMembers(SampleFiles())),
                   "out of order");
  }
}

TEST(EvidenceTest, ARepeatedPathIsRejected) {
  Members evidence = EvidenceMembers(SampleFiles());
  evidence.insert(evidence.begin() + 4, evidence[4]);
  ExpectRejected(Streams(evidence, {}), "stands twice");
}

TEST(EvidenceTest, PathsThatDifferByCaseOnlyAreRejected) {
  Files files = SampleFiles();
  files["logs/Capture.log"] = "";
  ExpectRejected(Streams(EvidenceMembers(files), SourceMembers(files)),
                 "by case only");
  files = SampleFiles();
  files["Logs/other.log"] = "";
  ExpectRejected(Streams(EvidenceMembers(files), SourceMembers(files)),
                 "by case only");
  files = SampleFiles();
  files["Sources/A.txt"] = "";
  ExpectRejected(Streams(EvidenceMembers(files), SourceMembers(files)),
                 "by case only");
}

TEST(EvidenceTest, AFileThatIsAlsoAFolderIsRejected) {
  Files files = SampleFiles();
  files["logs/capture.log/deeper"] = "";
  ExpectRejected(Streams(EvidenceMembers(files), SourceMembers(files)),
                 "both a file and a folder");
  PathSet names;
  EXPECT_TRUE(names.Add("a/b", "here").ok());
  EXPECT_FALSE(names.Add("a", "here").ok());
  EXPECT_TRUE(names.Add("a/c", "here").ok());
}

TEST(EvidenceTest, FoldersAreCountedUpToTheirLimit) {
  PathSet names;
  for (size_t i = 0; i < PathSet::kFoldersMax; ++i) {
    ASSERT_TRUE(names.Add("f" + std::to_string(i) + "/a", "here").ok()) << i;
  }
  EXPECT_TRUE(names.Add("f0/b", "here").ok());
  const Status refused = names.Add("g/a", "here");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_EQ(refused.error().message,
            "here: the files lie in more than 20000 folders");
}

TEST(EvidenceTest, AFileInTheWrongArchiveIsRejected) {
  Members evidence = EvidenceMembers(SampleFiles());
  evidence.emplace_back("run/sources/A.txt", "a\n");
  ExpectRejected(Streams(evidence, {}), "belongs in sources.tar.gz");
  ExpectRejected(Streams(EvidenceMembers(SampleFiles()), {{"run/z", ""}}),
                 "belongs in evidence.tar.xz");
}

TEST(EvidenceTest, MissingExtraAndChangedFilesAreAllNamed) {
  Members evidence = EvidenceMembers(SampleFiles());
  evidence[1].second = "changed";
  evidence.erase(evidence.begin() + 3);
  evidence.emplace_back("run/zebra", "");
  Members seen;
  const auto read =
      ReadStreams(Streams(evidence, SourceMembers(SampleFiles())), seen);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(IndexDifferences(*read),
            (std::vector<std::string>{
                "attempts.jsonl: stands in index.sha256 but is missing",
                "manifest.json: has SHA-256 " + Sha256Hex("changed") +
                    ", index.sha256 says " +
                    Sha256Hex(SampleFiles().at("manifest.json")),
                "zebra: does not stand in index.sha256"}));
}

TEST(EvidenceTest, TruncationAtEveryLengthIsRejected) {
  const TarStreams good = SampleStreams();
  Members seen;
  for (size_t length = 0; length < good.evidence.size(); ++length) {
    ASSERT_FALSE(
        ReadStreams({good.evidence.substr(0, length), good.sources}, seen).ok())
        << length;
  }
  for (size_t length = 0; length < good.sources.size(); ++length) {
    ASSERT_FALSE(
        ReadStreams({good.evidence, good.sources.substr(0, length)}, seen).ok())
        << length;
  }
}

// Rejected, or the digests differ, or the content id does.
bool IsNoticed(const TarStreams& streams, const std::string& content_id) {
  Members seen;
  const auto read = ReadStreams(streams, seen);
  return !read.ok() || !IndexDifferences(*read).empty() ||
         read->content_id != content_id;
}

TEST(EvidenceTest, EveryChangedByteIsNoticed) {
  const TarStreams good = SampleStreams();
  const std::string content_id = Sha256Hex(IndexOf(SampleFiles()));
  EXPECT_FALSE(IsNoticed(good, content_id));
  for (const char mask : {'\x01', '\x20', '\xff'}) {
    for (size_t at = 0; at < good.evidence.size(); ++at) {
      TarStreams bent = good;
      bent.evidence[at] = static_cast<char>(bent.evidence[at] ^ mask);
      ASSERT_TRUE(IsNoticed(bent, content_id)) << at;
    }
    for (size_t at = 0; at < good.sources.size(); ++at) {
      TarStreams bent = good;
      bent.sources[at] = static_cast<char>(bent.sources[at] ^ mask);
      ASSERT_TRUE(IsNoticed(bent, content_id)) << at;
    }
  }
}

TEST(EvidenceTest, LimitsAreMetFromBothSides) {
  Members seen;
  ArchiveLimits limits;
  limits.member_count_max = 9;
  limits.member_bytes_max = 1000;
  limits.contents_bytes_max = 0;
  for (const auto& [path, contents] : SampleFiles()) {
    limits.contents_bytes_max += contents.size();
  }
  limits.index_bytes_max = IndexOf(SampleFiles()).size();
  EXPECT_TRUE(ReadStreams(SampleStreams(), seen, limits).ok());
  const auto exceeded = [&](uint64_t ArchiveLimits::*field,
                            const std::string& part) {
    ArchiveLimits less = limits;
    --(less.*field);
    ExpectRejected(SampleStreams(), part, less, ErrorKind::kLimitExceeded);
  };
  exceeded(&ArchiveLimits::member_count_max, "more than 8 files");
  exceeded(&ArchiveLimits::member_bytes_max, "more than 999 bytes in one file");
  exceeded(&ArchiveLimits::contents_bytes_max, "bytes in all files");
  exceeded(&ArchiveLimits::index_bytes_max, "index.sha256: more than");
}

TEST(EvidenceTest, ARunReadsLikeItsBundle) {
  const ScratchFolder scratch;
  WriteRun(scratch / "run", SampleFiles());
  Members from_run, from_bundle;
  const auto run =
      ReadRun(scratch / "run", {},
              [&](const EvidenceFile& file, ByteSource& contents) -> Status {
                EXHIBIT_ASSIGN_OR_RETURN(std::string bytes,
                                         ReadAll(contents, file.path, 1 << 20));
                from_run.emplace_back(file.path, bytes);
                return Ok();
              });
  ASSERT_TRUE(run.ok()) << run.error().message;
  const auto bundle = ReadStreams(SampleStreams(), from_bundle);
  ASSERT_TRUE(bundle.ok());
  EXPECT_EQ(from_run, from_bundle);
  EXPECT_EQ(run->content_id, bundle->content_id);
  EXPECT_EQ(run->found, bundle->found);
  EXPECT_EQ(run->contents_bytes, bundle->contents_bytes);
}

TEST(EvidenceTest, LinksInARunAreRefused) {
  const auto visit = [](const EvidenceFile&, ByteSource&) { return Ok(); };
  const ScratchFolder scratch;
  WriteRun(scratch / "run", SampleFiles());
  std::filesystem::create_symlink("manifest.json", scratch / "run/link");
  EXPECT_EQ(ReadRun(scratch / "run", {}, visit).error().kind,
            ErrorKind::kCorrupt);
  std::filesystem::remove(scratch / "run/link");
  std::filesystem::create_directory_symlink("arrays", scratch / "run/folder");
  EXPECT_EQ(ReadRun(scratch / "run", {}, visit).error().kind,
            ErrorKind::kCorrupt);
  // Also below a folder that is a link, should one appear after listing.
  EXPECT_FALSE(FileSource::Open(scratch / "run", "folder/odd.npy").ok());
  EXPECT_TRUE(FileSource::Open(scratch / "run", "arrays/odd.npy").ok());
}

// FORMAT.md says what a run of two files becomes, for writers of their own.
TEST(EvidenceTest, TheTestVectorsOfThePageComeOut) {
  const Files files = {{"manifest.json", "{}\n"}, {"sources/a", "x\n"}};
  const std::string page = ReadBytes(EXHIBIT_SOURCE_DIR "/archive/FORMAT.md");
  const std::string index = IndexOf(files);
  const std::string evidence = TarBytes(EvidenceMembers(files));
  const std::string sources = TarBytes(SourceMembers(files));
  const size_t first_line = index.find('\n');
  for (const std::string& value :
       {index.substr(0, first_line),
        index.substr(first_line + 1, index.size() - first_line - 2),
        Sha256Hex(index), Sha256Hex(evidence), evidence.substr(148, 6),
        Sha256Hex(sources)}) {
    EXPECT_NE(page.find(" `" + value + "` |"), std::string::npos) << value;
  }
  EXPECT_EQ(evidence.size(), 3072U);
  EXPECT_EQ(sources.size(), 2048U);
  Members seen;
  const auto read = ReadStreams({evidence, sources}, seen);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->content_id, Sha256Hex(index));
  // The archive without members; compressed it may differ with zlib.
  const size_t at = page.find("`1f8b") + 1;
  std::string gzip;
  for (size_t i = at; page[i] != '`'; i += 2) {
    gzip += static_cast<char>(std::stoi(page.substr(i, 2), nullptr, 16));
  }
  StringSource compressed(gzip);
  const auto source = GzipSource::Create(compressed, "page", ArchiveLimits{});
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(*ReadAll(**source, "page", 4096), TarBytes({}));
}

}  // namespace
}  // namespace exhibit
