#include "manifests/manifest.h"

#include <gtest/gtest.h>

namespace exhibit {
namespace {

const char kGood[] = R"({ "schema": "exhibit.manifest/1",
  "name": "attention-mma", "question": "Does R4 beat R1?",
  "program": "attention", "target": { "cpu": "native" },
  "controls": { "packet_width": 8, "qk": "mma" },
  "variants": { "r1": { "mma_output_block": 1 }, "r4": { "mma_output_block": 4 } },
  "baseline": "r1", "candidate": "r4",
  "cases": [ { "name": "decode", "shape": [1,8,2,1,257,40,48], "tile": [1,16],
               "options": { "max_unrolled_mma_terms": 8, "full_packet": true } } ],
  "inputs": { "generator": "sine" },
  "tolerance": { "absolute": 1e-6, "relative": 1e-5 },
  "expect": { "outputs": "bitwise-equal", "capacity": "equal" },
  "replay": { "cycles": 3, "samples": 7, "warmup_ms": 30, "target_ms": 15, "isolation": "process", "seed": 1 },
  "decision": { "rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0.01 },
  "limits": [ "R4 groups QK and PV together." ], "continues": [] })";

const char kCustom[] = R"({ "schema": "exhibit.manifest/1",
  "name": "saxpy", "question": "q", "program": "custom",
  "variants": { "a": { "library": "a.so", "symbol": "saxpy" }, "b": { "library": "b.o", "symbol": "saxpy" } },
  "baseline": "a", "candidate": "b",
  "cases": [ { "name": "n1000", "dispatch": 4,
     "buffers": [ { "name": "x", "role": "input", "dtype": "f32", "shape": [1000] },
                  { "name": "y", "role": "output", "dtype": "f32", "shape": [1000] } ],
     "files": { "y": "y.npy" } } ],
  "tolerance": { "absolute": 0, "relative": 0 },
  "replay": { "cycles": 3, "samples": 5 },
  "decision": { "rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0 } })";

std::string Edited(std::string text, const std::string& from,
                   const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

TEST(Manifest, TheExampleReads) {
  const auto m = ParseManifest(kGood, "m.json");
  ASSERT_TRUE(m.ok()) << m.error().message;
  EXPECT_EQ(m->name, "attention-mma");
  EXPECT_EQ(m->cases.size(), 1u);
  EXPECT_EQ(m->absolute_tolerance, 1e-6);
  EXPECT_EQ(WhatIsMeasured(*m), "mma_output_block 1 -> 4, as a whole");
  EXPECT_EQ(AttentionInstances(m->cases[0]), 8);
  const auto options = OptionsFor(*m, m->cases[0], *m->FindVariant("r4"));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->mma_output_block, 4);
  EXPECT_EQ(options->max_unrolled_mma_terms, 8);
  EXPECT_TRUE(options->full_packet);
}

constexpr char kCaseEnd[] = "\"full_packet\": true } } ]";

// kGood with `more` cases behind the first.
std::string WithCases(const std::string& more) {
  return Edited(kGood, kCaseEnd, "\"full_packet\": true } }, " + more + " ]");
}

TEST(Manifest, ANullCaseBuildsTheBaselineTwice) {
  const auto m =
      ParseManifest(WithCases(R"({ "name": "null-16", "null_of": "decode",
                     "placement_bytes": 16 },
                   { "name": "null-0", "null_of": "decode" })"),
                    "m.json");
  ASSERT_TRUE(m.ok()) << m.error().message;
  ASSERT_EQ(m->cases.size(), 3u);
  const ManifestCase& decode = m->cases[0];
  EXPECT_EQ(decode.FindVariant("r4")->placement_bytes, 0);
  EXPECT_EQ(OptionsFor(*m, decode, *decode.FindVariant("r4"))->mma_output_block,
            4);
  for (const ManifestCase* c : {&m->cases[1], &m->cases[2]}) {
    EXPECT_EQ(c->null_of, "decode");
    EXPECT_EQ(c->shape, decode.shape);
    EXPECT_EQ(c->tile, decode.tile);
    for (const char* arm : {"r1", "r4"}) {
      const auto options = OptionsFor(*m, *c, *c->FindVariant(arm));
      ASSERT_TRUE(options.ok());
      EXPECT_EQ(options->mma_output_block, 1) << arm;
      EXPECT_EQ(options->max_unrolled_mma_terms, 8) << arm;
    }
    EXPECT_EQ(c->FindVariant("r1")->placement_bytes, 0);
  }
  EXPECT_EQ(m->cases[1].FindVariant("r4")->placement_bytes, 16);
  EXPECT_EQ(m->cases[2].FindVariant("r4")->placement_bytes, 0);
  EXPECT_EQ(WhatIsMeasured(*m, m->cases[0]),
            "mma_output_block 1 -> 4, as a whole");
  EXPECT_EQ(WhatIsMeasured(*m, m->cases[1]),
            "nothing: the baseline against itself, its code 16 bytes further "
            "on");
  EXPECT_EQ(WhatIsMeasured(*m, m->cases[2]),
            "nothing: the baseline against itself");
}

TEST(Manifest, ANullCaseThatCannotBeIsRefused) {
  const struct {
    const char* more;
    const char* message;
  } table[] = {
      {R"({ "name": "n", "null_of": "prefill" })", "\"prefill\" is no case"},
      {R"({ "name": "n", "null_of": "n" })", "\"n\" is a null case itself"},
      {R"({ "name": "n", "null_of": "decode", "tile": [1,16] })",
       "cases[1]: field \"tile\": may not stand in a null case"},
      {R"({ "name": "n", "null_of": "decode", "placement_bytes": 8 })",
       "8 is no multiple of 16"},
      {R"({ "name": "n", "null_of": "decode", "placement_bytes": 4096 })",
       "4096 is out of range"},
      {R"({ "name": "n", "null_of": 1 })", "null_of"},
      {R"({ "name": "decode", "null_of": "decode" })", "declared twice"},
  };
  for (const auto& [more, message] : table) {
    const auto m = ParseManifest(WithCases(more), "m.json");
    ASSERT_FALSE(m.ok()) << more;
    EXPECT_EQ(m.error().kind, ErrorKind::kInvalidArgument) << more;
    EXPECT_NE(m.error().message.find(message), std::string::npos)
        << m.error().message;
  }
}

// Each null case would be filled with all that its case lists.
TEST(Manifest, CountsAreLimitedToTheLast) {
  const auto message_of = [](const std::string& text) {
    const auto m = ParseManifest(text, "m.json");
    return m.ok() ? std::string() : m.error().message;
  };
  const auto null_cases = [](int count) {
    std::string more;
    for (int i = 0; i < count; ++i) {
      more += std::string(i == 0 ? "" : ", ") + R"({ "name": "n)" +
              std::to_string(i) + R"(", "null_of": "decode" })";
    }
    return WithCases(more);
  };
  EXPECT_EQ(message_of(null_cases(63)), "");
  EXPECT_EQ(message_of(null_cases(64)), "m.json: field \"cases\": 65 cases");
  const auto with_files = [](int count) {
    std::string files;
    for (int i = 0; i < count; ++i) {
      files += std::string(i == 0 ? "" : ", ") + "\"b" + std::to_string(i) +
               "\": \"a.npy\"";
    }
    return Edited(kGood, kCaseEnd,
                  "\"full_packet\": true }, \"files\": {" + files + "} } ]");
  };
  EXPECT_EQ(message_of(with_files(17)),
            "m.json: case \"decode\": field \"files\": 17 entries");
  EXPECT_EQ(message_of(with_files(16)).find("entries"), std::string::npos);
  const std::string three =
      Edited(kGood, "\"variants\": {", "\"variants\": { \"r2\": {},");
  EXPECT_NE(message_of(three).find("3 variants"), std::string::npos);
}

