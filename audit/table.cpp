#include "audit/table.h"

#include <algorithm>

#include "audit/json_view.h"

namespace exhibit {
namespace {

size_t CodePoints(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

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

std::string FindingLines(const Json& audit) {
  std::string text;
  for (const Json& finding : ListAt(audit, "findings")) {
    text += "  ";
    text += TextAt(finding, "code") + "  " + TextAt(finding, "path");
    const std::string field = TextAt(finding, "field");
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
  const bool* exploratory = JsonAt(audit, "exploratory").AsBool();
  std::string text = TextAt(audit, "name") + ": " + TextAt(audit, "question");
  text += "\n";
  if (exploratory != nullptr && *exploratory) {
    text += "exploratory: not a test of anything declared beforehand\n";
  }
  std::vector<std::vector<std::string>> rows = {CaseHeadings()};
  for (const Json& c : ListAt(audit, "cases")) rows.push_back(CaseCells(c));
  text += "\n" + AlignColumns(rows) + "\n";
  for (const std::string& note : TableNotes(audit)) text += note + "\n";
  text += "verdict: " + TextAt(audit, "verdict") + ", content id " +
          TextAt(audit, "content_id") + "\n";
  text += FindingLines(audit);
  for (const Json& obstacle : ListAt(audit, "obstacles")) {
    text += "  cannot verify: " +
            (obstacle.AsString() != nullptr ? *obstacle.AsString()
                                            : std::string("-")) +
            "\n";
  }
  text += "not verified: " + Keywords(audit, "not_verified") + "\n";
  return text;
}

}  // namespace exhibit
