#include "manifests/near_name.h"

#include <gtest/gtest.h>

namespace exhibit {
namespace {

const std::vector<std::string> kNames = {"baseline", "cycles", "name", "note",
                                         "question", "samples"};

TEST(NearName, FewTypingErrorsAreForgiven) {
  EXPECT_EQ(NearName("quetsion", kNames), "question");
  EXPECT_EQ(NearName("sample", kNames), "samples");
  EXPECT_EQ(NearName("base_line", kNames), "baseline");
  EXPECT_EQ(NearName("Cycle", kNames), "");
  EXPECT_EQ(NearName("cycle", kNames), "cycles");
  EXPECT_EQ(NearName("nmae", kNames), "name");
}

TEST(NearName, ShortNamesAreNotTakenForEachOther) {
  EXPECT_EQ(NearName("role", kNames), "");
  EXPECT_EQ(NearName("path", kNames), "");
  EXPECT_EQ(NearName("", kNames), "");
}

TEST(NearName, ANameIsNotNearItself) {
  EXPECT_EQ(NearName("samples", {"samples"}), "");
}

TEST(NearName, TheNearestIsTakenAndTheFirstOfEquals) {
  EXPECT_EQ(NearName("abcdef", {"abcdxy", "abcdey", "abcdez"}), "abcdey");
}

TEST(NearName, ALongNameIsNearNothing) {
  EXPECT_EQ(NearName(std::string(1 << 20, 'a'), {std::string(1 << 20, 'a')}),
            "");
  EXPECT_EQ(NearName("a", {std::string(1 << 20, 'a')}), "");
}

}  // namespace
}  // namespace exhibit
