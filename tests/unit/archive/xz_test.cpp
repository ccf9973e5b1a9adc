#include "archive/xz.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

Result<std::string> Expand(std::string_view bytes,
                           const ArchiveLimits& limits = {}) {
  StringSource source(bytes);
  EXHIBIT_ASSIGN_OR_RETURN(const auto xz,
                           XzSource::Create(source, "test.xz", limits));
  return ReadAll(*xz, "test.xz", uint64_t{1} << 30);
}

std::string EncodeOtherwise(std::string_view contents, uint32_t preset,
                            lzma_check check) {
  std::string bytes(contents.size() + 65536, '\0');
  size_t used = 0;
  EXPECT_EQ(
      lzma_easy_buffer_encode(
          preset, check, nullptr,
          reinterpret_cast<const uint8_t*>(contents.data()), contents.size(),
          reinterpret_cast<uint8_t*>(bytes.data()), &used, bytes.size()),
      LZMA_OK);
  bytes.resize(used);
  return bytes;
}

// Bytes that do not compress: a linear congruential sequence.
std::string Noise(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

void ExpectRejected(const std::string& bytes, ErrorKind kind,
                    const std::string& part) {
  const Result<std::string> read = Expand(bytes);
  ASSERT_FALSE(read.ok()) << part;
  EXPECT_EQ(read.error().kind, kind) << read.error().message;
  EXPECT_NE(read.error().message.find(part), std::string::npos)
      << read.error().message;
}

TEST(XzTest, WhatIsWrittenIsReadBack) {
  for (const size_t size : {0, 1, 65536, 200001}) {
    const std::string contents = Noise(size);
    const Result<std::string> read = Expand(XzBytes(contents));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, contents);
  }
}

TEST(XzTest, TheNumberOfThreadsChangesNoByte) {
  // More than two blocks, the last one not full. Repetitive, to be fast.
  std::string contents;
  while (contents.size() < 2 * kXzBlockBytes + 12345) {
    contents += Noise(1000 + contents.size() % 997);
  }
  const std::string one = XzBytes(contents, 1);
  EXPECT_EQ(XzBytes(contents, 4), one);
  EXPECT_EQ(XzBytes(contents, 2), one);
}

TEST(XzTest, TheSizeOfPiecesChangesNoByte) {
  const std::string contents = Noise(100000);
  StringSink sink;
  auto xz = XzSink::Create(sink, 1);
  ASSERT_TRUE(xz.ok());
  for (size_t at = 0; at < contents.size(); at += 777) {
    ASSERT_TRUE((*xz)->Write(std::string_view(contents).substr(at, 777)).ok());
  }
  ASSERT_TRUE((*xz)->Finish().ok());
  EXPECT_EQ(sink.bytes(), XzBytes(contents));
}

TEST(XzTest, TruncationAtEveryLengthIsRejected) {
  const std::string whole = XzBytes("some evidence, some evidence");
  for (size_t length = 0; length < whole.size(); ++length) {
    const Result<std::string> read = Expand(whole.substr(0, length));
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << length;
  }
}

TEST(XzTest, EveryChangedByteIsRejected) {
  const std::string whole = XzBytes("some evidence, some evidence");
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string bent = whole;
      bent[at] = static_cast<char>(bent[at] ^ mask);
      EXPECT_FALSE(Expand(bent).ok()) << at;
    }
  }
}

TEST(XzTest, ConcatenatedStreamsAreRejected) {
  ExpectRejected(XzBytes("a") + XzBytes("b"), ErrorKind::kCorrupt,
                 "bytes follow the xz stream");
}

TEST(XzTest, PaddingAfterTheStreamIsRejected) {
  ExpectRejected(XzBytes("a") + std::string(4, '\0'), ErrorKind::kCorrupt,
                 "bytes follow the xz stream");
}

TEST(XzTest, AnotherCheckTypeIsRejected) {
  for (const lzma_check check :
       {LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_SHA256}) {
    ExpectRejected(EncodeOtherwise("a", 6, check), ErrorKind::kCorrupt,
                   "expected 4 (crc64)");
  }
}

TEST(XzTest, OtherFormatsAreRejected) {
  ExpectRejected("hello, this is no xz file", ErrorKind::kCorrupt,
                 "is not an xz file");
  ExpectRejected(GzipBytes("a"), ErrorKind::kCorrupt, "is not an xz file");
}

TEST(XzTest, ADictionaryBeyondTheMemoryLimitIsRefused) {
  // Preset 8 asks the decoder for 32 MiB and a little.
  ExpectRejected(EncodeOtherwise("a", 8, LZMA_CHECK_CRC64),
                 ErrorKind::kLimitExceeded, "bytes of memory");
  EXPECT_TRUE(Expand(EncodeOtherwise("a", 7, LZMA_CHECK_CRC64)).ok());
}

TEST(XzTest, ABombIsRefusedAtTheRatio) {
  const std::string bomb = XzBytes(std::string(3 << 20, '\0'));
  ArchiveLimits limits;
  limits.expansion_free_bytes = 1 << 20;
  limits.expansion_ratio_max = 100;
  const Result<std::string> read = Expand(bomb, limits);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_TRUE(Expand(bomb).ok());
}

TEST(ExpansionTest, TheLimitIsMetFromBothSides) {
  ArchiveLimits limits;
  limits.expansion_free_bytes = 1000;
  limits.expansion_ratio_max = 10;
  EXPECT_TRUE(CheckExpansion("x", {0, 1000}, limits).ok());
  EXPECT_FALSE(CheckExpansion("x", {0, 1001}, limits).ok());
  EXPECT_TRUE(CheckExpansion("x", {7, 1070}, limits).ok());
  EXPECT_FALSE(CheckExpansion("x", {7, 1071}, limits).ok());
  limits.expansion_ratio_max = UINT64_MAX;
  EXPECT_TRUE(CheckExpansion("x", {7, UINT64_MAX}, limits).ok());
}

}  // namespace
}  // namespace exhibit
