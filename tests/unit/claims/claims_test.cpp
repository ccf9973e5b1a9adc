#include "audit/claims.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "audit/audit.h"
#include "audit/claim_kinds.h"
#include "audit/json_view.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

std::string File(const std::string& claims) {
  return R"({"schema":"exhibit.claims/1","claims":[)" + claims + "]}";
}

// The audit of the honest run with these claims beside it.
AuditResult AuditWith(const std::string& claims) {
  Subject subject = SubjectOf(HonestRun().Seal());
  subject.stored_claims = File(claims);
  return Audit(subject);
}

std::string StatusOf(const AuditResult& result) {
  const Json::Array& claims = ListAt(result.json, "claims");
  EXPECT_EQ(claims.size(), 1U);
  return claims.empty() ? "" : TextAt(claims[0], "status");
}

const Json& FirstCase(const AuditResult& result) {
  return ListAt(result.json, "cases").at(0);
}

TEST(Claims, OfTheHonestRunAreSupported) {
  const AuditResult result = AuditWith(R"(
    {"case":"tiny","quantity":"paired-ratio","value":0.90,"digits":2},
    {"case":"tiny","quantity":"ratio-min","value":0.9,"digits":1},
    {"case":"tiny","quantity":"p-value","value":0.03,"digits":2},
    {"case":"tiny","quantity":"outcome","value":"faster"},
    {"case":"tiny","quantity":"evidence-level",
     "value":"numerically-recomputed"},
    {"quantity":"cases-tried","value":1,"digits":0},
    {"quantity":"timed-visits","value":12,"digits":0})");
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  ASSERT_EQ(ListAt(result.json, "claims").size(), 7U);
  for (const Json& claim : ListAt(result.json, "claims")) {
    EXPECT_EQ(TextAt(claim, "status"), "supported") << EncodeJson(claim);
    EXPECT_EQ(TextAt(claim, "claimed"), TextAt(claim, "found"));
    EXPECT_EQ(TextAt(claim, "file"), "claims.json");
  }
}

TEST(Claims, EveryQuantityStandsInAnAuditOfTheHonestRun) {
  const AuditResult result = Audit(SubjectOf(HonestRun().Seal()));
  for (const ClaimKind& kind : ClaimKinds()) {
    const Json& place = kind.scope == ClaimScope::kRun ? result.json
                        : kind.scope == ClaimScope::kCase
                            ? FirstCase(result)
                            : JsonAt(FirstCase(result), "baseline");
    const std::string quantity(kind.quantity);
    // Three cycles are too few for an interval.
    if (quantity.starts_with("interval-")) continue;
    EXPECT_FALSE(JsonAt(place, kind.place).is_null()) << quantity;
  }
}

TEST(Claims, AreComparedAtTheDigitsQuoted) {
  const Json audit = Audit(SubjectOf(HonestRun().Seal())).json;
  const Json& c = ListAt(audit, "cases").at(0);
  for (int digits = 0; digits <= 12; ++digits) {
    const std::string text = FixedAt(c, "ratios.median", digits);
    FindingList findings;
    const Json::Array judged = JudgeClaims(
        File(R"({"case":"tiny","quantity":"paired-ratio","value":)" + text +
             R"(,"digits":)" + std::to_string(digits) + "}"),
        "claims.json", audit, findings);
    EXPECT_TRUE(findings.empty()) << text;
    ASSERT_EQ(judged.size(), 1U) << text;
    EXPECT_EQ(TextAt(judged[0], "found"), text);
  }
}

TEST(Claims, ATimeIsQuotedOfAVariantInAUnit) {
  const AuditResult plain = Audit(SubjectOf(HonestRun().Seal()));
  const std::string ns = FixedAt(FirstCase(plain), "candidate.time_ns", 0);
  const std::string us = MicrosecondsAt(FirstCase(plain), "candidate.time_ns");
  EXPECT_EQ(
      StatusOf(AuditWith(R"({"case":"tiny","quantity":"time","variant":"new",)"
                         R"("unit":"ns","digits":0,"value":)" +
                         ns + "}")),
      "supported");
  EXPECT_EQ(
      StatusOf(AuditWith(R"({"case":"tiny","quantity":"time","variant":"new",)"
                         R"("unit":"us","digits":3,"value":)" +
                         us + "}")),
      "supported");
  EXPECT_EQ(
      StatusOf(AuditWith(R"({"case":"tiny","quantity":"time","variant":"old",)"
                         R"("unit":"us","digits":3,"value":)" +
                         us + "}")),
      "differs");
}

