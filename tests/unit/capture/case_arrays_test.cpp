#include "capture/case_arrays.h"

#include <gtest/gtest.h>

#include "audit/reference/sine_input.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

Manifest AttentionManifest() {
  Manifest manifest;
  manifest.program = "attention";
  manifest.generator = "sine";
  manifest.absolute_tolerance = 1e-6;
  manifest.relative_tolerance = 1e-5;
  ManifestCase small;
  small.name = "small";
  small.shape = {1, 2, 1, 3, 5, 4, 6};
  small.tile = {2, 2};
  manifest.cases = {small};
  return manifest;
}

CaseRequest RequestOf(const Scratch& scratch, const Manifest& manifest) {
  return {scratch / "run", &manifest, scratch / "m", std::string(64, 'f'),
          TestTool()};
}

CaseRecord MustReadCase(const Scratch& scratch, const std::string& name) {
  Result<CaseRecord> record =
      DecodeCase(MustRead(scratch / "run/" + CasePath(name)), name);
  EXPECT_TRUE(record.ok()) << (record.ok() ? "" : record.error().message);
  return record.ok() ? *record : CaseRecord();
}

std::string F32File(const std::vector<uint64_t>& shape,
                    const std::vector<float>& values) {
  return EncodeNpy({DType::kF32, shape, BytesOf(values)});
}

TEST(CaseArrays, AttentionHasItsInputsAndItsOracleInDeclarationOrder) {
  const Scratch scratch;
  const Manifest manifest = AttentionManifest();
  const auto digest = MakeCase(RequestOf(scratch, manifest), manifest.cases[0]);
  ASSERT_TRUE(digest.ok()) << digest.error().message;
  const CaseRecord record = MustReadCase(scratch, "small");
  ASSERT_EQ(record.arrays.size(), 4u);
  const char* names[] = {"query", "key", "value", "output"};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(record.arrays[i].name, names[i]);
  EXPECT_EQ(record.arrays[2].shape, (std::vector<int64_t>{1, 1, 5, 6}));
  EXPECT_EQ(record.arrays[2].origin, "sine");
  EXPECT_EQ(record.arrays[3].origin, "oracle");
  EXPECT_EQ(record.arrays[3].dtype, "f32");
  EXPECT_EQ(record.dispatch, 1 * 2 * 2);
  // The third array is the generator's third.
  EXPECT_EQ(record.arrays[2].sha256,
            Sha256Hex(F32File({1, 1, 5, 6}, SineInput(2, 30))));
  for (const CaseArray& array : record.arrays) {
    const std::string file =
        MustRead(scratch / "run/" + ArrayPath(array.sha256));
    EXPECT_EQ(Sha256Hex(file), array.sha256);
    const auto decoded = DecodeNpy(file, array.name);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->dtype,
              array.role == "output" ? DType::kF64 : DType::kF32);
  }
}

TEST(CaseArrays, ASuppliedInputIsKeptByteForByteAndUsedByTheOracle) {
  const Scratch scratch;
  Manifest manifest = AttentionManifest();
  ASSERT_TRUE(MakeCase(RequestOf(scratch, manifest), manifest.cases[0]).ok());
  const CaseRecord generated = MustReadCase(scratch, "small");
  const std::string file = F32File({1, 2, 3, 4}, std::vector<float>(24, 0.25f));
  MustWrite(scratch / "m/query.npy", file);
  manifest.cases[0].name = "other";
  manifest.cases[0].files = {{"query", "query.npy"}};
  const auto digest = MakeCase(RequestOf(scratch, manifest), manifest.cases[0]);
  ASSERT_TRUE(digest.ok()) << digest.error().message;
  const CaseRecord record = MustReadCase(scratch, "other");
  EXPECT_EQ(record.arrays[0].origin, "file");
  EXPECT_EQ(record.arrays[0].sha256, Sha256Hex(file));
  EXPECT_EQ(record.arrays[1].sha256, generated.arrays[1].sha256);
  EXPECT_NE(record.arrays[3].sha256, generated.arrays[3].sha256);
}

