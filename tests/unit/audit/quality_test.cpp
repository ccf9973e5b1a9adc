// Remarks on the data: each code once seen, and none on a quiet run.

#include "audit/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "audit/json_view.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

// An audit in which nothing is remarkable, as far as remarks look.
Json QuietAudit() {
  const Json pairs = Json::Array(24, Json(0.9));
  return Json::Object{
      {"verdict", "verified"},
      {"cases_tried", 1},
      {"chance_of_false_claim", 0.05},
      {"replay",
       Json::Object{{"cycles", 12}, {"samples", 7}, {"target_ms", 15}}},
      {"decision", Json::Object{{"alpha", 0.05}, {"family", "none"}}},
      {"host", Json::Object{{"governor", "performance"}, {"cpu_count", 4}}},
      {"cases", Json::Array{Json::Object{
                    {"name", "c"},
                    {"outcome", "faster"},
                    {"reasons", Json::Array()},
                    {"remarks", Json::Array()},
                    {"marked_visits", Json::Array()},
                    {"visit_times_ns", Json::Array(48, Json(1.0))},
                    {"cycles_to_decide", Json()},
                    {"timing", Json::Object{{"clock_resolution_ns", 1},
                                            {"clock_overhead_ns", 25},
                                            {"repetitions", 15},
                                            {"shortest_sample_ns", 15'000'000},
                                            {"load_1m_max", 1.0}}},
                    {"ratios", Json::Object{{"pairs", pairs},
                                            {"median", 0.9},
                                            {"min", 0.89},
                                            {"max", 0.91},
                                            {"estimate", 0.9},
                                            {"noise_floor", 0.002},
                                            {"null_effect", 0.001},
                                            {"drift", 1.0}}}}}}};
}

// The value at a path, where "0" steps into the first case.
Json& At(Json& value, const std::string& path) {
  Json* at = &value;
  size_t start = 0;
  while (start <= path.size()) {
    const size_t dot = std::min(path.find('.', start), path.size());
    const std::string key = path.substr(start, dot - start);
    at = key == "0" ? &const_cast<Json::Array*>(at->AsArray())->front()
                    : &(*const_cast<Json::Object*>(at->AsObject()))[key];
    start = dot + 1;
  }
  return *at;
}

// The codes after the value at `path` became `to`.
std::vector<std::string> CodesAfter(const std::string& path, const Json& to) {
  Json audit = QuietAudit();
  At(audit, path) = to;
  std::vector<std::string> codes;
  for (const QualityRemark& remark : QualityRemarks(audit)) {
    EXPECT_FALSE(remark.measured.empty());
    EXPECT_FALSE(remark.fix.empty());
    codes.push_back(remark.code);
  }
  return codes;
}

using Codes = std::vector<std::string>;

TEST(Quality, QuietRunHasNoRemark) {
  EXPECT_EQ(CodesAfter("verdict", "verified"), Codes());
  EXPECT_EQ(RenderQuality(QuietAudit()), "0 remarks, verdict verified\n");
}