TEST(Manifest, ALinkedLibraryCannotBePlaced) {
  const std::string end = "\"files\": { \"y\": \"y.npy\" } } ]";
  const auto with = [&](const std::string& null) {
    return ParseManifest(
        Edited(kCustom, end,
               end.substr(0, end.size() - 1) + ", " + null + " ]"),
        "m.json");
  };
  const auto placed =
      with(R"({ "name": "n", "null_of": "n1000", "placement_bytes": 16 })");
  ASSERT_FALSE(placed.ok());
  EXPECT_NE(placed.error().message.find("a.so cannot be placed"),
            std::string::npos)
      << placed.error().message;
  const auto plain = with(R"({ "name": "n", "null_of": "n1000" })");
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_EQ(plain->cases[1].FindVariant("b")->library, "a.so");
}

TEST(Manifest, ACustomProgramReadsWithDefaults) {
  const auto m = ParseManifest(kCustom, "m.json");
  ASSERT_TRUE(m.ok()) << m.error().message;
  EXPECT_EQ(m->warmup_ms, 30);
  EXPECT_EQ(m->expect_outputs, "within-tolerance");
  EXPECT_EQ(m->FindVariant("b")->library, "b.o");
  EXPECT_EQ(WhatIsMeasured(*m), "a.so:saxpy -> b.o:saxpy, as a whole");
}

