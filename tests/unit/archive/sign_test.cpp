#include "archive/sign.h"

#include <gtest/gtest.h>

#include "archive/bundle.h"
#include "archive/seal.h"
#include "archive/unpack.h"
#include "manifests/signature.h"
#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

constexpr char kKey[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";

class SignTest : public testing::Test {
 protected:
  SignTest() {
    WriteRun(scratch_ / "run", SampleFiles());
    WriteBytes(scratch_ / "key.pem", kKey);
    const auto packed = PackRun(scratch_ / "run", bundle_, TestPackOptions());
    EXPECT_TRUE(packed.ok());
  }
  Result<SignReport> Sign() {
    SignOptions options;
    options.key_file = scratch_ / "key.pem";
    return SignBundle(bundle_, options);
  }

  const ScratchFolder scratch_;
  const std::string bundle_ = scratch_ / "bundle";
};

TEST_F(SignTest, SignatureIsOverTheContentId) {
  const auto report = Sign();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->content_id, Sha256Hex(IndexOf(SampleFiles())));
  const auto signature = DecodeSignature(
      ReadBytes(bundle_ + "/" + kSignatureName), kSignatureName);
  ASSERT_TRUE(signature.ok());
  EXPECT_EQ(signature->content_id, report->content_id);
  EXPECT_TRUE(SignatureHolds(*signature));
  EXPECT_EQ(KeyId(signature->key), report->key_id);
}

TEST_F(SignTest, ComesBeforeOrAfterTheSeal) {
  ASSERT_TRUE(SealBundle(bundle_, {}).ok());
  const std::string seal = ReadBytes(bundle_ + "/" + kSealName);
  ASSERT_TRUE(Sign().ok());
  EXPECT_TRUE(SealDifferences(bundle_)->empty());
  std::filesystem::remove(bundle_ + "/" + kSealName);
  ASSERT_TRUE(SealBundle(bundle_, {}).ok());
  EXPECT_EQ(ReadBytes(bundle_ + "/" + kSealName), seal);
  EXPECT_TRUE(UnpackBundle(bundle_, scratch_ / "again", {}).ok());
}

TEST_F(SignTest, SignedTwiceIsRefused) {
  ASSERT_TRUE(Sign().ok());
  EXPECT_EQ(Sign().error().kind, ErrorKind::kInvalidArgument);
}

TEST_F(SignTest, WhatDoesNotHoldIsNotSigned) {
  WriteBytes(bundle_ + "/" + kEvidenceName, "damage");
  EXPECT_EQ(Sign().error().kind, ErrorKind::kCorrupt);
  EXPECT_FALSE(std::filesystem::exists(bundle_ + "/" + kSignatureName));
}

TEST_F(SignTest, WithoutAKeyNothingIsSigned) {
  WriteBytes(scratch_ / "key.pem", "no key");
  EXPECT_EQ(Sign().error().kind, ErrorKind::kCorrupt);
  std::filesystem::remove(scratch_ / "key.pem");
  EXPECT_EQ(Sign().error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(bundle_ + "/" + kSignatureName));
}

}  // namespace
}  // namespace exhibit
