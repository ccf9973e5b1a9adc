// What a claim can be about: the closed list of quantities, and of what looks
// like one and is refused. Normative: audit/CLAIMS.md.

#ifndef EXHIBIT_AUDIT_CLAIM_KINDS_H_
#define EXHIBIT_AUDIT_CLAIM_KINDS_H_

#include <span>
#include <string_view>

namespace exhibit {

enum class ClaimScope { kRun, kCase, kArm };
enum class ClaimValue { kNumber, kTime, kText };

// A quantity and where an audit.json holds it: `place` is a path of keys from
// its root, from the case, or from the arm that runs the variant.
struct ClaimKind {
  std::string_view quantity;
  ClaimScope scope;
  ClaimValue value;
  std::string_view place;
};
std::span<const ClaimKind> ClaimKinds();

// A name that is known so that the refusal can say why.
struct RefusedKind {
  std::string_view quantity;
  std::string_view why;  // A sentence without stop.
};
std::span<const RefusedKind> RefusedKinds();

// Null when there is none of that name.
const ClaimKind* FindClaimKind(std::string_view quantity);
const RefusedKind* FindRefusedKind(std::string_view quantity);

// Why whatever a claim says of `cases` is refused; like RefusedKind::why.
std::string_view WhyNotAcrossCases();

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_CLAIM_KINDS_H_
