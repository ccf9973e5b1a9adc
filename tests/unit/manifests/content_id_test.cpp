#include "manifests/content_id.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "manifests/sha256.h"

namespace exhibit {
namespace {

FileDigests SomeFiles() {
  // Bytewise: '-' and '.' before '/', capitals before small letters.
  return {{"a-b", Sha256Hex("1")},
          {"a.b", Sha256Hex("2")},
          {"a/b", Sha256Hex("3")},
          {"A", Sha256Hex("4")},
          {"a", Sha256Hex("5")}};
}

TEST(ContentId, IsTheDigestOfTheSortedLines) {
  const std::string index =
      Sha256Hex("4") + "  A\n" + Sha256Hex("5") + "  a\n" + Sha256Hex("1") +
      "  a-b\n" + Sha256Hex("2") + "  a.b\n" + Sha256Hex("3") + "  a/b\n";
  EXPECT_EQ(EncodeIndex(SomeFiles()), index);
  EXPECT_EQ(ContentId(SomeFiles()), Sha256Hex(index));
}

TEST(ContentId, NoFilesHaveTheDigestOfNoBytes) {
  EXPECT_EQ(ContentId({}), Sha256Hex(""));
}

TEST(Index, ReadsBackWhatItWrote) {
  const Result<FileDigests> read = DecodeIndex(EncodeIndex(SomeFiles()), "x");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, SomeFiles());
}

TEST(Index, TruncatedTextNeverReadsAsTheWhole) {
  const std::string whole = EncodeIndex(SomeFiles());
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string text = whole.substr(0, length);
    const Result<FileDigests> read = DecodeIndex(text, "x");
    const bool is_whole_lines = text.empty() || text.back() == '\n';
    EXPECT_EQ(read.ok(), is_whole_lines) << length;
    if (read.ok()) {
      EXPECT_EQ(EncodeIndex(*read), text);
    } else {
      EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
    }
  }
}

TEST(Index, OtherSpellingsAreRejected) {
  const std::string digest = Sha256Hex("abc");
  const std::string line = digest + "  a\n";
  const struct {
    const char* what;
    std::string text;
  } rows[] = {
      {"capital digits", "BA" + digest.substr(2) + "  a\n"},
      {"short digest", digest.substr(1) + "  a\n"},
      {"one space", digest + " a\n"},
      {"binary marker", digest + " *a\n"},
      {"three spaces", digest + "   a\n"},
      {"no path", digest + "  \n"},
      {"absolute path", digest + "  /a\n"},
      {"carriage return", digest + "  a\r\n"},
      {"repeated path", line + line},
      {"descending paths", digest + "  b\n" + line},
      {"blank line", line + "\n"},
      {"leading blank line", "\n" + line},
      {"escaped name", "\\" + line},
  };
  for (const auto& row : rows) {
    const Result<FileDigests> read = DecodeIndex(row.text, "index.txt");
    ASSERT_FALSE(read.ok()) << row.what;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << row.what;
    EXPECT_NE(read.error().message.find("index.txt: line "), std::string::npos)
        << row.what;
  }
}

TEST(Index, EntryThatMayNotStandInARunIsABug) {
  EXPECT_THROW(EncodeIndex({{"/a", Sha256Hex("")}}), std::logic_error);
  EXPECT_THROW(EncodeIndex({{"a", "00"}}), std::logic_error);
}

TEST(RunPath, NarrowPathsAreAccepted) {
  for (const char* path : {"a", "manifest.json", "cases/x-1/case.json", ".a",
                           "a/.b", "a..b", "...", "A_0/z-"}) {
    EXPECT_TRUE(IsRunPath(path)) << path;
  }
}

TEST(RunPath, EverythingElseIsRejected) {
  for (const char* path :
       {"",    "/",    "/a",  "a/",   "a//b",   ".",       "..",
        "a/.", "a/..", "./a", "../a", "a/../b", "-a",      "a/-b",
        "a b", "a\\b", "a\n", "a:b",  "~",      "\xC3\xA4"}) {
    EXPECT_FALSE(IsRunPath(path)) << path;
  }
  EXPECT_FALSE(IsRunPath(std::string_view("a\0b", 3)));
}

TEST(RunPath, NinetySixBytesAreTheMost) {
  EXPECT_TRUE(IsRunPath(std::string(96, 'a')));
  EXPECT_FALSE(IsRunPath(std::string(97, 'a')));
}

}  // namespace
}  // namespace exhibit
