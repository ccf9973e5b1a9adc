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

// `value` with that many decimals.
std::string FixedText(double value, int decimals);

// A number with that many decimals, or "-".
std::string FixedAt(const Json& value, std::string_view path, int decimals);

// The elements of an array; none where there is no array.
const Json::Array& ListAt(const Json& value, std::string_view path);

// "key value, key value" of an object, by key; "-" when it has none.
std::string PairsAt(const Json& value, std::string_view path);

// Nanoseconds as microseconds with three decimals, or "-".
std::string MicrosecondsAt(const Json& value, std::string_view path);

// The elements of an array, each as TextAt gives it.
std::vector<std::string> TextsAt(const Json& value, std::string_view path);

// The same, joined by ", "; "" when empty.
std::string JoinedAt(const Json& value, std::string_view path);

// The member names of an object, by key.
std::vector<std::string> KeysAt(const Json& value, std::string_view path);

// "LOW-HIGH" of the pair ratios of a case, with four decimals, or "-".
std::string RangeOf(const Json& c);

// The name of a case; of a null case, that it is one and of which, so that
// nobody reads its row as a result.
std::string CaseLabel(const Json& c);

// The same of the case of that name; the name where there is no such case.
std::string CaseLabel(const Json& audit, const std::string& name);

// "3 of 4 supported"; "" where no claims were made.
std::string ClaimsSummary(const Json& audit);

// The outcome of a case, or "not judged".
std::string OutcomeOf(const Json& c);

// An arm's work over its time, and whether it has the clone for full packets.
// "-" where the variant has no program text, no time, or no report.
struct WorkCells {
  std::string gflops;  // 1e9 floating-point operations a second
  std::string gbytes;  // 1e9 bytes a second, of the least traffic
  std::string mexps;   // 1e6 evaluations of exp a second
  std::string clone;   // yes, no
};
WorkCells WorkCellsOf(const Json& arm);

// Who signed, in words without stop, of `signature` as AUDIT_JSON.md has it.
// Never to be read as a part of the verdict, which is about integrity.
std::string SignatureText(const Json& signature);

// The codes of all findings, each once, and the number of obstacles; "" of what
// is verified.
std::string CodesHeldAgainst(const Json& audit);
// A line if nothing was declared beforehand, else nothing.
std::string ExploratoryLine(const Json& audit);
// The rule of decision and its two figures, in a sentence.
std::string RuleText(const Json& audit);
// The limits that the author declares, a note each.
std::vector<std::string> LimitNotes(const Json& audit);
// The lines that stand under every table: what its columns are, limits, timing
// scope, counts of cases.
std::vector<std::string> TableNotes(const Json& audit);

// `text` broken at spaces into lines of at most `width` code points where it
// can be; lines after the first begin with `indent` spaces. Ends in a line
// feed.
std::string Wrapped(const std::string& text, size_t width, size_t indent);

// Width is counted in code points.
size_t CodePoints(std::string_view text);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_JSON_VIEW_H_
