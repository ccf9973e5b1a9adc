// The bytes of numbers as files hold them: little-endian, whatever the machine.
//
// On a little-endian machine nothing is done, and nothing is copied.

#ifndef EXHIBIT_MANIFESTS_LITTLE_ENDIAN_H_
#define EXHIBIT_MANIFESTS_LITTLE_ENDIAN_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace exhibit {

static_assert(std::endian::native == std::endian::little ||
              std::endian::native == std::endian::big);

// Turns each element of `bytes`, of `element_bytes`, from the order of the
// machine into that of files, or back, which is the same.
inline void SwapUnlessLittle(std::span<char> bytes, size_t element_bytes) {
  if constexpr (std::endian::native == std::endian::big) {
    for (size_t i = 0; i + element_bytes <= bytes.size(); i += element_bytes) {
      std::reverse(
          bytes.begin() + static_cast<std::ptrdiff_t>(i),
          bytes.begin() + static_cast<std::ptrdiff_t>(i + element_bytes));
    }
  }
}

// The elements as files hold them.
template <typename T>
std::string LittleEndianBytes(std::span<const T> values) {
  std::string bytes(values.size_bytes(), '\0');
  if (!values.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  SwapUnlessLittle(bytes, sizeof(T));
  return bytes;
}

// The elements that a file holds; what is left over at the end is dropped.
template <typename T>
std::vector<T> FromLittleEndian(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (values.empty()) return values;
  const std::span<char> raw(reinterpret_cast<char*>(values.data()),
                            values.size() * sizeof(T));
  std::memcpy(raw.data(), bytes.data(), raw.size());
  SwapUnlessLittle(raw, sizeof(T));
  return values;
}

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_LITTLE_ENDIAN_H_
