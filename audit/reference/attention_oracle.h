// What attention should have computed, in binary64.
//
// Dense, not blockwise, so that it shares no structure with the kernels:
//   dot    sum over ascending d of q * k
//   score  dot * scale, scale = f32(1) / sqrt(f32(D)) rounded to binary32
//   p      ExpRounded(score - maximum of the visible scores)
//   o      (sum over ascending n of p * v) / (sum over ascending n of p)
// over the visible keys n <= m + K - Q of query m (bottom-right causal), every
// operation rounded to binary64, none fused. Query head h reads key-value head
// h / (query_heads / kv_heads).

#ifndef EXHIBIT_AUDIT_REFERENCE_ATTENTION_ORACLE_H_
#define EXHIBIT_AUDIT_REFERENCE_ATTENTION_ORACLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

// B, Hq, Hkv, Q, K, D, Dv of a manifest's shape.
struct AttentionShape {
  int64_t batch = 0;
  int64_t query_heads = 0;
  int64_t kv_heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t depth = 0;
  int64_t value_depth = 0;

  // Elements of each array; call them on a checked shape.
  int64_t QueryCount() const;      // [batch, query_heads, queries, depth]
  int64_t KeyCount() const;        // [batch, kv_heads, keys, depth]
  int64_t ValueCount() const;      // [batch, kv_heads, keys, value_depth]
  int64_t OutputCount() const;     // [batch, query_heads, queries, value_depth]
  int64_t OperationCount() const;  // Of OracleLimits.
};

struct OracleLimits {
  int64_t element_count_max = int64_t{1} << 28;  // Of each array.
  // Multiply-adds, and kExpOperations for every exp: a nanosecond each, or
  // less.
  int64_t operation_count_max = int64_t{1} << 38;
};

// From the seven numbers of a manifest. Fails with kInvalidArgument unless all
// are at least 1, Hq is a multiple of Hkv and K >= Q, and with kLimitExceeded
// past `limits`.
Result<AttentionShape> MakeAttentionShape(std::span<const int64_t> numbers,
                                          const OracleLimits& limits = {});

// The three inputs, row-major, of the shape's counts.
struct AttentionInputs {
  std::span<const float> query;
  std::span<const float> key;
  std::span<const float> value;
};

// The output, row-major; the same bits on every machine. Checks the shape as
// MakeAttentionShape does and fails with kInvalidArgument when an input has
// another count.
Result<std::vector<double>> AttentionOracle(const AttentionShape& shape,
                                            const AttentionInputs& inputs,
                                            const OracleLimits& limits = {});

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REFERENCE_ATTENTION_ORACLE_H_