struct Row {
  const char* base;
  std::string from, to;
  ErrorKind kind;
  std::string message;
};

TEST(Manifest, WhatIsWrongIsNamedWithItsFieldAndValue) {
  constexpr auto kInvalid = ErrorKind::kInvalidArgument;
  constexpr auto kUnsupported = ErrorKind::kUnsupported;
  const std::vector<Row> table = {
      {kGood, "exhibit.manifest/1", "exhibit.manifest/9", kUnsupported,
       "exhibit.manifest/9"},
      {kGood, "\"schema\": \"exhibit.manifest/1\",", "", kInvalid, "schema"},
      {kGood, "\"attention-mma\"", "\"Attention\"", kInvalid, "Attention"},
      {kGood, "\"attention\",", "\"conv\",", kUnsupported, "conv"},
      {kGood, "\"native\"", "\"z80\"", kUnsupported, "z80"},
      {kGood, "\"packet_width\": 8", "\"packet_width\": 7", kInvalid,
       "packet_width: 7"},
      {kGood, "\"packet_width\": 8", "\"lane_swizzle\": 8", kUnsupported,
       "lane_swizzle"},
      {kGood, "\"mma_output_block\": 4", "\"source\": \"a.c\"", kUnsupported,
       "source"},
      {kGood, "\"mma_output_block\": 4",
       "\"mma_output_block\": 4, \"packet_width\": 8", kInvalid,
       "packet_width stands in variant \"r4\" and in controls"},
      {kGood, "\"full_packet\": true", "\"full_packet\": true, \"qk\": \"mma\"",
       kInvalid, "qk stands in controls and in case \"decode\""},
      {kGood, "\"full_packet\": true", "\"mma_output_block\": 2", kInvalid,
       "stands in variant"},
      {kGood, "\"candidate\": \"r4\"", "\"candidate\": \"r1\"", kInvalid,
       "both \"r1\""},
      {kGood, "\"candidate\": \"r4\"", "\"candidate\": \"r8\"", kInvalid,
       "no variant \"r8\""},
      {kGood, "\"r1\": {", "\"r2\": {}, \"r1\": {", kUnsupported, "3 variants"},
      {kGood, "[1,8,2,1,257,40,48]", "[1,8,2,1,257,40]", kInvalid, "6 extents"},
      {kGood, "[1,8,2,1,257,40,48]", "[1,8,3,1,257,40,48]", kInvalid,
       "Hq 8 is not a multiple of Hkv 3"},
      {kGood, "[1,8,2,1,257,40,48]", "[1,8,2,300,257,40,48]", kInvalid,
       "K 257 is less than Q 300"},
      {kGood, "[1,8,2,1,257,40,48]", "[1048576,8,2,1,1048576,40,48]", kInvalid,
       "2^28"},
      {kGood, "\"tile\": [1,16]", "\"tile\": [0,16]", kInvalid, "extent 0"},
      {kGood, "\"sine\"", "\"random\"", kUnsupported, "random"},
      {kGood, "\"absolute\": 1e-6", "\"absolute\": -1", kInvalid, "absolute"},
      {kGood, "\"bitwise-equal\"", "\"close\"", kUnsupported, "close"},
      {kGood, "\"cycles\": 3", "\"cycles\": 2", kInvalid,
       "can never reach alpha"},
      {kGood, "\"cycles\": 3", "\"cycles\": 1001", kInvalid,
       "1001 is out of range"},
      {kGood, "\"cycles\": 3", "\"cycles\": \"3\"", kInvalid, "cycles"},
      {kGood, "\"isolation\": \"process\"", "\"isolation\": \"in-process\"",
       kUnsupported, "in-process"},
      {kGood, "pairs/1", "pairs/9", kUnsupported, "pairs/9"},
      {kGood, "\"alpha\": 0.05", "\"alpha\": 0", kInvalid,
       "field \"alpha\": 0 is not a number above 0 and up to 0.999999"},
      {kGood, "\"alpha\": 0.05", "\"alpha\": 1", kInvalid,
       "field \"alpha\": 1 is not a number above 0 and up to 0.999999"},
      {kGood, "\"minimum_effect\": 0.01", "\"minimum_effect\": \"1%\"",
       kInvalid, "\"1%\" is not a number from 0 to 1.0"},
      {kGood, "\"continues\": []", "\"continues\": [\"abc\"]", kInvalid, "abc"},
      {kGood, "\"continues\": []", "\"cuntinues\": []", kInvalid, "cuntinues"},
      {kGood, "\"limits\": [", "\"limits\": [ 3, ", kInvalid, "limits"},
      {kGood, "\"name\": \"decode\"", "\"name\": \"../decode\"", kInvalid,
       "../decode"},
      {kGood, "\"question\": \"Does R4 beat R1?\",", "", kInvalid, "question"},
      {kCustom, "a.so", "../a.so", kInvalid, "../a.so"},
      {kCustom, "a.so", "/tmp/a.so", kInvalid, "/tmp/a.so"},
      {kCustom, "a.so", "a.dll", kInvalid, "a.dll"},
      {kCustom, "\"symbol\": \"saxpy\"", "\"symbol\": \"a b\"", kInvalid,
       "a b"},
      {kCustom, "\"files\": { \"y\": \"y.npy\" }", "\"files\": {}", kInvalid,
       "no expected values"},
      {kCustom, "\"files\": { \"y\"", "\"files\": { \"z\": \"z.npy\", \"y\"",
       kInvalid, "no buffer \"z\""},
      {kCustom, "\"dispatch\": 4,", "", kInvalid, "dispatch"},
      {kCustom, "\"shape\": [1000]", "\"shape\": [0]", kInvalid, "extent 0"},
      {kCustom, "\"shape\": [1000]", "\"shape\": [1000000,1000000]", kInvalid,
       "1000000"},
      {kCustom, "\"role\": \"output\"", "\"role\": \"inout\"", kInvalid,
       "inout"},
      {kCustom, "\"dtype\": \"f32\"", "\"dtype\": \"f16\"", kUnsupported,
       "f16"},
      {kCustom, "{ \"library\": \"a.so\", \"symbol\": \"saxpy\" }",
       "{ \"mma_output_block\": 1 }", kInvalid, "only \"library\" variants"},
  };
  for (const auto& row : table) {
    const auto m = ParseManifest(Edited(row.base, row.from, row.to), "m.json");
    ASSERT_FALSE(m.ok()) << row.to;
    EXPECT_EQ(m.error().kind, row.kind) << row.to << ": " << m.error().message;
    EXPECT_NE(m.error().message.find(row.message), std::string::npos)
        << row.to << ": " << m.error().message;
    EXPECT_EQ(m.error().message.rfind("m.json", 0), 0u) << m.error().message;
    EXPECT_NE(m.error().hint, "") << m.error().message;
  }
}

