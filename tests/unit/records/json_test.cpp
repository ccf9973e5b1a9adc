#include "manifests/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace exhibit {
namespace {

std::string Reencoded(const std::string& text) {
  const auto json = ParseJson(text, "t.json");
  EXPECT_TRUE(json.ok()) << json.error().message;
  return json.ok() ? EncodeJson(*json) : "";
}

TEST(Json, CanonicalFormSortsKeysAndDropsSpace) {
  EXPECT_EQ(Reencoded("{ \"b\" : [1, 2.50, true],\n \"a\": null }"),
            "{\"a\":null,\"b\":[1,2.5,true]}\n");
}

TEST(Json, CanonicalFormIsAFixedPoint) {
  for (const char* text : {"{}", "[]", "0", "-1", "1.0", "1e+300", "5e-324",
                           "\"\\u0000\\n\\\"\\\\\"", "\"\xC3\xA9\"",
                           "{\"a\":{\"b\":[[]]}}", "9007199254740992"}) {
    const std::string once = Reencoded(text);
    EXPECT_EQ(Reencoded(once), once) << text;
  }
}

// The examples of RECORDS.md: shortest digits, in the shorter of two spellings.
TEST(Json, NumbersAreSpelledInOneWay) {
  for (const auto& [number, text] :
       {std::pair(0.001, "0.001"), std::pair(0.0001, "1e-04"),
        std::pair(100000.0, "1e+05"), std::pair(123456.0, "123456.0"),
        std::pair(1.5e-7, "1.5e-07"), std::pair(1e22, "1e+22"),
        std::pair(1.2345678901234568e20, "123456789012345683968.0"),
        std::pair(-0.0, "-0.0"), std::pair(0.1, "0.1")}) {
    EXPECT_EQ(EncodeJson(Json(number)), std::string(text) + "\n");
  }
  EXPECT_EQ(EncodeJson(Json("a/b\x1f\x7f\b\f\n\r\t\"\\")),
            "\"a/b\\u001f\x7f\\b\\f\\n\\r\\t\\\"\\\\\"\n");
}

TEST(Json, ADoubleThatIsIntegralStaysADouble) {
  const std::string text = EncodeJson(Json(2.0));
  EXPECT_EQ(text, "2.0\n");
  const auto json = ParseJson(text, "t.json");
  ASSERT_TRUE(json.ok());
  EXPECT_NE(json->AsDouble(), nullptr);
}

struct Rejection {
  std::string text;
  ErrorKind kind;
  std::string message;
};

TEST(Json, RefusesWhatTwoReadersCouldSeeDifferently) {
  const std::vector<Rejection> table = {
      {"", ErrorKind::kCorrupt, "t.json"},
      {"\xEF\xBB\xBF{}", ErrorKind::kCorrupt, "byte-order mark"},
      {"{\"a\":1,\"a\":2}", ErrorKind::kCorrupt, "repeated key \"a\""},
      {"9007199254740993", ErrorKind::kCorrupt, "beyond 2^53"},
      {"-9007199254740993", ErrorKind::kCorrupt, "beyond 2^53"},
      {"18446744073709551616", ErrorKind::kCorrupt, "beyond 2^53"},
      {"1e999", ErrorKind::kCorrupt, "column 5: number overflow"},
      {"NaN", ErrorKind::kCorrupt, "line 1"},
      {"Infinity", ErrorKind::kCorrupt, "line 1"},
      {"[1,]", ErrorKind::kCorrupt, "line 1"},
      {"{}{}", ErrorKind::kCorrupt, "line 1"},
      {"{\"a\":1}\n\n x", ErrorKind::kCorrupt, "line 3"},
      {"// no\n{}", ErrorKind::kCorrupt, "line 1"},
      {"\"\xFF\"", ErrorKind::kCorrupt, "t.json"},
      {"\"\xED\xA0\x80\"", ErrorKind::kCorrupt, "t.json"},
      {"01", ErrorKind::kCorrupt, "line 1"},
      {"\"a\tb\"", ErrorKind::kCorrupt, "line 1"},
      {std::string("{}\0", 3), ErrorKind::kCorrupt, "NUL"},
  };
  for (const auto& row : table) {
    const auto json = ParseJson(row.text, "t.json");
    ASSERT_FALSE(json.ok()) << row.text;
    EXPECT_EQ(json.error().kind, row.kind) << row.text;
    EXPECT_NE(json.error().message.find(row.message), std::string::npos)
        << row.text << ": " << json.error().message;
  }
}

TEST(Json, AMessageAboutBadUtf8CanItselfBeWritten) {
  for (const char* text : {"\xFF", "\"\xC3\"", "[\"a\xED\xA0\x80\"]"}) {
    const auto json = ParseJson(text, "t.json");
    ASSERT_FALSE(json.ok()) << text;
    EXPECT_NO_THROW(EncodeJson(Json(json.error().message))) << text;
  }
}

TEST(Json, DepthIsLimitedAtItsEdge) {
  auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_TRUE(ParseJson(nested(32), "t").ok());
  const auto deeper = ParseJson(nested(33), "t");
  ASSERT_FALSE(deeper.ok());
  EXPECT_EQ(deeper.error().kind, ErrorKind::kLimitExceeded);
  EXPECT_FALSE(ParseJson(nested(1'000'000), "t").ok());
}

TEST(Json, CountAndSizeAreLimitedAtTheirEdges) {
  EXPECT_TRUE(ParseJson("[1,2]", "t", {.value_count_max = 3}).ok());
  EXPECT_FALSE(ParseJson("[1,2,3]", "t", {.value_count_max = 3}).ok());
  EXPECT_TRUE(ParseJson("[1]", "t", {.text_bytes_max = 3}).ok());
  EXPECT_FALSE(ParseJson("[1] ", "t", {.text_bytes_max = 3}).ok());
}

TEST(Json, TruncationAtEveryLengthIsRejected) {
  const std::string text =
      "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\"],\"b\":{\"c\":null,\"d\":[true,false]}"
      "}";
  ASSERT_TRUE(ParseJson(text, "t").ok());
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(ParseJson(text.substr(0, length), "t").ok()) << length;
  }
}

TEST(Json, WhatCannotBeWrittenIsABug) {
  EXPECT_THROW(EncodeJson(Json(std::nan(""))), std::logic_error);
  EXPECT_THROW(EncodeJson(Json((int64_t{1} << 53) + 1)), std::logic_error);
  EXPECT_ANY_THROW(EncodeJson(Json("\xFF")));
}

TEST(Json, QuotesAreShortAndPrintable) {
  EXPECT_EQ(QuoteText("a\nb"), "\"a\\nb\"");
  EXPECT_LE(QuoteText(std::string(1000, 'x')).size(), 84u);
  EXPECT_NO_THROW(QuoteText("\xFF\xFE"));
}

}  // namespace
}  // namespace exhibit