TEST(Quality, EachConditionHasItsCode) {
  const struct {
    const char* path;
    Json to;
    const char* code;
  } kTable[] = {
      {"chance_of_false_claim", 0.26, "family-uncorrected"},
      {"host.governor", "powersave", "frequency-governor"},
      {"cases.0.timing.load_1m_max", 3.5, "busy-host"},
      {"replay.cycles", 3, "no-dissenting-pair-allowed"},
      {"replay.samples", 3, "too-few-samples"},
      {"cases.0.timing.repetitions", 1, "too-few-repetitions"},
      {"cases.0.timing.shortest_sample_ns", 20'000, "timer-resolution"},
      {"cases.0.timing.clock_resolution_ns", 4'000'000, "timer-resolution"},
      {"cases.0.ratios.pairs", Json::Array(4, Json(0.9)), "too-few-pairs"},
      {"cases.0.ratios.drift", 1.06, "drift"},
      {"cases.0.ratios.noise_floor", 0.2, "floor-above-effect"},
      {"cases.0.ratios.null_effect", Json(), "no-null-case"},
      {"cases.0.ratios", Json(), "no-ratio"},
      {"cases.0.marked_visits",
       Json::Array{Json::Object{{"marks", Json::Array{"migrated"}}}},
       "disturbed-visits"},
      {"cases.0.remarks", Json::Array{"samples-in-two-groups-candidate"},
       "bimodal-samples"},
      {"cases.0.remarks", Json::Array{"visits-in-two-groups-baseline"},
       "bimodal-samples"},
      {"cases.0.remarks", Json::Array{"pair-ratios-in-two-groups"},
       "bimodal-samples"},
      {"cases.0.remarks", Json::Array{"range-crosses-one"},
       "range-crosses-one"},
      {"cases.0.remarks", Json::Array{"self-ratios-one-sided"}, "drift"},
      {"cases.0.remarks", Json::Array{"claim-on-identical-objects"},
       "null-control-failed"},
      {"cases.0.remarks", Json::Array{"null-case-told-apart"},
       "null-control-failed"},
  };
  std::vector<std::string> seen;
  for (const auto& [path, to, code] : kTable) {
    EXPECT_EQ(CodesAfter(path, to), Codes{code}) << path;
    seen.emplace_back(code);
  }
  for (const std::string& code : QualityCodes()) {
    EXPECT_EQ(std::count(seen.begin(), seen.end(), code) > 0, true) << code;
  }
}

TEST(Quality, OfAFailedSubjectItSaysWhereToLook) {
  SyntheticRun run = HonestRun();
  run.visits[2].repetitions *= 2;
  Json audit = Audit(SubjectOf(run.Seal())).json;
  std::string text = RenderQuality(audit);
  EXPECT_NE(text.find("verdict failed\nnot verified: repetitions-differ; "
                      "exhibit-audit --table shows what and where"),
            std::string::npos)
      << text;
  At(audit, "findings") = Json::Array();
  At(audit, "obstacles") = Json::Array{"visit.json: of a later schema"};
  text = RenderQuality(audit);
  EXPECT_NE(text.find("\nnot verified: 1 obstacle; exhibit-audit --table"),
            std::string::npos)
      << text;
}

TEST(Quality, CaseThatWasNotJudgedHasNoRemark) {
  EXPECT_EQ(CodesAfter("cases.0.outcome", Json()), Codes());
}

TEST(Quality, LineNamesCaseCodeFigureAndFix) {
  Json audit = QuietAudit();
  At(audit, "cases.0.ratios.pairs") = Json::Array(4, Json(0.9));
  EXPECT_EQ(RenderQuality(audit),
            "c: too-few-pairs: 4 pairs; alpha 0.05 needs 6; fix: set "
            "replay.cycles to 3\n1 remark, verdict verified\n");
  const Json json = QualityJson(audit);
  ASSERT_EQ(json.AsArray()->size(), 1U);
  EXPECT_EQ(TextAt(json.AsArray()->front(), "case"), "c");
  EXPECT_EQ(TextAt(json.AsArray()->front(), "code"), "too-few-pairs");
}

// The fix of the one remark after the floor became `floor`, of an effect of one
// per mille under a minimum effect of one per cent.
std::string FixOfFloor(double floor) {
  Json audit = QuietAudit();
  At(audit, "decision.minimum_effect") = 0.01;
  At(audit, "cases.0.outcome") = "inconclusive";
  At(audit, "cases.0.ratios.estimate") = 1.001;
  At(audit, "cases.0.ratios.median") = 1.001;
  At(audit, "cases.0.ratios.noise_floor") = floor;
  const std::vector<QualityRemark> found = QualityRemarks(audit);
  return found.empty() ? "" : found.front().fix;
}

TEST(Quality, EffectBelowTheMinimumIsNotToBeToldFromNoise) {
  EXPECT_EQ(FixOfFloor(0.005), "");
  EXPECT_EQ(FixOfFloor(0.02),
            "set replay.cycles to 49 to bring the floor below minimum_effect "
            "0.0100");
  EXPECT_EQ(FixOfFloor(0.2),
            "no number of cycles will bring the floor below minimum_effect "
            "0.0100; a quieter host or a smaller question");
}

TEST(Quality, NullCaseIsNotAskedForAClaim) {
  Json audit = QuietAudit();
  At(audit, "cases.0.null_of") = "d";
  At(audit, "cases.0.outcome") = "inconclusive";
  At(audit, "cases.0.remarks") = Json::Array{"range-crosses-one"};
  At(audit, "cases.0.ratios.noise_floor") = 0.2;
  EXPECT_EQ(RenderQuality(audit), "0 remarks, verdict verified\n");
}

TEST(Quality, SlackIsBoughtWithTheFewestCyclesThatGiveIt) {
  Json audit = QuietAudit();
  At(audit, "decision.minimum_effect") = 0.05;
  At(audit, "replay.cycles") = 3;
  // 2 (1 + 10) / 2^10 is 0.021; of eight pairs it would be 0.070.
  EXPECT_EQ(QualityRemarks(audit).at(0).fix,
            "set replay.cycles to 5, with which one pair may dissent; how many "
            "an effect above minimum_effect, 0.05, takes, exhibit-replay "
            "--plan-for says");
}

TEST(Quality, FixOfAShortSampleMakesItLongEnough) {
  Json audit = QuietAudit();
  At(audit, "cases.0.timing.shortest_sample_ns") = 12'500;
  // Half of 1000 readings of 25 ns: twice the target of 15 ms.
  EXPECT_NE(RenderQuality(audit).find("set replay.target_ms to 31"),
            std::string::npos)
      << RenderQuality(audit);
}

TEST(Quality, HonestRunIsRemarkedFromItsAuditAlone) {
  const Json audit = Audit(SubjectOf(HonestRun().Seal())).json;
  Codes codes;
  for (const QualityRemark& remark : QualityRemarks(audit)) {
    codes.push_back(remark.code);
  }
  EXPECT_EQ(codes, (Codes{"no-dissenting-pair-allowed", "too-few-samples",
                          "no-null-case"}));
}

TEST(Quality, AnyJsonValueIsTakenWithoutHarm) {
  EXPECT_EQ(QualityRemarks(Json()).size(), 0U);
  EXPECT_EQ(QualityRemarks(Json::Object{{"cases", Json::Array{1, "x", Json()}}})
                .size(),
            0U);
}

TEST(QualityDocument, NamesEveryCode) {
  std::ifstream file(EXHIBIT_SOURCE_DIR "/audit/QUALITY.md");
  const std::string page((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  for (const std::string& code : QualityCodes()) {
    EXPECT_NE(page.find("| `" + code + "` |"), std::string::npos) << code;
  }
}

}  // namespace
}  // namespace exhibit::testing
