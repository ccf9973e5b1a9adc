// The checksums of an xz file set right, as a forger would: without that hardly
// a mutation gets beyond them, and what lies behind them is never tried.

#ifndef EXHIBIT_TESTS_FUZZ_XZ_SUMS_H_
#define EXHIBIT_TESTS_FUZZ_XZ_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace exhibit::fuzz {

inline constexpr size_t kXzEndBytes = 12;  // Of the stream header, the footer.

inline uint32_t Crc32(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (crc % 2 != 0 ? 0xedb88320U : 0U);
    }
  }
  return ~crc;
}

// Four bytes at `at`, least significant first: as xz stores sums and sizes.
inline uint32_t Word(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 4; i-- > 0;) {
    word = word << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return word;
}

// Writes at `to` the sum of the `count` bytes at `from`.
inline void SetSum(std::string& bytes, size_t from, size_t count, size_t to) {
  uint32_t sum = Crc32(std::string_view(bytes).substr(from, count));
  for (size_t i = 0; i < 4; ++i, sum >>= 8) {
    bytes[to + i] = static_cast<char>(sum & 0xff);
  }
}

// Those of stream header, first block header, index and footer, as far as
// `bytes` is long enough to have them. The check of a block's contents stays.
inline std::string WithXzSums(std::string_view xz) {
  std::string bytes(xz);
  if (bytes.size() < 2 * kXzEndBytes) return bytes;
  SetSum(bytes, 6, 2, 8);
  const size_t footer = bytes.size() - kXzEndBytes;
  SetSum(bytes, footer + 4, 6, footer);
  const uint64_t index_bytes = (uint64_t{Word(bytes, footer + 4)} + 1) * 4;
  if (index_bytes >= 8 && index_bytes <= footer - kXzEndBytes) {
    const size_t index = footer - static_cast<size_t>(index_bytes);
    SetSum(bytes, index, static_cast<size_t>(index_bytes) - 4, footer - 4);
  }
  const auto first = static_cast<uint8_t>(bytes[kXzEndBytes]);
  const size_t block_header = (size_t{first} + 1) * 4;
  if (first != 0 && kXzEndBytes + block_header <= footer) {
    SetSum(bytes, kXzEndBytes, block_header - 4,
           kXzEndBytes + block_header - 4);
  }
  return bytes;
}

// Calls `check` with the file as it is, and with its sums set right.
template <typename Check>
void ForBothSums(std::string_view xz, Check check) {
  check(xz);
  const std::string summed = WithXzSums(xz);
  if (summed != xz) check(std::string_view(summed));
}

}  // namespace exhibit::fuzz

#endif  // EXHIBIT_TESTS_FUZZ_XZ_SUMS_H_
