#include "audit/quality.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "audit/json_view.h"
#include "audit/statistics/statistics.h"

namespace exhibit {
namespace {

constexpr char kFewPairs[] = "too-few-pairs";
constexpr char kNoSlack[] = "no-dissenting-pair-allowed";
constexpr char kFewSamples[] = "too-few-samples";
constexpr char kFewRepetitions[] = "too-few-repetitions";
constexpr char kTimer[] = "timer-resolution";
constexpr char kBimodal[] = "bimodal-samples";
constexpr char kDrifted[] = "drift";
constexpr char kDisturbed[] = "disturbed-visits";
constexpr char kCrosses[] = "range-crosses-one";
constexpr char kFloor[] = "floor-above-effect";
constexpr char kNoRatio[] = "no-ratio";
constexpr char kNoNull[] = "no-null-case";
constexpr char kFalseClaim[] = "null-control-failed";
constexpr char kFamily[] = "family-uncorrected";
constexpr char kGovernor[] = "frequency-governor";
constexpr char kBusy[] = "busy-host";

// A sample shall be at least this many clock steps, or readings of the clock,
// long: then neither adds more than a thousandth.
constexpr double kStepsPerSample = 1000.0;
// Fewer samples than this, and one straggler moves the median.
constexpr double kSamplesLeast = 5.0;
// Fewer calls than this in a sample, and calls of uneven length show as noise.
constexpr double kRepetitionsLeast = 3.0;

std::string CyclesText(int64_t cycles) {
  return "set replay.cycles to " + std::to_string(cycles);
}

std::string Count(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool HasRemark(const Json& c, const std::string& remark) {
  const Json::Array& remarks = ListAt(c, "remarks");
  return std::find(remarks.begin(), remarks.end(), Json(remark)) !=
         remarks.end();
}

// Cases that share alpha.
int64_t FamilySize(const Json& audit) {
  if (TextAt(audit, "decision.family") != "holm") return 1;
  return static_cast<int64_t>(NumberAt(audit, "cases_tried").value_or(1.0));
}

// The fewest pairs of a case that can reach alpha.
std::optional<int64_t> PairsNeeded(const Json& audit) {
  const Result<int64_t> needed = MinimumPairs(
      NumberAt(audit, "decision.alpha").value_or(0.0), FamilySize(audit));
  if (!needed.ok()) return std::nullopt;
  return *needed;
}

class CaseReview {
 public:
  CaseReview(const Json& audit, const Json& c) : audit_(audit), case_(c) {}

  std::vector<QualityRemark> Run() {
    if (JsonAt(case_, "outcome").is_null()) return {};
    LookAtSamples();
    LookAtGroups();
    LookAtMarks();
    if (JsonAt(case_, "ratios").is_null()) {
      LookAtMissingRatio();
    } else {
      LookAtPairs();
      LookAtDrift();
      LookAtEffect();
      LookAtControls();
    }
    return std::move(found_);
  }

 private:
  void Say(const char* code, const std::string& measured,
           const std::string& fix) {
    found_.push_back({TextAt(case_, "name"), code, measured, fix});
  }

  double Number(const char* path) const {
    return NumberAt(case_, path).value_or(0.0);
  }

  // Milliseconds that make a sample `factor` times as long as the shortest.
  std::string TargetText(double factor) const {
    const double now_ms = NumberAt(audit_, "replay.target_ms").value_or(1.0);
    return "set replay.target_ms to " +
           FixedText(std::ceil(now_ms * std::max(factor, 1.0) + 0.5), 0);
  }

  void LookAtSamples() {
    const double samples = NumberAt(audit_, "replay.samples").value_or(0.0);
    if (samples < kSamplesLeast) {
      Say(kFewSamples, FixedText(samples, 0) + " samples in a visit",
          "set replay.samples to 7, so that the median withstands three "
          "stragglers");
    }
    if (JsonAt(case_, "timing").is_null()) return;
    const double repetitions = Number("timing.repetitions");
    if (repetitions < kRepetitionsLeast) {
      Say(kFewRepetitions, FixedText(repetitions, 0) + " calls in a sample",
          TargetText(kRepetitionsLeast / std::max(repetitions, 1.0)));
    }
    const double step = std::max(Number("timing.clock_resolution_ns"),
                                 Number("timing.clock_overhead_ns"));
    const double shortest = Number("timing.shortest_sample_ns");
    if (step * kStepsPerSample > shortest) {
      Say(kTimer,
          "the shortest sample took " + FixedText(shortest, 0) +
              " ns; the clock steps by " +
              TextAt(case_, "timing.clock_resolution_ns") + " ns and takes " +
              TextAt(case_, "timing.clock_overhead_ns") + " ns to read",
          TargetText(step * kStepsPerSample / std::max(shortest, 1.0)));
    }
  }

  void LookAtGroups() {
    const struct {
      const char* remark;
      const char* what;
    } kGroups[] = {
        {remarks::kSamplesInGroupsBaseline,
         "samples of the baseline fall apart in two groups within visits"},
        {remarks::kSamplesInGroupsCandidate,
         "samples of the candidate fall apart in two groups within visits"},
        {remarks::kVisitsInGroupsBaseline,
         "visits of the baseline fall apart in two groups"},
        {remarks::kVisitsInGroupsCandidate,
         "visits of the candidate fall apart in two groups"},
        {remarks::kTwoGroups, "the pair ratios fall apart in two groups"},
    };
    for (const auto& [remark, what] : kGroups) {
      if (!HasRemark(case_, remark)) continue;
      Say(kBimodal, what,
          "look at visit_times_ns and marked_visits; rerun on a host that "
          "nothing shares, and with twice the cycles if it stays");
    }
  }

  void LookAtMarks() {
    std::map<std::string, size_t> counts;
    for (const Json& visit : ListAt(case_, "marked_visits")) {
      for (const Json& mark : ListAt(visit, "marks")) {
        if (const std::string* name = mark.AsString()) ++counts[*name];
      }
    }
    if (counts.empty()) return;
    std::string text;
    for (const auto& [mark, count] : counts) {
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + mark;
    }
    const size_t all = ListAt(case_, "visit_times_ns").size();
    Say(kDisturbed, "of " + Count(all, "visit") + ": " + text,
        "rerun when the host is idle; none of them was removed");
  }

  void LookAtMissingRatio() {
    Say(kNoRatio, OutcomeOf(case_) + ": " + JoinedAt(case_, "reasons"),
        OutcomeOf(case_) == "invalid"
            ? "mend what failed and make a new run"
            : "make a new run on an idle host that stays as it is; where "
              "samples lie in two groups, find what makes them");
  }

  void LookAtPairs() {
    const std::optional<int64_t> needed = PairsNeeded(audit_);
    if (!needed) return;
    const auto pairs =
        static_cast<int64_t>(ListAt(case_, "ratios.pairs").size());
    const std::string alpha = TextAt(audit_, "decision.alpha");
    const std::string have = Count(static_cast<size_t>(pairs), "pair");
    if (pairs < *needed) {
      Say(kFewPairs,
          have + "; alpha " + alpha + " needs " + std::to_string(*needed),
          CyclesText((*needed + 1) / 2));
    }
  }

  void LookAtDrift() {
    const std::optional<double> drift = NumberAt(case_, "ratios.drift");
    const bool drifted = drift && EffectOf(*drift) > kDriftRemarked;
    if (!drifted && !HasRemark(case_, remarks::kSelfDrift)) return;
    Say(kDrifted,
        "later over earlier visits of one arm: " +
            FixedAt(case_, "ratios.drift", 4) + "; self pairs " +
            TextAt(case_, "ratios.self_sign_test.above") + " longer, " +
            TextAt(case_, "ratios.self_sign_test.below") + " shorter",
        "let the host come to rest (temperature, frequency, other load) and "
        "raise replay.warmup_ms");
  }

  // Of a null case no claim is wanted: pairs on both sides of one, and a ratio
  // within the noise, are what it should show.
  void LookAtEffect() {
    const std::string* null_of = JsonAt(case_, "null_of").AsString();
    if (null_of != nullptr && !null_of->empty()) return;
    LookAtRange();
    LookAtFloor();
  }

  void LookAtRange() {
    if (HasRemark(case_, remarks::kRangeCrossesOne)) {
      const std::optional<double> cycles = NumberAt(case_, "cycles_to_decide");
      Say(kCrosses, "pairs from " + RangeOf(case_),
          cycles ? CyclesText(static_cast<int64_t>(*cycles)) +
                       ", which would decide if the run went on as it did"
                 : "expect no claim at this noise; a quieter host first");
    }
  }

  // An effect that is not called, being so small, need not be told from noise:
  // it is enough that the noise is below the least one that is.
  void LookAtFloor() {
    const std::optional<double> floor = NumberAt(case_, "ratios.noise_floor");
    const double effect =
        std::min(EffectOf(NumberAt(case_, "ratios.estimate").value_or(1.0)),
                 EffectOf(NumberAt(case_, "ratios.median").value_or(1.0)));
    const double minimum =
        NumberAt(audit_, "decision.minimum_effect").value_or(0.0);
    const double wanted = std::max(effect, minimum);
    if (!floor || *floor < wanted) return;
    const std::string what = effect > minimum
                                 ? "this effect"
                                 : "minimum_effect " + FixedText(minimum, 4);
    const double shrink = wanted > 0.0 ? *floor / wanted : 0.0;
    const double cycles =
        NumberAt(audit_, "replay.cycles").value_or(1.0) * shrink * shrink;
    Say(kFloor,
        "effect " + FixedText(effect, 4) + ", noise floor " +
            FixedText(*floor, 4),
        wanted > 0.0 && cycles < static_cast<double>(kCyclesToDecideMax)
            ? CyclesText(static_cast<int64_t>(std::ceil(cycles)) + 1) +
                  " to bring the floor below " + what
            : "no number of cycles will bring the floor below " + what +
                  "; a quieter host or a smaller question");
  }

  void LookAtControls() {
    const std::string outcome = OutcomeOf(case_);
    for (const char* remark :
         {remarks::kNullToldApart, remarks::kClaimOnIdentical}) {
      if (!HasRemark(case_, remark)) continue;
      Say(kFalseClaim,
          std::string(remark) + ", ratio " + FixedAt(case_, "ratios.median", 4),
          "believe no effect of this size in this run; run again on a quieter "
          "host, with null cases at several placements of the code");
    }
    if ((outcome == "faster" || outcome == "slower") &&
        !NumberAt(case_, "ratios.null_effect")) {
      Say(kNoNull,
          outcome + ", ratio " + FixedAt(case_, "ratios.median", 4) +
              ", with one placement of each code",
          "add {\"name\": \"" + TextAt(case_, "name") +
              "-null\", \"null_of\": \"" + TextAt(case_, "name") +
              "\", \"placement_bytes\": 16} to cases");
    }
  }

  const Json& audit_;
  const Json& case_;
  std::vector<QualityRemark> found_;
};

// The replay itself is one of the load.
void LookAtLoad(const Json& audit, std::vector<QualityRemark>& found) {
  double load = 0.0;
  for (const Json& c : ListAt(audit, "cases")) {
    load = std::max(load, NumberAt(c, "timing.load_1m_max").value_or(0.0));
  }
  const double cpus = NumberAt(audit, "host.cpu_count").value_or(1.0);
  if (load <= std::max(1.5, 0.75 * cpus)) return;
  found.push_back({"", kBusy,
                   "load average up to " + FixedText(load, 2) + " on " +
                       FixedText(cpus, 0) + " processors before a visit",
                   "stop what else runs, and see that nothing shares the "
                   "core"});
}

// Whether one pair may dissent among those that the manifest plans.
void LookAtSlack(const Json& audit, std::vector<QualityRemark>& found) {
  const std::optional<int64_t> needed = PairsNeeded(audit);
  const double cycles = NumberAt(audit, "replay.cycles").value_or(0.0);
  if (!needed || !(cycles >= 1.0 && 2.0 * cycles <= kObservationCountMax)) {
    return;
  }
  const auto pairs = static_cast<int64_t>(2.0 * cycles);
  const double level = NumberAt(audit, "decision.alpha").value_or(0.0) /
                       static_cast<double>(FamilySize(audit));
  if (pairs < *needed || SignTestPValue(pairs, 1) < level) return;
  int64_t enough = pairs / 2;
  while (SignTestPValue(2 * enough, 1) >= level) {
    if (2 * ++enough > kObservationCountMax) return;
  }
  found.push_back(
      {"", kNoSlack,
       std::to_string(pairs) +
           " pairs a case; one that dissents ends every claim",
       CyclesText(enough) +
           ", with which one pair may dissent; how many an effect above "
           "minimum_effect, " +
           TextAt(audit, "decision.minimum_effect") +
           ", takes, exhibit-replay --plan-for says"});
}

void LookAtRun(const Json& audit, std::vector<QualityRemark>& found) {
  const double alpha = NumberAt(audit, "decision.alpha").value_or(1.0);
  const double chance = NumberAt(audit, "chance_of_false_claim").value_or(0.0);
  if (chance > 2.0 * alpha) {
    found.push_back({"", kFamily,
                     TextAt(audit, "cases_tried") +
                         " cases, chance of at least one false claim " +
                         FixedText(chance, 4),
                     "set decision.family to holm, or read a single claim "
                     "among many cases as a guess"});
  }
  LookAtSlack(audit, found);
  LookAtLoad(audit, found);
  const std::string governor = TextAt(audit, "host.governor");
  if (governor != "-" && !governor.empty() && governor != "performance") {
    found.push_back({"", kGovernor, "governor " + governor,
                     "sudo cpupower frequency-set -g performance"});
  }
}

// Remarks say nothing of what is held against the subject, only where to look.
std::string WhatIsHeldAgainst(const Json& audit) {
  const std::string text = CodesHeldAgainst(audit);
  if (text.empty()) return "";
  return "not verified: " + text +
         "; exhibit-audit --table shows what and where; of the cases concerned "
         "nothing is remarked\n";
}

}  // namespace

const std::vector<std::string>& QualityCodes() {
  static const std::vector<std::string> kCodes = {
      kFamily,  kNoSlack, kBusy,       kGovernor, kFewSamples, kFewRepetitions,
      kTimer,   kBimodal, kDisturbed,  kNoRatio,  kFewPairs,   kDrifted,
      kCrosses, kFloor,   kFalseClaim, kNoNull};
  return kCodes;
}

std::vector<QualityRemark> QualityRemarks(const Json& audit) {
  std::vector<QualityRemark> found;
  LookAtRun(audit, found);
  for (const Json& c : ListAt(audit, "cases")) {
    for (QualityRemark& remark : CaseReview(audit, c).Run()) {
      found.push_back(std::move(remark));
    }
  }
  return found;
}

std::string RenderQuality(const Json& audit) {
  std::string text;
  const std::vector<QualityRemark> remarks = QualityRemarks(audit);
  for (const QualityRemark& remark : remarks) {
    text += (remark.case_name.empty() ? "whole run" : remark.case_name) + ": " +
            remark.code + ": " + remark.measured + "; fix: " + remark.fix +
            "\n";
  }
  text += Count(remarks.size(), "remark") + ", verdict " +
          TextAt(audit, "verdict") + "\n" + ExploratoryLine(audit);
  return text + WhatIsHeldAgainst(audit);
}

Json QualityJson(const Json& audit) {
  Json::Array remarks;
  for (const QualityRemark& remark : QualityRemarks(audit)) {
    remarks.emplace_back(Json::Object{{"case", remark.case_name},
                                      {"code", remark.code},
                                      {"measured", remark.measured},
                                      {"fix", remark.fix}});
  }
  return remarks;
}

}  // namespace exhibit
