#include "manifests/signature.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

#include "manifests/json.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr char kSchema[] = "exhibit.signature/1";
constexpr std::string_view kPurpose = "exhibit signature 1: content id\n";
constexpr size_t kKeyBytes = 32;
constexpr size_t kSignatureBytes = 64;
// Before the 32 bytes of a key in a SubjectPublicKeyInfo (RFC 8410).
constexpr std::string_view kInfoPrefix(
    "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12);

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Context = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// As for digests: no configuration file may put another provider in the way.
void Start() {
  if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) != 1) {
    throw std::logic_error("OPENSSL_init_crypto failed");
  }
}

Context MakeContext() {
  Context context(EVP_MD_CTX_new());
  if (!context) throw std::bad_alloc();
  return context;
}

// A key that asks for a password is refused, and nobody is asked.
int NoPassword(char*, int, int, void*) { return -1; }

Bio Reader(std::string_view pem) {
  Start();
  if (pem.empty()) pem = "";  // A null pointer would be refused as memory is.
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) throw std::bad_alloc();
  return bio;
}

Error NoKey(const std::string& where, const std::string& what,
            const std::string& hint) {
  ERR_clear_error();  // What it holds is worded for its authors.
  return Error{ErrorKind::kCorrupt, where + ": " + what, hint};
}

bool Has(std::string_view pem, std::string_view word) {
  return pem.find(word) != std::string_view::npos;
}

Result<PublicKey> PublicPart(const EVP_PKEY* key, const std::string& where) {
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519) {
    return Error{ErrorKind::kUnsupported,
                 where + ": the key is not an Ed25519 key",
                 "Make one with openssl genpkey -algorithm ed25519."};
  }
  std::array<unsigned char, kKeyBytes> raw;
  size_t size = raw.size();
  if (EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1 ||
      size != raw.size()) {
    return NoKey(where, "the key has no public part", "");
  }
  return PublicKey{std::string(raw.begin(), raw.end())};
}

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

std::optional<std::string> FromHex(std::string_view hex) {
  const auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = value(hex[i]);
    const int low = value(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

// The bytes in a field of `count` bytes in hexadecimal, or nothing.
std::optional<std::string> BytesIn(const Json::Object& object, const char* name,
                                   size_t count) {
  const auto field = object.find(name);
  if (field == object.end() || field->second.AsString() == nullptr) {
    return std::nullopt;
  }
  auto bytes = FromHex(*field->second.AsString());
  return bytes && bytes->size() == count ? bytes : std::nullopt;
}

// The points of order 1, 2, 4 and 8, by their second coordinate: for such a key
// there are signatures that hold for many texts, so it stands for nobody.
constexpr std::string_view kSmallOrder[] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    // The same as the first two, beyond the prime.
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

bool IsOfSmallOrder(std::string key) {
  if (key.size() != kKeyBytes) return false;
  key.back() = static_cast<char>(key.back() & 0x7f);  // The sign of the first.
  return std::find(std::begin(kSmallOrder), std::end(kSmallOrder), Hex(key)) !=
         std::end(kSmallOrder);
}

}  // namespace

std::string KeyId(const PublicKey& key) {
  return Sha256Hex(std::string(kInfoPrefix) + key.raw);
}

std::string SignedText(const std::string& content_id) {
  return std::string(kPurpose) + content_id + "\n";
}

Result<PublicKey> ReadPublicKey(std::string_view pem,
                                const std::string& where) {
  constexpr std::string_view kBegin = "-----BEGIN PUBLIC KEY-----";
  const size_t first = pem.find(kBegin);
  if (first != std::string_view::npos && Has(pem.substr(first + 1), kBegin)) {
    return NoKey(where, "holds more than one public key",
                 "Give a file with the one that you trust.");
  }
  const Bio bio = Reader(pem);
  const Key key(PEM_read_bio_PUBKEY(bio.get(), nullptr, NoPassword, nullptr));
  if (!key) {
    const bool is_private = Has(pem, "PRIVATE KEY-----");
    return NoKey(where,
                 is_private ? "holds a private key, expected the public one"
                            : "holds no public key in PEM form",
                 "Make it with openssl pkey -in KEY.pem -pubout.");
  }
  return PublicPart(key.get(), where);
}

Result<ContentSignature> SignContentId(const std::string& content_id,
                                       std::string_view pem,
                                       const std::string& where) {
  const Bio bio = Reader(pem);
  const Key key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (!key) {
    // As PKCS #8 and as the older form spell it.
    if (Has(pem, "ENCRYPTED")) {
      return NoKey(where, "holds a private key that is encrypted",
                   "Decrypt it first: openssl pkey -in " + where +
                       " -out PLAIN.pem; remove that when you have signed.");
    }
    return NoKey(where,
                 Has(pem, "PUBLIC KEY-----")
                     ? "holds a public key, expected the private one"
                     : "holds no private key in PEM form",
                 "Make one with openssl genpkey -algorithm ed25519.");
  }
  ContentSignature made;
  made.content_id = content_id;
  EXHIBIT_ASSIGN_OR_RETURN(made.key, PublicPart(key.get(), where));
  const std::string text = SignedText(content_id);
  const Context context = MakeContext();
  std::array<unsigned char, kSignatureBytes> signature;
  size_t size = signature.size();
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) !=
          1 ||
      EVP_DigestSign(context.get(), signature.data(), &size, Bytes(text),
                     text.size()) != 1 ||
      size != signature.size()) {
    return NoKey(where, "OpenSSL refuses to sign with this key", "");
  }
  made.signature = std::string(signature.begin(), signature.end());
  return made;
}

