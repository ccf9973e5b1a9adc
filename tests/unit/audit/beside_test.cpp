#include "audit/beside.h"

#include <gtest/gtest.h>

#include "audit/json_view.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The honest run, its candidate's samples multiplied.
Json AuditWith(int64_t times) {
  SyntheticRun run = HonestRun();
  for (VisitRecord& visit : run.visits) {
    if (visit.arm != "candidate") continue;
    for (int64_t& sample : visit.samples_ns) sample *= times;
  }
  return Audit(SubjectOf(run.Seal())).json;
}

TEST(Beside, EachRunKeepsItsOwnRatioAndOutcome) {
  const Result<std::string> text = RenderBeside(AuditWith(1), AuditWith(2));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(Has(*text, "faster")) << *text;
  EXPECT_TRUE(Has(*text, "slower")) << *text;
  EXPECT_TRUE(Has(*text, "0.9000")) << *text;
  EXPECT_TRUE(Has(*text, "1.8000")) << *text;
  EXPECT_TRUE(Has(*text, "opposite")) << *text;
  EXPECT_TRUE(Has(*text, "host: ")) << *text;
  EXPECT_TRUE(Has(*text, "limit: Nothing runs here.")) << *text;
  EXPECT_TRUE(Has(*text, "rule pairs/1: alpha 0.05")) << *text;
  EXPECT_FALSE(Has(*text, "exploratory")) << *text;
}

TEST(Beside, NothingOfOneIsDividedByTheOther) {
  const Result<std::string> text = RenderBeside(AuditWith(1), AuditWith(2));
  ASSERT_TRUE(text.ok());
  // Ratios of the ratios; and no column of times.
  EXPECT_FALSE(Has(*text, "2.0000")) << *text;
  EXPECT_FALSE(Has(*text, "0.5000")) << *text;
  EXPECT_FALSE(Has(*text, " us")) << *text;
}

std::string CellsOf(const std::string& text, const std::string& name) {
  const size_t begin = text.find("\n" + name) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Beside, SameOutcomesAgree) {
  const Result<std::string> text = RenderBeside(AuditWith(2), AuditWith(3));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(CellsOf(*text, "tiny").ends_with("  yes")) << *text;
}

TEST(Beside, CasesWithoutARatioAgreeOnNothing) {
  const auto disturbed = [](int64_t migrations) {
    SyntheticRun run = HonestRun();
    for (VisitRecord& visit : run.visits) visit.counts.migrations = migrations;
    return Audit(SubjectOf(run.Seal())).json;
  };
  for (const Json& other : {disturbed(2), AuditWith(1)}) {
    const Result<std::string> text = RenderBeside(disturbed(1), other);
    ASSERT_TRUE(text.ok());
    EXPECT_TRUE(CellsOf(*text, "tiny").ends_with("  -")) << *text;
  }
}

TEST(Beside, WhoSignedAndWhatIsHeldAgainstEachStandsUnderIt) {
  Json first = AuditWith(1);
  (*first.AsObject())["signature"] = Json::Object{{"status", "none"}};
  (*first.AsObject())["findings"] =
      Json::Array{Json::Object{{"code", "output-wrong"}}};
  const Result<std::string> text = RenderBeside(first, AuditWith(2));
  ASSERT_TRUE(text.ok());
  const size_t second = text->find("\nB ");
  EXPECT_LT(text->find("signature: unsigned"), second) << *text;
  EXPECT_LT(text->find("held against it: output-wrong"), second) << *text;
  EXPECT_FALSE(Has(text->substr(second), "held against")) << *text;
}

TEST(Beside, OneRunTwiceIsRefused) {
  const Json audit = AuditWith(1);
  const Result<std::string> text = RenderBeside(audit, audit);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_TRUE(Has(text.error().message, TextAt(audit, "content_id")));
}

// A field of one's own gives it another content id.
TEST(Beside, OneMeasurementUnderTwoContentIdsIsRefused) {
  SyntheticRun run = HonestRun();
  RunFiles files = run.Seal();
  run.visits.back().before.load_1m = 7.5;
  const Json other = Audit(SubjectOf(run.Seal())).json;
  const Json audit = Audit(SubjectOf(files)).json;
  ASSERT_NE(TextAt(audit, "content_id"), TextAt(other, "content_id"));
  const Result<std::string> text = RenderBeside(audit, other);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_TRUE(Has(text.error().message, "one measurement twice"));
}

TEST(Beside, NullCasesAreMarked) {
  Json a = AuditWith(1);
  Json& c = a.AsObject()->at("cases").AsArray()->front();
  (*c.AsObject())["null_of"] = "huge";
  const Result<std::string> text = RenderBeside(a, AuditWith(2));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(Has(*text, "tiny (null of huge)")) << *text;
}

TEST(Beside, AnotherManifestIsRefused) {
  SyntheticRun run = HonestRun();
  run.manifest += "\n";
  const Json other = Audit(SubjectOf(run.Seal())).json;
  const Result<std::string> text = RenderBeside(AuditWith(1), other);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_TRUE(Has(text.error().message, TextAt(other, "manifest_sha256")));
}

TEST(Beside, WhatCannotBeReadIsNamedWithItsFinding) {
  const Json empty = Audit(SubjectOf({})).json;
  const Result<std::string> text = RenderBeside(AuditWith(1), empty);
  ASSERT_FALSE(text.ok());
  EXPECT_TRUE(Has(text.error().message, "B has no manifest that can be read"))
      << text.error().message;
}

TEST(Beside, WithoutAManifestNothingIsPrinted) {
  const Json empty = Audit(SubjectOf({})).json;
  EXPECT_FALSE(RenderBeside(empty, empty).ok());
  EXPECT_FALSE(RenderBeside(Json(), Json()).ok());
}

}  // namespace
}  // namespace exhibit::testing
