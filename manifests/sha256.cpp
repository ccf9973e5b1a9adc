#include "manifests/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace exhibit {
namespace {

// The implementation is fetched once. The configuration file is not loaded: it
// could put another provider, or a failure, behind the same name.
const EVP_MD* Sha256Algorithm() {
  static const EVP_MD* const algorithm = [] {
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) != 1) {
      throw std::logic_error("OPENSSL_init_crypto failed");
    }
    const EVP_MD* fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    if (fetched == nullptr) throw std::logic_error("OpenSSL has no SHA256");
    return fetched;
  }();
  return algorithm;
}

std::string Hex(const unsigned char* bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * count);
  for (size_t i = 0; i < count; ++i) {
    hex.push_back(kDigits[bytes[i] >> 4]);
    hex.push_back(kDigits[bytes[i] & 15]);
  }
  return hex;
}

}  // namespace

struct Sha256Stream::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256Stream::Sha256Stream() {
  const EVP_MD* algorithm = Sha256Algorithm();
  state_ = std::make_unique<State>();
  if (state_->context == nullptr) throw std::bad_alloc();
  if (EVP_DigestInit_ex2(state_->context, algorithm, nullptr) != 1) {
    throw std::logic_error("EVP_DigestInit_ex2 failed");
  }
}

Sha256Stream::~Sha256Stream() = default;
Sha256Stream::Sha256Stream(Sha256Stream&&) noexcept = default;
Sha256Stream& Sha256Stream::operator=(Sha256Stream&&) noexcept = default;

void Sha256Stream::Update(std::string_view bytes) {
  if (!state_) throw std::logic_error("Sha256Stream used after its end");
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) {
    throw std::logic_error("EVP_DigestUpdate failed");
  }
}

std::string Sha256Stream::FinishHex() {
  if (!state_) throw std::logic_error("Sha256Stream used after its end");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int count = 0;
  if (EVP_DigestFinal_ex(state_->context, digest.data(), &count) != 1 ||
      count != 32) {
    throw std::logic_error("EVP_DigestFinal_ex failed");
  }
  state_.reset();
  return Hex(digest.data(), count);
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256Stream stream;
  stream.Update(bytes);
  return stream.FinishHex();
}

bool IsSha256Hex(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace exhibit
