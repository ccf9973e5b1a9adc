// Who stands behind a content id: a detached Ed25519 signature (RFC 8032).
//
// What is signed is not the content id alone but a text that says what it is,
// so that a signature made for something else never counts here, nor one made
// here elsewhere. A signature carries its public key: without a key that the
// reader trusts it shows that somebody signed, not who.
// Normative: archive/FORMAT.md, "content-id.sig".

#ifndef EXHIBIT_MANIFESTS_SIGNATURE_H_
#define EXHIBIT_MANIFESTS_SIGNATURE_H_

#include <string>
#include <string_view>

#include "manifests/result.h"

namespace exhibit {

struct PublicKey {
  std::string raw;  // The 32 bytes of RFC 8032.
  bool operator==(const PublicKey&) const = default;
};

struct ContentSignature {
  std::string content_id;  // 64 hexadecimal digits.
  PublicKey key;
  std::string signature;  // 64 bytes.
  bool operator==(const ContentSignature&) const = default;
};

// SHA-256 in hexadecimal of the key's SubjectPublicKeyInfo: what
//   openssl pkey -pubin -in pub.pem -outform DER | sha256sum
// prints.
std::string KeyId(const PublicKey& key);

// The bytes that are signed for `content_id`.
std::string SignedText(const std::string& content_id);

// The key in a PEM text. Fails with kCorrupt when it holds no public key (of a
// private one as well: a verifier must not ask for it), and with kUnsupported
// when that is not of Ed25519. `where` names the file.
Result<PublicKey> ReadPublicKey(std::string_view pem, const std::string& where);

// Signs with the private key in a PEM text that is not encrypted. Fails as
// ReadPublicKey does.
Result<ContentSignature> SignContentId(const std::string& content_id,
                                       std::string_view pem,
                                       const std::string& where);

// Whether the signature is one of its key over its content id. Never of a key
// of small order, whose signatures hold for texts that nobody signed.
bool SignatureHolds(const ContentSignature& signature);

// content-id.sig.
std::string EncodeSignature(const ContentSignature& signature);
// Accepts exactly what EncodeSignature writes. Fails with kUnsupported on
// another schema, else with kCorrupt.
Result<ContentSignature> DecodeSignature(std::string_view bytes,
                                         const std::string& where);

// The version of libcrypto that runs, such as "3.0.17".
std::string CryptoLibraryVersion();

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_SIGNATURE_H_
