/* Causal grouped-query attention as a prepared library, written by hand.
 *
 * An example of entry.h: what a kernel from outside must look like to be
 * captured, replayed and audited. Its shape is fixed here and must be the
 * case's: B,Hq,Hkv,Q,K,D,Dv as below, tile [QUERY_BLOCK, any]. Buffers: query
 * [B,Hq,Q,D], key [B,Hkv,K,D], value [B,Hkv,K,Dv], output [B,Hq,Q,Dv].
 *
 * Needs no library: exp is written out, so that nothing outside this file is
 * measured. */
#include <stdint.h>

#include "exhibit/entry.h"

enum {
  QUERY_HEADS = 4,
  KV_HEADS = 2,
  QUERIES = 8,
  KEYS = 129,
  DEPTH = 32,
  VALUE_DEPTH = 32,
  QUERY_BLOCK = 2,
  QUERY_BLOCKS = (QUERIES + QUERY_BLOCK - 1) / QUERY_BLOCK
};
/* 1 / sqrt(32) in binary32. */
static const float kScale = 0x1.6a09e6p-3f;

/* e^x for x <= 0: 2^n * e^r with |r| <= ln(2)/2 and a polynomial for e^r. */
static float exp_of(float x) {
  if (x < -87.0f) return 0.0f;
  int32_t n = (int32_t)(x * 0x1.715476p+0f - 0.5f);
  float r = (x - (float)n * 0x1.62e4p-1f) - (float)n * 0x1.7f7d1cp-20f;
  float p = 0x1.6c16c2p-10f;
  p = p * r + 0x1.111112p-7f;
  p = p * r + 0x1.555556p-5f;
  p = p * r + 0x1.555556p-3f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  union {
    uint32_t bits;
    float value;
  } power = {(uint32_t)(n + 127) << 23};
  return p * power.value;
}

/* One query row. `weights` has room for KEYS numbers. */
static void attend(const float *query, const float *key, const float *value,
                   float *output, float *weights, int visible) {
  float largest = -1e30f;
  for (int n = 0; n < visible; ++n) {
    float dot = 0.0f;
    for (int d = 0; d < DEPTH; ++d) dot += query[d] * key[n * DEPTH + d];
    weights[n] = dot * kScale;
    if (weights[n] > largest) largest = weights[n];
  }
  float sums[VALUE_DEPTH] = {0};
  float sum = 0.0f;
  for (int n = 0; n < visible; ++n) {
    float weight = exp_of(weights[n] - largest);
    sum += weight;
    for (int d = 0; d < VALUE_DEPTH; ++d) {
      sums[d] += weight * value[n * VALUE_DEPTH + d];
    }
  }
  for (int d = 0; d < VALUE_DEPTH; ++d) output[d] = sums[d] / sum;
}

static void run_instance(const exhibit_buffer *buffers, float *weights,
                         uint32_t instance) {
  uint32_t block = instance % QUERY_BLOCKS;
  uint32_t head = instance / QUERY_BLOCKS; /* batch * QUERY_HEADS + head */
  uint32_t kv_head = head / QUERY_HEADS * KV_HEADS +
                     head % QUERY_HEADS / (QUERY_HEADS / KV_HEADS);
  const float *query = (const float *)buffers[0].data;
  const float *key = (const float *)buffers[1].data + kv_head * KEYS * DEPTH;
  const float *value =
      (const float *)buffers[2].data + kv_head * KEYS * VALUE_DEPTH;
  float *output = (float *)buffers[3].data;
  for (uint32_t m = block * QUERY_BLOCK;
       m < (block + 1) * QUERY_BLOCK && m < QUERIES; ++m) {
    uint32_t row = head * QUERIES + m;
    attend(query + row * DEPTH, key, value, output + row * VALUE_DEPTH,
           weights, (int)m + KEYS - QUERIES + 1);
  }
}

void attention(const exhibit_buffer *buffers, void *reserved,
               const exhibit_launch *launch, uint32_t count) {
  (void)reserved;
  uint32_t first = launch->block_id[0] * launch->block_size[0];
  uint32_t end = first + count * launch->block_size[0];
  if (end > launch->dispatch_size[0]) end = launch->dispatch_size[0];
  for (uint32_t instance = first; instance < end; ++instance) {
    run_instance(buffers, (float *)launch->workspace, instance);
  }
}
