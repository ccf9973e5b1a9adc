#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/tile/experiment.h"
#include "compiler/tile/text.h"
#include "manifests/manifest.h"

namespace exhibit::tile {
namespace {

// The fenced block of that kind on the page that describes the language.
std::string ExampleOfPage(const std::string& kind) {
  std::ifstream file(EXHIBIT_SOURCE_DIR "/compiler/TILE.md");
  std::ostringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  const std::string fence = "```" + kind + "\n";
  const size_t start = text.find(fence) + fence.size();
  return text.substr(start, text.find("```\n", start) - start);
}

TEST(LanguagePage, ItsExampleIsASoundProgram) {
  const auto program = ReadProgram(ExampleOfPage("tile"), "TILE.md");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->name, "scaled_product");
}

TEST(LanguagePage, ItsManifestMakesAnExperimentOfTheExample) {
  const auto manifest = ParseManifest(ExampleOfPage("json"), "TILE.md");
  ASSERT_TRUE(manifest.ok()) << manifest.error().message;
  EXPECT_EQ(manifest->cases.at(0).text, "product.tile");
  const auto experiment = ReadExperiment(ExampleOfPage("tile"), "product.tile");
  ASSERT_TRUE(experiment.ok()) << experiment.error().message;
  EXPECT_EQ(experiment->buffers.size(), 3u);
  EXPECT_EQ(experiment->dispatch, 3);
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
