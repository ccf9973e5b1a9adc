// Table and report are made from the JSON value and from nothing else.

#include <gtest/gtest.h>

#include "audit/json_view.h"
#include "audit/quality.h"
#include "audit/report.h"
#include "audit/table.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

Json HonestAudit() { return Audit(SubjectOf(HonestRun().Seal())).json; }

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Table, ShowsTimesRatioAndOutcome) {
  const std::string table = RenderTable(HonestAudit());
  EXPECT_TRUE(Has(table, "min-max of pairs")) << table;
  EXPECT_TRUE(Has(table, "faster")) << table;
  EXPECT_TRUE(Has(table, "0.9000")) << table;
  EXPECT_TRUE(Has(table, "limit: Nothing runs here.")) << table;
  EXPECT_TRUE(Has(table, "native-entry-host-wall: not cycles, not GPU time"))
      << table;
  EXPECT_TRUE(Has(table, "rule pairs/1: alpha 0.05, minimum effect 0.01;"))
      << table;
  EXPECT_TRUE(Has(table, "verdict: verified")) << table;
  EXPECT_TRUE(Has(table, "not verified: samples, clock, host")) << table;
}

TEST(Table, ExploratoryIsStamped) {
  SyntheticRun run = HonestRun();
  run.manifest.replace(run.manifest.rfind("\n}"), 2,
                       ",\n  \"exploratory\": true\n}");
  const Json audit = Audit(SubjectOf(run.Seal())).json;
  EXPECT_TRUE(Has(RenderTable(audit), "exploratory:"));
  EXPECT_TRUE(Has(RenderQuality(audit), "exploratory:"));
  EXPECT_TRUE(Has(RenderReport(audit), "**exploratory**"));
  EXPECT_FALSE(Has(RenderTable(HonestAudit()), "exploratory"));
}

// Orders of magnitude between the samples of one arm.
Json BistableAudit() {
  SyntheticRun run = HonestRun();
  for (VisitRecord& visit : run.visits) {
    if (visit.arm != "candidate") continue;
    visit.samples_ns = {13'500'000, 13'500'001, 135'000'010};
  }
  return Audit(SubjectOf(run.Seal())).json;
}

TEST(NotComparable, ShowsNoRatioAnywhere) {
  const Json audit = BistableAudit();
  const Json& c = ListAt(audit, "cases").front();
  ASSERT_EQ(TextAt(c, "outcome"), "not-comparable") << EncodeJson(audit);
  EXPECT_TRUE(JsonAt(c, "ratios").is_null());
  EXPECT_EQ(RangeOf(c), "-");
  for (const std::string& text : {RenderTable(audit), RenderReport(audit)}) {
    EXPECT_TRUE(Has(text, "bistable-samples-candidate")) << text;
    EXPECT_FALSE(Has(text, "0.9000")) << text;
    EXPECT_FALSE(Has(text, "1.1111")) << text;
  }
  EXPECT_EQ(MicrosecondsAt(c, "baseline.time_ns"), "1.000");
}

TEST(Report, HasEverySectionOfAnHonestRun) {
  const std::string report = RenderReport(HonestAudit());
  for (const char* heading :
       {"# fixture", "## Cases", "## Decisions", "## What was there",
        "## Stages", "## Not verified", "## Without Exhibit"}) {
    EXPECT_TRUE(Has(report, heading)) << heading;
  }
  EXPECT_FALSE(Has(report, "## Findings"));
}

TEST(Report, TextOfTheAuthorCannotBecomeMarkup) {
  SyntheticRun run = HonestRun();
  const std::string before = "Is new faster than old?";
  run.manifest.replace(run.manifest.find(before), before.size(),
                       "<script> [x](y) | \\u001b[2J");
  const Json audit = Audit(SubjectOf(run.Seal())).json;
  const std::string report = RenderReport(audit);
  EXPECT_TRUE(Has(report, "\\<script\\> \\[x\\](y) \\| ?\\[2J")) << report;
  EXPECT_FALSE(Has(RenderTable(audit), "\x1b"));
}

TEST(Printing, EachClaimIsListedWithWhatBecameOfIt) {
  Subject subject = SubjectOf(HonestRun().Seal());
  subject.stored_claims = R"({"schema":"exhibit.claims/1","claims":[
    {"case":"tiny","quantity":"paired-ratio","value":0.90,"digits":2},
    {"case":"tiny","quantity":"ratio-min","value":0.8,"digits":1},
    {"case":"tiny","quantity":"time","variant":"new","unit":"us","value":0.900,
     "digits":3},
    {"case":"tiny","quantity":"cycles","value":12}]})";
  const Json audit = Audit(subject).json;
  const std::string table = RenderTable(audit);
  for (const char* line :
       {"claims: 2 of 4 supported\n",
        "  supported: tiny paired-ratio: quoted 0.90, re-derived 0.90\n",
        "  differs: tiny ratio-min: quoted 0.8, re-derived 0.9: the audit ",
        "  supported: tiny new time: quoted 0.900 us, re-derived 0.900\n",
        "  refused: tiny cycles: quoted 12: not supported by the design: "}) {
    EXPECT_TRUE(Has(table, line)) << line << table;
  }
  const std::string report = RenderReport(audit);
  for (const char* line :
       {"## Claims: 2 of 4 supported\n",
        "| claims.json | tiny |  | paired-ratio |  | 0.90 | 0.90 | supported |",
        "| 12 |  | refused | not supported by the design: "}) {
    EXPECT_TRUE(Has(report, line)) << line << report;
  }
  EXPECT_FALSE(Has(RenderTable(HonestAudit()), "claims:"));
  EXPECT_FALSE(Has(RenderReport(HonestAudit()), "## Claims"));
}

