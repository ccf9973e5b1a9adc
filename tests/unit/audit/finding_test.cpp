#include "audit/finding.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "manifests/sha256.h"

namespace exhibit {
namespace {

TEST(FindingList, IsSortedByStageThenPath) {
  FindingList findings;
  findings.Add({.code = "output-wrong", .path = "a"});
  findings.Add({.code = "file-extra", .path = "z"});
  findings.Add({.code = "file-extra", .path = "b"});
  const std::vector<Finding> sorted = findings.Sorted();
  ASSERT_EQ(sorted.size(), 3U);
  EXPECT_EQ(sorted[0].path, "b");
  EXPECT_EQ(sorted[1].path, "z");
  EXPECT_EQ(sorted[2].code, "output-wrong");
}

TEST(FindingList, RepeatedFindingCountsOnce) {
  FindingList findings;
  findings.Add({.code = "file-extra", .path = "a"});
  findings.Add({.code = "file-extra", .path = "a"});
  EXPECT_EQ(findings.count(), 1U);
}

TEST(FindingList, UnknownCodeIsABug) {
  FindingList findings;
  EXPECT_THROW(findings.Add({.code = "no-such-code"}), std::logic_error);
}

TEST(FindingList, PastItsLimitOnlyTheNumberGrows) {
  FindingList findings;
  for (uint64_t i = 0; i < FindingList::kCountMax + 5; ++i) {
    findings.Add({.code = "file-extra", .path = std::to_string(i)});
  }
  EXPECT_EQ(findings.count(), FindingList::kCountMax + 5);
  EXPECT_EQ(findings.Sorted().size(), FindingList::kCountMax);
}

TEST(FindingList, TextFromTheSubjectBecomesPrintable) {
  FindingList findings;
  findings.Add({.code = "file-extra", .path = "a\x1b[2J\xff"});
  EXPECT_EQ(findings.Sorted()[0].path, "a?[2J?");
  EXPECT_EQ(Printable(std::string(1000, 'x')).size(), 403U);
}

TEST(FindingList, UnsupportedIsAnObstacleAndNoFinding) {
  FindingList findings;
  findings.AddError("record-malformed", "a",
                    Error{ErrorKind::kUnsupported, "schema 9", ""});
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(findings.Obstacles(), std::vector<std::string>{"a: schema 9"});
}

TEST(LineEndNote, IsOfConvertedLineEndsAndOfNothingElse) {
  const std::string digest = Sha256Hex("a\nb\n");
  EXPECT_NE(LineEndNote("a\r\nb\r\n", digest).find("carriage return"),
            std::string::npos);
  for (const char* bytes : {"a\nb\n", "a\rb\r", "a\r\nc\r\n", "", "\r\n"}) {
    EXPECT_EQ(LineEndNote(bytes, digest), "") << bytes;
  }
}

}  // namespace
}  // namespace exhibit