TEST(Claims, AnotherValueIsAFinding) {
  const AuditResult result = AuditWith(
      R"({"case":"tiny","quantity":"paired-ratio","value":0.89,"digits":2})");
  EXPECT_EQ(CodesOf(result), std::vector<std::string>{"claim-differs"});
  EXPECT_EQ(StatusOf(result), "differs");
  const Json& finding = ListAt(result.json, "findings").at(0);
  EXPECT_EQ(TextAt(finding, "stage"), "claims");
  EXPECT_EQ(TextAt(finding, "field"), "claims[0]");
  EXPECT_EQ(TextAt(finding, "expected"), "0.90");
  EXPECT_EQ(TextAt(finding, "found"), "0.89");
}

TEST(Claims, AnotherOutcomeIsAFinding) {
  EXPECT_EQ(CodesOf(AuditWith(
                R"({"case":"tiny","quantity":"outcome","value":"same"})")),
            std::vector<std::string>{"claim-differs"});
}

TEST(Claims, WhatTheDesignCannotSupportIsRefusedWithAReason) {
  for (const RefusedKind& kind : RefusedKinds()) {
    const AuditResult result =
        AuditWith(R"({"quantity":")" + std::string(kind.quantity) +
                  R"(","case":"tiny","value":1.25,"digits":2})");
    EXPECT_EQ(CodesOf(result), std::vector<std::string>{"claim-refused"})
        << kind.quantity;
    EXPECT_EQ(StatusOf(result), "refused");
    const std::string reason =
        TextAt(ListAt(result.json, "claims").at(0), "reason");
    EXPECT_TRUE(reason.starts_with("not supported by the design: ")) << reason;
    EXPECT_FALSE(reason.ends_with(".")) << reason;
  }
}

TEST(Claims, OfSeveralCasesAtOnceAreRefusedWithAReason) {
  for (const std::string quantity :
       {"speedup", "geomean", "paired-ratio", "time", "cases-tried"}) {
    const AuditResult result =
        AuditWith(R"({"quantity":")" + quantity +
                  R"(","cases":["decode","prefill"],"value":1.25,"digits":2})");
    EXPECT_EQ(CodesOf(result), std::vector<std::string>{"claim-refused"})
        << quantity;
    const Json& claim = ListAt(result.json, "claims").at(0);
    EXPECT_EQ(TextAt(claim, "quantity"), quantity);
    EXPECT_EQ(TextAt(claim, "claimed"), "1.25");
    EXPECT_NE(TextAt(claim, "reason").find("of each case"), std::string::npos)
        << EncodeJson(claim);
  }
  EXPECT_EQ(CodesOf(AuditWith(
                R"({"quantity":"ratio","cases":["a"],"value":1,"digits":0})")),
            std::vector<std::string>{"claims-malformed"});
}

TEST(Claims, AnUnknownQuantityNamesTheOneThatMayBeMeant) {
  const auto message = [](const std::string& quantity) {
    return DecodeClaims(File(R"({"case":"tiny","quantity":")" + quantity +
                             R"(","value":1,"digits":0})"),
                        "c")
        .error()
        .message;
  };
  EXPECT_EQ(message("pared-ratio"),
            "c: claims[0]: quantity \"pared-ratio\" is not known; did you mean "
            "paired-ratio?");
  EXPECT_EQ(message("geo-mean"),
            "c: claims[0]: quantity \"geo-mean\" is not known; did you mean "
            "geomean?");
  const std::string all = message("latency");
  for (const ClaimKind& kind : ClaimKinds()) {
    EXPECT_NE(all.find(kind.quantity), std::string::npos) << all;
  }
}

TEST(Claims, OfNothingThatIsThereAreUnresolved) {
  for (const char* claim :
       {R"({"case":"huge","quantity":"outcome","value":"faster"})",
        R"({"case":"tiny","quantity":"time","variant":"newer","unit":"ns",
            "value":1,"digits":0})"}) {
    const AuditResult result = AuditWith(claim);
    EXPECT_EQ(CodesOf(result), std::vector<std::string>{"claim-unresolved"})
        << claim;
    EXPECT_EQ(StatusOf(result), "unresolved");
  }
}