TEST(CaseArrays, AWrongShapeNamesFileExpectedAndFound) {
  const Scratch scratch;
  MustWrite(scratch / "m/query.npy",
            F32File({2, 3, 4}, std::vector<float>(24, 0.25f)));
  Manifest manifest = AttentionManifest();
  manifest.cases[0].files = {{"query", "query.npy"}};
  const Status status =
      CheckSuppliedFiles(manifest, manifest.cases[0], scratch / "m");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kInvalidArgument);
  for (const char* part : {"small", "query.npy", "[1,2,3,4]", "[2,3,4]"}) {
    EXPECT_NE(status.error().message.find(part), std::string::npos)
        << status.error().message;
  }
}

TEST(CaseArrays, AnInputOfDoublesIsRefusedAndAnExpectationIsNot) {
  const Scratch scratch;
  std::vector<double> values(36);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0 + double(i);
  MustWrite(scratch / "m/doubles.npy",
            EncodeNpy({DType::kF64, {1, 2, 3, 6}, BytesOf(values)}));
  Manifest manifest = AttentionManifest();
  manifest.cases[0].files = {{"output", "doubles.npy"}};
  EXPECT_TRUE(
      CheckSuppliedFiles(manifest, manifest.cases[0], scratch / "m").ok());
  manifest.cases[0].shape[5] = 6;  // So that the query has the same shape.
  manifest.cases[0].files = {{"query", "doubles.npy"}};
  const Status status =
      CheckSuppliedFiles(manifest, manifest.cases[0], scratch / "m");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("found f64"), std::string::npos)
      << status.error().message;
}

TEST(CaseArrays, ASuppliedExpectationSaysSo) {
  const Scratch scratch;
  std::vector<float> values(36);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0f + float(i);
  const std::string file = F32File({1, 2, 3, 6}, values);
  MustWrite(scratch / "m/expected.npy", file);
  Manifest manifest = AttentionManifest();
  manifest.cases[0].files = {{"output", "expected.npy"}};
  const auto digest = MakeCase(RequestOf(scratch, manifest), manifest.cases[0]);
  ASSERT_TRUE(digest.ok()) << digest.error().message;
  const CaseRecord record = MustReadCase(scratch, "small");
  EXPECT_EQ(record.arrays[3].origin, "supplied");
  EXPECT_EQ(record.arrays[3].sha256, Sha256Hex(file));
}

TEST(CaseArrays, AnOracleThatZeroWouldSatisfyIsRefusedAndLeavesNoRecord) {
  const Scratch scratch;
  Manifest manifest = AttentionManifest();
  manifest.absolute_tolerance = 10;
  const auto digest = MakeCase(RequestOf(scratch, manifest), manifest.cases[0]);
  ASSERT_FALSE(digest.ok());
  EXPECT_EQ(digest.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(digest.error().message.find("case small"), std::string::npos)
      << digest.error().message;
  EXPECT_EQ(Snapshot(scratch / "run").count(CasePath("small")), 0u);
}

TEST(CaseArrays, AMadeCaseIsKeptAndAChangedInputIsRefused) {
  const Scratch scratch;
  MustWrite(scratch / "m/query.npy",
            F32File({1, 2, 3, 4}, std::vector<float>(24, 0.25f)));
  Manifest manifest = AttentionManifest();
  manifest.cases[0].files = {{"query", "query.npy"}};
  const CaseRequest request = RequestOf(scratch, manifest);
  const auto first = MakeCase(request, manifest.cases[0]);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto before = Snapshot(scratch / "run");
  const auto second = MakeCase(request, manifest.cases[0]);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(Snapshot(scratch / "run"), before);
  MustReplace(scratch / "m/query.npy",
              F32File({1, 2, 3, 4}, std::vector<float>(24, 0.5f)));
  const auto third = MakeCase(request, manifest.cases[0]);
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(third.error().message.find("query.npy"), std::string::npos);
}

}  // namespace
}  // namespace exhibit
