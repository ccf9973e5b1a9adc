// The attention program: causal, grouped-query, blockwise with a running
// maximum and sum.
//
// Buffers, in order: query [B,Hq,Q,D], key [B,Hkv,K,D], value [B,Hkv,K,Dv],
// output [B,Hq,Q,Dv], all f32. Domain: batch, head, query block.
// Normative: compiler/TILE.md, "Attention".

#ifndef EXHIBIT_COMPILER_TILE_ATTENTION_H_
#define EXHIBIT_COMPILER_TILE_ATTENTION_H_

#include <cstdint>
#include <string>

#include "compiler/tile/program.h"
#include "manifests/manifest.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit::tile {

// How a product of two tiles is written.
enum class Contraction {
  kMma,     // mma strict
  kReduce,  // reduce sum sequential of the elementwise product
};

struct AttentionShape {
  int64_t batch = 1;        // B
  int64_t query_heads = 1;  // Hq, a multiple of Hkv
  int64_t kv_heads = 1;     // Hkv
  int64_t queries = 1;      // Q
  int64_t keys = 1;         // K, at least Q
  int64_t depth = 1;        // D
  int64_t value_depth = 1;  // Dv
};

struct AttentionSpec {
  AttentionShape shape;
  int64_t query_block = 1;  // bq
  int64_t key_block = 16;   // bk
  Contraction qk = Contraction::kMma;
  Contraction pv = Contraction::kMma;
};

// An attention case of a manifest under `options`, of which qk and pv are read.
// A shape without seven extents or a tile without two is a bug: the manifest
// reader refuses both.
AttentionSpec AttentionSpecOf(const ManifestCase& manifest_case,
                              const TileOptions& options);

// The softmax scale: f32(1) / sqrt(f32(depth)), each step rounded to f32.
float AttentionScale(int64_t depth);

// The text of the attention program for `spec`, in canonical form.
//
// Fails with kInvalidArgument, naming the field and its value, for extents
// below 1, Hq that is no multiple of Hkv, or K < Q; with kLimitExceeded where
// the program would pass TileLimits.
Result<std::string> AttentionText(const AttentionSpec& spec);

// The same as a verified program, named `attention`.
Result<Program> BuildAttention(const AttentionSpec& spec);

}  // namespace exhibit::tile

#endif  // EXHIBIT_COMPILER_TILE_ATTENTION_H_
