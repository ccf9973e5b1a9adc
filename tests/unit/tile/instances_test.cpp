#include <gtest/gtest.h>

#include "compiler/tile/text.h"

namespace exhibit::tile {
namespace {

// Loads a tile of two from `c` at `from` and stores it at `to`.
std::string Copying(std::string_view domain, std::string_view from,
                    std::string_view to) {
  return "exhibit.tile/1\nprogram p\naxis m = 2\ninout c f32[8, 8]\nparallel " +
         std::string(domain) +
         " {\n  one: i64 = constant 1\n  two: i64 = constant 2\n"
         "  twice: i64 = mul i, two\n  back: i64 = sub one, twice\n"
         "  next: i64 = add twice, one\n  square: i64 = mul i, i\n"
         "  x: f32[m] = load c[" +
         std::string(from) + "]\n  store x -> c[" + std::string(to) + "]\n}\n";
}

TEST(Instances, LoneInstanceMayStoreWhereItLoads) {
  EXPECT_TRUE(ReadProgram(Copying("i < 1", "0, 0:m", "0, 1:m"), "t").ok());
}

TEST(Instances, DomainIndexKeepsThemApart) {
  EXPECT_TRUE(ReadProgram(Copying("i < 4", "i, 0:m", "i, 3:m"), "t").ok());
  EXPECT_TRUE(
      ReadProgram(Copying("i < 4", "0, twice:m", "7, twice:m"), "t").ok());
  EXPECT_TRUE(
      ReadProgram(Copying("i < 4", "0, back:m", "0, back:m"), "t").ok());
  EXPECT_TRUE(
      ReadProgram(Copying("i < 2, h < 4", "i, h", "i, h").replace(0, 0, ""),
                  "t")
          .error()
          .message.find("indexes no dimension") != std::string::npos);
}

TEST(Instances, ThoseThatMayMeetAreRejected) {
  const struct {
    const char* domain;
    const char* from;
    const char* to;
  } cases[] = {
      {"i < 2", "0, 0:m", "0, 0:m"},         // No index at all.
      {"i < 2", "i, 0:m", "0, 0:m"},         // One reads what another writes.
      {"i < 2", "0, i:m", "0, i:m"},         // Tiles overlap.
      {"i < 2", "0, twice:m", "0, next:m"},  // The window is 3, the step 2.
      {"i < 2", "i, 0:m", "twice, 0:m"},     // Different steps.
      {"i < 2", "square, 0:m", "square, 0:m"},  // Not linear.
      {"i < 2, h < 2", "i, 0:m", "i, 0:m"},     // Nothing keeps h apart.
  };
  for (const auto& [domain, from, to] : cases) {
    const auto program = ReadProgram(Copying(domain, from, to), "t");
    ASSERT_FALSE(program.ok()) << domain << " " << from << " " << to;
    EXPECT_EQ(program.error().message.find(
                  "t: two instances may meet in buffer \"c\": no dimension "
                  "keeps the instances of \""),
              0u)
        << program.error().message;
  }
}

TEST(Instances, TwoStoresToOnePlaceAreRejected) {
  const auto program = ReadProgram(
      "exhibit.tile/1\nprogram p\noutput o f32[1]\nparallel i < 2 {\n"
      "  x: f32 = constant 1\n  store x -> o[0]\n}\n",
      "t");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().message,
            "t: two instances may meet in buffer \"o\": no dimension keeps the "
            "instances of \"i\" apart");
}

TEST(Instances, IndexThatWrapsKeepsNobodyApart) {
  // 2^62 * i: instances 0 and 4 would meet.
  const auto program = ReadProgram(
      "exhibit.tile/1\nprogram p\noutput o f32[1]\nparallel i < 5 {\n"
      "  far: i64 = constant 4611686018427387904\n  at: i64 = mul i, far\n"
      "  x: f32 = constant 1\n  store x -> o[at]\n}\n",
      "t");
  EXPECT_FALSE(program.ok());
}

}  // namespace
}  // namespace exhibit::tile