TEST(Manifest, AMisspeltFieldIsNamedBesideTheOneThatIsMeant) {
  const struct {
    std::string from, to, message, hint;
  } kTable[] = {
      {"\"question\"", "\"quetsion\"",
       "m.json: field \"question\" is missing; there is \"quetsion\"",
       "Write \"question\" if that is what \"quetsion\" is meant to be."},
      {"\"samples\"", "\"sample\"",
       "m.json: replay: field \"samples\" is missing; there is \"sample\"",
       "Write \"samples\""},
      {"\"question\"", "\"asked\"", "field \"question\" is missing", ""},
      {"\"continues\"", "\"contniues\"", "m.json: unknown field \"contniues\"",
       "Did you mean \"continues\"? A private"},
      {"\"packet_width\"", "\"packet_widht\"",
       "unknown option \"packet_widht\"", "Did you mean \"packet_width\"?"},
      {"\"continues\"", "\"remarks\"", "unknown field \"remarks\"",
       "A private field starts"},
  };
  for (const auto& [from, to, message, hint] : kTable) {
    const auto m = ParseManifest(Edited(kGood, from, to), "m.json");
    ASSERT_FALSE(m.ok()) << to;
    EXPECT_NE(m.error().message.find(message), std::string::npos)
        << m.error().message;
    EXPECT_NE(m.error().hint.find(hint), std::string::npos) << m.error().hint;
  }
}

