// Forgeries whose every digest is right: a record is edited and the chain is
// sealed again. Each has a finding of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

struct Forgery {
  const char* name;
  const char* code;
  std::function<void(SyntheticRun&)> forge;
};

void ReplaceIn(std::string& text, const std::string& before,
               const std::string& after) {
  const size_t at = text.find(before);
  ASSERT_NE(at, std::string::npos) << before;
  text.replace(at, before.size(), after);
}

std::string OutputOffByOne(SyntheticRun& run) {
  std::vector<float> values = ExpectedOutput();
  values[5] += 1.0F;
  return run.AddArray(OutputNpy(values));
}

const std::vector<Forgery>& Forgeries() {
  static const std::vector<Forgery> forgeries = {
      {"captured output", "output-wrong",
       [](SyntheticRun& run) {
         run.captures[kCandidate].outputs[0].prepared_sha256 =
             OutputOffByOne(run);
       }},
      {"first output of a visit", "output-wrong",
       [](SyntheticRun& run) {
         run.visits[3].outputs[0].first_sha256 = OutputOffByOne(run);
       }},
      {"captures at one moment", "time-disordered",
       [](SyntheticRun& run) {
         run.captures[kCandidate].start_ns = run.captures[kBaseline].start_ns;
         run.captures[kCandidate].end_ns = run.captures[kBaseline].end_ns;
       }},
      {"case after its captures", "time-disordered",
       [](SyntheticRun& run) {
         run.c.end_ns = run.captures[kCandidate].end_ns;
       }},
      {"attempt that ends as another stage", "attempt-unknown",
       [](SyntheticRun& run) { run.attempts[1].stage = "replay"; }},
      {"attempt that ends by another build", "cohort-mixed",
       [](SyntheticRun& run) {
         run.attempts[1].tool.sha256 = std::string(64, 'a');
       }},
      {"attempt by another build", "cohort-mixed",
       [](SyntheticRun& run) {
         run.attempts[2].tool.sha256 = std::string(64, 'a');
         run.attempts[3].tool.sha256 = std::string(64, 'a');
       }},
      {"attempts out of order", "time-disordered",
       [](SyntheticRun& run) { run.attempts[1].time_ns = 1; }},
      {"library declared in no folder of sources", "sources-differ",
       [](SyntheticRun& run) {
         auto library = run.sources.extract("sources/manifest/new.so");
         ASSERT_FALSE(library.empty());
         library.key() = "new.so";
         run.sources.insert(std::move(library));
       }},
      {"version of a tool", "cohort-mixed",
       [](SyntheticRun& run) { run.visits[3].tool.version = "9.9.9"; }},
      {"checks of a calibration", "sample-count-differs",
       [](SyntheticRun& run) { run.calibrations[1].checks_passed = 0; }},
      {"warm-up of ten visits", "time-disordered",
       [](SyntheticRun& run) { run.visits[3].warmup_ns = 10'000'000'000; }},
      {"samples of ten visits", "time-disordered",
       [](SyntheticRun& run) {
         run.visits[3].samples_ns.back() = 10'000'000'000;
       }},
      {"library that was mapped", "arm-differs",
       [](SyntheticRun& run) {
         run.visits[3].process.mapped_files = {
             {"kernel.so", std::string(64, 'a'), ""}};
       }},
      {"tool that was mapped", "arm-differs",
       [](SyntheticRun& run) {
         run.calibrations[0].process.mapped_files = {
             {"exhibit-replay", std::string(64, 'a'), ""}};
       }},
      {"largest error of a visit", "check-differs",
       [](SyntheticRun& run) { run.visits[3].outputs[0].max_error = 0.5; }},
      {"failed elements of a visit", "check-differs",
       [](SyntheticRun& run) { run.visits[3].outputs[0].failed_elements = 2; }},
      {"damaged guard called intact", "guard-damaged",
       [](SyntheticRun& run) {
         const std::string bytes(8192, '\0');
         run.visits[3].guards[0].sha256 =
             run.AddArray(EncodeNpy({DType::kU8, {8192}, bytes}));
       }},
      {"good visit called failed", "end-unsupported",
       [](SyntheticRun& run) {
         run.visits.back().end = {"failed-check", "an unwelcome result", 0, 0};
       }},
      {"input", "input-differs",
       [](SyntheticRun& run) {
         run.c.arrays[1].sha256 =
             run.AddArray(EncodeNpy({DType::kF32,
                                     {1, 1, 3, 4},
                                     BytesOf(std::vector<float>(12, 0.5F))}));
       }},
      {"oracle", "oracle-differs",
       [](SyntheticRun& run) {
         const std::vector<float> floats = ExpectedOutput();
         const std::vector<double> rounded(floats.begin(), floats.end());
         run.c.arrays[3].sha256 = run.AddArray(
             EncodeNpy({DType::kF64, {1, 2, 2, 4}, BytesOf(rounded)}));
       }},
      {"shape of an array", "arrays-differ",
       [](SyntheticRun& run) {
         run.visits[0].outputs[0].first_sha256 = run.AddArray(
             EncodeNpy({DType::kF32, {16}, BytesOf(ExpectedOutput())}));
       }},
      {"tolerance that accepts zero", "oracle-vacuous",
       [](SyntheticRun& run) {
         ReplaceIn(run.manifest, R"("absolute": 1e-6)", R"("absolute": 10)");
       }},
      {"order of arms", "order-differs",
       [](SyntheticRun& run) {
         std::swap(run.visits[0].arm, run.visits[1].arm);
         std::swap(run.visits[0].variant, run.visits[1].variant);
       }},
      {"index of a visit", "order-differs",
       [](SyntheticRun& run) { run.visits[4].cycle = 0; }},
      {"a visit left out", "file-missing",
       [](SyntheticRun& run) { run.visits.pop_back(); }},
      {"a cycle too many", "visit-count-differs",
       [](SyntheticRun& run) {
         const VisitRecord last = run.visits.back();
         for (int i = 0; i < 4; ++i) run.visits.push_back(last);
       }},
      {"a sample left out", "sample-count-differs",
       [](SyntheticRun& run) { run.visits[2].samples_ns.pop_back(); }},
      {"number of checks", "sample-count-differs",
       [](SyntheticRun& run) { run.visits[2].checks_passed = 3; }},
      {"a sample of nothing", "samples-unsound",
       [](SyntheticRun& run) { run.visits[2].samples_ns[1] = 0; }},
      {"repetitions", "repetitions-differ",
       [](SyntheticRun& run) { run.visits[2].repetitions *= 2; }},
      {"probe of a calibration", "repetitions-differ",
       [](SyntheticRun& run) {
         run.calibrations[0].probe_ns = 2000;
         run.calibrations[1].probe_ns = 2000;
       }},
      {"one arm calibrated twice", "calibration-differs",
       [](SyntheticRun& run) {
         run.calibrations[1].arm = run.calibrations[0].arm;
         run.calibrations[1].variant = run.calibrations[0].variant;
       }},
      {"shift of a visit", "shift-differs",
       [](SyntheticRun& run) { run.visits[2].shift.stack_bytes += 16; }},
      {"shift in the plan", "shift-differs",
       [](SyntheticRun& run) { run.plan.shifts[1].heap_bytes += 16; }},
      {"cycles of the plan", "plan-differs",
       [](SyntheticRun& run) { run.plan.cycles = 4; }},
      {"target of the plan", "plan-differs",
       [](SyntheticRun& run) { run.plan.target_ns /= 2; }},
      {"starting arm", "starting-arm-differs",
       [](SyntheticRun& run) {
         run.plan.starting_arm =
             run.plan.starting_arm == "baseline" ? "candidate" : "baseline";
       }},
      {"library of a capture", "library-differs",
       [](SyntheticRun& run) {
         run.libraries[kCandidate] = run.libraries[kBaseline];
       }},
      {"library that is none", "library-unsound",
       [](SyntheticRun& run) {
         run.libraries[kCandidate] = "no library";
         run.sources["sources/manifest/new.so"] = "no library";
       }},
      {"symbol", "arm-differs",
       [](SyntheticRun& run) { run.visits[1].symbol = "other_entry"; }},
      {"cpu", "arm-differs", [](SyntheticRun& run) { run.visits[1].cpu = 3; }},
      {"options of a library", "options-differ",
       [](SyntheticRun& run) {
         run.captures[kBaseline].options["qk"] = Json("mma");
       }},
      {"flag that the host lacks", "cpu-flags-differ",
       [](SyntheticRun& run) {
         run.captures[kBaseline].required_cpu_flags = {"avx9"};
       }},
      {"dispatch", "case-differs",
       [](SyntheticRun& run) { run.c.dispatch = 2; }},
      {"origin of an input", "case-differs",
       [](SyntheticRun& run) { run.c.arrays[0].origin = "file"; }},
      {"case name", "names-differ",
       [](SyntheticRun& run) { run.c.case_name = "other"; }},
      {"another build for one visit", "cohort-mixed",
       [](SyntheticRun& run) {
         run.visits[5].tool.sha256 = std::string(64, '1');
       }},
      {"another source for one visit", "cohort-mixed",
       [](SyntheticRun& run) {
         run.visits[5].tool.source_sha256 = std::string(64, '1');
       }},
      {"source tree", "sources-differ",
       [](SyntheticRun& run) {
         run.sources["sources/exhibit/README"] = "other";
       }},
      {"source that the manifest does not name", "sources-differ",
       [](SyntheticRun& run) { run.sources["sources/manifest/x"] = "x"; }},
      {"time of a visit", "time-disordered",
       [](SyntheticRun& run) { run.visits[5].start_ns = 1; }},
      {"plan written after its visits", "time-disordered",
       [](SyntheticRun& run) { run.plan.end_ns = run.visits.back().end_ns; }},
      {"attempt that never started", "attempt-unknown",
       [](SyntheticRun& run) { run.visits.back().attempt = 9; }},
      {"completed end with a reason", "end-inconsistent",
       [](SyntheticRun& run) { run.visits[1].end.reason = "none"; }},
      {"crash without a signal", "end-inconsistent",
       [](SyntheticRun& run) {
         run.visits.back().end = {"crashed", "fell over", 0, 0};
       }},
      {"output left out", "end-inconsistent",
       [](SyntheticRun& run) { run.visits[1].outputs.clear(); }},
      {"guard left out", "end-inconsistent",
       [](SyntheticRun& run) { run.visits[1].guards.clear(); }},
  };
  return forgeries;
}

TEST(Forgery, EachHasItsFinding) {
  for (const Forgery& forgery : Forgeries()) {
    SCOPED_TRACE(forgery.name);
    SyntheticRun run = HonestRun();
    forgery.forge(run);
    const AuditResult result = Audit(SubjectOf(run.Seal()));
    EXPECT_EQ(result.verdict, Verdict::kFailed);
    const std::vector<std::string> codes = CodesOf(result);
    EXPECT_NE(std::find(codes.begin(), codes.end(), forgery.code), codes.end())
        << "expected " << forgery.code << ", found "
        << DescribeFindings(result);
  }
}

// A case that anything is held against has no outcome and no ratio.
TEST(Forgery, UnsoundCaseIsNotJudged) {
  SyntheticRun run = HonestRun();
  run.visits[2].repetitions *= 2;
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  const Json& c = result.json.AsObject()->at("cases").AsArray()->front();
  EXPECT_EQ(c.AsObject()->at("outcome"), Json());
  EXPECT_EQ(c.AsObject()->at("ratios"), Json());
  EXPECT_EQ(c.AsObject()->at("evidence_level"), Json("receipts-only"));
}

TEST(Forgery, EditedManifestWithItsOldFreezeIsNamed) {
  RunFiles files = HonestRun().Seal();
  files[kManifestPath] += "\n";
  EXPECT_EQ(CodesOf(Audit(SubjectOf(files))),
            std::vector<std::string>{"manifest-changed"});
}

TEST(Forgery, RecordEditedWithoutSealingBreaksTheChain) {
  RunFiles files = HonestRun().Seal();
  std::string& visit = files[VisitPath(kCaseName, 3)];
  ReplaceIn(visit, R"("warmup_calls":10)", R"("warmup_calls":11)");
  EXPECT_EQ(CodesOf(Audit(SubjectOf(files))),
            std::vector<std::string>{"chain-broken"});
}

// What no audit can see, and what every audit therefore says it did not.
TEST(Forgery, EditedSamplesAreNotFoundAndAreListedAsNotVerified) {
  SyntheticRun run = HonestRun();
  for (VisitRecord& visit : run.visits) {
    for (int64_t& sample : visit.samples_ns) sample = 15'000'000;
  }
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  const Json& first =
      result.json.AsObject()->at("not_verified").AsArray()->front();
  EXPECT_TRUE(first.AsString()->starts_with("samples:"));
}

// Values at the edges of what a record can hold must not upset arithmetic.
TEST(Forgery, HugeValuesAreJudgedWithoutHarm) {
  constexpr int64_t kHuge = (int64_t{1} << 53) - 1;
  SyntheticRun run = HonestRun();
  run.plan.target_ns = kHuge;
  run.plan.cycles = kHuge;
  run.calibrations[0].probe_ns = kHuge;
  run.visits[0].index = kHuge;
  run.visits[0].attempt = kHuge;
  run.visits[1].repetitions = kHuge;
  run.visits[1].samples_ns = {kHuge, 1, kHuge};
  run.visits[2].start_ns = kHuge;
  run.c.shape = {kHuge, kHuge, kHuge, kHuge, kHuge, kHuge, kHuge};
  run.c.arrays[0].shape = {kHuge, kHuge};
  run.c.dispatch = kHuge;
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_FALSE(EncodeJson(result.json).empty());
}

TEST(Architecture, OfAnotherHostIsAnObstacle) {
  SyntheticRun run = HonestRun();
  run.freeze.host.architecture = "riscv64";
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(result.verdict, Verdict::kCannotVerify);
  EXPECT_NE(EncodeJson(result.json).find("host.architecture is riscv64"),
            std::string::npos);
}

// Calibrations are calls like others.
TEST(Expectations, BitsOfACalibrationAreComparedToo) {
  SyntheticRun run = HonestRun();
  std::vector<float> values = ExpectedOutput();
  values[5] = std::nextafter(values[5], 9.0F);
  VisitOutput& output = run.calibrations[0].outputs[0];
  output.first_sha256 = run.AddArray(OutputNpy(values));
  const AuditResult result = Audit(SubjectOf(run.Seal()));
  EXPECT_EQ(CodesOf(result), std::vector<std::string>{});
  EXPECT_NE(EncodeJson(result.json).find("bitwise-equal in both arms and has"),
            std::string::npos);
}

}  // namespace
}  // namespace exhibit::testing