bool SignatureHolds(const ContentSignature& signature) {
  if (IsOfSmallOrder(signature.key.raw)) return false;
  Start();
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr,
                                            Bytes(signature.key.raw),
                                            signature.key.raw.size()));
  const std::string text = SignedText(signature.content_id);
  const Context context = MakeContext();
  const bool holds = key &&
                     EVP_DigestVerifyInit(context.get(), nullptr, nullptr,
                                          nullptr, key.get()) == 1 &&
                     EVP_DigestVerify(context.get(), Bytes(signature.signature),
                                      signature.signature.size(), Bytes(text),
                                      text.size()) == 1;
  ERR_clear_error();
  return holds;
}

std::string EncodeSignature(const ContentSignature& signature) {
  return EncodeJson(Json::Object{
      {"schema", kSchema},
      {"content_id", signature.content_id},
      {"public_key", Hex(signature.key.raw)},
      {"signature", Hex(signature.signature)},
  });
}

Result<ContentSignature> DecodeSignature(std::string_view bytes,
                                         const std::string& where) {
  const auto corrupt = [&where](const char* what) {
    return Error{ErrorKind::kCorrupt, where + ": " + what, ""};
  };
  EXHIBIT_ASSIGN_OR_RETURN(const Json json, ParseJson(bytes, where));
  const Json::Object* object = json.AsObject();
  if (object == nullptr) return corrupt("is not an object");
  const auto schema = object->find("schema");
  if (schema == object->end()) return corrupt("field \"schema\" is missing");
  if (schema->second != Json(kSchema)) {
    return Error{ErrorKind::kUnsupported,
                 where + ": schema " + QuoteJson(schema->second) +
                     " is unknown here, expected \"" + kSchema + "\"",
                 "Use the version of Exhibit that knows this schema."};
  }
  const auto content_id = BytesIn(*object, "content_id", 32);
  const auto key = BytesIn(*object, "public_key", kKeyBytes);
  const auto signature = BytesIn(*object, "signature", kSignatureBytes);
  if (!content_id || !key || !signature) {
    return corrupt("a field is missing or not of its length in hexadecimal");
  }
  const ContentSignature read{Hex(*content_id), {*key}, *signature};
  if (EncodeSignature(read) != bytes) {
    const bool converted = bytes.find('\r') != std::string_view::npos;
    return corrupt(converted ? "is not canonical: it has carriage returns"
                             : "is not canonical, or has an unknown field");
  }
  return read;
}

std::string CryptoLibraryVersion() {
  return OpenSSL_version(OPENSSL_VERSION_STRING);
}

}  // namespace exhibit
