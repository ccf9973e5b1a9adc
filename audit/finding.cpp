#include "audit/finding.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "audit/stages.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr FindingCode kCodes[] = {
    {"archive-unsound", kShapeStage},
    {"file-extra", kShapeStage},
    {"file-missing", kShapeStage},
    {"over-limit", kShapeStage},
    {"provenance-differs", kShapeStage},
    {"provenance-malformed", kShapeStage},
    {"array-misnamed", kDigestsStage},
    {"array-unreferenced", kDigestsStage},
    {"chain-broken", kDigestsStage},
    {"digest-differs", kDigestsStage},
    {"index-differs", kDigestsStage},
    {"manifest-changed", kDigestsStage},
    {"reference-unresolved", kDigestsStage},
    {"array-malformed", kDecodingStage},
    {"manifest-malformed", kDecodingStage},
    {"program-malformed", kDecodingStage},
    {"realization-malformed", kDecodingStage},
    {"record-malformed", kDecodingStage},
    {"arm-differs", kDeclarationStage},
    {"arrays-differ", kDeclarationStage},
    {"attempt-unknown", kDeclarationStage},
    {"calibration-differs", kDeclarationStage},
    {"case-differs", kDeclarationStage},
    {"cohort-mixed", kDeclarationStage},
    {"end-inconsistent", kDeclarationStage},
    {"library-differs", kDeclarationStage},
    {"names-differ", kDeclarationStage},
    {"options-differ", kDeclarationStage},
    {"order-differs", kDeclarationStage},
    {"plan-differs", kDeclarationStage},
    {"repetitions-differ", kDeclarationStage},
    {"sample-count-differs", kDeclarationStage},
    {"shift-differs", kDeclarationStage},
    {"sources-differ", kDeclarationStage},
    {"starting-arm-differs", kDeclarationStage},
    {"time-disordered", kDeclarationStage},
    {"visit-count-differs", kDeclarationStage},
    {"capacity-differs", kIdentityStage},
    {"clone-differs", kIdentityStage},
    {"cpu-flags-differ", kIdentityStage},
    {"library-unsound", kIdentityStage},
    {"link-differs", kIdentityStage},
    {"object-unsound", kIdentityStage},
    {"program-differs", kIdentityStage},
    {"realization-differs", kIdentityStage},
    {"check-differs", kNumbersStage},
    {"end-unsupported", kNumbersStage},
    {"guard-damaged", kNumbersStage},
    {"input-differs", kNumbersStage},
    {"jit-differs", kNumbersStage},
    {"oracle-differs", kNumbersStage},
    {"oracle-vacuous", kNumbersStage},
    {"output-wrong", kNumbersStage},
    {"semantics-output-differs", kSemanticsStage},
    {"samples-unsound", kStatisticsStage},
    {"claim-differs", kClaimsStage},
    {"claim-refused", kClaimsStage},
    {"claim-unresolved", kClaimsStage},
    {"claims-malformed", kClaimsStage},
    {"claims-of-another-run", kClaimsStage},
    {"derived-differs", kSealStage},
    {"expectation-not-met", kSealStage},
    {"seal-unsound", kSealStage},
    {"signature-missing", kSealStage},
    {"signature-of-another-key", kSealStage},
    {"signature-unsound", kSealStage},
};

std::string_view StageOf(std::string_view code) {
  for (const FindingCode& known : kCodes) {
    if (known.code == code) return known.stage;
  }
  throw std::logic_error("unknown finding code: " + std::string(code));
}

size_t StageIndex(std::string_view stage) {
  const auto& names = kStageNames;
  return static_cast<size_t>(std::find(names.begin(), names.end(), stage) -
                             names.begin());
}

}  // namespace

std::span<const FindingCode> FindingCodes() { return kCodes; }

std::string LineEndNote(std::string_view bytes, std::string_view sha256) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool added =
        bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n';
    if (!added) text += bytes[i];
  }
  if (text.size() == bytes.size() || Sha256Hex(text) != sha256) return "";
  return ": its line feeds were made carriage return and line feed";
}

std::string Printable(std::string_view text) {
  constexpr size_t kBytesMax = 400;
  std::string printable;
  for (const char c : text.substr(0, kBytesMax)) {
    printable += c >= ' ' && c <= '~' ? c : '?';
  }
  if (text.size() > kBytesMax) printable += "...";
  return printable;
}

void FindingList::Add(Finding finding) {
  finding.stage = StageOf(finding.code);
  for (std::string* text : {&finding.path, &finding.field, &finding.message,
                            &finding.expected, &finding.found}) {
    *text = Printable(*text);
  }
  if (findings_.contains(finding)) return;
  ++count_;
  if (findings_.size() < kCountMax) findings_.insert(std::move(finding));
}

void FindingList::AddError(const std::string& code, const std::string& path,
                           const Error& error) {
  if (error.kind == ErrorKind::kUnsupported) {
    AddObstacle(path, error.message);
    return;
  }
  // The message of a reader begins with the file, which has its own place here.
  const std::string prefix = path + ": ";
  const bool named = error.message.starts_with(prefix);
  Add({.code = code,
       .path = path,
       .message = error.message.substr(named ? prefix.size() : 0)});
}

void FindingList::AddObstacle(const std::string& path,
                              const std::string& message) {
  if (obstacles_.size() >= kCountMax) return;
  const std::string prefix =
      path.empty() || message.starts_with(path) ? "" : path + ": ";
  obstacles_.insert(Printable(prefix + message));
}

void FindingList::Merge(const FindingList& other) {
  for (const Finding& finding : other.findings_) Add(finding);
  for (const std::string& obstacle : other.obstacles_) {
    AddObstacle("", obstacle);
  }
}

uint64_t FindingList::CountOf(std::string_view stage) const {
  return static_cast<uint64_t>(
      std::count_if(findings_.begin(), findings_.end(),
                    [&](const Finding& f) { return f.stage == stage; }));
}

std::vector<Finding> FindingList::Sorted() const {
  std::vector<Finding> sorted(findings_.begin(), findings_.end());
  const auto key = [](const Finding& f) {
    return std::make_tuple(StageIndex(f.stage), std::cref(f.path),
                           std::cref(f.field), std::cref(f.code),
                           std::cref(f.message), std::cref(f.found));
  };
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
  return sorted;
}

std::vector<std::string> FindingList::Obstacles() const {
  return {obstacles_.begin(), obstacles_.end()};
}

}  // namespace exhibit