TEST(Claims, OfACaseThatSomethingIsHeldAgainstAreUnresolved) {
  SyntheticRun run = HonestRun();
  run.visits[2].repetitions *= 2;
  Subject subject = SubjectOf(run.Seal());
  subject.stored_claims =
      File(R"({"case":"tiny","quantity":"outcome","value":"faster"})");
  const AuditResult result = Audit(subject);
  EXPECT_EQ(StatusOf(result), "unresolved");
  EXPECT_NE(
      TextAt(ListAt(result.json, "claims").at(0), "reason").find("not judged"),
      std::string::npos);
}

TEST(Claims, OfARatioThatIsNotShownAreUnresolved) {
  SyntheticRun run = HonestRun();
  run.visits.back().end = {"crashed", "signal 11"};
  Subject subject = SubjectOf(run.Seal());
  subject.stored_claims = File(
      R"({"case":"tiny","quantity":"paired-ratio","value":0.9,"digits":1})");
  EXPECT_EQ(StatusOf(Audit(subject)), "unresolved");
}

TEST(Claims, OfAnotherRunAreNotLookedAt) {
  Subject subject = SubjectOf(HonestRun().Seal());
  const auto with_id = [](const std::string& id) {
    return R"({"schema":"exhibit.claims/1","content_id":")" + id +
           R"(","claims":[{"case":"tiny","quantity":"outcome",)" +
           R"("value":"faster"}]})";
  };
  subject.stored_claims = with_id(std::string(64, 'a'));
  const AuditResult other = Audit(subject);
  EXPECT_EQ(CodesOf(other), std::vector<std::string>{"claims-of-another-run"});
  EXPECT_EQ(ListAt(other.json, "claims").size(), 0U);
  subject.stored_claims = with_id(subject.content_id);
  EXPECT_EQ(StatusOf(Audit(subject)), "supported");
}

TEST(Claims, WhatIsNoClaimsFileIsAFinding) {
  const std::string good =
      R"({"case":"tiny","quantity":"paired-ratio","value":0.9,"digits":1})";
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    return File(text.replace(text.find(from), from.size(), to));
  };
  for (const std::string& file :
       {std::string(),
        std::string("{"),
        std::string("[]"),
        std::string(R"({"schema":"exhibit.claims/1"})"),
        std::string(R"({"schema":"exhibit.claims/1","claims":{}})"),
        std::string(R"({"schema":"exhibit.claims/1","claims":[],"more":1})"),
        std::string(
            R"({"schema":"exhibit.claims/1","claims":[],"content_id":"a"})"),
        File("7"),
        File("{}"),
        with("paired-ratio", "speed"),
        with(R"("case":"tiny",)", ""),
        with(R"("tiny")", "3"),
        with(R"("value":0.9,)", ""),
        with("0.9", R"("0.9")"),
        with("0.9", "true"),
        with("0.9", "1e16"),
        with("0.9", "0.95"),
        with(R"(,"digits":1)", ""),
        with(R"("digits":1)", R"("digits":1.0)"),
        with(R"("digits":1)", R"("digits":-1)"),
        with(R"("digits":1)", R"("digits":16)"),
        with(R"("digits":1)", R"("digits":1,"unit":"ns")"),
        with(R"("digits":1)", R"("digits":1,"variant":"new")"),
        with(R"("paired-ratio")", R"("outcome")"),
        with(R"("paired-ratio")", R"("time")"),
        with(R"("paired-ratio")", R"("time","variant":"new","unit":"min")")}) {
    Subject subject = SubjectOf(HonestRun().Seal());
    subject.stored_claims = file;
    const AuditResult result = Audit(subject);
    EXPECT_EQ(CodesOf(result), std::vector<std::string>{"claims-malformed"})
        << file;
    // The path stands in a field of its own, and not in the sentence again.
    const Json& finding = ListAt(result.json, "findings").at(0);
    EXPECT_EQ(TextAt(finding, "path"), "claims.json");
    EXPECT_FALSE(TextAt(finding, "message").starts_with("claims.json"))
        << EncodeJson(finding);
    EXPECT_EQ(ClaimsSummary(result.json), "none judged");
  }
}

