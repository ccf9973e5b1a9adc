// Stage claims: numbers that an author quotes, held against the audit's own.
//
// A claim names one quantity of one case, and how many decimals are quoted. It
// is supported when the audit's value, rounded to as many decimals, is the one
// quoted. Some quantities can be named only to be refused: what they say is
// nothing that paired visits of one run can show, however the digits come out.
// Normative: audit/CLAIMS.md.

#ifndef EXHIBIT_AUDIT_CLAIMS_H_
#define EXHIBIT_AUDIT_CLAIMS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/finding.h"
#include "manifests/json.h"
#include "manifests/result.h"

namespace exhibit {

struct QuotedClaim {
  std::string case_name;  // "" where the quantity is of the whole run.
  std::string variant;    // Of a quantity of one arm, else "".
  std::string quantity;   // One of the closed list.
  std::string unit;       // Of a time: ns, us, ms or s, else "".
  Json value;             // An integer, a number or a string.
  int64_t digits = 0;     // Decimals quoted.
  // Why the design cannot support it, whatever the value; else "".
  std::string refusal;
};

struct ClaimsFile {
  std::string content_id;  // Of the run that is spoken of, or "" for any.
  std::vector<QuotedClaim> claims;
};

// Fails with kUnsupported on another schema, kLimitExceeded on more than 1000
// claims, and with kCorrupt on anything else that is not a claims file: an
// unknown quantity or field, or a value with more decimals than it quotes.
Result<ClaimsFile> DecodeClaims(std::string_view bytes,
                                const std::string& where);

// Compares the claims in `bytes`, which came as the file `where`, with the
// value of an audit.json. Returns one object per claim, in order, as
// AUDIT_JSON.md describes them; whatever is not supported is a finding.
Json::Array JudgeClaims(std::string_view bytes, const std::string& where,
                        const Json& audit, FindingList& findings);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_CLAIMS_H_
