#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/tile/text.h"

namespace exhibit::tile {
namespace {

// The fenced block of the page that describes the language.
std::string ExampleOfPage() {
  std::ifstream file(EXHIBIT_SOURCE_DIR "/compiler/TILE.md");
  std::ostringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  const std::string fence = "```tile\n";
  const size_t start = text.find(fence) + fence.size();
  return text.substr(start, text.find("```\n", start) - start);
}

TEST(LanguagePage, ItsExampleIsASoundProgram) {
  const auto program = ReadProgram(ExampleOfPage(), "TILE.md");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->name, "scaled_product");
}

TEST(LanguagePage, ItNamesEveryWordOfTheLanguage) {
  std::ifstream file(EXHIBIT_SOURCE_DIR "/compiler/TILE.md");
  std::ostringstream page;
  page << file.rdbuf();
  for (int kind = 0; kind <= static_cast<int>(ElementwiseKind::kConvert);
       ++kind) {
    const std::string word(NameOf(static_cast<ElementwiseKind>(kind)));
    EXPECT_NE(page.str().find("`" + word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace exhibit::tile
