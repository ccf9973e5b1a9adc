#include "archive/gzip.h"

#include <gtest/gtest.h>

#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

Result<std::string> Expand(std::string_view bytes,
                           const ArchiveLimits& limits = {}) {
  StringSource source(bytes);
  EXHIBIT_ASSIGN_OR_RETURN(const auto gzip,
                           GzipSource::Create(source, "test.gz", limits));
  return ReadAll(*gzip, "test.gz", uint64_t{1} << 30);
}

void ExpectRejected(const std::string& bytes, const std::string& part) {
  const Result<std::string> read = Expand(bytes);
  ASSERT_FALSE(read.ok()) << part;
  EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << read.error().message;
  EXPECT_NE(read.error().message.find(part), std::string::npos)
      << read.error().message;
}

TEST(GzipTest, WhatIsWrittenIsReadBack) {
  for (const size_t size : {0, 1, 65536, 200001}) {
    std::string contents(size, 'x');
    for (size_t i = 0; i < size; ++i) {
      contents[i] = static_cast<char>(i * i >> 3);
    }
    const Result<std::string> read = Expand(GzipBytes(contents));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, contents);
  }
}

TEST(GzipTest, TheHeaderHasNoTimeNameOrSystem) {
  EXPECT_EQ(GzipBytes("a").substr(0, 10),
            std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff", 10));
}

TEST(GzipTest, TruncationAtEveryLengthIsRejected) {
  const std::string whole = GzipBytes("some sources, some sources");
  for (size_t length = 0; length < whole.size(); ++length) {
    const Result<std::string> read = Expand(whole.substr(0, length));
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << length;
  }
}

TEST(GzipTest, AChangedByteIsRejectedOrChangesNothing) {
  const std::string contents = "some sources, some sources";
  const std::string whole = GzipBytes(contents);
  size_t unnoticed_count = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bent = whole;
      bent[at] = static_cast<char>(bent[at] ^ (1 << bit));
      const Result<std::string> read = Expand(bent);
      if (!read.ok()) continue;
      EXPECT_EQ(*read, contents) << at;
      ++unnoticed_count;
    }
  }
  // The bits between the end of the deflate data and the next byte.
  EXPECT_LT(unnoticed_count, 8u);
}

TEST(GzipTest, ASecondMemberIsRejected) {
  ExpectRejected(GzipBytes("a") + GzipBytes("b"),
                 "bytes follow the gzip member");
}

TEST(GzipTest, AByteAfterTheMemberIsRejected) {
  ExpectRejected(GzipBytes("a") + std::string(1, '\0'),
                 "bytes follow the gzip member");
}

TEST(GzipTest, AnotherHeaderIsRejected) {
  const auto bent = [](size_t at, char byte) {
    std::string bytes = GzipBytes("a");
    bytes[at] = byte;
    return bytes;
  };
  ExpectRejected(bent(3, '\x01'), "gzip header");  // Text flag.
  ExpectRejected(bent(4, '\x01'), "gzip header");  // Time.
  ExpectRejected(bent(8, '\x00'), "gzip header");  // Level.
  ExpectRejected(bent(9, '\x03'), "gzip header");  // Unix.
  ExpectRejected("no gzip file", "gzip header");
}

TEST(GzipTest, AWrongChecksumIsRejected) {
  std::string bytes = GzipBytes("a");
  bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
  ExpectRejected(bytes, "incorrect data check");
}

TEST(GzipTest, ABombIsRefusedAtTheRatio) {
  const std::string bomb = GzipBytes(std::string(3 << 20, '\0'));
  ArchiveLimits limits;
  limits.expansion_free_bytes = 1 << 20;
  limits.expansion_ratio_max = 100;
  const Result<std::string> read = Expand(bomb, limits);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_TRUE(Expand(bomb).ok());
}

}  // namespace
}  // namespace exhibit
