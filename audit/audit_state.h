// What the stages of one audit share.

#ifndef EXHIBIT_AUDIT_AUDIT_STATE_H_
#define EXHIBIT_AUDIT_AUDIT_STATE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/case_statistics.h"
#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/subject.h"
#include "manifests/json.h"

namespace exhibit {

enum class StageStatus {
  kDone,
  kNotReached,  // An earlier one left nothing sound to look at.
};

struct StageReport {
  std::string_view name;
  StageStatus status = StageStatus::kNotReached;
};

struct AuditState {
  const Subject& subject;
  DecodedEvidence decoded;
  FindingList findings;
  Judgement judgement;
  std::vector<StageReport> stages;
  std::optional<Json::Array> claims;  // Judged; absent when none were made.
  std::optional<Json> signature;      // When the caller trusts a key.

  Evidence& evidence() { return decoded.evidence; }
  const Evidence& evidence() const { return decoded.evidence; }
};

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_AUDIT_STATE_H_
