#include <gtest/gtest.h>

#include <cmath>

#include "manifests/run_layout.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

const Json& At(const Json& value, const std::string& key) {
  return value.AsObject()->at(key);
}

const Json& FirstCase(const AuditResult& result) {
  return At(result.json, "cases").AsArray()->front();
}

TEST(HonestRun, IsVerifiedWithoutFindings) {
  const AuditResult result = Audit(SubjectOf(HonestRun().Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(result.json, "verdict"), Json("verified"));
  EXPECT_EQ(CodesOf(result), std::vector<std::string>());
}

TEST(HonestRun, ShorterCandidateIsFaster) {
  const AuditResult result = Audit(SubjectOf(HonestRun().Seal()));
  const Json& c = FirstCase(result);
  EXPECT_EQ(At(c, "outcome"), Json("faster"));
  EXPECT_EQ(At(c, "evidence_level"), Json("numerically-recomputed"));
  EXPECT_EQ(At(At(c, "ratios"), "pairs").AsArray()->size(),
            size_t{2 * kFixtureCycles});
  EXPECT_NEAR(*At(At(c, "ratios"), "median").AsDouble(), 0.9, 0.001);
}

TEST(HonestRun, DeclaredCountsAreFound) {
  const AuditResult result = Audit(SubjectOf(HonestRun().Seal()));
  const Json& counts = At(result.json, "counts");
  EXPECT_EQ(At(counts, "declared"), At(counts, "found"));
  EXPECT_EQ(At(At(counts, "found"), "visits"), Json(4 * kFixtureCycles));
  EXPECT_EQ(At(At(counts, "found"), "samples"),
            Json(4 * kFixtureCycles * kFixtureSamples));
}

TEST(HonestRun, SameSubjectGivesSameBytes) {
  const RunFiles files = HonestRun().Seal();
  EXPECT_EQ(EncodeJson(Audit(SubjectOf(files)).json),
            EncodeJson(Audit(SubjectOf(files)).json));
}

TEST(HonestRun, ExpectedDigestsHold) {
  const Subject subject = SubjectOf(HonestRun().Seal());
  const std::string manifest = subject.Find(kManifestPath)->sha256;
  EXPECT_EQ(Audit(subject, {manifest, subject.content_id}).verdict,
            Verdict::kVerified);
}

TEST(HonestRun, OtherExpectedDigestIsAFinding) {
  const Subject subject = SubjectOf(HonestRun().Seal());
  const std::string other(64, 'a');
  EXPECT_EQ(CodesOf(Audit(subject, {other, ""})),
            std::vector<std::string>{"expectation-not-met"});
  EXPECT_EQ(CodesOf(Audit(subject, {"", other})),
            std::vector<std::string>{"expectation-not-met"});
}

TEST(InterruptedRun, SplitPairIsMadeUpForByACycle) {
  SyntheticRun run = HonestRun();
  run.AppendCycle();
  run.InterruptBefore(5);  // Between the two visits of a pair.
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "split_pairs"), Json(1));
  EXPECT_EQ(At(At(FirstCase(result), "ratios"), "pairs").AsArray()->size(), 7U);
}

TEST(InterruptedRun, SplitPairThatNothingMakesUpForIsAFinding) {
  SyntheticRun run = HonestRun();
  run.InterruptBefore(5);
  EXPECT_EQ(CodesOf(Audit(SubjectOf(run.Seal()))),
            std::vector<std::string>{"visit-count-differs"});
}

TEST(InterruptedRun, BetweenPairsNothingIsMissing) {
  SyntheticRun run = HonestRun();
  run.InterruptBefore(6);
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "split_pairs"), Json(0));
}

// The case names a file for its expected output.
SyntheticRun SuppliedRun() {
  SyntheticRun run = HonestRun();
  const std::string before = R"("tile": [1, 16])";
  run.manifest.replace(run.manifest.find(before), before.size(),
                       R"("tile": [1, 16], "files": {"output": "e.npy"})");
  run.c.arrays[3].origin = "supplied";
  run.c.arrays[3].sha256 = run.AddArray(OutputNpy(ExpectedOutput()));
  const std::optional<double> none = 0.0;
  for (auto* list : {&run.calibrations, &run.visits}) {
    for (VisitRecord& visit : *list) visit.outputs[0].max_error = none;
  }
  return run;
}

TEST(SuppliedRun, IsComparedWithSupplied) {
  const AuditResult result = Audit(SubjectOf(SuppliedRun().Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "evidence_level"),
            Json("compared-with-supplied"));
}

TEST(SuppliedRun, ArrayThatIsNotTheFrozenFileIsAFinding) {
  SyntheticRun run = SuppliedRun();
  const std::string before = R"("sources": [)";
  run.manifest.replace(run.manifest.find(before), before.size(),
                       R"("sources": ["e.npy", )");
  run.sources["sources/manifest/e.npy"] = OutputNpy(ExpectedOutput());
  EXPECT_EQ(Audit(SubjectOf(run.Seal())).verdict, Verdict::kVerified);
  run.sources["sources/manifest/e.npy"] =
      OutputNpy(std::vector<float>(16, 0.5F));
  EXPECT_EQ(CodesOf(Audit(SubjectOf(run.Seal()))),
            std::vector<std::string>{"case-differs"});
}

