#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <random>

namespace exhibit::fuzz {
namespace {

// Only the engine: what distributions give differs between libraries.
using Random = std::mt19937_64;

constexpr const char* kNumbers[] = {"0",
                                    "1",
                                    "-1",
                                    "2",
                                    "16",
                                    "255",
                                    "65536",
                                    "4294967295",
                                    "9007199254740992",
                                    "9007199254740993",
                                    "9223372036854775807",
                                    "18446744073709551616",
                                    "0.5",
                                    "-0.0",
                                    "1e-320",
                                    "1e400"};
constexpr uint64_t kWords[] = {0,
                               1,
                               2,
                               0x7f,
                               0x80,
                               0xff,
                               0xff00,
                               0xffff,
                               0x10000,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x7fffffffffffffff,
                               0x8000000000000000,
                               0xffffffffffffffc0,
                               0xffffffffffffffff};

size_t Below(Random& random, size_t bound) {
  return static_cast<size_t>(random() % std::max<size_t>(bound, 1));
}

void FlipBit(std::string& bytes, Random& random) {
  char& byte = bytes[Below(random, bytes.size())];
  byte = static_cast<char>(byte ^ (1 << Below(random, 8)));
}

void SetByte(std::string& bytes, Random& random) {
  constexpr char kBytes[] = {'\0', '\n', ' ', '"', '\\', '-', '.',    '/',
                             '0',  '9',  '{', '}', ',',  'x', '\x7f', '\xff'};
  bytes[Below(random, bytes.size())] = kBytes[Below(random, std::size(kBytes))];
}

void ReplaceDigits(std::string& bytes, Random& random) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto from =
      bytes.begin() + static_cast<std::ptrdiff_t>(Below(random, bytes.size()));
  const auto first = std::find_if(from, bytes.end(), is_digit);
  const auto last = std::find_if_not(first, bytes.end(), is_digit);
  bytes.replace(first, last, kNumbers[Below(random, std::size(kNumbers))]);
}

void SetWord(std::string& bytes, Random& random) {
  const size_t width = size_t{1} << Below(random, 4);
  const size_t at = Below(random, bytes.size()) / width * width;
  uint64_t word = kWords[Below(random, std::size(kWords))];
  for (size_t i = at; i < std::min(at + width, bytes.size()); ++i) {
    bytes[i] = static_cast<char>(word & 0xff);
    word >>= 8;
  }
}

struct Chunk {
  size_t at = 0;
  size_t size = 0;
};

Chunk SomeChunk(const std::string& bytes, Random& random) {
  const size_t at = Below(random, bytes.size());
  // Small chunks and large ones alike.
  const size_t bound = Below(random, 2) == 0 ? 16 : bytes.size();
  return {at, std::min(Below(random, bound) + 1, bytes.size() - at)};
}

void ChangeChunk(std::string& bytes, const std::string& other, Random& random) {
  const Chunk chunk = SomeChunk(bytes, random);
  switch (Below(random, 4)) {
    case 0:
      bytes.erase(chunk.at, chunk.size);
      return;
    case 1:
      bytes.insert(Below(random, bytes.size()),
                   bytes.substr(chunk.at, chunk.size));
      return;
    case 2:
      bytes.resize(chunk.at);
      return;
    case 3:
      if (other.empty()) return;
      const Chunk from = SomeChunk(other, random);
      bytes.replace(chunk.at, chunk.size, other, from.at, from.size);
      return;
  }
}

}  // namespace

std::string Mutate(const std::string& input, const std::string& other,
                   uint64_t seed) {
  Random random(seed);
  std::string bytes = input;
  const size_t count = 1 + Below(random, 4);
  for (size_t i = 0; i < count && !bytes.empty(); ++i) {
    switch (Below(random, 6)) {
      case 0:
        FlipBit(bytes, random);
        break;
      case 1:
        SetByte(bytes, random);
        break;
      case 2:
      case 3:
        ReplaceDigits(bytes, random);
        break;
      case 4:
        SetWord(bytes, random);
        break;
      case 5:
        ChangeChunk(bytes, other, random);
        break;
    }
  }
  return bytes;
}

}  // namespace exhibit::fuzz
