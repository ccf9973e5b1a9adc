#include "audit/claim_kinds.h"

namespace exhibit {
namespace {

constexpr ClaimKind kKinds[] = {
    {"paired-ratio", ClaimScope::kCase, ClaimValue::kNumber, "ratios.median"},
    {"ratio-min", ClaimScope::kCase, ClaimValue::kNumber, "ratios.min"},
    {"ratio-max", ClaimScope::kCase, ClaimValue::kNumber, "ratios.max"},
    {"estimate", ClaimScope::kCase, ClaimValue::kNumber, "ratios.estimate"},
    {"interval-low", ClaimScope::kCase, ClaimValue::kNumber,
     "ratios.interval.low"},
    {"interval-high", ClaimScope::kCase, ClaimValue::kNumber,
     "ratios.interval.high"},
    {"interval-coverage", ClaimScope::kCase, ClaimValue::kNumber,
     "ratios.interval.coverage"},
    {"p-value", ClaimScope::kCase, ClaimValue::kNumber, "ratios.p_value"},
    {"noise-floor", ClaimScope::kCase, ClaimValue::kNumber,
     "ratios.noise_floor"},
    {"outcome", ClaimScope::kCase, ClaimValue::kText, "outcome"},
    {"evidence-level", ClaimScope::kCase, ClaimValue::kText, "evidence_level"},
    {"time", ClaimScope::kArm, ClaimValue::kTime, "time_ns"},
    {"workspace-bytes", ClaimScope::kArm, ClaimValue::kNumber,
     "workspace_bytes"},
    {"code-bytes", ClaimScope::kArm, ClaimValue::kNumber, "code.code_bytes"},
    {"cases-tried", ClaimScope::kRun, ClaimValue::kNumber, "cases_tried"},
    {"chance-of-false-claim", ClaimScope::kRun, ClaimValue::kNumber,
     "chance_of_false_claim"},
    {"timed-visits", ClaimScope::kRun, ClaimValue::kNumber,
     "counts.found.visits"},
};

constexpr RefusedKind kRefused[] = {
    {"time-ratio",
     "it divides the times of two arms over all visits; only the two visits of "
     "a pair share a moment of the host: quote paired-ratio"},
    {"time-difference",
     "it subtracts the times of two arms over all visits; only the two visits "
     "of a pair share a moment of the host: quote paired-ratio"},
    {"product-of-ratios",
     "it multiplies ratios of different cases or runs, whose arms were never "
     "measured against each other: measure the two ends as one pair of arms"},
    {"geomean",
     "it multiplies ratios across cases, which were chosen and not drawn, and "
     "whose arms were never measured against each other: quote paired-ratio of "
     "each case"},
    {"mean-of-ratios",
     "it averages over cases, which were chosen and not drawn: quote the ratio "
     "of each case"},
    {"speedup",
     "it says neither which times it divides nor which way, and across cases "
     "no pair of visits measured it: quote paired-ratio, candidate / baseline, "
     "of each case"},
    {"speedup-across-cases",
     "it divides times of different cases, which ran at different moments and "
     "do different work: make them the two variants of one case"},
    {"time-difference-across-cases",
     "it subtracts times of different cases, which ran at different moments "
     "and do different work: make them the two variants of one case"},
    {"speedup-across-runs",
     "it divides times of different runs, whose hosts, boots and moments "
     "differ: run both as the arms of one manifest"},
    {"time-difference-across-runs",
     "it subtracts times of different runs, whose hosts, boots and moments "
     "differ: run both as the arms of one manifest"},
    {"range-as-interval",
     "the least and the largest pair ratio are no interval, for more pairs "
     "widen them: quote interval-low and interval-high"},
    {"cycles",
     "wall time of the host was measured; clock frequencies were not, or not "
     "throughout: quote time"},
    {"gpu-time", "nothing ran on a GPU: quote time"},
    {"cause",
     "that something explains a difference takes an experiment in which only "
     "that changes; code shape beside a time is no such experiment"},
};

constexpr char kAcrossCases[] =
    "it speaks of several cases at once, whose arms were never measured "
    "against each other, and which were chosen and not drawn: make one claim "
    "of each case";

template <typename Kind>
const Kind* Find(std::span<const Kind> kinds, std::string_view quantity) {
  for (const Kind& kind : kinds) {
    if (kind.quantity == quantity) return &kind;
  }
  return nullptr;
}

}  // namespace

std::span<const ClaimKind> ClaimKinds() { return kKinds; }
std::span<const RefusedKind> RefusedKinds() { return kRefused; }

const ClaimKind* FindClaimKind(std::string_view quantity) {
  return Find(ClaimKinds(), quantity);
}

const RefusedKind* FindRefusedKind(std::string_view quantity) {
  return Find(RefusedKinds(), quantity);
}

std::string_view WhyNotAcrossCases() { return kAcrossCases; }

}  // namespace exhibit
