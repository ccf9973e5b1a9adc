#include "audit/table.h"

#include <algorithm>
#include <map>

#include "audit/json_view.h"

namespace exhibit {
namespace {

// Lines of text below and above the table are broken here; the table itself
// fits unless case names or remarks are long.
constexpr size_t kWidth = 118;

std::string Line(const std::vector<std::string>& cells,
                 const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += cells[i];
    const bool last = i + 1 == cells.size();
    if (!last) line.append(widths[i] - CodePoints(cells[i]), ' ');
  }
  return line + "\n";
}

// The keyword before the colon of each fixed statement.
std::string Keywords(const Json& audit, const char* path) {
  std::string text;
  for (const Json& statement : ListAt(audit, path)) {
    const std::string* full = statement.AsString();
    if (full == nullptr) continue;
    text += (text.empty() ? "" : ", ") + full->substr(0, full->find(':'));
  }
  return text;
}

// Each claim of the author, and what became of it.
std::string ClaimLines(const Json& audit) {
  const std::string summary = ClaimsSummary(audit);
  if (summary.empty()) return "";
  std::string text = "claims: " + summary + "\n";
  for (const Json& claim : ListAt(audit, "claims")) {
    std::string line = "  " + TextAt(claim, "status") + ":";
    for (const std::string& part :
         {CaseLabel(audit, TextAt(claim, "case")), TextAt(claim, "variant"),
          TextAt(claim, "quantity")}) {
      if (!part.empty()) line += " " + part;
    }
    const std::string unit = TextAt(claim, "unit");
    line += ": quoted " + TextAt(claim, "claimed") +
            (unit.empty() ? "" : " " + unit);
    const std::string found = TextAt(claim, "found");
    if (!found.empty()) line += ", re-derived " + found;
    const std::string reason = TextAt(claim, "reason");
    if (!reason.empty()) line += ": " + reason;
    text += Wrapped(line, kWidth, 4);
  }
  return text;
}

std::string FindingLines(const Json& audit) {
  std::string text;
  for (const Json& finding : ListAt(audit, "findings")) {
    text += "  " + TextAt(finding, "code");
    const std::string path = TextAt(finding, "path");
    const std::string field = TextAt(finding, "field");
    if (!path.empty()) text.append("  ").append(path);
    if (!field.empty()) text.append(" ").append(field);
    text += ": " + TextAt(finding, "message");
    const std::string expected = TextAt(finding, "expected");
    const std::string found = TextAt(finding, "found");
    if (!expected.empty()) text += ", expected " + expected;
    if (!found.empty()) text += ", found " + found;
    text += "\n";
  }
  return text;
}

// Remarks are sentences to a column, so each gets a letter: the first a, the
// second b, past z the remark itself.
class RemarkLetters {
 public:
  explicit RemarkLetters(const Json& audit) {
    for (const Json& c : ListAt(audit, "cases")) {
      for (const std::string& remark : TextsAt(c, "remarks"))
        letters_.emplace(remark, "");
    }
    char next = 'a';
    for (auto& [remark, letter] : letters_) {
      letter = next <= 'z' ? std::string(1, next++) : remark;
    }
  }

  std::string Of(const Json& c) const {
    std::string text;
    for (const std::string& remark : TextsAt(c, "remarks")) {
      text += (text.empty() ? "" : " ") + letters_.at(remark);
    }
    return text.empty() ? "-" : text;
  }

  std::string Legend() const {
    std::string text;
    for (const auto& [remark, letter] : letters_) {
      if (letter == remark) continue;
      text += (text.empty() ? "remarks: " : "; ") + letter + "=" + remark;
    }
    return text.empty() ? "" : Wrapped(text, kWidth, 2);
  }

