#include "tests/unit/audit/run_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "audit/reference/attention_oracle.h"
#include "audit/reference/sine_input.h"
#include "manifests/content_id.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "manifests/tolerance.h"
#include "manifests/visit_order.h"

namespace exhibit::testing {
namespace {

constexpr char kManifest[] = R"({
  "schema": "exhibit.manifest/1",
  "name": "fixture",
  "question": "Is new faster than old?",
  "program": "attention",
  "variants": {
    "old": {"library": "old.so", "symbol": "fixture_entry"},
    "new": {"library": "new.so", "symbol": "fixture_entry"}
  },
  "baseline": "old",
  "candidate": "new",
  "cases": [{"name": "tiny", "shape": [1, 2, 1, 2, 3, 4, 4], "tile": [1, 16]}],
  "tolerance": {"absolute": 1e-6, "relative": 1e-5},
  "expect": {"outputs": "bitwise-equal", "capacity": "equal"},
  "replay": {"cycles": 3, "samples": 3, "seed": 7},
  "decision": {"rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0.01},
  "sources": ["old.so", "new.so"],
  "limits": ["Nothing runs here."]
}
)";

const std::vector<int64_t> kShape = {1, 2, 1, 2, 3, 4, 4};
constexpr int64_t kProbeNs = 1000;
constexpr int64_t kTargetNs = 15'000'000;
constexpr int64_t kStepNs = 1'000'000'000;

std::string ReadFileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Numbers {
  std::vector<float> query, key, value;
  std::vector<double> expected;
};

const Numbers& FixtureNumbers() {
  static const Numbers numbers = [] {
    Numbers n;
    const AttentionShape shape = *MakeAttentionShape(kShape);
    n.query = SineInput(0, static_cast<uint64_t>(shape.QueryCount()));
    n.key = SineInput(1, static_cast<uint64_t>(shape.KeyCount()));
    n.value = SineInput(2, static_cast<uint64_t>(shape.ValueCount()));
    n.expected = *AttentionOracle(shape, {n.query, n.key, n.value});
    return n;
  }();
  return numbers;
}

std::string FloatsNpy(const std::vector<uint64_t>& shape,
                      const std::vector<float>& values) {
  return EncodeNpy({DType::kF32, shape, BytesOf(values)});
}

std::string GuardNpy() {
  std::string bytes(8192, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>((167 * i + 13) % 256);
  }
  return EncodeNpy({DType::kU8, {bytes.size()}, bytes});
}

ToolIdentity Tool(const std::string& name, const std::string& source) {
  return {name, "0.1.0", Sha256Hex(name), source};
}

std::string OwnSourceId(const RunFiles& sources) {
  const std::string prefix = "sources/exhibit/";
  FileDigests digests;
  for (const auto& [path, bytes] : sources) {
    if (!path.starts_with(prefix)) continue;
    digests[path.substr(prefix.size())] = Sha256Hex(bytes);
  }
  return ContentId(digests);
}

// Boot time of the n-th step of the run.
struct Clock {
  int64_t now_ns = kStepNs;
  template <typename Record>
  void Stamp(Record& record) {
    record.start_ns = now_ns;
    record.end_ns = now_ns + kStepNs / 2;
    now_ns += kStepNs;
  }
};

void AddArrays(SyntheticRun& run) {
  const Numbers& n = FixtureNumbers();
  const auto input = [&](const char* name, std::vector<int64_t> shape,
                         const std::vector<float>& values) {
    const std::vector<uint64_t> extents(shape.begin(), shape.end());
    run.c.arrays.push_back({name, "input", "f32", shape,
                            run.AddArray(FloatsNpy(extents, values)), "sine"});
  };
  input("query", {1, 2, 2, 4}, n.query);
  input("key", {1, 1, 3, 4}, n.key);
  input("value", {1, 1, 3, 4}, n.value);
  const std::string expected =
      run.AddArray(EncodeNpy({DType::kF64, {1, 2, 2, 4}, BytesOf(n.expected)}));
  run.c.arrays.push_back(
      {"output", "output", "f32", {1, 2, 2, 4}, expected, "oracle"});
}

void AddCaptures(SyntheticRun& run, Clock& clock, const ToolIdentity& tool) {
  const std::string output = run.AddArray(OutputNpy(ExpectedOutput()));
  for (const char* variant : {kBaseline, kCandidate}) {
    CaptureRecord capture;
    capture.case_name = kCaseName;
    capture.variant = variant;
    capture.kind = "library";
    capture.symbol = "fixture_entry";
    capture.workers_per_block = 32;
    capture.outputs = {{"output", "", output}};
    capture.end.status = "completed";
    capture.process.command = {"exhibit-capture"};
    capture.tool = tool;
    clock.Stamp(capture);
    run.captures[variant] = capture;
  }
}

void AddPlan(SyntheticRun& run, Clock& clock, const ToolIdentity& tool) {
  PlanRecord& plan = run.plan;
  plan.case_name = kCaseName;
  plan.baseline.variant = kBaseline;
  plan.candidate.variant = kCandidate;
  plan.starting_arm = ArmName(StartingArm(7, kCaseName));
  plan.cycles = kFixtureCycles;
  plan.samples = kFixtureSamples;
  plan.warmup_ns = 30'000'000;
  plan.target_ns = kTargetNs;
  plan.timeout_ns = 60'000'000'000;
  plan.seed = 7;
  plan.isolation = "process";
  plan.timing_scope = "native-entry-host-wall";
  plan.cpu = 2;
  for (int64_t pair = 0; pair < 2 * kFixtureCycles; ++pair) {
    plan.shifts.push_back(ShiftOfPair(7, kCaseName, pair));
  }
  plan.tool = tool;
  clock.Stamp(plan);
}

// What calibrations and timed visits have in common.
VisitRecord Visit(SyntheticRun& run, Clock& clock, Arm arm) {
  const std::vector<float> values = ExpectedOutput();
  const std::string output = run.AddArray(OutputNpy(values));
  VisitRecord visit;
  visit.case_name = kCaseName;
  visit.arm = ArmName(arm);
  visit.variant = arm == Arm::kBaseline ? kBaseline : kCandidate;
  visit.symbol = "fixture_entry";
  visit.attempt = 1;
  visit.cpu = run.plan.cpu;
  visit.end.status = "completed";
  visit.first_call_ns = 5000;
  visit.warmup_calls = 10;
  visit.warmup_ns = 30'000'000;
  visit.probe_ns = kProbeNs;
  visit.checks_passed = 2;
  visit.outputs = {{"output", output, output, 0, MaxErrorOf(values)}};
  visit.guards = {{"output", run.AddArray(GuardNpy()), true}};
  visit.clock = {"CLOCK_MONOTONIC_RAW", 1, 20};
  visit.process.command = {"exhibit-replay"};
  visit.tool = run.plan.tool;
  clock.Stamp(visit);
  return visit;
}

void AddVisits(SyntheticRun& run, Clock& clock) {
  const Arm start = StartingArm(7, kCaseName);
  for (int64_t i = 0; i < 2; ++i) {
    VisitRecord visit = Visit(run, clock, i == 0 ? start : OtherArm(start));
    visit.kind = "calibration";
    visit.shift = ShiftOfPair(7, kCaseName, 0);
    visit.index = i;
    visit.position = i;
    run.calibrations.push_back(visit);
  }
  const int64_t repetitions = RepetitionsFor(kTargetNs, {kProbeNs, kProbeNs});
  for (int64_t i = 0; i < 4 * kFixtureCycles; ++i) {
    const Arm arm = ArmOfVisit(start, i);
    VisitRecord visit = Visit(run, clock, arm);
    visit.kind = "timed";
    visit.index = i;
    visit.cycle = i / 4;
    visit.position = i % 4;
    visit.shift = ShiftOfPair(7, kCaseName, i / 2);
    visit.repetitions = repetitions;
    const int64_t per_call = arm == Arm::kBaseline ? 1000 : 900;
    for (int64_t s = 0; s < kFixtureSamples; ++s) {
      visit.samples_ns.push_back(repetitions * per_call + i + s);
    }
    visit.checks_passed = kFixtureSamples + 2;
    run.visits.push_back(visit);
  }
}

void AddAttempts(SyntheticRun& run, int64_t end_ns, const std::string& source) {
  const int64_t between_ns = run.plan.start_ns - kStepNs / 4;
  const ToolIdentity capture = Tool("exhibit-capture", source);
  const ToolIdentity replay = Tool("exhibit-replay", source);
  run.attempts = {{0, "start", "capture", "", "", "", capture, kStepNs / 2},
                  {0, "end", "capture", "done", "", "", capture, between_ns},
                  {1, "start", "replay", "", "", "", replay, between_ns + 1},
                  {1, "end", "replay", "done", "", "", replay, end_ns}};
}

}  // namespace

