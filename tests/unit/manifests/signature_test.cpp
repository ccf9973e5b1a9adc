#include "manifests/signature.h"

#include <gtest/gtest.h>

#include "manifests/sha256.h"

namespace exhibit {
namespace {

// The first key of RFC 8032, 7.1.
constexpr char kPrivate[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";
constexpr char kPublic[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n";
constexpr char kPublicHex[] =
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
// What openssl pkeyutl -sign -rawin made of SignedText(Empty()).
constexpr char kSignatureHex[] =
    "6dbca9c8aae1ec32f0b9924f3e9adabfef2d8c070ad195d0ceb8188a2c884291"
    "d7ab2afd4f55cf105e0fc9076b571815c8776181eb6b68953eacd8606310f90c";
constexpr char kRsaPublic[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAO1Vwr6/1gd0TCibV6kXZXCKAF39WENo\n"
    "l4DS1FE5lTs5fN5AspW8DMnuv+kWtrg41no121mw+QL7y0iEnqMKqRcCAwEAAQ==\n"
    "-----END PUBLIC KEY-----\n";

std::string Empty() { return Sha256Hex(""); }

// The file of the test vector in archive/FORMAT.md.
std::string Vector() {
  return "{\"content_id\":\"" + Empty() + "\",\"public_key\":\"" + kPublicHex +
         "\",\"schema\":\"exhibit.signature/1\",\"signature\":\"" +
         kSignatureHex + "\"}\n";
}

ContentSignature Signed() {
  auto signature = SignContentId(Empty(), kPrivate, "key.pem");
  EXPECT_TRUE(signature.ok());
  return *signature;
}

TEST(Signature, MatchesTheTestVector) {
  EXPECT_EQ(EncodeSignature(Signed()), Vector());
  EXPECT_TRUE(SignatureHolds(Signed()));
}

TEST(Signature, OnlyALaterSchemaIsUnsupported) {
  for (const std::string bytes : {"", "junk", "{}", "[]", "{\"x\":1}"}) {
    const auto read = DecodeSignature(bytes, "content-id.sig");
    ASSERT_FALSE(read.ok()) << bytes;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << bytes;
  }
  const auto later =
      DecodeSignature("{\"schema\":\"exhibit.signature/2\"}", "content-id.sig");
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(later.error().message.find("exhibit.signature/2"),
            std::string::npos);
}

TEST(Signature, SignsATextThatSaysWhatItIs) {
  EXPECT_EQ(SignedText(Empty()),
            "exhibit signature 1: content id\n" + Empty() + "\n");
}

TEST(Signature, NamesAKeyByTheDigestOfItsInfo) {
  const auto key = ReadPublicKey(kPublic, "pub.pem");
  ASSERT_TRUE(key.ok()) << key.error().message;
  EXPECT_EQ(*key, Signed().key);
  EXPECT_EQ(KeyId(*key),
            "06e3fd8fda29bb60ab59557de61edb0aecdb231134be30e75b455f8e1b792fa9");
}

TEST(Signature, HoldsForNothingElse) {
  ContentSignature other = Signed();
  other.content_id = Sha256Hex("other");
  EXPECT_FALSE(SignatureHolds(other));
  other = Signed();
  other.key.raw[0] ^= 1;
  EXPECT_FALSE(SignatureHolds(other));
  for (size_t i = 0; i < other.signature.size(); ++i) {
    other = Signed();
    other.signature[i] ^= 1;
    EXPECT_FALSE(SignatureHolds(other)) << i;
  }
}

// OpenSSL finds that these hold: the neutral point, and zero of the key.
TEST(Signature, OfAKeyOfSmallOrderDoesNotHold) {
  ContentSignature forged = Signed();
  forged.signature = std::string(1, '\1') + std::string(63, '\0');
  for (const char first : {'\1', '\xee'}) {
    for (const char last : {'\0', '\x80', '\x7f', '\xff'}) {
      const char middle = first == '\1' ? '\0' : '\xff';
      forged.key.raw = first + std::string(30, middle) + last;
      EXPECT_FALSE(SignatureHolds(forged));
    }
  }
}

TEST(Signature, OfTheContentIdAloneDoesNotCount) {
  // Somebody who got the bare digest signed elsewhere has nothing: the prefix
  // is a part of what is signed.
  const auto over_text = SignContentId(SignedText(Empty()), kPrivate, "key");
  ASSERT_TRUE(over_text.ok());
  ContentSignature moved = *over_text;
  moved.content_id = Empty();
  EXPECT_FALSE(SignatureHolds(moved));
}

TEST(Signature, RoundTrips) {
  const auto read = DecodeSignature(Vector(), "content-id.sig");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, Signed());
}

TEST(Signature, TruncatedAtEveryLengthIsRefused) {
  const std::string whole = Vector();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(DecodeSignature(whole.substr(0, size), "sig").ok()) << size;
  }
}

TEST(Signature, OtherSpellingsAreRefused) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = Vector();
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {with("{", "{ "), with("}", ",\"x\":1}"), with("d75a", "D75A"),
        with("d75a", "75a"), with("6dbc", "zzzz"), with("\"e3b0", "\"0e3b0"),
        with("public_key", "public_kex"), std::string("[]\n"),
        Vector() + "\n"}) {
    const auto read = DecodeSignature(text, "sig");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << text;
  }
  EXPECT_EQ(
      DecodeSignature(with("signature/1", "signature/2"), "sig").error().kind,
      ErrorKind::kUnsupported);
}

// A view of nothing may have no address.
TEST(Signature, AnEmptyTextHoldsNoKey) {
  for (const std::string_view none :
       {std::string_view(), std::string_view("")}) {
    const auto key = ReadPublicKey(none, "pub.pem");
    ASSERT_FALSE(key.ok());
    EXPECT_EQ(key.error().kind, ErrorKind::kCorrupt);
    const auto made = SignContentId(Empty(), none, "key.pem");
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().kind, ErrorKind::kCorrupt);
  }
}

