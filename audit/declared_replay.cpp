// The part of stage declaration that looks at plan.json and the visits.

#include <algorithm>
#include <optional>

#include "audit/declaration.h"
#include "manifests/run_layout.h"
#include "manifests/visit_order.h"

namespace exhibit {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kNsPerS = 1'000'000'000;

void CheckPlanPolicy(const Manifest& manifest, const CaseEvidence& c,
                     Checker& check) {
  const PlanRecord& plan = *c.plan.record;
  const auto same = [&](const char* field, const auto& expected,
                        const auto& found) {
    check.Equal(
        {"plan-differs", c.plan.path, field, "the manifest declares otherwise"},
        expected, found);
  };
  same("baseline.variant", manifest.baseline, plan.baseline.variant);
  same("candidate.variant", manifest.candidate, plan.candidate.variant);
  same("cycles", manifest.cycles, plan.cycles);
  same("samples", manifest.samples, plan.samples);
  same("warmup_ns", manifest.warmup_ms * kNsPerMs, plan.warmup_ns);
  same("target_ns", manifest.target_ms * kNsPerMs, plan.target_ns);
  same("timeout_ns", manifest.timeout_s * kNsPerS, plan.timeout_ns);
  same("seed", manifest.seed, plan.seed);
  same("isolation", manifest.isolation, plan.isolation);
}

void CheckPlanDraws(const Manifest& manifest, const CaseEvidence& c,
                    Checker& check) {
  const PlanRecord& plan = *c.plan.record;
  check.Equal({"names-differ", c.plan.path, "case_name",
               "the record speaks of another case than its path"},
              c.name(), plan.case_name);
  check.Equal({"starting-arm-differs", c.plan.path, "starting_arm",
               "the seed draws the other arm"},
              ArmName(StartingArm(manifest.seed, c.name())),
              std::string_view(plan.starting_arm));
  if (!check.Equal({"plan-differs", c.plan.path, "shifts",
                    "the number of pairs is declared otherwise"},
                   2 * manifest.cycles,
                   static_cast<int64_t>(plan.shifts.size()))) {
    return;
  }
  for (int64_t pair = 0; pair < 2 * manifest.cycles; ++pair) {
    check.True(
        {"shift-differs", c.plan.path, "shifts[" + std::to_string(pair) + "]",
         "the seed draws another shift"},
        plan.shifts[static_cast<size_t>(pair)] ==
            ShiftOfPair(manifest.seed, c.name(), pair));
  }
}

// What every visit of either kind must say of itself.
void CheckVisitArm(const Evidence& evidence, const CaseEvidence& c,
                   const Filed<VisitRecord>& visit, Checker& check) {
  const VisitRecord& record = *visit.record;
  const bool baseline = record.arm == "baseline";
  const PlanRecord& plan = *c.plan.record;
  const PlanArm& arm = baseline ? plan.baseline : plan.candidate;
  const CaptureEvidence& capture = baseline ? c.Baseline(*evidence.manifest)
                                            : c.Candidate(*evidence.manifest);
  const auto same = [&](const char* field, const auto& expected,
                        const auto& found) {
    check.Equal({"arm-differs", visit.path, field,
                 "it is not that of the arm in plan.json"},
                expected, found);
  };
  same("variant", arm.variant, record.variant);
  same("library_sha256", arm.library_sha256, record.library_sha256);
  if (capture.capture.record) {
    same("symbol", capture.capture.record->symbol, record.symbol);
  }
  same("cpu", plan.cpu, record.cpu);
  check.Equal({"names-differ", visit.path, "case_name",
               "the record speaks of another case than its path"},
              c.name(), record.case_name);
}

bool Completed(const Filed<VisitRecord>& visit) {
  return visit.record->end.status == "completed";
}

// Every output that is recorded has the type and shape of its buffer.
void CheckVisitArrays(const Evidence& evidence,
                      const std::vector<DeclaredBuffer>& buffers,
                      const VisitRecord& record, Checker& check) {
  for (const VisitOutput& output : record.outputs) {
    for (const DeclaredBuffer& buffer : buffers) {
      if (!buffer.is_output || buffer.name != output.name) continue;
      for (const std::string& sha256 :
           {output.first_sha256, output.last_sha256}) {
        CheckArray(evidence, {sha256, output.name, buffer.shape}, check);
      }
    }
  }
}

// Outputs and guards of a completed visit are those of the case's buffers.
void CheckVisitBuffers(const std::vector<DeclaredBuffer>& buffers,
                       const CaptureEvidence& capture,
                       const Filed<VisitRecord>& visit, Checker& check) {
  const VisitRecord& record = *visit.record;
  if (!Completed(visit)) return;
  std::vector<std::string> outputs;
  for (const DeclaredBuffer& buffer : buffers) {
    if (buffer.is_output) outputs.push_back(buffer.name);
  }
  std::vector<std::string> guards = outputs;
  if (capture.capture.record && capture.capture.record->workspace_bytes > 0) {
    guards.emplace_back("workspace");
  }
  std::vector<std::string> found_outputs;
  std::vector<std::string> found_guards;
  for (const VisitOutput& output : record.outputs) {
    found_outputs.push_back(output.name);
    check.True({"end-inconsistent", visit.path, output.name,
                "a completed visit has its first and last output"},
               !output.first_sha256.empty() && !output.last_sha256.empty());
  }
  for (const VisitGuard& guard : record.guards) {
    found_guards.push_back(guard.buffer);
  }
  check.Equal({"end-inconsistent", visit.path, "outputs",
               "a completed visit has every output"},
              outputs, found_outputs);
  check.Equal({"end-inconsistent", visit.path, "guards",
               "a completed visit has the guards of every output and of the "
               "workspace"},
              guards, found_guards);
}

const CaptureEvidence& CaptureOf(const Evidence& evidence,
                                 const CaseEvidence& c,
                                 const VisitRecord& visit) {
  return visit.arm == "baseline" ? c.Baseline(*evidence.manifest)
                                 : c.Candidate(*evidence.manifest);
}

void CheckCalibration(const Evidence& evidence, const CaseEvidence& c,
                      int64_t index, Checker& check) {
  const Filed<VisitRecord>& visit = c.calibrations[static_cast<size_t>(index)];
  if (!visit.record) return;
  const VisitRecord& record = *visit.record;
  const auto same = [&](const char* field, const auto& expected,
                        const auto& found) {
    check.Equal(
        {"calibration-differs", visit.path, field, "it does not fit its place"},
        expected, found);
  };
  same("kind", "calibration", record.kind);
  same("index", index, record.index);
  same("cycle", 0, record.cycle);
  same("position", index, record.position);
  same("repetitions", 0, record.repetitions);
  same("samples_ns", size_t{0}, record.samples_ns.size());
  if (index == 1 && c.calibrations[0].record) {
    check.True({"calibration-differs", visit.path, "arm",
                "each arm is calibrated once"},
               c.calibrations[0].record->arm != record.arm);
  }
  check.True({"calibration-differs", visit.path, "probe_ns",
              "a completed calibration has a probe"},
             !Completed(visit) || record.probe_ns > 0);
  check.True({"sample-count-differs", visit.path, "checks_passed",
              "the first call and the warm-up are followed by a full check"},
             !Completed(visit) || record.checks_passed == 2);
  check.True({"shift-differs", visit.path, "shift",
              "a calibration has the shift of the first pair"},
             record.shift == ShiftOfPair(evidence.manifest->seed, c.name(), 0));
  CheckVisitArm(evidence, c, visit, check);
}

// Calls per sample as the calibrations fix it; absent when they did not end
// well, in which case nothing may have been timed.
std::optional<int64_t> DeclaredRepetitions(const CaseEvidence& c) {
  if (c.calibrations.size() != 2) return std::nullopt;
  std::vector<int64_t> probes;
  for (const Filed<VisitRecord>& visit : c.calibrations) {
    if (!visit.record || !Completed(visit) || visit.record->probe_ns <= 0) {
      return std::nullopt;
    }
    probes.push_back(visit.record->probe_ns);
  }
  return RepetitionsFor(std::max<int64_t>(1, c.plan.record->target_ns), probes);
}

void CheckVisitPlace(const Manifest& manifest, const CaseEvidence& c,
                     int64_t index, Checker& check) {
  const Filed<VisitRecord>& visit = c.visits[static_cast<size_t>(index)];
  const VisitRecord& record = *visit.record;
  const auto same = [&](const char* field, const auto& expected,
                        const auto& found) {
    check.Equal({"order-differs", visit.path, field,
                 "it does not fit the visit's place in the order"},
                expected, found);
  };
  same("kind", "timed", record.kind);
  same("index", index, record.index);
  same("cycle", index / 4, record.cycle);
  same("position", index % 4, record.position);
  const Arm start = StartingArm(manifest.seed, c.name());
  same("arm", ArmName(ArmOfVisit(start, index)), std::string_view(record.arm));
  check.True({"shift-differs", visit.path, "shift",
              "the seed draws another shift for this pair"},
             record.shift == ShiftOfPair(manifest.seed, c.name(), index / 2));
}

void CheckVisitSamples(const Manifest& manifest, const CaseEvidence& c,
                       const Filed<VisitRecord>& visit, Checker& check) {
  const VisitRecord& record = *visit.record;
  const auto samples = static_cast<int64_t>(record.samples_ns.size());
  if (Completed(visit)) {
    check.Equal({"sample-count-differs", visit.path, "samples_ns",
                 "the manifest declares another number of samples"},
                manifest.samples, samples);
    check.Equal({"sample-count-differs", visit.path, "checks_passed",
                 "the first call, the warm-up and every sample are followed by "
                 "a full check"},
                samples + 2, record.checks_passed);
  } else {
    check.True({"sample-count-differs", visit.path, "samples_ns",
                "more samples than declared"},
               samples <= manifest.samples);
  }
  const std::optional<int64_t> repetitions = DeclaredRepetitions(c);
  if (repetitions && (Completed(visit) || record.repetitions != 0)) {
    check.Equal({"repetitions-differ", visit.path, "repetitions",
                 "the calibrations give another number of calls per sample"},
                *repetitions, record.repetitions);
  }
  check.True({"repetitions-differ", visit.path, "repetitions",
              "nothing is timed unless both calibrations completed"},
             repetitions || !Completed(visit));
}

// Calls take no longer than their visit. The moments and the samples come from
// two clocks, of which one is steered, by far less than a hundredth.
void CheckVisitTime(const Filed<VisitRecord>& visit, Checker& check) {
  const VisitRecord& record = *visit.record;
  double spent_ns = static_cast<double>(record.first_call_ns) +
                    static_cast<double>(record.warmup_ns);
  for (const int64_t sample_ns : record.samples_ns) {
    spent_ns += static_cast<double>(sample_ns);
  }
  const double visit_ns =
      static_cast<double>(record.end_ns) - static_cast<double>(record.start_ns);
  check.True({"time-disordered", visit.path, "samples_ns",
              "its calls take longer than the visit"},
             spent_ns <= 1.01 * visit_ns);
}

// What was mapped while kernels ran, where it was noted, is what the record
// names.
void CheckVisitMapped(const Filed<VisitRecord>& visit, Checker& check) {
  const VisitRecord& record = *visit.record;
  const auto same = [&](const std::string& name, const std::string& sha256) {
    std::string found;
    for (const MappedFile& file : record.process.mapped_files) {
      if (file.name != name) continue;
      if (file.sha256 == sha256) return;
      found = file.sha256;
    }
    check.Equal({"arm-differs", visit.path, "process.mapped_files",
                 "another " + name + " was mapped than the record names"},
                found.empty() ? found : sha256, found);
  };
  same("kernel.so", record.library_sha256);
  same(record.tool.name, record.tool.sha256);
}

void CheckVisitCount(const Evidence& evidence, const CaseEvidence& c,
                     Checker& check) {
  std::vector<int64_t> attempts;
  for (const Filed<VisitRecord>& visit : c.visits) {
    if (!visit.record) return;
    attempts.push_back(visit.record->attempt);
  }
  check.True({"order-differs", ReplayFolder(c.name()), "attempt",
              "a later visit was made by an earlier attempt"},
             std::is_sorted(attempts.begin(), attempts.end()));
  const int64_t needed = VisitsNeeded(evidence.manifest->cycles, attempts);
  const auto found = static_cast<int64_t>(attempts.size());
  if (evidence.CohortInvalid() && found <= needed) return;
  check.Equal({"visit-count-differs", ReplayFolder(c.name()), "",
               "the manifest and the interruptions ask for another number of "
               "visits"},
              needed, found);
}

}  // namespace

