#include "archive/xz_index.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include "archive/bundle.h"
#include "archive/evidence_files.h"
#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

// `size` bytes, no two stretches of which are alike.
std::string Contents(size_t size) {
  std::string contents;
  for (size_t i = 0; contents.size() < size; ++i) {
    contents += std::to_string(i * i) + " ";
  }
  contents.resize(size);
  return contents;
}

std::string InBlocks(std::string_view contents, uint64_t block_bytes) {
  lzma_mt options = {};
  options.threads = 1;
  options.block_size = block_bytes;
  options.preset = 0;
  options.check = LZMA_CHECK_CRC64;
  lzma_stream stream = LZMA_STREAM_INIT;
  EXPECT_EQ(lzma_stream_encoder_mt(&stream, &options), LZMA_OK);
  std::string out(2 * contents.size() + 4096, '\0');
  stream.next_in = reinterpret_cast<const uint8_t*>(contents.data());
  stream.avail_in = contents.size();
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = out.size();
  lzma_ret code;
  do {
    code = lzma_code(&stream, LZMA_FINISH);
  } while (code == LZMA_OK);
  EXPECT_EQ(code, LZMA_STREAM_END);
  out.resize(stream.total_out);
  lzma_end(&stream);
  return out;
}

class XzIndexTest : public testing::Test {
 protected:
  void Write(const std::string& bytes) {
    std::filesystem::remove(scratch_ / "x.xz");
    WriteBytes(scratch_ / "x.xz", bytes);
  }
  Result<std::unique_ptr<XzIndex>> Read(const ArchiveLimits& limits = {}) {
    auto file = FileSource::Open(scratch_.path(), "x.xz");
    return XzIndex::Read(*file, "x.xz", limits);
  }
  // `size` bytes of the contents from `offset` on.
  Result<std::string> ReadFrom(uint64_t offset, size_t size) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<XzIndex> index, Read());
    EXHIBIT_ASSIGN_OR_RETURN(FileSource file,
                             FileSource::Open(scratch_.path(), "x.xz"));
    EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                             index->OpenAt(std::move(file), offset));
    std::string bytes(size, '\0');
    EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                             ReadFully(*source, bytes.data(), size));
    return bytes.substr(0, got);
  }

  const ScratchFolder scratch_;
};