std::string SyntheticRun::AddArray(const std::string& npy) {
  const std::string sha256 = Sha256Hex(npy);
  arrays_[sha256] = npy;
  return sha256;
}

std::string OutputNpy(const std::vector<float>& values) {
  return FloatsNpy({1, 2, 2, 4}, values);
}

std::vector<float> ExpectedOutput() {
  const std::vector<double>& expected = FixtureNumbers().expected;
  return {expected.begin(), expected.end()};
}

std::optional<double> MaxErrorOf(const std::vector<float>& output) {
  return CheckTolerance(output, FixtureNumbers().expected, {1e-6, 1e-5})
      .max_error;
}

void SyntheticRun::SealCaptures(RunFiles& files) {
  const std::string freeze_sha256 = Sha256Hex(files.at(kFreezePath));
  c.freeze_sha256 = freeze_sha256;
  files[CasePath(kCaseName)] = EncodeCase(c);
  for (auto& [variant, capture] : captures) {
    const std::string path = LibraryPath(kCaseName, variant);
    const std::string& library = libraries.at(variant);
    files[path] = library;
    capture.freeze_sha256 = freeze_sha256;
    capture.case_sha256 = Sha256Hex(files.at(CasePath(kCaseName)));
    capture.files.clear();
    const auto object = objects.find(variant);
    if (object != objects.end()) {
      const std::string place = CaptureFolder(kCaseName, variant) + "/kernel.o";
      files[place] = object->second;
      capture.files.push_back({place, Sha256Hex(object->second),
                               static_cast<int64_t>(object->second.size())});
    }
    capture.files.push_back(
        {path, Sha256Hex(library), static_cast<int64_t>(library.size())});
    files[CapturePath(kCaseName, variant)] = EncodeCapture(capture);
  }
  for (PlanArm* arm : {&plan.baseline, &plan.candidate}) {
    const auto capture = files.find(CapturePath(kCaseName, arm->variant));
    if (capture == files.end()) continue;
    arm->capture_sha256 = Sha256Hex(capture->second);
    arm->library_sha256 = Sha256Hex(libraries.at(arm->variant));
  }
  plan.freeze_sha256 = freeze_sha256;
}