TEST(Printing, ANullCaseIsNeverShownAsAResult) {
  const std::string label = "tiny-at-16 (null of tiny)";
  Json audit = HonestAudit();
  Json null_case = ListAt(audit, "cases").front();
  (*null_case.AsObject())["name"] = "tiny-at-16";
  (*null_case.AsObject())["null_of"] = "tiny";
  audit.AsObject()->at("cases").AsArray()->push_back(null_case);
  (*audit.AsObject())["claims"] =
      Json::Array{Json::Object{{"case", "tiny-at-16"}}};
  for (const std::string& text : {RenderTable(audit), RenderReport(audit)}) {
    EXPECT_TRUE(Has(text, "no result but what placement")) << text;
    // Wherever the name stands, it is marked.
    for (size_t at = text.find("tiny-at-16"); at != std::string::npos;
         at = text.find("tiny-at-16", at + 1)) {
      EXPECT_EQ(text.substr(at, label.size()), label) << text;
    }
  }
  EXPECT_FALSE(Has(RenderTable(HonestAudit()), "null of"));
}

TEST(Printing, WhoSignedStandsApartFromTheVerdict) {
  Json audit = HonestAudit();
  EXPECT_TRUE(Has(RenderReport(audit), "Signature: not looked at"));
  EXPECT_TRUE(Has(RenderReport(audit), "about integrity, not about who"));
  (*audit.AsObject())["signature"] =
      Json::Object{{"status", "holds"}, {"key_sha256", "ab12"}};
  EXPECT_TRUE(Has(RenderTable(audit),
                  "\nsignature: signed by key ab12, the one given"));
  EXPECT_TRUE(Has(RenderReport(audit),
                  "\nSignature: signed by key ab12, the one given"));
}

TEST(Printing, AFindingAboutTheWholeHasNoEmptyPlace) {
  SyntheticRun run = HonestRun();
  Subject subject = SubjectOf(run.Seal());
  subject.findings.Add({.code = "archive-unsound", .message = "it is cut"});
  EXPECT_TRUE(Has(RenderTable(Audit(subject).json),
                  "\n  archive-unsound: it is cut\n"));
}

TEST(Printing, AnyJsonValueIsPrintedWithoutHarm) {
  EXPECT_TRUE(Has(RenderTable(Json()), "verdict: -"));
  EXPECT_TRUE(Has(RenderReport(Json(Json::Object{{"cases", 1}})), "# \\-") ||
              Has(RenderReport(Json(Json::Object{{"cases", 1}})), "# -"));
}

TEST(Printing, MarkdownEscapesEveryMark) {
  EXPECT_EQ(MarkdownText("a|b*c`d<e"), "a\\|b\\*c\\`d\\<e");
}

TEST(Printing, WhatIsObeyedAndNotShownIsReplaced) {
  for (const char* obeyed :
       {"\x1b", "\x7f", "\xC2\x85", "\xD8\x9C", "\xE2\x80\x8E", "\xE2\x80\xA8",
        "\xE2\x80\xA9", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9",
        "\xEF\xBB\xBF"}) {
    const Json value = Json::Object{{"t", std::string("a") + obeyed + "b"}};
    EXPECT_EQ(TextAt(value, "t"), "a?b");
  }
  // Their neighbours are letters and marks like others.
  for (const char* shown : {"\xC2\xA0", "\xD8\x9B", "\xE2\x80\x90",
                            "\xE2\x80\xB0", "\xE2\x81\xB0", "\xEF\xBB\xBC"}) {
    const Json value = Json::Object{{"t", std::string("a") + shown + "b"}};
    EXPECT_EQ(TextAt(value, "t"), std::string("a") + shown + "b");
  }
  const Json cut = Json::Object{{"t", "a\xE2\x80"}};
  EXPECT_EQ(TextAt(cut, "t"), "a\xE2\x80");
}

TEST(Printing, ColumnsAlignByCodePoints) {
  EXPECT_EQ(AlignColumns({{"\xc3\xa9", "b"}, {"cc", "d"}}),
            "\xc3\xa9   b\n--  -\ncc  d\n");
}

}  // namespace
}  // namespace exhibit::testing