// Nobody could tell which of them was meant.
TEST(Signature, AFileOfTwoPublicKeysIsRefused) {
  const auto key = ReadPublicKey(std::string(kPublic) + kPublic, "pub.pem");
  ASSERT_FALSE(key.ok());
  EXPECT_EQ(key.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(key.error().message.find("more than one public key"),
            std::string::npos);
}

TEST(Signature, KeysOfAnotherKindAreRefused) {
  EXPECT_EQ(ReadPublicKey(kRsaPublic, "pub.pem").error().kind,
            ErrorKind::kUnsupported);
  for (const char* pem : {"", "none", kPrivate}) {
    const auto read = ReadPublicKey(pem, "pub.pem");
    ASSERT_FALSE(read.ok()) << pem;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << pem;
    EXPECT_NE(read.error().hint, "");
  }
  EXPECT_EQ(SignContentId(Empty(), kPublic, "key.pem").error().kind,
            ErrorKind::kCorrupt);
}

TEST(Signature, AKeyOfTheWrongSideIsNamedAsWhatItIs) {
  EXPECT_EQ(ReadPublicKey(kPrivate, "key.pem").error().message,
            "key.pem: holds a private key, expected the public one");
  EXPECT_EQ(SignContentId(Empty(), kPublic, "pub.pem").error().message,
            "pub.pem: holds a public key, expected the private one");
}

TEST(Signature, AnEncryptedKeyIsRefusedWithTheCommandThatDecryptsIt) {
  const Error error =
      SignContentId(Empty(),
                    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGb\n"
                    "-----END ENCRYPTED PRIVATE KEY-----\n",
                    "key.pem")
          .error();
  EXPECT_EQ(error.message, "key.pem: holds a private key that is encrypted");
  EXPECT_NE(error.hint.find("openssl pkey -in key.pem -out"),
            std::string::npos);
}

}  // namespace
}  // namespace exhibit
