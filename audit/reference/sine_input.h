// The input generator `sine`: values that need no seed and no file.
//
// Array j, in declaration order, holds element i = RN32(sin(f32(i) * w + c)),
// w = f32(0.117) + f32(0.031) * f32(j), c = f32(0.3) * f32(j), every step
// rounded to binary32 and the sine of that argument correctly rounded.

#ifndef EXHIBIT_AUDIT_REFERENCE_SINE_INPUT_H_
#define EXHIBIT_AUDIT_REFERENCE_SINE_INPUT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace exhibit {

// w of array `j`; SineFrequency(2) is 0x1.6e978cp-3.
float SineFrequency(int64_t j);

// The first `count` elements of array `j`, about 0.02 us each. The caller has
// bounded `count` (it allocates 4 * count bytes).
std::vector<float> SineInput(int64_t j, uint64_t count);

// What one element costs, in operations of a nanosecond.
inline constexpr int64_t kSineOperations = 32;

// The elements of array `j` from `first` on, as many as `values` has.
void SineInputFrom(int64_t j, uint64_t first, std::span<float> values);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REFERENCE_SINE_INPUT_H_
