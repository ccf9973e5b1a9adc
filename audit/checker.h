// How a stage says what it found.

#ifndef EXHIBIT_AUDIT_CHECKER_H_
#define EXHIBIT_AUDIT_CHECKER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "audit/evidence.h"
#include "audit/finding.h"
#include "audit/operation_budget.h"

namespace exhibit {

// Where a value stands and what is wrong when it is not the expected one.
struct Claim {
  std::string code;
  std::string path;
  std::string field;
  std::string message;
};

inline std::string TextOf(const std::string& value) { return value; }
inline std::string TextOf(std::string_view value) { return std::string(value); }
inline std::string TextOf(const char* value) { return value; }
inline std::string TextOf(int64_t value) { return std::to_string(value); }
inline std::string TextOf(uint64_t value) { return std::to_string(value); }
inline std::string TextOf(int value) { return std::to_string(value); }
inline std::string TextOf(bool value) { return value ? "true" : "false"; }
template <typename T>
std::string TextOf(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) {
    if (text.size() > 1) text += ',';
    text += TextOf(value);
  }
  text += ']';
  return text;
}

// Adds findings; a finding about a case takes the word sound away from it.
class Checker {
 public:
  explicit Checker(FindingList& findings) : findings_(findings) {}
  Checker(FindingList& findings, CaseEvidence& c)
      : findings_(findings), case_(&c) {}

  void Report(Finding finding) {
    if (case_ != nullptr) case_->sound = false;
    findings_.Add(std::move(finding));
  }
  // An error of a reader of `path`; kUnsupported is an obstacle.
  void ReportError(const std::string& code, const std::string& path,
                   const Error& error) {
    if (case_ != nullptr) case_->sound = false;
    findings_.AddError(code, path, error);
  }
  template <typename Expected, typename Found>
  bool Equal(const Claim& claim, const Expected& expected, const Found& found) {
    if (found == expected) return true;
    Report({.code = claim.code,
            .path = claim.path,
            .field = claim.field,
            .message = claim.message,
            .expected = TextOf(expected),
            .found = TextOf(found)});
    return false;
  }
  bool True(const Claim& claim, bool holds) {
    if (!holds) {
      Report({.code = claim.code,
              .path = claim.path,
              .field = claim.field,
              .message = claim.message});
    }
    return holds;
  }

 private:
  FindingList& findings_;
  CaseEvidence* case_ = nullptr;
};

// What a stage says at the end of a case that it could not look at wholly.
inline void ReportExhausted(const OperationBudget& operations,
                            const CaseEvidence& c, Checker& check) {
  if (!operations.exhausted() || !c.sound) return;
  check.Report({.code = "over-limit",
                .path = c.record.path,
                .message = "to compute all of it again takes more operations "
                           "than a subject of this size may ask for"});
}

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_CHECKER_H_