 private:
  std::map<std::string, std::string> letters_;
};

std::string EvidenceCode(const Json& c) {
  const std::string level = TextAt(c, "evidence_level");
  if (level == "numerically-recomputed") return "num";
  if (level == "compared-with-supplied") return "sup";
  if (level == "receipts-only") return "rec";
  return level;
}

std::string CaseTable(const Json& audit) {
  const RemarkLetters letters(audit);
  std::vector<std::vector<std::string>> rows = {
      {"case", "base us", "cand us", "ratio", "min-max of pairs", "floor", "p",
       "outcome", "ev", "remarks"}};
  for (const Json& c : ListAt(audit, "cases")) {
    rows.push_back({CaseLabel(c), MicrosecondsAt(c, "baseline.time_ns"),
                    MicrosecondsAt(c, "candidate.time_ns"),
                    FixedAt(c, "ratios.median", 4), RangeOf(c),
                    FixedAt(c, "ratios.noise_floor", 4),
                    FixedAt(c, "ratios.p_value", 4), OutcomeOf(c),
                    EvidenceCode(c), letters.Of(c)});
  }
  return AlignColumns(rows) + letters.Legend();
}

// Why a case has no claim, a line each.
std::string ReasonLines(const Json& audit) {
  std::string text;
  for (const Json& c : ListAt(audit, "cases")) {
    const std::string outcome = OutcomeOf(c);
    if (outcome == "faster" || outcome == "slower" || outcome == "same") {
      continue;
    }
    std::string line =
        CaseLabel(c) + ": " + outcome + ": " + JoinedAt(c, "reasons");
    if (NumberAt(c, "cycles_to_decide")) {
      line += "; " + TextAt(c, "cycles_to_decide") + " cycles would decide";
    }
    text += Wrapped(line, kWidth, 2);
  }
  return text;
}

std::string OptionLines(const Json& audit) {
  std::string text;
  for (const Json& c : ListAt(audit, "cases")) {
    const std::string options = PairsAt(c, "options");
    if (options == "-") continue;
    text += (text.empty() ? "options: " : "; ") + TextAt(c, "name") + ": " +
            options;
  }
  return text.empty() ? "" : Wrapped(text, kWidth, 2);
}

// Of the two arms, with a slash between; one where they are the same.
std::string BothArms(const std::string& baseline,
                     const std::string& candidate) {
  return baseline == candidate ? baseline : baseline + " / " + candidate;
}

std::string ArmCell(const Json& c, const char* path) {
  return BothArms(TextAt(c, std::string("baseline.code.") + path),
                  TextAt(c, std::string("candidate.code.") + path));
}

std::string WorkTable(const Json& audit) {
  std::vector<std::vector<std::string>> rows = {
      {"case", "GFLOP/s", "GB/s", "M exp/s", "clone", "code bytes"}};
  for (const Json& c : ListAt(audit, "cases")) {
    const WorkCells base = WorkCellsOf(JsonAt(c, "baseline"));
    const WorkCells cand = WorkCellsOf(JsonAt(c, "candidate"));
    const auto both = [&](auto member) {
      return base.*member == "-" && cand.*member == "-"
                 ? std::string("-")
                 : base.*member + " / " + cand.*member;
    };
    rows.push_back({CaseLabel(c), both(&WorkCells::gflops),
                    both(&WorkCells::gbytes), both(&WorkCells::mexps),
                    BothArms(base.clone, cand.clone),
                    ArmCell(c, "code_bytes")});
  }
  if (rows.size() == 1) return "";
  return "\nwork and code shape, baseline / candidate (counted from text and "
         "object; no explanation of a time)\n\n" +
         AlignColumns(rows);
}

std::string Head(const Json& audit) {
  // In words of ours first: the name may be "verdict", and the question any.
  std::string text = Wrapped(
      "experiment " + TextAt(audit, "name") + ": " + TextAt(audit, "question"),
      kWidth, 2);
  text += ExploratoryLine(audit);
  text += Wrapped("measured: " + TextAt(audit, "measured") + "; baseline " +
                      TextAt(audit, "baseline") + ", candidate " +
                      TextAt(audit, "candidate"),
                  kWidth, 2);
  const std::string controls = PairsAt(audit, "controls");
  if (controls != "-") text += Wrapped("controls: " + controls, kWidth, 2);
  return text + OptionLines(audit);
}

}  // namespace

std::string AlignColumns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], CodePoints(row[i]));
    }
  }
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    text += Line(rows[i], widths);
    if (i > 0) continue;
    std::vector<std::string> rules;
    for (const size_t width : widths) rules.emplace_back(width, '-');
    text += Line(rules, widths);
  }
  return text;
}

std::string RenderTable(const Json& audit) {
  std::string text = Head(audit) + "\n" + CaseTable(audit);
  text += "\n" + ReasonLines(audit);
  text += Wrapped(RuleText(audit), kWidth, 2);
  for (const std::string& note : TableNotes(audit)) {
    text += Wrapped(note, kWidth, 2);
  }
  text +=
      "ev, evidence: num recomputed, sup compared with supplied, rec "
      "receipts only\n";
  text += WorkTable(audit) + "\n";
  text += ClaimLines(audit);
  text += "verdict: " + TextAt(audit, "verdict") + ", content id " +
          TextAt(audit, "content_id") + "\n";
  if (!JsonAt(audit, "signature").is_null()) {
    text += Wrapped("signature: " + SignatureText(JsonAt(audit, "signature")),
                    kWidth, 2);
  }
  text += FindingLines(audit);
  for (const Json& obstacle : ListAt(audit, "obstacles")) {
    text += "  cannot verify: " +
            (obstacle.AsString() != nullptr ? *obstacle.AsString()
                                            : std::string("-")) +
            "\n";
  }
  text +=
      Wrapped("not verified: " + Keywords(audit, "not_verified"), kWidth, 2);
  return text;
}

}  // namespace exhibit
