// Reading the result of an audit to print it.
//
// Tables and reports are made from the JSON value and nothing else, and must
// not fail on one that lacks a part: what is absent or null prints as "-".

#ifndef EXHIBIT_AUDIT_JSON_VIEW_H_
#define EXHIBIT_AUDIT_JSON_VIEW_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"

namespace exhibit {

// The value at a path of keys such as "baseline.time_ns"; null where there is
// none.
const Json& JsonAt(const Json& value, std::string_view path);

// A string as it is, another value in canonical form, null as "-". Control
// characters become "?", so that nothing in it moves a cursor.
std::string TextAt(const Json& value, std::string_view path);

// An integer or other number.
std::optional<double> NumberAt(const Json& value, std::string_view path);

// A number with that many decimals, or "-".
std::string FixedAt(const Json& value, std::string_view path, int decimals);

// The elements of an array; none where there is no array.
const Json::Array& ListAt(const Json& value, std::string_view path);

// "key value, key value" of an object, by key; "-" when it has none.
std::string PairsAt(const Json& value, std::string_view path);

// Nanoseconds as microseconds with three decimals, or "-".
std::string MicrosecondsAt(const Json& value, std::string_view path);

// The texts of an array, joined by ", "; "" when empty.
std::string JoinedAt(const Json& value, std::string_view path);

// A row of the table of cases, in the order of `CaseHeadings`: what the
// terminal and the report both print.
const std::vector<std::string>& CaseHeadings();
std::vector<std::string> CaseCells(const Json& c);

// The lines that stand under every table: stamp, limits, timing scope, counts
// of cases, verdict.
std::vector<std::string> TableNotes(const Json& audit);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_JSON_VIEW_H_
