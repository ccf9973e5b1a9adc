// What a careful reviewer would remark about the data of an audit.
//
// Made from the JSON value of an audit and from nothing else. No remark changes
// a verdict or an outcome: each says what was measured and what would mend it
// in the next run. Normative: audit/QUALITY.md.

#ifndef EXHIBIT_AUDIT_QUALITY_H_
#define EXHIBIT_AUDIT_QUALITY_H_

#include <string>
#include <vector>

#include "manifests/json.h"

namespace exhibit {

struct QualityRemark {
  std::string case_name;  // "" when it is about the run.
  std::string code;       // QUALITY.md, never renamed.
  std::string measured;   // A phrase with numbers.
  std::string fix;        // The manifest field to change or command to run.
};

// Every code that a remark may have, in the order in which they are looked at.
const std::vector<std::string>& QualityCodes();

// Of the run first, then of each case in declared order.
std::vector<QualityRemark> QualityRemarks(const Json& audit);

// A line each, "CASE: code: measured; fix: ...", then how many there are.
std::string RenderQuality(const Json& audit);

// An array of objects: `case`, `code`, `measured`, `fix`.
Json QualityJson(const Json& audit);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_QUALITY_H_
