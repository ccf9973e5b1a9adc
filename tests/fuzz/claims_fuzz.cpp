// Claims, held against an audit that has a value for every quantity: each one
// ends in one of four ways, all but "supported" is a finding, and what the
// audit found is supported once it is what is quoted.

#include "audit/claim_kinds.h"
#include "audit/claims.h"
#include "audit/json_view.h"
#include "manifests/sha256.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

constexpr char kWhere[] = "claims.json";

// Sets the value at a path of keys.
void SetAt(Json& root, std::string_view path, const Json& value) {
  Json* at = &root;
  while (!path.empty()) {
    const std::string_view key = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(key.size() + 1, path.size()));
    if (at->AsObject() == nullptr) *at = Json::Object{};
    at = &(*at->AsObject())[std::string(key)];
  }
  *at = value;
}

// An audit of one case: every number there is 1234.5678, every text "faster".
Json AuditWithAll() {
  Json audit = Json::Object{{"content_id", Sha256Hex("run")}};
  Json c = Json::Object{{"name", "tiny"}, {"outcome", "faster"}};
  Json arm = Json::Object{};
  for (const ClaimKind& kind : ClaimKinds()) {
    Json& place = kind.scope == ClaimScope::kRun    ? audit
                  : kind.scope == ClaimScope::kCase ? c
                                                    : arm;
    SetAt(place, kind.place,
          kind.value == ClaimValue::kText ? Json("faster") : Json(1234.5678));
  }
  for (const char* name : {"baseline", "candidate"}) {
    SetAt(arm, "variant", name);
    SetAt(c, name, arm);
  }
  SetAt(audit, "cases", Json::Array{c});
  return audit;
}

const Json& Audited() {
  static const Json audit = AuditWithAll();
  return audit;
}

struct Judged {
  Json::Array claims;
  FindingList findings;
};

Judged Judge(std::string_view bytes) {
  Judged judged;
  judged.claims = JudgeClaims(bytes, kWhere, Audited(), judged.findings);
  return judged;
}

// The claim with the audit's own value in place of the quoted one.
void CheckQuoted(const QuotedClaim& claim, const std::string& found) {
  const ClaimKind& kind = *FindClaimKind(claim.quantity);
  Json value = found;
  if (kind.value != ClaimValue::kText) {
    const Result<Json> number = ParseJson(found, "found");
    fuzz::Require(number.ok(), "a number that was found is JSON");
    value = *number;
  }
  Json::Object quoted{{"quantity", claim.quantity}, {"value", value}};
  if (kind.scope != ClaimScope::kRun) quoted["case"] = claim.case_name;
  if (kind.scope == ClaimScope::kArm) quoted["variant"] = claim.variant;
  if (kind.value != ClaimValue::kText) quoted["digits"] = claim.digits;
  if (kind.value == ClaimValue::kTime) quoted["unit"] = claim.unit;
  const Judged judged = Judge(EncodeJson(Json::Object{
      {"schema", "exhibit.claims/1"}, {"claims", Json::Array{quoted}}}));
  fuzz::Require(judged.claims.size() == 1 && judged.findings.empty() &&
                    TextAt(judged.claims[0], "status") == "supported",
                "what the audit found is supported");
}

void CheckClaim(const QuotedClaim& claim, const Json& judged) {
  const std::string status = TextAt(judged, "status");
  const std::string found = TextAt(judged, "found");
  for (const char* field :
       {"case", "variant", "claimed", "found", "unit", "reason"}) {
    const std::string text = TextAt(judged, field);
    if (!text.empty()) fuzz::RequireShowable(text);
  }
  fuzz::Require(!claim.refusal.empty() == (status == "refused"),
                "what cannot be shown is refused, and nothing else");
  if (status == "supported") {
    fuzz::Require(TextAt(judged, "claimed") == found && !found.empty(),
                  "what is supported is what was found");
  } else if (status == "differs") {
    CheckQuoted(claim, found);
  } else {
    fuzz::Require((status == "refused" || status == "unresolved") &&
                      found.empty() && !TextAt(judged, "reason").empty(),
                  "what has no value has a reason");
  }
}

// Returns what was judged.
Json::Array Check(std::string_view bytes) {
  const Result<ClaimsFile> file = DecodeClaims(bytes, kWhere);
  const Judged judged = Judge(bytes);
  const Json::Array& claims = judged.claims;
  if (!file.ok()) {
    fuzz::RequireSound(file.error());
    fuzz::Require(claims.empty() && (judged.findings.count() == 1 ||
                                     !judged.findings.Obstacles().empty()),
                  "a file that is none is told once");
    return claims;
  }
  const bool other = !file->content_id.empty() &&
                     file->content_id != TextAt(Audited(), "content_id");
  fuzz::Require(claims.size() == (other ? 0 : file->claims.size()),
                "every claim is judged, of another run none");
  size_t unsupported = other ? 1 : 0;
  for (size_t i = 0; i < claims.size(); ++i) {
    CheckClaim(file->claims[i], claims[i]);
    if (TextAt(claims[i], "status") != "supported") ++unsupported;
  }
  fuzz::Require(judged.findings.count() == unsupported,
                "all but what is supported is a finding");
  return claims;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const Json::Array judged = Check(bytes);
  const std::optional<std::string> canonical = fuzz::Canonical(bytes);
  if (canonical && *canonical != bytes) {
    fuzz::Require(Json(Check(*canonical)) == Json(judged),
                  "spelling changes no verdict");
  }
  return 0;
}
