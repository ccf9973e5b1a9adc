#include "audit/audit.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "archive/bundle.h"
#include "audit/audit_json.h"
#include "audit/audit_state.h"
#include "audit/claims.h"
#include "audit/declaration.h"
#include "audit/decoding.h"
#include "audit/digests.h"
#include "audit/identity.h"
#include "audit/numbers.h"
#include "audit/report.h"
#include "audit/semantics.h"
#include "audit/shape.h"
#include "audit/signature_check.h"
#include "audit/stages.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

void Shape(AuditState& s) {
  s.findings.Merge(s.subject.findings);
  // Of archives that cannot be read to the end nothing is known to be missing.
  if (s.subject.content_id.empty()) return;
  CheckShape(s.subject, s.evidence(), s.findings);
}

void Digests(AuditState& s) {
  CheckDigests(s.subject, s.evidence(), s.findings);
}

void Decoding(AuditState& s) {
  CheckDecoding(s.subject, s.decoded.findings, s.evidence(), s.findings);
}

void Declaration(AuditState& s) {
  CheckDeclaration(s.subject, s.evidence(), s.findings);
}

void Identity(AuditState& s) {
  CheckIdentity(s.subject, s.evidence(), s.findings);
}

void Numbers(AuditState& s) {
  CheckNumbers(s.subject, s.evidence(), s.findings);
}

void Semantics(AuditState& s) {
  CheckSemantics(s.subject, s.evidence(), s.findings);
}

void Statistics(AuditState& s) {
  s.judgement = JudgeCases(s.evidence(), s.findings);
}

// Held against what a reader of audit.json sees, and against nothing else.
void AddClaims(const std::string& bytes, const std::string& where,
               const Json& audit, AuditState& s) {
  Json::Array judged = JudgeClaims(bytes, where, audit, s.findings);
  if (!s.claims) s.claims.emplace();
  for (Json& claim : judged) s.claims->push_back(std::move(claim));
}

void Claims(AuditState& s) {
  if (!s.subject.stored_claims) return;
  AddClaims(*s.subject.stored_claims, kClaimsName, BuildAuditJson(s), s);
}

// Whether anything is sound enough for the stages after `stage`.
bool GoesOnAfter(std::string_view stage, const AuditState& s) {
  if (stage == kShapeStage) return !s.subject.content_id.empty();
  if (stage != kDecodingStage) return true;
  const Evidence& evidence = s.evidence();
  return evidence.manifest && evidence.freeze.record &&
         evidence.freeze.record->manifest_sha256 == evidence.manifest_sha256;
}

struct Stage {
  std::string_view name;
  void (*run)(AuditState&);
};

constexpr std::array<Stage, 9> kStages = {{
    {kShapeStage, Shape},
    {kDigestsStage, Digests},
    {kDecodingStage, Decoding},
    {kDeclarationStage, Declaration},
    {kIdentityStage, Identity},
    {kNumbersStage, Numbers},
    {kSemanticsStage, Semantics},
    {kStatisticsStage, Statistics},
    {kClaimsStage, Claims},
}};

void RunStages(AuditState& s) {
  bool goes_on = true;
  for (const Stage& stage : kStages) {
    StageReport report{stage.name, StageStatus::kNotReached};
    if (goes_on) {
      stage.run(s);
      report.status = StageStatus::kDone;
      goes_on = GoesOnAfter(stage.name, s);
    }
    s.stages.push_back(report);
  }
}

bool Differs(const std::optional<std::string>& stored,
             const std::string& derived) {
  return stored && *stored != derived;
}

void ReportDerived(const std::string& stored, const char* name,
                   const std::string& derived, FindingList& findings) {
  size_t at = 0;
  while (at < stored.size() && at < derived.size() &&
         stored[at] == derived[at]) {
    ++at;
  }
  findings.Add({.code = "derived-differs",
                .path = name,
                .message = "this file beside the evidence is not what the "
                           "audit derives from it, first at offset " +
                           std::to_string(at) +
                           LineEndNote(stored, Sha256Hex(derived)) +
                           "; that says nothing against the evidence itself"});
}

void CompareDerived(const Subject& subject, const Json& of_subject,
                    bool subject_failed, FindingList& findings) {
  const std::string audit = EncodeJson(of_subject);
  const std::string report = RenderReport(of_subject);
  const bool audit_differs = Differs(subject.stored_audit, audit);
  const bool report_differs = Differs(subject.stored_report, report);
  if (subject_failed && audit_differs && report_differs) {
    findings.Add({.code = "derived-differs",
                  .path = kAuditName,
                  .message = "this file and report.md do not know of the "
                             "findings of the evidence, from which this "
                             "follows"});
    return;
  }
  if (audit_differs) {
    ReportDerived(*subject.stored_audit, kAuditName, audit, findings);
  }
  if (report_differs) {
    ReportDerived(*subject.stored_report, kReportName, report, findings);
  }
}

void CompareExpected(const char* what, const std::string& expected,
                     const std::string& found, FindingList& findings) {
  if (expected.empty() || expected == found) return;
  findings.Add({.code = "expectation-not-met",
                .path = what,
                .message = "the caller expected another digest",
                .expected = expected,
                .found = found});
}

// What stands around the subject. It is compared with what the subject alone
// gives, so that a sealed bundle, an unsealed one and a run give the same
// bytes as long as nothing is wrong.
Json Seal(const ExpectedDigests& expected, const BroughtAlong& brought,
          AuditState& s) {
  const Json of_subject = BuildAuditJson(s);
  FindingList findings;
  CompareDerived(s.subject, of_subject, !s.findings.empty(), findings);
  for (const std::string& difference : s.subject.seal_differences) {
    findings.Add(
        {.code = "seal-unsound", .path = kSealName, .message = difference});
  }
  CompareExpected(kManifestPath, expected.manifest_sha256,
                  s.evidence().manifest_sha256, findings);
  CompareExpected("content id", expected.content_id, s.subject.content_id,
                  findings);
  const Json signature = SignatureJson(
      CheckSignature(s.subject, brought.key, findings), brought.key);
  if (brought.key) s.signature = signature;
  s.findings.Merge(findings);
  if (brought.claims) AddClaims(*brought.claims, "--claims", of_subject, s);
  return signature;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kVerified:
      return "verified";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kCannotVerify:
      return "cannot-verify";
  }
  throw std::logic_error("unknown verdict");
}

AuditResult Audit(const Subject& subject, const ExpectedDigests& expected,
                  const BroughtAlong& brought) {
  AuditState state{subject, DecodeEvidence(subject), {}, {}, {}, {}, {}};
  RunStages(state);
  state.stages.push_back({kSealStage, StageStatus::kDone});
  const Json signature = Seal(expected, brought, state);
  return {VerdictOf(state), BuildAuditJson(state), signature};
}

}  // namespace exhibit
