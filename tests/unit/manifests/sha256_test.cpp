#include "manifests/sha256.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace exhibit {
namespace {

// FIPS 180-4 examples.
TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(Sha256Hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  const std::string bytes(200, 'x');
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    Sha256Stream stream;
    stream.Update(std::string_view(bytes).substr(0, cut));
    stream.Update(std::string_view(bytes).substr(cut));
    EXPECT_EQ(stream.FinishHex(), Sha256Hex(bytes)) << cut;
  }
}

TEST(Sha256, TheDigestSoFarLeavesTheStreamAsItIs) {
  Sha256Stream stream;
  std::string all;
  for (const char* piece : {"", "ab", "c", "", "def"}) {
    stream.Update(piece);
    all += piece;
    EXPECT_EQ(stream.HexSoFar(), Sha256Hex(all));
    EXPECT_EQ(stream.HexSoFar(), Sha256Hex(all));
  }
  EXPECT_EQ(stream.FinishHex(), Sha256Hex(all));
  EXPECT_THROW(stream.HexSoFar(), std::logic_error);
}

TEST(Sha256, StreamThatHasEndedIsABug) {
  Sha256Stream stream;
  EXPECT_EQ(stream.FinishHex(), Sha256Hex(""));
  EXPECT_THROW(stream.Update("a"), std::logic_error);
  EXPECT_THROW(stream.FinishHex(), std::logic_error);
}

TEST(Sha256, MovedStreamGoesOn) {
  Sha256Stream first;
  first.Update("a");
  Sha256Stream second = std::move(first);
  second.Update("bc");
  EXPECT_EQ(second.FinishHex(), Sha256Hex("abc"));
}

TEST(Sha256, OnlySixtyFourLowerCaseDigitsAreADigest) {
  const std::string digest = Sha256Hex("abc");
  EXPECT_TRUE(IsSha256Hex(digest));
  EXPECT_FALSE(IsSha256Hex(""));
  EXPECT_FALSE(IsSha256Hex(digest.substr(1)));
  EXPECT_FALSE(IsSha256Hex(digest + "0"));
  for (const char wrong : {'A', 'F', 'g', '/', ':', '`', ' ', '\0'}) {
    std::string text = digest;
    text[40] = wrong;
    EXPECT_FALSE(IsSha256Hex(text)) << static_cast<int>(wrong);
  }
}

}  // namespace
}  // namespace exhibit
