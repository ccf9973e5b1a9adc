#include "audit/signature_check.h"

#include "archive/bundle.h"

namespace exhibit {
namespace {

SignatureReport Unsigned(const std::optional<PublicKey>& trusted,
                         FindingList& findings) {
  if (!trusted) return {"none", ""};
  findings.Add({.code = "signature-missing",
                .path = kSignatureName,
                .message = "the caller trusts a key and nobody has signed",
                .expected = KeyId(*trusted)});
  return {"none", ""};
}

SignatureReport Unsound(const std::string& key_id, const std::string& message,
                        FindingList& findings) {
  findings.Add({.code = "signature-unsound",
                .path = kSignatureName,
                .message = message,
                .found = key_id});
  return {"unsound", key_id};
}

}  // namespace

SignatureReport CheckSignature(const Subject& subject,
                               const std::optional<PublicKey>& trusted,
                               FindingList& findings) {
  if (!subject.stored_signature) return Unsigned(trusted, findings);
  const Result<ContentSignature> signature =
      DecodeSignature(*subject.stored_signature, kSignatureName);
  if (!signature.ok()) {
    findings.AddError("signature-unsound", kSignatureName, signature.error());
    return {"unsound", ""};
  }
  const std::string key_id = KeyId(signature->key);
  if (subject.content_id.empty()) {
    return Unsound(key_id, "the run it should vouch for cannot be read",
                   findings);
  }
  if (signature->content_id != subject.content_id) {
    return Unsound(key_id, "it signs another content id", findings);
  }
  if (!SignatureHolds(*signature)) {
    return Unsound(key_id, "it is not one of its key over this content id",
                   findings);
  }
  if (!trusted) return {"not-checked", key_id};
  if (signature->key != *trusted) {
    findings.Add({.code = "signature-of-another-key",
                  .path = kSignatureName,
                  .message = "another key than the trusted one has signed",
                  .expected = KeyId(*trusted),
                  .found = key_id});
    return {"of-another-key", key_id};
  }
  return {"holds", key_id};
}

Json SignatureJson(const SignatureReport& report,
                   const std::optional<PublicKey>& trusted) {
  return Json::Object{{"status", report.status},
                      {"key_sha256", report.key_id},
                      {"trusted_key_sha256", trusted ? KeyId(*trusted) : ""}};
}

}  // namespace exhibit