void CheckReplayDeclaration(const Evidence& evidence, CaseEvidence& c,
                            Checker& check) {
  const Manifest& manifest = *evidence.manifest;
  CheckPlanPolicy(manifest, c, check);
  CheckPlanDraws(manifest, c, check);
  const auto calibrations = static_cast<int64_t>(c.calibrations.size());
  for (int64_t i = 0; i < calibrations; ++i) {
    CheckCalibration(evidence, c, i, check);
  }
  const std::vector<DeclaredBuffer> buffers = DeclaredBuffers(manifest, c);
  const auto visits = static_cast<int64_t>(c.visits.size());
  for (int64_t i = 0; i < visits; ++i) {
    const Filed<VisitRecord>& visit = c.visits[static_cast<size_t>(i)];
    if (!visit.record) continue;
    CheckVisitPlace(manifest, c, i, check);
    CheckVisitArm(evidence, c, visit, check);
    CheckVisitSamples(manifest, c, visit, check);
  }
  for (const auto* list : {&c.calibrations, &c.visits}) {
    for (const Filed<VisitRecord>& visit : *list) {
      if (!visit.record) continue;
      CheckVisitTime(visit, check);
      CheckVisitMapped(visit, check);
      CheckVisitArrays(evidence, buffers, *visit.record, check);
      CheckVisitBuffers(buffers, CaptureOf(evidence, c, *visit.record), visit,
                        check);
    }
  }
  CheckVisitCount(evidence, c, check);
}

}  // namespace exhibit
