// Cases of manifest program `tile`: arrays from the text that was frozen.

#include <gtest/gtest.h>

#include "audit/reference/sine_input.h"
#include "capture/case_arrays.h"
#include "capture/case_program.h"
#include "manifests/file.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

// The output stands before the input that it depends on.
constexpr char kText[] = R"(exhibit.tile/1
program thirds   # of every element
axis n = 8
output y f32[5, 6]
input x f32[5, 6]
parallel row < 5 {
  v: f32[n] = load x[row, 0:n]
  three: f32 = constant 3
  t: f32[n] = div v, three
  store t -> y[row, 0:n]
}
)";

Manifest TileManifest() {
  Manifest manifest;
  manifest.program = "tile";
  manifest.generator = "sine";
  manifest.absolute_tolerance = 1e-6;
  manifest.relative_tolerance = 1e-5;
  ManifestCase only;
  only.name = "only";
  only.text = "p/thirds.tile";
  manifest.cases = {only};
  return manifest;
}

CaseRequest RequestOf(const Scratch& scratch, const Manifest& manifest) {
  return {scratch / "run", &manifest, scratch / "m", std::string(64, 'f'),
          TestTool()};
}

TEST(TileCase, ExpectedIsTheFrozenTextInFp64) {
  const Scratch scratch;
  const Manifest manifest = TileManifest();
  MustWrite(scratch / "run/sources/manifest/p/thirds.tile", kText);
  const auto digest = MakeCase(RequestOf(scratch, manifest), manifest.cases[0]);
  ASSERT_TRUE(digest.ok()) << digest.error().message;
  const auto record =
      DecodeCase(MustRead(scratch / "run/cases/only/case.json"), "case.json");
  ASSERT_TRUE(record.ok()) << record.error().message;
  EXPECT_EQ(record->program, "tile");
  EXPECT_EQ(record->dispatch, 5);
  EXPECT_TRUE(record->shape.empty());
  ASSERT_EQ(record->arrays.size(), 2u);
  EXPECT_EQ(record->arrays[0].name, "y");
  EXPECT_EQ(record->arrays[0].origin, "oracle");
  EXPECT_EQ(record->arrays[1].origin, "sine");
  const auto expected = DecodeNpy(
      MustRead(scratch / "run/" + ArrayPath(record->arrays[0].sha256)), "y");
  ASSERT_TRUE(expected.ok());
  ASSERT_EQ(expected->dtype, DType::kF64);
  // x is the second buffer, so the generator's second array.
  const std::vector<float> x = SineInput(1, 30);
  const std::vector<double> y = DoublesOf(*expected);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], double{x[i]} / 3.0);
}

TEST(TileCase, AFileForABufferThatTheTextLacksIsRefused) {
  const Scratch scratch;
  Manifest manifest = TileManifest();
  manifest.cases[0].files = {{"z", "z.npy"}};
  MustWrite(scratch / "m/p/thirds.tile", kText);
  const Status status =
      CheckSuppliedFiles(manifest, manifest.cases[0], scratch / "m");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(status.error().message.find("\"z\""), std::string::npos)
      << status.error().message;
}

TEST(TileCase, ATextThatIsMissingOrTooLongEndsBeforeARunExists) {
  const Scratch scratch;
  const Manifest manifest = TileManifest();
  MustWrite(scratch / "m/empty", "");
  Status status =
      CheckSuppliedFiles(manifest, manifest.cases[0], scratch / "m");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(status.error().message.find("field \"text\" of the manifest"),
            std::string::npos)
      << status.error().message;
  EXPECT_NE(status.error().hint.find(scratch / "m"), std::string::npos);
  std::string text = kText;
  text.resize(ManifestLimits::kProgramBytesMax, '\n');
  MustWrite(scratch / "m/p/thirds.tile", text);
  EXPECT_TRUE(
      CheckSuppliedFiles(manifest, manifest.cases[0], scratch / "m").ok());
  MustReplace(scratch / "m/p/thirds.tile", text + "\n");
  status = CheckSuppliedFiles(manifest, manifest.cases[0], scratch / "m");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kLimitExceeded);
}

TEST(TileCase, AnElementThatNoInstanceWritesHasNoExpectation) {
  const Scratch scratch;
  const Manifest manifest = TileManifest();
  std::string text = kText;
  text.replace(text.find("row < 5"), 7, "row < 4");
  MustWrite(scratch / "run/sources/manifest/p/thirds.tile", text);
  const auto digest = MakeCase(RequestOf(scratch, manifest), manifest.cases[0]);
  ASSERT_FALSE(digest.ok());
  EXPECT_NE(digest.error().message.find("[4,0]"), std::string::npos)
      << digest.error().message;
  EXPECT_FALSE(PathExists(scratch / "run/cases/only/case.json"));
}

}  // namespace
}  // namespace exhibit
