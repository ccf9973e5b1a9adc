// Deterministic damage to an input.

#ifndef EXHIBIT_TESTS_FUZZ_MUTATION_H_
#define EXHIBIT_TESTS_FUZZ_MUTATION_H_

#include <cstdint>
#include <string>

namespace exhibit::fuzz {

// `input` after one to four changes: bits flipped, bytes set, the end cut off,
// a chunk removed, repeated or taken from `other`, a number in digits or in
// bytes replaced by one at an edge. The same arguments give the same bytes.
std::string Mutate(const std::string& input, const std::string& other,
                   uint64_t seed);

}  // namespace exhibit::fuzz

#endif  // EXHIBIT_TESTS_FUZZ_MUTATION_H_
