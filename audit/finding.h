// What an audit holds against its subject.
//
// A finding has a stable code; each code belongs to one stage. Codes are never
// renamed or given another meaning. Normative: audit/CHECKS.md.

#ifndef EXHIBIT_AUDIT_FINDING_H_
#define EXHIBIT_AUDIT_FINDING_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

struct FindingCode {
  std::string_view code;
  std::string_view stage;
};

// Every code there is, in the order of stages.
std::span<const FindingCode> FindingCodes();

// Text from the subject may stand in any field but `code`; it is made
// printable ASCII and cut when the finding is added.
struct Finding {
  std::string code = {};
  std::string path = {};  // File of the run or of the bundle; "" for the whole.
  std::string field = {};     // In that file; "" for the whole file.
  std::string message = {};   // One sentence without stop.
  std::string expected = {};  // "" where there is nothing to compare.
  std::string found = {};
  std::string stage = {};  // Set by FindingList::Add.

  auto operator<=>(const Finding&) const = default;
};

// Collects findings. A subject cannot make it grow without bound: past
// `count_max` findings only their number is kept.
class FindingList {
 public:
  static constexpr uint64_t kCountMax = 1000;

  // An unknown code is a bug.
  void Add(Finding finding);
  // The same for an error that reading the file `path` gave: kUnsupported
  // becomes an obstacle (the audit cannot judge), anything else a finding.
  void AddError(const std::string& code, const std::string& path,
                const Error& error);
  // Adds all that `other` holds.
  void Merge(const FindingList& other);
  // What keeps the audit from judging; `path` as in Finding.
  void AddObstacle(const std::string& path, const std::string& message);

  uint64_t count() const { return count_; }
  uint64_t CountOf(std::string_view stage) const;
  bool empty() const { return count_ == 0; }
  // Sorted by stage, path, field, code and the rest; none twice.
  std::vector<Finding> Sorted() const;
  // Sentences, sorted, none twice.
  std::vector<std::string> Obstacles() const;

 private:
  std::set<Finding> findings_;
  std::set<std::string> obstacles_;
  uint64_t count_ = 0;
};

// ": its line feeds were made carriage return and line feed" where `bytes` are,
// but for that, those of this digest; else "". What git and editors do to a
// text is the most common damage of all.
std::string LineEndNote(std::string_view bytes, std::string_view sha256);

// Text of unknown origin as printable ASCII of at most 400 bytes.
std::string Printable(std::string_view text);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_FINDING_H_
