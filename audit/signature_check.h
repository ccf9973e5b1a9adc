// Who stands behind a bundle, as far as its content-id.sig tells.
//
// Integrity and authorship are two things: every other check is about the
// first, and holds with or without a signature. A signature brings its own key
// along; only with a key that the caller trusts does it name an author.

#ifndef EXHIBIT_AUDIT_SIGNATURE_CHECK_H_
#define EXHIBIT_AUDIT_SIGNATURE_CHECK_H_

#include <optional>
#include <string>

#include "audit/finding.h"
#include "audit/subject.h"
#include "manifests/json.h"
#include "manifests/signature.h"

namespace exhibit {

// What a caller is told of the signature. A finding (stage seal) when there is
// one that does not hold, or when `trusted` is given and did not sign.
struct SignatureReport {
  // "none", "unsound", "not-checked", "of-another-key" or "holds".
  std::string status;
  std::string key_id;  // Of the key that the signature brings, or "".
};

SignatureReport CheckSignature(const Subject& subject,
                               const std::optional<PublicKey>& trusted,
                               FindingList& findings);

// `signature` of audit.json.
Json SignatureJson(const SignatureReport& report,
                   const std::optional<PublicKey>& trusted);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_SIGNATURE_CHECK_H_
