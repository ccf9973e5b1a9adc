// Dense FP64 attention and its inputs, written for the tests alone.

#ifndef EXHIBIT_TESTS_UNIT_BUILD_ATTENTION_ORACLE_H_
#define EXHIBIT_TESTS_UNIT_BUILD_ATTENTION_ORACLE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "compiler/tile/attention.h"

namespace exhibit::testing {

struct AttentionArrays {
  std::vector<float> query, key, value;
};

inline std::vector<float> Sine(int64_t count, int j) {
  const float w = 0.117f + 0.031f * static_cast<float>(j);
  const float c = 0.3f * static_cast<float>(j);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    const float argument = static_cast<float>(i) * w + c;
    values.push_back(static_cast<float>(std::sin(double{argument})));
  }
  return values;
}

inline AttentionArrays SineInputs(const tile::AttentionShape& s) {
  return {Sine(s.batch * s.query_heads * s.queries * s.depth, 0),
          Sine(s.batch * s.kv_heads * s.keys * s.depth, 1),
          Sine(s.batch * s.kv_heads * s.keys * s.value_depth, 2)};
}

inline std::vector<double> DenseAttention(const tile::AttentionShape& s,
                                          const AttentionArrays& in) {
  std::vector<double> out;
  const float scale = 1.0f / std::sqrt(static_cast<float>(s.depth));
  for (int64_t row = 0; row < s.batch * s.query_heads * s.queries; ++row) {
    const int64_t m = row % s.queries;
    const int64_t head = row / s.queries % s.query_heads;
    const int64_t batch = row / s.queries / s.query_heads;
    const int64_t kv = batch * s.kv_heads + head / (s.query_heads / s.kv_heads);
    const int64_t visible = std::min(s.keys, m + s.keys - s.queries + 1);
    std::vector<double> scores;
    for (int64_t n = 0; n < visible; ++n) {
      double dot = 0;
      for (int64_t d = 0; d < s.depth; ++d) {
        dot += double{in.query[row * s.depth + d]} *
               double{in.key[(kv * s.keys + n) * s.depth + d]};
      }
      scores.push_back(dot * double{scale});
    }
    const double top = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - top);
    for (int64_t v = 0; v < s.value_depth; ++v) {
      double acc = 0;
      for (int64_t n = 0; n < visible; ++n) {
        acc +=
            scores[n] * double{in.value[(kv * s.keys + n) * s.value_depth + v]};
      }
      out.push_back(acc / sum);
    }
  }
  return out;
}

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_UNIT_BUILD_ATTENTION_ORACLE_H_
