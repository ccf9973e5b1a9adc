#include "manifests/options.h"

#include <gtest/gtest.h>

namespace exhibit {
namespace {

TEST(Options, EveryDefaultOfTheTableIsTheDefaultOfTheStruct) {
  const auto values = TileOptionValues(TileOptions());
  ASSERT_EQ(values.size(), TileOptionTable().size());
  for (const auto& info : TileOptionTable()) {
    const auto typed = ParseOptionText(info.default_value);
    ASSERT_TRUE(typed.ok()) << info.name;
    EXPECT_EQ(values.at(info.name), *typed) << info.name;
  }
}

TEST(Options, EveryLegalEdgeIsTakenAndEveryNeighbourRefused) {
  struct Row {
    const char* name;
    std::vector<Json> legal, illegal;
  };
  const std::vector<Row> table = {
      {"max_unrolled_tile_elements",
       {0, 1048576},
       {-1, 1048577, 1.5, "64", true}},
      {"max_unrolled_region_work", {0, 1048576}, {-1, 1048577}},
      {"mma_output_block", {1, 2, 4}, {0, 3, 5, 8, "1"}},
      {"max_unrolled_mma_terms", {0, 1048576}, {-1, 1048577}},
      {"indexable_mma_snapshots", {true, false}, {0, 1, "true"}},
      {"packet_width", {2, 4, 8, 16}, {1, 3, 32}},
      {"workers_per_block", {1, 1024}, {0, 1025}},
      {"local_lanes", {1}, {0, 2}},
      {"snapshot_budget", {0, 16777216}, {-1, 16777217}},
      {"qk", {"mma", "reduce"}, {"fma", 1}},
      {"math", {"precise"}, {"fast"}},
      {"fusion", {"none"}, {"all"}},
  };
  for (const auto& row : table) {
    for (const auto& value : row.legal) {
      TileOptions options;
      EXPECT_TRUE(SetTileOption(row.name, value, options).ok()) << row.name;
      EXPECT_EQ(TileOptionValues(options).at(row.name), value);
    }
    for (const auto& value : row.illegal) {
      TileOptions options;
      const Status status = SetTileOption(row.name, value, options);
      ASSERT_FALSE(status.ok()) << row.name << QuoteJson(value);
      EXPECT_NE(status.error().message.find(row.name), std::string::npos);
      EXPECT_NE(status.error().message.find(QuoteJson(value)),
                std::string::npos);
      EXPECT_NE(status.error().hint.find("Legal:"), std::string::npos);
      EXPECT_EQ(options, TileOptions()) << "nothing is silently repaired";
    }
  }
}

TEST(Options, AnUnknownNameIsUnsupportedAndNamed) {
  TileOptions options;
  const Status status = SetTileOption("unroll_everything", Json(1), options);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(status.error().message.find("unroll_everything"),
            std::string::npos);
}

TEST(Options, WorkersMustFillWholePackets) {
  TileOptions options;
  options.workers_per_block = 12;
  EXPECT_FALSE(CheckTileOptions(options).ok());
  options.packet_width = 4;
  EXPECT_TRUE(CheckTileOptions(options).ok());
}

TEST(Options, SnapshotBudgetIsSharedByTheLanesOfAPacket) {
  TileOptions options;
  EXPECT_EQ(options.SnapshotBudgetBytes(), int64_t{2} << 20);
  options.snapshot_budget = 4096;
  EXPECT_EQ(options.SnapshotBudgetBytes(), 4096);
}

TEST(Options, CommandLineTextIsDecimalTrueFalseOrAWord) {
  EXPECT_EQ(*ParseOptionText("12"), Json(12));
  EXPECT_EQ(*ParseOptionText("true"), Json(true));
  EXPECT_EQ(*ParseOptionText("reduce"), Json("reduce"));
  for (const char* text : {"", "0x10", "1.5", "1e3", "+1", " 1", "Mma"}) {
    EXPECT_FALSE(ParseOptionText(text).ok()) << text;
  }
}

TEST(Options, ATypedIntegerThatNoRecordCouldHoldIsRefused) {
  for (const char* text : {"9007199254740992", "-9007199254740992"}) {
    EXPECT_TRUE(ParseOptionText(text).ok()) << text;
  }
  for (const char* text : {"9007199254740993", "-9007199254740993",
                           "9223372036854775807", "9223372036854775808"}) {
    const auto value = ParseOptionText(text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().kind, ErrorKind::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace exhibit