TEST(Manifest, AFieldThatMayNotBeMeantIsNotProposed) {
  const auto m =
      ParseManifest(Edited(kGood, "\"question\"", "\"x-question\""), "m.json");
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.error().message, "m.json: field \"question\" is missing");
}

TEST(Manifest, ABlockThatPacketsDoNotFillIsSaidWhereItStands) {
  const std::string width = "\"packet_width\": 8";
  const std::string full = "\"full_packet\": true";
  const std::string output_block = "\"mma_output_block\": 4";
  const struct {
    std::string from, to, message;
  } kTable[] = {
      {width, width + ", \"workers_per_block\": 12",
       "m.json: controls: option workers_per_block: 12 is not a multiple of "
       "packet_width 8 (controls)"},
      {full, full + ", \"workers_per_block\": 12",
       "m.json: case \"decode\": option workers_per_block: 12 "},
      {output_block, output_block + ", \"workers_per_block\": 12",
       "m.json: variants.r4: option workers_per_block: 12 "},
      {width, "\"workers_per_block\": 12", "packet_width 8 (the default)"},
  };
  for (const auto& [from, to, message] : kTable) {
    const auto m = ParseManifest(Edited(kGood, from, to), "m.json");
    ASSERT_FALSE(m.ok()) << to;
    EXPECT_NE(m.error().message.find(message), std::string::npos)
        << m.error().message;
    EXPECT_EQ(m.error().hint, "Legal: 1..1024, a multiple of packet_width.");
  }
}

TEST(Manifest, WhatIsWrongOfACaseIsNotSaidOfItsNullCase) {
  const auto m = ParseManifest(
      Edited(Edited(kGood, "[1,16]", "[1,0]"), "{ \"name\": \"decode\"",
             R"({ "name": "n", "null_of": "decode" }, { "name": "decode")"),
      "m.json");
  ASSERT_FALSE(m.ok());
  EXPECT_NE(m.error().message.find("case \"decode\": field \"tile\""),
            std::string::npos)
      << m.error().message;
}

TEST(Manifest, AnOptionThatNoLibraryReadsIsRefused) {
  const std::string place = "\"baseline\": \"a\"";
  const auto read = ParseManifest(
      Edited(kCustom, place,
             "\"controls\": {\"workers_per_block\": 64}, " + place),
      "m.json");
  EXPECT_TRUE(read.ok()) << read.error().message;
  const auto unread = ParseManifest(
      Edited(kCustom, place, "\"controls\": {\"packet_width\": 8}, " + place),
      "m.json");
  ASSERT_FALSE(unread.ok());
  EXPECT_NE(unread.error().message.find("packet_width"), std::string::npos);
}

TEST(Manifest, AnUnreachableAlphaSaysHowManyCyclesWouldDo) {
  const auto m = ParseManifest(
      Edited(kGood, "\"alpha\": 0.05", "\"alpha\": 0.001"), "m.json");
  ASSERT_FALSE(m.ok());
  EXPECT_NE(m.error().hint.find("6 cycles"), std::string::npos)
      << m.error().hint;
  const std::string six =
      Edited(Edited(kGood, "\"alpha\": 0.05", "\"alpha\": 0.001"),
             "\"cycles\": 3", "\"cycles\": 6");
  EXPECT_TRUE(ParseManifest(six, "m.json").ok());
}

TEST(Manifest, TruncationAtEveryLengthIsRejected) {
  const std::string text = kGood;
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(ParseManifest(text.substr(0, length), "m.json").ok())
        << length;
  }
}

TEST(Manifest, APrivateFieldIsAllowed) {
  EXPECT_TRUE(ParseManifest(Edited(kGood, "\"limits\"",
                                   "\"x-author\": \"me\", \"limits\""),
                            "m.json")
                  .ok());
}

}  // namespace
}  // namespace exhibit