void SyntheticRun::SealReplay(RunFiles& files) {
  files[PlanPath(kCaseName)] = EncodePlan(plan);
  const std::string plan_sha256 = Sha256Hex(files.at(PlanPath(kCaseName)));
  std::string previous = plan_sha256;
  const auto seal = [&](VisitRecord& visit, const std::string& path) {
    visit.plan_sha256 = plan_sha256;
    visit.previous_sha256 = previous;
    const auto library = libraries.find(visit.variant);
    if (library != libraries.end()) {
      visit.library_sha256 = Sha256Hex(library->second);
    }
    files[path] = EncodeVisit(visit);
    previous = Sha256Hex(files.at(path));
  };
  for (size_t i = 0; i < calibrations.size(); ++i) {
    seal(calibrations[i], CalibrationPath(kCaseName, static_cast<int64_t>(i)));
  }
  for (size_t i = 0; i < visits.size(); ++i) {
    seal(visits[i], VisitPath(kCaseName, static_cast<int64_t>(i)));
  }
}

void SyntheticRun::AppendCycle() {
  const std::vector<VisitRecord> last(visits.end() - 4, visits.end());
  for (VisitRecord visit : last) {
    visit.index += 4;
    visit.cycle += 1;
    visit.shift = ShiftOfPair(7, kCaseName, visit.index / 2);
    visit.start_ns += 4 * kStepNs;
    visit.end_ns += 4 * kStepNs;
    visits.push_back(visit);
  }
  attempts.back().time_ns += 4 * kStepNs;
}

void SyntheticRun::InterruptBefore(size_t first) {
  const AttemptRecord end = attempts.back();
  attempts.back().result = "interrupted";
  attempts.back().time_ns = visits[first - 1].end_ns + 1;
  AttemptRecord start = attempts[2];
  start.attempt = 2;
  start.time_ns = attempts.back().time_ns + 1;
  attempts.push_back(start);
  attempts.push_back(end);
  attempts.back().attempt = 2;
  for (size_t i = first; i < visits.size(); ++i) visits[i].attempt = 2;
}

