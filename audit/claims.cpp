#include "audit/claims.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "audit/claim_kinds.h"
#include "audit/json_view.h"
#include "manifests/near_name.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr char kSchema[] = "exhibit.claims/1";
constexpr size_t kClaimsMax = 1000;
constexpr int64_t kDigitsMax = 15;
constexpr double kNumberMax = 1e15;

struct TimeUnit {
  std::string_view name;
  double nanoseconds;
};
constexpr TimeUnit kUnits[] = {
    {"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

const TimeUnit* FindUnit(std::string_view name) {
  for (const TimeUnit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// As printf and Python write it: correctly rounded, exact ties to even.
std::string Rounded(double value, int64_t digits) {
  std::array<char, 64> text;
  const auto [end, code] =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    std::chars_format::fixed, static_cast<int>(digits));
  if (code != std::errc()) throw std::logic_error("number too long to round");
  return {text.data(), end};
}

std::optional<double> NumberOf(const Json& value) {
  return NumberAt(Json(Json::Object{{"value", value}}), "value");
}

bool QuotesItself(double value, int64_t digits) {
  const std::string text = Rounded(value, digits);
  double again = 0;
  const auto end =
      std::from_chars(text.data(), text.data() + text.size(), again);
  return end.ec == std::errc() && again == value;
}

// Which one may be meant, or all.
std::string KnownQuantities(const std::string& unknown) {
  std::vector<std::string> known, among;
  for (const ClaimKind& kind : ClaimKinds()) known.emplace_back(kind.quantity);
  among = known;
  for (const RefusedKind& kind : RefusedKinds()) {
    among.emplace_back(kind.quantity);
  }
  const std::string near(NearName(unknown, among));
  if (!near.empty()) return "did you mean " + near + "?";
  std::string names;
  for (const std::string& name : known) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return "those that are: " + names;
}

// Reads one object of the file and names the first thing that is wrong.
class ClaimReader {
 public:
  ClaimReader(const Json& json, std::string where)
      : json_(json), object_(json.AsObject()), where_(std::move(where)) {}

  Result<QuotedClaim> Read() {
    if (object_ == nullptr) return Wrong("a claim must be an object", json_);
    QuotedClaim claim;
    EXHIBIT_ASSIGN_OR_RETURN(claim.quantity, Text("quantity"));
    const RefusedKind* refused = FindRefusedKind(claim.quantity);
    const ClaimKind* kind = FindClaimKind(claim.quantity);
    if (kind == nullptr && refused == nullptr) {
      return Wrong("quantity " + QuoteText(claim.quantity) + " is not known; " +
                   KnownQuantities(claim.quantity));
    }
    if (refused != nullptr) claim.refusal = refused->why;
    if (kind != nullptr && object_->contains("cases")) {
      claim.refusal = WhyNotAcrossCases();
    }
    if (!claim.refusal.empty()) return ReadRefused(std::move(claim));
    if (kind->scope != ClaimScope::kRun) {
      EXHIBIT_ASSIGN_OR_RETURN(claim.case_name, Text("case"));
    }
    if (kind->scope == ClaimScope::kArm) {
      EXHIBIT_ASSIGN_OR_RETURN(claim.variant, Text("variant"));
    }
    EXHIBIT_RETURN_IF_ERROR(ReadValue(*kind, claim));
    EXHIBIT_RETURN_IF_ERROR(CheckNothingElse());
    return claim;
  }

 private:
  Error Wrong(const std::string& what) const {
    return Error{ErrorKind::kCorrupt, where_ + ": " + what,
                 "audit/CLAIMS.md lists the quantities and their fields."};
  }
  Error Wrong(const std::string& what, const Json& found) const {
    return Wrong(what + ", read " + QuoteJson(found));
  }
  const Json* Take(const std::string& name) {
    taken_.insert(name);
    const auto found = object_->find(name);
    return found == object_->end() ? nullptr : &found->second;
  }
  Result<std::string> Text(const std::string& name) {
    const Json* value = Take(name);
    if (value == nullptr) return Wrong(name + " is missing");
    if (value->AsString() == nullptr)
      return Wrong(name + " must be a text", *value);
    return *value->AsString();
  }

  // What is refused may speak of anything; only its place is kept.
  Result<QuotedClaim> ReadRefused(QuotedClaim claim) {
    if (Take("case") != nullptr) {
      EXHIBIT_ASSIGN_OR_RETURN(claim.case_name, Text("case"));
    }
    if (Take("variant") != nullptr) {
      EXHIBIT_ASSIGN_OR_RETURN(claim.variant, Text("variant"));
    }
    const Json* value = Take("value");
    if (value != nullptr) claim.value = *value;
    for (const char* name : {"cases", "digits", "unit"}) Take(name);
    EXHIBIT_RETURN_IF_ERROR(CheckNothingElse());
    return claim;
  }

  Status ReadValue(const ClaimKind& kind, QuotedClaim& claim) {
    const Json* value = Take("value");
    if (value == nullptr) return Wrong("value is missing");
    claim.value = *value;
    if (kind.value == ClaimValue::kText) {
      if (value->AsString() != nullptr) return Ok();
      return Wrong("value must be a text", *value);
    }
    const std::optional<double> number = NumberOf(*value);
    if (!number || std::fabs(*number) > kNumberMax) {
      return Wrong("value must be a number of at most 1e15", *value);
    }
    EXHIBIT_RETURN_IF_ERROR(ReadDigits(claim));
    if (!QuotesItself(*number, claim.digits)) {
      return Wrong("value " + QuoteJson(*value) + " has more than " +
                   std::to_string(claim.digits) + " decimals");
    }
    if (kind.value != ClaimValue::kTime) return Ok();
    EXHIBIT_ASSIGN_OR_RETURN(claim.unit, Text("unit"));
    if (FindUnit(claim.unit) != nullptr) return Ok();
    return Wrong("unit " + QuoteText(claim.unit) + " is not ns, us, ms or s");
  }

  Status ReadDigits(QuotedClaim& claim) {
    const Json* digits = Take("digits");
    if (digits == nullptr) return Wrong("digits is missing");
    const int64_t* number = digits->AsInteger();
    if (number == nullptr || *number < 0 || *number > kDigitsMax) {
      return Wrong(
          "digits must be an integer from 0 to " + std::to_string(kDigitsMax),
          *digits);
    }
    claim.digits = *number;
    return Ok();
  }

  Status CheckNothingElse() const {
    for (const auto& [name, value] : *object_) {
      if (taken_.contains(name) || name.starts_with("x-")) continue;
      return Wrong("field " + QuoteText(name) + " does not belong here", value);
    }
    return Ok();
  }

  const Json& json_;
  const Json::Object* object_;
  const std::string where_;
  std::set<std::string> taken_;
};

Error NotAClaimsFile(const std::string& where, const std::string& what) {
  return Error{ErrorKind::kCorrupt, where + ": " + what,
               "audit/CLAIMS.md shows an example."};
}

// What the audit says of one claim.
struct Answer {
  std::string status;  // supported, differs, refused or unresolved.
  std::string found;   // The audit's value as it is to be quoted, or "".
  std::string reason;  // A sentence, or "" when supported.
};

const Json* FindCase(const Json& audit, const std::string& name) {
  for (const Json& c : ListAt(audit, "cases")) {
    if (TextAt(c, "name") == name) return &c;
  }
  return nullptr;
}

// The object that a claim of this scope speaks of, or null with a reason.
const Json* PlaceOf(const ClaimKind& kind, const QuotedClaim& claim,
                    const Json& audit, std::string& reason) {
  if (kind.scope == ClaimScope::kRun) return &audit;
  const Json* c = FindCase(audit, claim.case_name);
  if (c == nullptr) {
    reason = "the manifest declares no such case";
    return nullptr;
  }
  if (JsonAt(*c, "outcome").is_null()) {
    reason = "the case was not judged, for something is held against it";
    return nullptr;
  }
  if (kind.scope == ClaimScope::kCase) return c;
  for (const char* arm : {"baseline", "candidate"}) {
    const Json& object = JsonAt(*c, arm);
    if (TextAt(object, "variant") == claim.variant) return &object;
  }
  reason = "the variant is neither baseline nor candidate";
  return nullptr;
}

std::string AbsenceReason(const QuotedClaim& claim, const Json& audit) {
  const Json* c = FindCase(audit, claim.case_name);
  if (c != nullptr && JsonAt(*c, "ratios").is_null()) {
    return "the case is " + TextAt(*c, "outcome") + " and shows no ratio";
  }
  return "the audit has no such value";
}

Answer Compare(const ClaimKind& kind, const QuotedClaim& claim,
               const Json& audit) {
  Answer answer{"unresolved", "", ""};
  const Json* place = PlaceOf(kind, claim, audit, answer.reason);
  if (place == nullptr) return answer;
  std::string quoted;
  if (kind.value == ClaimValue::kText) {
    quoted = *claim.value.AsString();
    if (!JsonAt(*place, kind.place).is_null()) {
      answer.found = TextAt(*place, kind.place);
    }
  } else if (auto number = NumberAt(*place, kind.place)) {
    if (kind.value == ClaimValue::kTime) {
      *number /= FindUnit(claim.unit)->nanoseconds;
    }
    answer.found = Rounded(*number, claim.digits);
    quoted = Rounded(*NumberOf(claim.value), claim.digits);
  }
  if (answer.found.empty()) {
    answer.reason = AbsenceReason(claim, audit);
    return answer;
  }
  answer.status = answer.found == quoted ? "supported" : "differs";
  if (answer.found != quoted) answer.reason = "the audit finds another value";
  return answer;
}

Answer AnswerTo(const QuotedClaim& claim, const Json& audit) {
  if (!claim.refusal.empty()) {
    return {"refused", "", "not supported by the design: " + claim.refusal};
  }
  return Compare(*FindClaimKind(claim.quantity), claim, audit);
}

std::string QuotedValue(const QuotedClaim& claim) {
  if (claim.value.AsString() != nullptr) return *claim.value.AsString();
  const std::optional<double> number = NumberOf(claim.value);
  // Of what is refused nobody has checked the value.
  if (!number || !claim.refusal.empty()) {
    return QuoteJson(claim.value);
  }
  return Rounded(*number, claim.digits);
}

}  // namespace

Result<ClaimsFile> DecodeClaims(std::string_view bytes,
                                const std::string& where) {
  EXHIBIT_ASSIGN_OR_RETURN(const Json json, ParseJson(bytes, where));
  const Json::Object* object = json.AsObject();
  if (object == nullptr) {
    return NotAClaimsFile(where,
                          "it must be an object, read " + QuoteJson(json));
  }
  if (!object->contains("schema")) {
    return NotAClaimsFile(where, "field \"schema\" is missing");
  }
  const std::string schema = TextAt(json, "schema");
  if (schema != kSchema) {
    return Error{ErrorKind::kUnsupported,
                 where + ": schema is " + QuoteJson(object->at("schema")) +
                     ", expected " + kSchema,
                 "Use the version of Exhibit that knows this schema."};
  }
  ClaimsFile file;
  for (const auto& [name, value] : *object) {
    if (name == "schema" || name == "claims" || name.starts_with("x-")) {
      continue;
    }
    const std::string* text = value.AsString();
    if (name != "content_id" || text == nullptr || !IsSha256Hex(*text)) {
      return NotAClaimsFile(
          where, "field " + QuoteText(name) + " is " + QuoteJson(value));
    }
    file.content_id = *text;
  }
  const Json& list = JsonAt(json, "claims");
  const Json::Array* claims = list.AsArray();
  if (claims == nullptr) {
    return NotAClaimsFile(where,
                          "claims must be a list, read " + QuoteJson(list));
  }
  if (claims->size() > kClaimsMax) {
    return Error{ErrorKind::kLimitExceeded,
                 where + ": more than " + std::to_string(kClaimsMax) +
                     " claims: " + std::to_string(claims->size()),
                 "Divide them: the audit takes one file at a time."};
  }
  for (size_t i = 0; i < claims->size(); ++i) {
    ClaimReader reader((*claims)[i],
                       where + ": claims[" + std::to_string(i) + "]");
    EXHIBIT_ASSIGN_OR_RETURN(QuotedClaim claim, reader.Read());
    file.claims.push_back(std::move(claim));
  }
  return file;
}

Json::Array JudgeClaims(std::string_view bytes, const std::string& where,
                        const Json& audit, FindingList& findings) {
  Json::Array judged;
  const Result<ClaimsFile> file = DecodeClaims(bytes, where);
  if (!file.ok()) {
    findings.AddError("claims-malformed", where, file.error());
    return judged;
  }
  const std::string content_id = TextAt(audit, "content_id");
  if (!file->content_id.empty() && file->content_id != content_id) {
    findings.Add({.code = "claims-of-another-run",
                  .path = where,
                  .field = "content_id",
                  .message = "the claims speak of another run",
                  .expected = content_id,
                  .found = file->content_id});
    return judged;
  }
  for (size_t i = 0; i < file->claims.size(); ++i) {
    const QuotedClaim& claim = file->claims[i];
    const Answer answer = AnswerTo(claim, audit);
    const std::string claimed = QuotedValue(claim);
    judged.emplace_back(Json::Object{
        {"file", where},
        {"case", Printable(claim.case_name)},
        {"variant", Printable(claim.variant)},
        {"quantity", claim.quantity},
        {"unit", claim.unit},
        {"claimed", Printable(claimed)},
        {"found", Printable(answer.found)},
        {"status", answer.status},
        {"reason", answer.reason},
    });
    if (answer.status == "supported") continue;
    findings.Add(
        {.code = "claim-" + answer.status,
         .path = where,
         .field = "claims[" + std::to_string(i) + "]",
         .message = claim.quantity +
                    (claim.case_name.empty() ? "" : " of " + claim.case_name) +
                    ": " + answer.reason,
         .expected = answer.found,
         .found = claimed});
  }
  return judged;
}

}  // namespace exhibit
