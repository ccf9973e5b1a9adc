#include "audit/reference/attention_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "audit/reference/exact_math.h"

namespace exhibit {
namespace {

// Whether the product of positive numbers is at most `limit`.
bool ProductWithin(std::initializer_list<int64_t> factors, int64_t limit) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (factor > limit / product) return false;
    product *= factor;
  }
  return true;
}

// Pairs of a query and a key that it sees, which are half of all or more.
int64_t VisibleCount(const AttentionShape& s) {
  const int64_t of_head =
      s.queries * (s.keys - s.queries) + s.queries * (s.queries + 1) / 2;
  return s.batch * s.query_heads * of_head;
}

int64_t OperationsPerVisible(const AttentionShape& s) {
  return s.depth + s.value_depth + kExpOperations;
}

Status CheckShape(const AttentionShape& s, const OracleLimits& limits) {
  for (int64_t extent : {s.batch, s.query_heads, s.kv_heads, s.queries, s.keys,
                         s.depth, s.value_depth}) {
    if (extent < 1) {
      return Error{ErrorKind::kInvalidArgument,
                   "attention shape has the extent " + std::to_string(extent),
                   "Every extent is at least 1."};
    }
  }
  if (s.query_heads % s.kv_heads != 0) {
    return Error{ErrorKind::kInvalidArgument,
                 "attention shape has " + std::to_string(s.query_heads) +
                     " query heads and " + std::to_string(s.kv_heads) +
                     " key-value heads",
                 "Hq must be a multiple of Hkv."};
  }
  if (s.keys < s.queries) {
    return Error{ErrorKind::kInvalidArgument,
                 "attention shape has " + std::to_string(s.queries) +
                     " queries and only " + std::to_string(s.keys) + " keys",
                 "K must be at least Q."};
  }
  const int64_t elements = limits.element_count_max;
  const int64_t wide = std::max(s.depth, s.value_depth);
  if (!ProductWithin({s.batch, s.query_heads, s.queries, wide}, elements) ||
      !ProductWithin({s.batch, s.kv_heads, s.keys, wide}, elements) ||
      !ProductWithin({s.batch, s.query_heads, s.queries, s.keys},
                     2 * limits.operation_count_max) ||
      !ProductWithin({VisibleCount(s), OperationsPerVisible(s)},
                     limits.operation_count_max)) {
    return Error{ErrorKind::kLimitExceeded,
                 "attention shape is larger than the oracle computes", ""};
  }
  return Ok();
}

double Dot(const float* query, const float* key, int64_t depth) {
  double sum = 0.0;
  for (int64_t d = 0; d < depth; ++d) {
    sum += static_cast<double>(query[d]) * static_cast<double>(key[d]);
  }
  return sum;
}

// One query row. `weights` is room for the visible keys.
struct Row {
  const float* query;
  const float* keys;
  const float* values;
  int64_t visible;
  double scale;
};
void ComputeRow(const AttentionShape& s, const Row& row,
                std::vector<double>& weights, double* output) {
  weights.resize(static_cast<size_t>(row.visible));
  for (int64_t n = 0; n < row.visible; ++n) {
    weights[static_cast<size_t>(n)] =
        Dot(row.query, row.keys + n * s.depth, s.depth) * row.scale;
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0.0;
  std::fill(output, output + s.value_depth, 0.0);
  for (int64_t n = 0; n < row.visible; ++n) {
    const double p = ExpRounded(weights[static_cast<size_t>(n)] - largest);
    sum += p;
    const float* value = row.values + n * s.value_depth;
    for (int64_t d = 0; d < s.value_depth; ++d) {
      output[d] += p * static_cast<double>(value[d]);
    }
  }
  for (int64_t d = 0; d < s.value_depth; ++d) output[d] /= sum;
}

}  // namespace

int64_t AttentionShape::QueryCount() const {
  return batch * query_heads * queries * depth;
}
int64_t AttentionShape::KeyCount() const {
  return batch * kv_heads * keys * depth;
}
int64_t AttentionShape::ValueCount() const {
  return batch * kv_heads * keys * value_depth;
}
int64_t AttentionShape::OutputCount() const {
  return batch * query_heads * queries * value_depth;
}
int64_t AttentionShape::OperationCount() const {
  return VisibleCount(*this) * OperationsPerVisible(*this);
}

Result<AttentionShape> MakeAttentionShape(std::span<const int64_t> numbers,
                                          const OracleLimits& limits) {
  if (numbers.size() != 7) {
    return Error{
        ErrorKind::kInvalidArgument,
        "attention shape has " + std::to_string(numbers.size()) + " numbers",
        "Give B,Hq,Hkv,Q,K,D,Dv."};
  }
  const AttentionShape shape{numbers[0], numbers[1], numbers[2], numbers[3],
                             numbers[4], numbers[5], numbers[6]};
  EXHIBIT_RETURN_IF_ERROR(CheckShape(shape, limits));
  return shape;
}

Result<std::vector<double>> AttentionOracle(const AttentionShape& shape,
                                            const AttentionInputs& inputs,
                                            const OracleLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(CheckShape(shape, limits));
  if (inputs.query.size() != static_cast<size_t>(shape.QueryCount()) ||
      inputs.key.size() != static_cast<size_t>(shape.KeyCount()) ||
      inputs.value.size() != static_cast<size_t>(shape.ValueCount())) {
    return Error{ErrorKind::kInvalidArgument,
                 "attention inputs of " + std::to_string(inputs.query.size()) +
                     ", " + std::to_string(inputs.key.size()) + " and " +
                     std::to_string(inputs.value.size()) +
                     " elements do not have the shape's counts",
                 ""};
  }
  const float scale = 1.0f / std::sqrt(static_cast<float>(shape.depth));
  const int64_t group = shape.query_heads / shape.kv_heads;
  std::vector<double> output(static_cast<size_t>(shape.OutputCount()));
  std::vector<double> weights;
  for (int64_t b = 0; b < shape.batch; ++b) {
    for (int64_t h = 0; h < shape.query_heads; ++h) {
      const int64_t kv = (b * shape.kv_heads + h / group) * shape.keys;
      for (int64_t m = 0; m < shape.queries; ++m) {
        const int64_t query = (b * shape.query_heads + h) * shape.queries + m;
        const Row row = {inputs.query.data() + query * shape.depth,
                         inputs.key.data() + kv * shape.depth,
                         inputs.value.data() + kv * shape.value_depth,
                         m + shape.keys - shape.queries + 1, scale};
        ComputeRow(shape, row, weights,
                   output.data() + query * shape.value_depth);
      }
    }
  }
  return output;
}

}  // namespace exhibit
