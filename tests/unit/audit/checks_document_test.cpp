// CHECKS.md and AUDIT_JSON.md say what the code does.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "audit/finding.h"
#include "audit/fixed_statements.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

std::string Document(const std::string& name) {
  std::ifstream file(std::string(EXHIBIT_SOURCE_DIR) + "/audit/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first cell of each row of every table: `word` in backticks.
std::set<std::string> FirstCells(const std::string& document) {
  std::set<std::string> cells;
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const size_t end = line.find('`', 3);
    cells.insert(line.substr(3, end - 3));
  }
  return cells;
}

TEST(ChecksDocument, ListsExactlyTheCodesThereAre) {
  std::set<std::string> codes;
  for (const FindingCode& code : FindingCodes()) {
    codes.insert(std::string(code.code));
  }
  EXPECT_EQ(FirstCells(Document("CHECKS.md")), codes);
}

TEST(ChecksDocument, SaysOfEachGapWhatNarrowsIt) {
  const std::string document = Document("CHECKS.md");
  const size_t begin = document.find("## What no audit tells");
  const std::string section =
      document.substr(begin, document.find("\n## ", begin) - begin);
  for (const std::string_view statement : kNotVerified) {
    const std::string word(statement.substr(0, statement.find(':')));
    EXPECT_TRUE(section.find("| " + word) != std::string::npos ||
                section.find(", " + word) != std::string::npos)
        << word;
  }
}

void CollectKeys(const Json& value, std::set<std::string>& keys) {
  if (const Json::Object* object = value.AsObject()) {
    for (const auto& [key, member] : *object) {
      // Below these stand names of the manifest and of options.
      keys.insert(key);
      if (key == "options" || key == "controls" || key == "variants") continue;
      CollectKeys(member, keys);
    }
  }
  if (const Json::Array* array = value.AsArray()) {
    for (const Json& member : *array) CollectKeys(member, keys);
  }
}

TEST(AuditJsonDocument, NamesEveryKeyOfAResult) {
  const std::string document = Document("AUDIT_JSON.md");
  SyntheticRun bad = HonestRun();
  bad.visits[2].repetitions *= 2;
  std::set<std::string> keys;
  CollectKeys(Audit(SubjectOf(HonestRun().Seal())).json, keys);
  CollectKeys(Audit(SubjectOf(bad.Seal())).json, keys);
  EXPECT_GT(keys.size(), 50U);
  for (const std::string& key : keys) {
    EXPECT_NE(document.find("`" + key + "`"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace exhibit::testing
