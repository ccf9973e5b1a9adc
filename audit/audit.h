// The audit: one function that reads like the list of its steps.
//
// Same subject, same bytes, on any machine and from any folder: the result
// holds no time, path or host of the auditor.
// Normative: audit/AUDIT_JSON.md (the result), audit/CHECKS.md (the findings).

#ifndef EXHIBIT_AUDIT_AUDIT_H_
#define EXHIBIT_AUDIT_AUDIT_H_

#include <optional>
#include <string>
#include <string_view>

#include "audit/subject.h"
#include "manifests/json.h"
#include "manifests/signature.h"

namespace exhibit {

enum class Verdict {
  kVerified,
  kFailed,        // At least one finding.
  kCannotVerify,  // No finding, but something this build does not know.
};
// "verified", "failed", "cannot-verify".
std::string_view VerdictName(Verdict verdict);

// What the caller knows from elsewhere; "" where nothing is known.
struct ExpectedDigests {
  std::string manifest_sha256;
  std::string content_id;
};

// What the caller brings along.
struct BroughtAlong {
  std::optional<std::string> claims;  // A claims file (audit/CLAIMS.md).
  std::optional<PublicKey> key;       // Who is trusted to have signed.
};

struct AuditResult {
  Verdict verdict = Verdict::kFailed;
  Json json;  // exhibit.audit/1; its canonical bytes are audit.json.
  // `signature` of AUDIT_JSON.md. `json` has it only when a key was brought
  // along, for a stored audit.json must not depend on a later signature.
  Json signature;
};

// Judges `subject`. Whatever the subject contains is a finding and no error.
AuditResult Audit(const Subject& subject, const ExpectedDigests& expected = {},
                  const BroughtAlong& brought = {});

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_AUDIT_H_
