// Random small tile programs, options and inputs, each a function of its seed.

#ifndef EXHIBIT_TESTS_UNIT_BUILD_RANDOM_PROGRAM_H_
#define EXHIBIT_TESTS_UNIT_BUILD_RANDOM_PROGRAM_H_

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>

#include "manifests/options.h"

namespace exhibit::testing {

// SplitMix64: the same numbers everywhere, whatever the library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 .. count - 1.
  int64_t Below(int64_t count) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(count));
  }
  int64_t Between(int64_t low, int64_t high) {
    return low + Below(high - low + 1);
  }
  bool Chance(int64_t percent) { return Below(100) < percent; }
  template <typename T>
  T OneOf(std::initializer_list<T> choices) {
    return *std::next(choices.begin(),
                      Below(static_cast<int64_t>(choices.size())));
  }

 private:
  uint64_t state_;
};

// Any legal options.
TileOptions RandomOptions(Random& random);

// The text of an attention program at a small odd shape, as `options` ask.
std::string RandomAttention(Random& random, const TileOptions& options);

// The text of a program of random operations; every output is written whole.
std::string RandomProgram(Random& random);

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_UNIT_BUILD_RANDOM_PROGRAM_H_
