#include "audit/reference/sine_input.h"

#include <cfloat>

#include "audit/reference/exact_math.h"

namespace exhibit {

static_assert(FLT_EVAL_METHOD == 0, "every step must round to binary32");

float SineFrequency(int64_t j) {
  return 0.117f + 0.031f * static_cast<float>(j);
}

std::vector<float> SineInput(int64_t j, uint64_t count) {
  std::vector<float> values(count);
  SineInputFrom(j, 0, values);
  return values;
}

void SineInputFrom(int64_t j, uint64_t first, std::span<float> values) {
  const float w = SineFrequency(j);
  const float c = 0.3f * static_cast<float>(j);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = SinRounded(static_cast<float>(first + i) * w + c);
  }
}

}  // namespace exhibit