RunFiles SyntheticRun::ReferredArrays() const {
  std::set<std::string> digests;
  for (const CaseArray& array : c.arrays) digests.insert(array.sha256);
  for (const auto& [variant, capture] : captures) {
    for (const CaptureOutput& output : capture.outputs) {
      digests.insert(output.prepared_sha256);
    }
  }
  for (const auto* list : {&calibrations, &visits}) {
    for (const VisitRecord& visit : *list) {
      for (const VisitOutput& output : visit.outputs) {
        digests.insert(output.first_sha256);
        digests.insert(output.last_sha256);
      }
      for (const VisitGuard& guard : visit.guards) {
        digests.insert(guard.sha256);
      }
    }
  }
  RunFiles files;
  for (const std::string& sha256 : digests) {
    const auto array = arrays_.find(sha256);
    if (array != arrays_.end()) files[ArrayPath(sha256)] = array->second;
  }
  return files;
}

RunFiles SyntheticRun::Seal() {
  RunFiles files = ReferredArrays();
  files[kManifestPath] = manifest;
  freeze.manifest_sha256 = Sha256Hex(manifest);
  freeze.sources.clear();
  for (const auto& [path, bytes] : sources) {
    files[path] = bytes;
    freeze.sources.push_back(
        {path, Sha256Hex(bytes), static_cast<int64_t>(bytes.size())});
  }
  files[kFreezePath] = EncodeFreeze(freeze);
  SealCaptures(files);
  SealReplay(files);
  std::string log;
  for (AttemptRecord& attempt : attempts) {
    attempt.previous_sha256 = Sha256Hex(log);
    log += EncodeAttempt(attempt);
  }
  files[kAttemptsPath] = log;
  return files;
}

std::string BaselineObject() { return ReadFileBytes(AUDIT_FIXTURE_OBJECT); }

SyntheticRun HonestRun() {
  SyntheticRun run;
  run.manifest = kManifest;
  run.libraries[kBaseline] = ReadFileBytes(AUDIT_FIXTURE_KERNEL_1);
  run.libraries[kCandidate] = ReadFileBytes(AUDIT_FIXTURE_KERNEL_2);
  run.sources["sources/exhibit/README"] = "Exhibit as it was built.\n";
  for (const auto& [variant, library] : run.libraries) {
    run.sources["sources/manifest/" + variant + ".so"] = library;
  }
  const std::string source = OwnSourceId(run.sources);
  const ToolIdentity capture_tool = Tool("exhibit-capture", source);
  Clock clock;
  run.freeze.host.architecture = "x86_64";
  run.freeze.host.cpu_model = "Test CPU";
  run.freeze.host.boot_id_sha256 = Sha256Hex("boot");
  run.freeze.tool = capture_tool;
  clock.Stamp(run.freeze);
  run.c.case_name = kCaseName;
  run.c.program = "attention";
  run.c.shape = kShape;
  run.c.tile = {1, 16};
  run.c.dispatch = 4;
  run.c.tool = capture_tool;
  clock.Stamp(run.c);
  AddArrays(run);
  AddCaptures(run, clock, capture_tool);
  AddPlan(run, clock, Tool("exhibit-replay", source));
  AddVisits(run, clock);
  AddAttempts(run, clock.now_ns, source);
  return run;
}

Subject SubjectOf(const RunFiles& files) {
  Subject subject;
  FileDigests digests;
  for (const auto& [path, bytes] : files) {
    SubjectFile file;
    file.sha256 = Sha256Hex(bytes);
    file.size_bytes = bytes.size();
    file.bytes = bytes;
    digests[path] = file.sha256;
    subject.files[path] = std::move(file);
  }
  subject.content_id = ContentId(digests);
  return subject;
}

void WriteRun(const RunFiles& files, const std::string& root) {
  for (const auto& [path, bytes] : files) {
    const std::filesystem::path full = std::filesystem::path(root) / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << bytes;
  }
}

std::vector<std::string> CodesOf(const AuditResult& result) {
  std::vector<std::string> codes;
  for (const Json& finding :
       *result.json.AsObject()->at("findings").AsArray()) {
    codes.push_back(*finding.AsObject()->at("code").AsString());
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

std::string DescribeFindings(const AuditResult& result) {
  std::string text;
  for (const char* list : {"findings", "obstacles"}) {
    for (const Json& entry : *result.json.AsObject()->at(list).AsArray()) {
      text += EncodeJson(entry);
    }
  }
  return text;
}

}  // namespace exhibit::testing
