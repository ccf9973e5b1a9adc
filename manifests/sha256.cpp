#include "manifests/sha256.h"

// The interface of old, and not EVP: that one first builds a table of all
// algorithms, which takes longer than most of what is hashed here, and a
// process that only hashes can link these few functions and nothing else.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace exhibit {
namespace {

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
  SHA256_CTX context;
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
  if (SHA256_Init(&state_->context) != 1) {
    throw std::logic_error("SHA256_Init failed");
  }
}

Sha256Stream::~Sha256Stream() = default;
Sha256Stream::Sha256Stream(Sha256Stream&&) noexcept = default;
Sha256Stream& Sha256Stream::operator=(Sha256Stream&&) noexcept = default;

void Sha256Stream::Update(std::string_view bytes) {
  if (!state_) throw std::logic_error("Sha256Stream used after its end");
  if (SHA256_Update(&state_->context, bytes.data(), bytes.size()) != 1) {
    throw std::logic_error("SHA256_Update failed");
  }
}

std::string Sha256Stream::HexSoFar() const {
  if (!state_) throw std::logic_error("Sha256Stream used after its end");
  SHA256_CTX context = state_->context;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  if (SHA256_Final(digest.data(), &context) != 1) {
    throw std::logic_error("SHA256_Final failed");
  }
  return Hex(digest.data(), digest.size());
}

std::string Sha256Stream::FinishHex() {
  std::string digest = HexSoFar();
  state_.reset();
  return digest;
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
