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

// Where no other bytes before are the same, so that a copy has one distance.
TEST(GzipTest, EveryChangedBitIsRejected) {
  const std::string whole = GzipBytes("some sources, some sources");
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bent = whole;
      bent[at] = static_cast<char>(bent[at] ^ (1 << bit));
      EXPECT_FALSE(Expand(bent).ok()) << at << ":" << bit;
    }
  }
}

// A member of `deflated`, which stands for `contents`.
std::string GzipOf(const std::string& deflated, const std::string& contents) {
  const std::string whole = GzipBytes(contents);
  return whole.substr(0, 10) + deflated + whole.substr(whole.size() - 8);
}

// "a" in one stored block, the last.
std::string Stored(char first) {
  return std::string{first, 1, 0, '\xfe', '\xff', 'a'};
}
constexpr char kEmptyFixedBlock = 2;  // Its first eight bits; two are zero.

TEST(GzipTest, PaddingBeforeAStoredBlockIsZero) {
  ASSERT_TRUE(Expand(GzipOf(Stored(1), "a")).ok());
  for (int bit = 3; bit < 8; ++bit) {
    ExpectRejected(GzipOf(Stored(static_cast<char>(1 | 1 << bit)), "a"),
                   "up to the next byte");
  }
}

TEST(GzipTest, PaddingBeforeAStoredBlockIsZeroWhereItsHeaderBeginsInAByte) {
  // Ten bits of an empty block, three of the next header, three of padding.
  const auto after_empty = [](char second) {
    return GzipOf(kEmptyFixedBlock + Stored(second), "a");
  };
  ASSERT_TRUE(Expand(after_empty(0x04)).ok());
  for (int bit = 5; bit < 8; ++bit) {
    ExpectRejected(after_empty(static_cast<char>(0x04 | 1 << bit)),
                   "up to the next byte");
  }
}

TEST(GzipTest, PaddingAfterTheLastBlockIsZero) {
  const auto empty = [](char second) { return GzipOf({'\x03', second}, ""); };
  ASSERT_TRUE(Expand(empty(0)).ok());
  for (int bit = 2; bit < 8; ++bit) {
    ExpectRejected(empty(static_cast<char>(1 << bit)), "up to the next byte");
  }
}

TEST(GzipTest, PaddingIsSeenWhereverAPieceOfTheFileEnds) {
  // Stored blocks of nothing, five bytes each, across the pieces that are read.
  const std::string block("\x00\x00\x00\xff\xff", 5);
  std::string deflated;
  while (deflated.size() < 5 * kPieceBytes) deflated += block;
  ASSERT_TRUE(Expand(GzipOf(deflated + Stored(1), "a")).ok());
  ExpectRejected(GzipOf(deflated + Stored(9), "a"), "up to the next byte");
  for (size_t at = kPieceBytes - 25; at < kPieceBytes + 25; ++at) {
    if (at % 5 != 0) continue;
    std::string bent = deflated;
    bent[at] = 0x10;
    ExpectRejected(GzipOf(bent + Stored(1), "a"), "up to the next byte");
  }
}

TEST(GzipTest, ACopyMayNameAnotherPlaceOfTheSameBytes) {
  // Three bytes "aaa" after "aa": one back or two back.
  const auto copied = [](bool from_two_back) {
    std::string bits = "110";  // The last block, of the fixed codes.
    bits +=
        "10010001"
        "10010001";                             // a, a
    bits += "0000001";                          // Three bytes,
    bits += from_two_back ? "00001" : "00000";  // from so far back.
    bits += "0000000";                          // End.
    std::string bytes((bits.size() + 7) / 8, '\0');
    for (size_t i = 0; i < bits.size(); ++i) {
      if (bits[i] == '1') bytes[i / 8] |= static_cast<char>(1 << i % 8);
    }
    return GzipOf(bytes, "aaaaa");
  };
  EXPECT_TRUE(Expand(copied(false)).ok());
  EXPECT_TRUE(Expand(copied(true)).ok());
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