TEST(Claims, MalformedOnesQuoteTheValueRead) {
  for (const auto& [claim, message] : std::map<std::string, std::string>{
           {"7", "claims[0]: a claim must be an object, read 7"},
           {R"({"case":"tiny"})", "claims[0]: quantity is missing"},
           {R"({"case":3,"quantity":"outcome","value":"same"})",
            "claims[0]: case must be a text, read 3"},
           {R"({"case":"tiny","quantity":"outcome","value":2})",
            "claims[0]: value must be a text, read 2"},
           {R"({"case":"tiny","quantity":"estimate","value":"x","digits":1})",
            R"(claims[0]: value must be a number of at most 1e15, read "x")"},
           {R"({"case":"tiny","quantity":"estimate","value":1,"digits":"x"})",
            R"(claims[0]: digits must be an integer from 0 to 15, read "x")"},
           {R"({"quantity":"cases-tried","value":1,"digits":0,"case":"tiny"})",
            R"(claims[0]: field "case" does not belong here, read "tiny")"}}) {
    EXPECT_EQ(DecodeClaims(File(claim), "c").error().message, "c: " + message);
  }
}

TEST(Claims, ATextThatNoAuditSaysDiffers) {
  const AuditResult result =
      AuditWith(R"({"case":"tiny","quantity":"outcome","value":"fastest"})");
  EXPECT_EQ(CodesOf(result), std::vector<std::string>{"claim-differs"});
}

TEST(Claims, FieldsBeginningWithXAreTheAuthorsOwn) {
  EXPECT_EQ(StatusOf(AuditWith(R"({"case":"tiny","quantity":"outcome",
      "value":"faster","x-where":"abstract"})")),
            "supported");
}

TEST(Claims, CutAnywhereAreRefused) {
  const std::string whole =
      File(R"({"case":"tiny","quantity":"outcome","value":"faster"})");
  ASSERT_TRUE(DecodeClaims(whole, "c").ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(DecodeClaims(whole.substr(0, size), "c").ok()) << size;
  }
}

TEST(Claims, MoreThanAThousandPassALimit) {
  std::string claims = "{\"quantity\":\"cause\"}";
  for (int i = 1; i < 1000; ++i) claims += ",{\"quantity\":\"cause\"}";
  EXPECT_TRUE(DecodeClaims(File(claims), "c").ok());
  EXPECT_EQ(DecodeClaims(File(claims + ",{\"quantity\":\"cause\"}"), "c")
                .error()
                .kind,
            ErrorKind::kLimitExceeded);
}

TEST(Claims, OfALaterSchemaCannotBeVerified) {
  Subject subject = SubjectOf(HonestRun().Seal());
  subject.stored_claims = R"({"schema":"exhibit.claims/2"})";
  EXPECT_EQ(Audit(subject).verdict, Verdict::kCannotVerify);
}

TEST(Claims, BroughtAlongDoNotMakeTheStoredAuditDiffer) {
  Subject subject = SubjectOf(HonestRun().Seal());
  subject.kind = SubjectKind::kBundle;
  subject.stored_audit = EncodeJson(Audit(subject).json);
  BroughtAlong brought;
  brought.claims =
      File(R"({"case":"tiny","quantity":"outcome","value":"faster"})");
  const AuditResult good = Audit(subject, {}, brought);
  EXPECT_EQ(good.verdict, Verdict::kVerified) << DescribeFindings(good);
  EXPECT_EQ(TextAt(ListAt(good.json, "claims").at(0), "file"), "--claims");
  brought.claims =
      File(R"({"case":"tiny","quantity":"outcome","value":"same"})");
  EXPECT_EQ(CodesOf(Audit(subject, {}, brought)),
            std::vector<std::string>{"claim-differs"});
}

TEST(Claims, StoredOnesAreInTheStoredAudit) {
  Subject subject = SubjectOf(HonestRun().Seal());
  subject.kind = SubjectKind::kBundle;
  subject.stored_claims =
      File(R"({"case":"tiny","quantity":"outcome","value":"faster"})");
  subject.stored_audit = EncodeJson(Audit(subject).json);
  EXPECT_EQ(Audit(subject).verdict, Verdict::kVerified);
  subject.stored_claims = std::nullopt;
  EXPECT_EQ(CodesOf(Audit(subject)),
            std::vector<std::string>{"derived-differs"});
}

TEST(ClaimsDocument, NamesEveryQuantity) {
  std::ifstream file(std::string(EXHIBIT_SOURCE_DIR) + "/audit/CLAIMS.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  for (const ClaimKind& kind : ClaimKinds()) {
    EXPECT_NE(document.find("`" + std::string(kind.quantity) + "`"),
              std::string::npos)
        << kind.quantity;
  }
  for (const RefusedKind& kind : RefusedKinds()) {
    EXPECT_NE(document.find("| `" + std::string(kind.quantity) + "` | " +
                            std::string(kind.why)),
              std::string::npos)
        << kind.quantity;
  }
}

}  // namespace
}  // namespace exhibit::testing
