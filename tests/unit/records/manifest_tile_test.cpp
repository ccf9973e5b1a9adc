// Manifests whose cases name the text of a tile program.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "manifests/manifest.h"
#include "manifests/records.h"

namespace exhibit {
namespace {

const char kGood[] = R"({ "schema": "exhibit.manifest/1",
  "name": "matmul", "question": "q", "program": "tile",
  "controls": { "qk": "mma" },
  "variants": { "r1": { "mma_output_block": 1 }, "lib": { "library": "k.so", "symbol": "s" } },
  "baseline": "r1", "candidate": "lib",
  "cases": [ { "name": "small", "text": "programs/small.tile", "files": { "a": "a.npy" } },
             { "name": "again", "text": "programs/small.tile" } ],
  "sources": [ "notes.txt" ],
  "tolerance": { "absolute": 1e-6, "relative": 1e-5 },
  "replay": { "cycles": 3, "samples": 7 },
  "decision": { "rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0.01 } })";

std::string Edited(std::string text, const std::string& from,
                   const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

TEST(TileManifest, ACaseNamesItsTextAndMayMixTileAndLibrary) {
  const auto m = ParseManifest(kGood, "m.json");
  ASSERT_TRUE(m.ok()) << m.error().message;
  EXPECT_EQ(m->program, "tile");
  EXPECT_EQ(m->cases[0].text, "programs/small.tile");
  EXPECT_TRUE(m->cases[0].shape.empty());
}

TEST(TileManifest, EveryTextIsFrozenOnce) {
  const auto m = ParseManifest(kGood, "m.json");
  ASSERT_TRUE(m.ok()) << m.error().message;
  EXPECT_EQ(FrozenSources(*m),
            (std::vector<std::string>{"notes.txt", "programs/small.tile"}));
  const auto listed = ParseManifest(
      Edited(kGood, "\"notes.txt\"", "\"programs/small.tile\""), "m.json");
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  EXPECT_EQ(FrozenSources(*listed),
            (std::vector<std::string>{"programs/small.tile"}));
}

TEST(TileManifest, WhatDoesNotBelongToItIsRefusedByName) {
  const struct {
    const char* from;
    const char* to;
    const char* message;
  } refusals[] = {
      {"programs/small.tile", "programs/small.txt", "does not end in .tile"},
      {"programs/small.tile", "../small.tile", "not a path below"},
      {"\"text\": \"programs/small.tile\", ", "", "\"text\" is missing"},
      {"\"name\": \"small\"", "\"name\": \"small\", \"shape\": [1]", "shape"},
      {"\"name\": \"small\"", "\"name\": \"small\", \"tile\": [1]", "tile"},
      {"\"name\": \"small\"", "\"name\": \"small\", \"dispatch\": 1",
       "dispatch"},
      {"\"qk\": \"mma\"", "\"qk\": \"reduce\"", "option qk is \"reduce\""},
      {"\"qk\": \"mma\"", "\"pv\": \"reduce\"", "option pv is \"reduce\""},
      {"\"program\": \"tile\"", "\"program\": \"custom\"", "library"},
  };
  for (const auto& refusal : refusals) {
    const auto m =
        ParseManifest(Edited(kGood, refusal.from, refusal.to), "m.json");
    ASSERT_FALSE(m.ok()) << refusal.to;
    EXPECT_EQ(m.error().kind, ErrorKind::kInvalidArgument) << refusal.to;
    EXPECT_NE(m.error().message.find(refusal.message), std::string::npos)
        << m.error().message;
  }
}

TEST(TileManifest, OnlyTileProgramsHaveAText) {
  const auto m = ParseManifest(
      R"({ "schema": "exhibit.manifest/1",
  "name": "a", "question": "q", "program": "attention",
  "variants": { "r1": {}, "r4": { "mma_output_block": 4 } },
  "baseline": "r1", "candidate": "r4",
  "cases": [ { "name": "x", "shape": [1,2,1,1,9,8,8], "tile": [1,4], "text": "x.tile" } ],
  "tolerance": { "absolute": 1e-6, "relative": 1e-5 },
  "replay": { "cycles": 3, "samples": 7 },
  "decision": { "rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0.01 } })",
      "m.json");
  ASSERT_FALSE(m.ok());
  EXPECT_NE(m.error().message.find("\"text\" belongs to program \"tile\""),
            std::string::npos)
      << m.error().message;
}

TEST(TileManifest, ItsCaseRecordComesBackAsItWas) {
  CaseRecord record;
  record.freeze_sha256 = std::string(64, 'f');
  record.case_name = "small";
  record.program = "tile";
  record.dispatch = 7;
  record.arrays = {
      {"y", "output", "f32", {3, 4}, std::string(64, 'a'), "oracle"}};
  record.tool = {"exhibit-capture", "0.1.0", std::string(64, 'b'),
                 std::string(64, 'c')};
  record.end_ns = 1;
  const std::string bytes = EncodeCase(record);
  const auto decoded = DecodeCase(bytes, "case.json");
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_EQ(decoded->program, "tile");
  EXPECT_EQ(EncodeCase(*decoded), bytes);
  EXPECT_FALSE(
      DecodeCase(Edited(bytes, "\"tile\"", "\"mesh\""), "case.json").ok());
}

}  // namespace
}  // namespace exhibit