TEST_F(XzIndexTest, ContentsAreReadFromAnywhere) {
  const std::string contents = Contents(10'000);
  for (const uint64_t block_bytes : {4096, 5000, 20'000}) {
    Write(InBlocks(contents, block_bytes));
    for (size_t offset = 0; offset < contents.size(); offset += 37) {
      const auto read = ReadFrom(offset, 6000);
      ASSERT_TRUE(read.ok()) << read.error().message;
      ASSERT_EQ(*read, contents.substr(offset, 6000)) << offset;
    }
    EXPECT_EQ(*ReadFrom(contents.size() - 1, 10),
              contents.substr(contents.size() - 1));
    EXPECT_EQ(ReadFrom(contents.size(), 1).error().kind, ErrorKind::kCorrupt);
  }
}

TEST_F(XzIndexTest, WhatOurWriterWritesIsReadFromAnywhere) {
  std::string contents(2 * kXzBlockBytes + 100, '\0');
  for (size_t i = 0; i < contents.size(); i += 1000) {
    contents.replace(i, 1, std::to_string(i).substr(0, 1));
  }
  Write(XzBytes(contents));
  for (const uint64_t offset : {uint64_t{0}, kXzBlockBytes - 1, kXzBlockBytes,
                                kXzBlockBytes + 1, 2 * kXzBlockBytes - 50}) {
    EXPECT_EQ(*ReadFrom(offset, 3000), contents.substr(offset, 3000));
  }
}

TEST_F(XzIndexTest, CutAnywhereIsRefused) {
  const std::string whole = InBlocks(Contents(3000), 1000);
  for (size_t size = 0; size < whole.size(); ++size) {
    Write(whole.substr(0, size));
    const auto index = Read();
    ASSERT_FALSE(index.ok()) << size;
    EXPECT_EQ(index.error().kind, ErrorKind::kCorrupt) << size;
  }
}

TEST_F(XzIndexTest, DamageAnywhereIsSeenAtTheEndOfItsBlock) {
  const std::string whole = InBlocks(Contents(3000), 1000);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    Write(damaged);
    const auto read = ReadFrom(0, 4000);
    // The header of the stream is XzSource's to judge.
    if (at < LZMA_STREAM_HEADER_SIZE) continue;
    if (read.ok()) {
      EXPECT_EQ(*read, Contents(3000)) << at;
    } else {
      EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << at;
    }
  }
}

TEST_F(XzIndexTest, BlocksAndIndexHaveALimit) {
  Write(InBlocks(Contents(3000), 1000));
  ArchiveLimits limits;
  limits.block_bytes_max = 1000;
  EXPECT_TRUE(Read(limits).ok());
  limits.block_bytes_max = 999;
  EXPECT_EQ(Read(limits).error().kind, ErrorKind::kLimitExceeded);
  limits = {};
  limits.decoder_memory_bytes_max = 10;
  EXPECT_EQ(Read(limits).error().kind, ErrorKind::kLimitExceeded);
}

class EvidenceFilesTest : public testing::Test {
 protected:
  EvidenceFilesTest() {
    WriteRun(run_, SampleFiles());
    EXPECT_TRUE(PackRun(run_, bundle_, TestPackOptions()).ok());
  }

  // Every file that may be read again, as a visitor saw it.
  std::vector<EvidenceFile> Seen(bool packed) {
    std::vector<EvidenceFile> seen;
    const auto visitor = [&seen](const EvidenceFile& file, ByteSource&) {
      if (!file.path.starts_with("sources/")) seen.push_back(file);
      return Ok();
    };
    EXPECT_TRUE(
        (packed ? ReadBundle(bundle_, {}, visitor) : ReadRun(run_, {}, visitor))
            .ok());
    return seen;
  }
  static Result<std::string> Again(EvidenceFiles& files,
                                   const EvidenceFile& file,
                                   const std::string& sha256) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                             files.Open(file, sha256));
    return ReadAll(*source, file.path, 1 << 20);
  }

  const ScratchFolder scratch_;
  const std::string run_ = scratch_ / "run";
  const std::string bundle_ = scratch_ / "bundle";
};

TEST_F(EvidenceFilesTest, FilesAreReadAgainInAnyOrder) {
  const Files expected = SampleFiles();
  for (const bool packed : {false, true}) {
    EvidenceFiles files(
        packed ? EvidenceFiles::Form::kBundle : EvidenceFiles::Form::kRun,
        packed ? bundle_ : run_, {});
    std::vector<EvidenceFile> seen = Seen(packed);
    ASSERT_EQ(seen.size(), 7U);
    std::reverse(seen.begin(), seen.end());
    for (const EvidenceFile& file : seen) {
      const std::string& bytes = expected.at(file.path);
      const auto again = Again(files, file, Sha256Hex(bytes));
      ASSERT_TRUE(again.ok()) << again.error().message;
      EXPECT_EQ(*again, bytes) << file.path;
    }
  }
}

TEST_F(EvidenceFilesTest, BytesThatChangedMeanwhileAreAnError) {
  for (const bool packed : {false, true}) {
    EvidenceFiles files(
        packed ? EvidenceFiles::Form::kBundle : EvidenceFiles::Form::kRun,
        packed ? bundle_ : run_, {});
    for (const EvidenceFile& file : Seen(packed)) {
      if (file.size_bytes == 0) continue;
      const auto again = Again(files, file, std::string(64, 'a'));
      ASSERT_FALSE(again.ok()) << file.path;
      EXPECT_EQ(again.error().kind, ErrorKind::kIo);
    }
  }
}

TEST_F(EvidenceFilesTest, AFileThatWasCutMeanwhileIsAnError) {
  EvidenceFiles files(EvidenceFiles::Form::kRun, run_, {});
  const std::vector<EvidenceFile> seen = Seen(false);
  const std::string bytes = SampleFiles().at("arrays/odd.npy");
  WriteBytes(run_ + "/arrays/odd.npy", bytes.substr(0, 10));
  for (const EvidenceFile& file : seen) {
    if (file.path != "arrays/odd.npy") continue;
    EXPECT_EQ(Again(files, file, Sha256Hex(bytes)).error().kind,
              ErrorKind::kIo);
  }
}

}  // namespace
}  // namespace exhibit