// The baseline is given as an object.
SyntheticRun ObjectRun() {
  SyntheticRun run = HonestRun();
  for (const std::string before : {R"("library": "old.so")", R"("old.so")"}) {
    std::string after = before;
    after.replace(after.find("old.so"), 6, "old.o");
    run.manifest.replace(run.manifest.find(before), before.size(), after);
  }
  run.objects[kBaseline] = BaselineObject();
  run.sources["sources/manifest/old.o"] = BaselineObject();
  run.sources.erase("sources/manifest/old.so");
  return run;
}

TEST(ObjectRun, ForeignObjectIsVerifiedWithARemark) {
  const AuditResult result = Audit(SubjectOf(ObjectRun().Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "remarks"),
            Json(Json::Array{"link-not-checked: old"}));
}

TEST(ObjectRun, ObjectThatIsNoneIsAFinding) {
  SyntheticRun run = ObjectRun();
  run.objects[kBaseline] = "no object";
  run.sources["sources/manifest/old.o"] = "no object";
  EXPECT_EQ(CodesOf(Audit(SubjectOf(run.Seal()))),
            std::vector<std::string>{"object-unsound"});
}

// An honest account of a bad experiment: integrity is not success.
TEST(InvalidRun, CrashedLastVisitIsVerifiedAndInvalid) {
  SyntheticRun run = HonestRun();
  VisitRecord& last = run.visits.back();
  last.end = {"crashed", "wrote to an input", 11, 0};
  last.samples_ns.clear();
  last.outputs.clear();
  last.guards.clear();
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "outcome"), Json("invalid"));
  EXPECT_EQ(At(FirstCase(result), "ratios"), Json());
  EXPECT_EQ(At(result.json, "cohort_complete"), Json(false));
}

TEST(InvalidRun, VisitsAfterACrashMayBeMissing) {
  SyntheticRun run = HonestRun();
  run.visits.resize(5);
  run.visits.back().end = {"timed-out", "killed after 60 s", 0, 0};
  run.visits.back().samples_ns.clear();
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "outcome"), Json("invalid"));
}

// The last visit of `run` ends as failed-check with one element off by one.
void FailLastVisit(SyntheticRun& run) {
  VisitRecord& last = run.visits.back();
  std::vector<float> values = ExpectedOutput();
  values[3] += 1.0F;
  last.end = {"failed-check", "after sample 0: output", 0, 0};
  last.samples_ns.resize(1);
  last.outputs[0].last_sha256 = run.AddArray(OutputNpy(values));
  last.outputs[0].failed_elements = 1;
  last.outputs[0].max_error = MaxErrorOf(values);
}

TEST(InvalidRun, FailedCheckWithItsWrongOutputIsVerified) {
  SyntheticRun run = HonestRun();
  FailLastVisit(run);
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "outcome"), Json("invalid"));
}

TEST(InvalidRun, DifferentOutputsWhereEqualOnesWereExpectedAreInvalid) {
  SyntheticRun run = HonestRun();
  std::vector<float> values = ExpectedOutput();
  values[0] = std::nextafter(values[0], 2.0F);
  run.captures[kCandidate].outputs[0].prepared_sha256 =
      run.AddArray(OutputNpy(values));
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "outcome"), Json("invalid"));
}

TEST(InvalidRun, DifferentCapacityWhereEqualOneWasExpectedIsInvalid) {
  SyntheticRun run = HonestRun();
  const std::string before = R"("library": "new.so",)";
  run.manifest.replace(run.manifest.find(before), before.size(),
                       R"("library": "new.so", "workspace_bytes": 64,)");
  run.captures[kCandidate].workspace_bytes = 64;
  run.calibrations.clear();
  run.visits.clear();
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "outcome"), Json("invalid"));
}

TEST(LaterVersion, UnknownSchemaCannotBeVerified) {
  RunFiles files = HonestRun().Seal();
  std::string& last = files[VisitPath(kCaseName, 4 * kFixtureCycles - 1)];
  const std::string schema = "exhibit.visit/1";
  last.replace(last.find(schema), schema.size(), "exhibit.visit/9");
  const AuditResult result = Audit(SubjectOf(files));
  EXPECT_EQ(result.verdict, Verdict::kCannotVerify) << DescribeFindings(result);
  EXPECT_EQ(At(FirstCase(result), "outcome"), Json());
}

TEST(EmptySubject, FailsWithItsFirstFilesMissing) {
  const AuditResult result = Audit(SubjectOf({}));
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_EQ(CodesOf(result),
            (std::vector<std::string>{"file-missing", "file-missing",
                                      "file-missing"}));
}

}  // namespace
}  // namespace exhibit::testing
