// SHA-256 (FIPS 180-4), the one digest of every format.

#ifndef EXHIBIT_MANIFESTS_SHA256_H_
#define EXHIBIT_MANIFESTS_SHA256_H_

#include <memory>
#include <string>
#include <string_view>

namespace exhibit {

// Hashes what arrives in pieces.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(Sha256Stream&&) noexcept;
  Sha256Stream& operator=(Sha256Stream&&) noexcept;

  void Update(std::string_view bytes);
  // The digest of what has come so far; more may follow.
  std::string HexSoFar() const;
  // 64 lower-case hexadecimal digits. The stream must not be used afterwards.
  std::string FinishHex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// True for exactly 64 characters of 0-9a-f.
bool IsSha256Hex(std::string_view text);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_SHA256_H_
