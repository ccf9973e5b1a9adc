#include "archive/provenance.h"

#include <gtest/gtest.h>

#include "manifests/json.h"
#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

Provenance Sample() {
  return DescribePacking(Sha256Hex("index"), Sha256Hex("manifest"),
                         TestPackOptions().producer);
}

// The sample with one thing done to its fields.
template <typename Change>
std::string Changed(const Change& change) {
  Result<Json> value = ParseJson(EncodeProvenance(Sample()), "here");
  EXPECT_TRUE(value.ok());
  change(*value->AsObject());
  return EncodeJson(*value);
}

void ExpectRejected(const std::string& bytes, ErrorKind kind,
                    const std::string& part) {
  const Result<Provenance> read = DecodeProvenance(bytes, "p.json");
  ASSERT_FALSE(read.ok()) << bytes;
  EXPECT_EQ(read.error().kind, kind) << read.error().message;
  EXPECT_NE(read.error().message.find(part), std::string::npos)
      << read.error().message;
}

TEST(ProvenanceTest, WhatIsWrittenIsReadBack) {
  const auto read = DecodeProvenance(EncodeProvenance(Sample()), "p.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, Sample());
}

TEST(ProvenanceTest, TruncationAtEveryLengthIsRejected) {
  const std::string whole = EncodeProvenance(Sample());
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(DecodeProvenance(whole.substr(0, length), "p.json").ok())
        << length;
  }
}

TEST(ProvenanceTest, AnotherSchemaIsUnsupported) {
  ExpectRejected(Changed([](Json::Object& fields) {
                   fields["schema"] = "exhibit.provenance/2";
                 }),
                 ErrorKind::kUnsupported, "exhibit.provenance/2");
  ExpectRejected(Changed([](Json::Object& fields) { fields.erase("schema"); }),
                 ErrorKind::kCorrupt, "\"schema\" is missing");
}

TEST(ProvenanceTest, AMissingFieldIsCorrupt) {
  for (const char* name :
       {"build", "content_id", "gzip", "left_out", "libraries",
        "manifest_sha256", "source_commit", "tool", "xz"}) {
    ExpectRejected(Changed([&](Json::Object& fields) { fields.erase(name); }),
                   ErrorKind::kCorrupt, "");
  }
}

TEST(ProvenanceTest, AFieldOfAnotherTypeIsCorrupt) {
  ExpectRejected(
      Changed([](Json::Object& fields) { fields["content_id"] = 1; }),
      ErrorKind::kCorrupt, "content_id is not a string");
  ExpectRejected(Changed([](Json::Object& fields) {
                   (*fields["xz"].AsObject())["preset"] = "6";
                 }),
                 ErrorKind::kCorrupt, "preset is not an integer");
  ExpectRejected(
      Changed([](Json::Object& fields) { fields["libraries"] = "none"; }),
      ErrorKind::kCorrupt, "unknown field");
}

TEST(ProvenanceTest, ADigestIsOne) {
  for (const char* name : {"content_id", "manifest_sha256"}) {
    ExpectRejected(Changed([&](Json::Object& fields) { fields[name] = "abc"; }),
                   ErrorKind::kCorrupt,
                   std::string(name) + " is no SHA-256: \"abc\"");
  }
  for (const char* name : {"sha256", "source_sha256"}) {
    for (const std::string& digest :
         {std::string(), std::string(64, 'g'), std::string(64, 'A')}) {
      ExpectRejected(Changed([&](Json::Object& fields) {
                       (*fields["tool"].AsObject())[name] = digest;
                     }),
                     ErrorKind::kCorrupt, "is no SHA-256");
    }
  }
}

TEST(ProvenanceTest, LibrariesAreSortedAndHaveADigestOrNone) {
  const auto with = [](const std::vector<std::string>& names,
                       const std::string& digest) {
    return Changed([&](Json::Object& fields) {
      Json::Array libraries;
      for (const std::string& name : names) {
        libraries.push_back(
            Json::Object{{"name", name}, {"sha256", digest}, {"version", "1"}});
      }
      fields["libraries"] = libraries;
    });
  };
  EXPECT_TRUE(DecodeProvenance(with({"a", "b"}, ""), "p.json").ok());
  EXPECT_TRUE(DecodeProvenance(with({}, ""), "p.json").ok());
  ExpectRejected(with({"b", "a"}, ""), ErrorKind::kCorrupt, "not sorted");
  ExpectRejected(with({"a", "a"}, ""), ErrorKind::kCorrupt, "stands twice");
  ExpectRejected(with({"a"}, "abc"), ErrorKind::kCorrupt, "is no SHA-256");
}

TEST(ProvenanceTest, ACommitIsOneAndNoCountIsNegative) {
  const auto with_commit = [](const std::string& commit) {
    return Changed(
        [&](Json::Object& fields) { fields["source_commit"] = commit; });
  };
  for (const std::string& commit :
       {std::string(40, 'a'), std::string(64, '0'),
        std::string(40, 'a') + "-dirty", std::string("unknown")}) {
    EXPECT_TRUE(DecodeProvenance(with_commit(commit), "p.json").ok()) << commit;
  }
  for (const std::string& commit :
       {std::string(), std::string("HEAD"), std::string("unknown-dirty"),
        std::string("-dirty"), std::string(41, 'a'), std::string(40, 'A'),
        std::string("/home/someone")}) {
    ExpectRejected(with_commit(commit), ErrorKind::kCorrupt, "is no commit");
  }
  for (const auto& [part, name] :
       {std::pair("xz", "block_bytes"), std::pair("xz", "preset"),
        std::pair("gzip", "level")}) {
    ExpectRejected(Changed([&](Json::Object& fields) {
                     (*fields[part].AsObject())[name] = -1;
                   }),
                   ErrorKind::kCorrupt, "is negative: -1");
  }
}

TEST(ProvenanceTest, AnUnknownFieldIsCorruptUnlessItBeginsWithX) {
  ExpectRejected(
      Changed([](Json::Object& fields) { fields["colour"] = "red"; }),
      ErrorKind::kCorrupt, "unknown field");
  ExpectRejected(Changed([](Json::Object& fields) {
                   (*fields["tool"].AsObject())["colour"] = "red";
                 }),
                 ErrorKind::kCorrupt, "unknown field");
  const auto read = DecodeProvenance(
      Changed([](Json::Object& fields) { fields["x-colour"] = "red"; }),
      "p.json");
  EXPECT_TRUE(read.ok());
}

TEST(ProvenanceTest, OtherSpellingsAreCorrupt) {
  ExpectRejected(" " + EncodeProvenance(Sample()), ErrorKind::kCorrupt,
                 "not canonical");
  ExpectRejected("[]\n", ErrorKind::kCorrupt, "not an object");
}

TEST(ProvenanceTest, ItSaysHowThisBuildPacks) {
  const Provenance provenance = Sample();
  EXPECT_EQ(provenance.xz_block_bytes, 4 << 20);
  EXPECT_EQ(provenance.xz_preset, 1);
  EXPECT_EQ(provenance.xz_check, "crc64");
  EXPECT_EQ(provenance.gzip_level, 9);
  EXPECT_FALSE(provenance.compiler.empty());
  EXPECT_EQ(provenance.left_out.size(), 1u);
}

}  // namespace
}  // namespace exhibit
