#include "compiler/tile/attention.h"

#include <charconv>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "compiler/tile/text.h"

namespace exhibit::tile {

namespace {

// The program in its own language; $NAME stands for a number or a contraction.
constexpr std::string_view kTemplate = R"(exhibit.tile/1
program attention

axis m = $BQ
axis d = $D
axis n = $BK
axis dv = $DV

input query f32[$B, $HQ, $Q, $D]
input key f32[$B, $HKV, $K, $D]
input value f32[$B, $HKV, $K, $DV]
output output f32[$B, $HQ, $Q, $DV]

parallel b < $B, h < $HQ, qblock < $QBLOCKS {
  query_block: i64 = constant $BQ
  q0: i64 = mul qblock, query_block
  group: i64 = constant $GROUP
  hkv: i64 = div h, group
  query: f32[m, d] = load query[b, h, q0:m, 0:d]
  past: i64 = constant $PAST
  limit0: i64 = add q0, past
  key_block: i64 = constant $BK
  keys: i64 = constant $K
  scale: f32 = constant $SCALE
  low: f32 = constant -1e+30
  zero: f32 = constant 0
  row_max_first: f32[m] = constant -1e+30
  row_sum_first: f32[m] = constant 0
  acc_first: f32[m, dv] = constant 0
  pipeline step < $STEPS {
    carry row_max: f32[m] = row_max_first
    carry row_sum: f32[m] = row_sum_first
    carry acc: f32[m, dv] = acc_first
    k0: i64 = mul step, key_block
    K: f32[n, d] = load key[b, hkv, k0:n, 0:d]
    V: f32[n, dv] = load value[b, hkv, k0:n, 0:dv]
$QK
    score: f32[m, n] = mul dot, scale
    n: i64[n] = iota n from k0
    limit: i64[m] = iota m from limit0
    inside: bool[n] = lt n, keys
    causal: bool[m, n] = le n, limit
    valid: bool[m, n] = and inside, causal
    masked: f32[m, n] = select valid, score, low
    block_max: f32[m] = reduce max sequential masked over n
    next_max: f32[m] = max row_max, block_max
    drop: f32[m] = sub row_max, next_max
    alpha: f32[m] = exp drop
    shifted: f32[m, n] = sub masked, next_max
    weight: f32[m, n] = exp shifted
    p: f32[m, n] = select valid, weight, zero
    kept_sum: f32[m] = mul row_sum, alpha
    block_sum: f32[m] = reduce sum sequential p over n
    next_sum: f32[m] = add kept_sum, block_sum
    kept: f32[m, dv] = mul acc, alpha
$PV
    yield next_max, next_sum, PV
  }
  result: f32[m, dv] = div acc, row_sum
  store result -> output[b, h, q0:m, 0:dv]
}
)";

constexpr std::string_view kQkMma =
    R"(    dot: f32[m, n] = mma strict query, K, zero)";
constexpr std::string_view kQkReduce =
    R"(    qk: f32[m, n, d] = mul query, K
    dot: f32[m, n] = reduce sum sequential qk over d)";
constexpr std::string_view kPvMma =
    R"(    PV: f32[m, dv] = mma strict p, V, kept)";
constexpr std::string_view kPvReduce =
    R"(    pv: f32[m, dv, n] = mul p, V
    block_acc: f32[m, dv] = reduce sum sequential pv over n
    PV: f32[m, dv] = add kept, block_acc)";

using Words = std::map<std::string, std::string, std::less<>>;

// `text` with every $NAME replaced by its word.
std::string Fill(std::string_view text, const Words& words) {
  std::string filled;
  while (true) {
    const size_t dollar = text.find('$');
    filled += text.substr(0, dollar);
    if (dollar == std::string_view::npos) return filled;
    text.remove_prefix(dollar + 1);
    const size_t length = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const auto word = words.find(text.substr(0, length));
    if (word == words.end()) {
      throw std::logic_error("attention template names an unknown word");
    }
    filled += word->second;
    text.remove_prefix(length);
  }
}

std::string FloatText(float number) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, std::end(buffer), number);
  if (error != std::errc()) throw std::logic_error("f32 longer than 64 digits");
  return std::string(buffer, end);
}

int64_t CeilDiv(int64_t dividend, int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

Error Illegal(std::string what) {
  return Error{ErrorKind::kInvalidArgument, "attention: " + std::move(what),
               "The shape is B,Hq,Hkv,Q,K,D,Dv and the tile bq,bk."};
}

Status CheckSpec(const AttentionSpec& spec) {
  const AttentionShape& shape = spec.shape;
  // Small enough that no sum or rounding up below can overflow; the products
  // are held against TileLimits by the verifier.
  const int64_t extent_max = int64_t{1} << 31;
  const struct {
    const char* name;
    int64_t value;
  } extents[] = {
      {"B", shape.batch},        {"Hq", shape.query_heads},
      {"Hkv", shape.kv_heads},   {"Q", shape.queries},
      {"K", shape.keys},         {"D", shape.depth},
      {"Dv", shape.value_depth}, {"bq", spec.query_block},
      {"bk", spec.key_block},
  };
  for (const auto& [name, value] : extents) {
    const std::string is = std::string(name) + " is " + std::to_string(value);
    if (value < 1) return Illegal(is + ", it must be at least 1");
    if (value > extent_max) {
      return Error{
          ErrorKind::kLimitExceeded,
          "attention: " + is + ", the limit is " + std::to_string(extent_max),
          ""};
    }
  }
  if (shape.query_heads % shape.kv_heads != 0) {
    return Illegal("Hq is " + std::to_string(shape.query_heads) +
                   ", it must be a multiple of Hkv, " +
                   std::to_string(shape.kv_heads));
  }
  if (shape.keys < shape.queries) {
    return Illegal("K is " + std::to_string(shape.keys) +
                   ", it must be at least Q, " + std::to_string(shape.queries));
  }
  return Ok();
}

Words WordsOf(const AttentionSpec& spec) {
  const AttentionShape& shape = spec.shape;
  const auto word = [](int64_t number) { return std::to_string(number); };
  const bool qk_mma = spec.qk == Contraction::kMma;
  const bool pv_mma = spec.pv == Contraction::kMma;
  return {
      {"B", word(shape.batch)},
      {"HQ", word(shape.query_heads)},
      {"HKV", word(shape.kv_heads)},
      {"Q", word(shape.queries)},
      {"K", word(shape.keys)},
      {"D", word(shape.depth)},
      {"DV", word(shape.value_depth)},
      {"BQ", word(spec.query_block)},
      {"BK", word(spec.key_block)},
      {"QBLOCKS", word(CeilDiv(shape.queries, spec.query_block))},
      {"STEPS", word(CeilDiv(shape.keys, spec.key_block))},
      {"GROUP", word(shape.query_heads / shape.kv_heads)},
      {"PAST", word(shape.keys - shape.queries)},
      {"SCALE", FloatText(AttentionScale(shape.depth))},
      {"QK", std::string(qk_mma ? kQkMma : kQkReduce)},
      {"PV", std::string(pv_mma ? kPvMma : kPvReduce)},
  };
}

Contraction ContractionOf(const std::string& word) {
  if (word == "mma") return Contraction::kMma;
  if (word == "reduce") return Contraction::kReduce;
  throw std::logic_error("contraction " + word);
}

}  // namespace

AttentionSpec AttentionSpecOf(const ManifestCase& manifest_case,
                              const TileOptions& options) {
  const std::vector<int64_t>& shape = manifest_case.shape;
  if (shape.size() != 7 || manifest_case.tile.size() != 2) {
    throw std::logic_error("attention case " + manifest_case.name +
                           " without seven extents and two tile extents");
  }
  AttentionSpec spec;
  spec.shape = {shape[0], shape[1], shape[2], shape[3],
                shape[4], shape[5], shape[6]};
  spec.query_block = manifest_case.tile[0];
  spec.key_block = manifest_case.tile[1];
  spec.qk = ContractionOf(options.qk);
  spec.pv = ContractionOf(options.pv);
  return spec;
}

float AttentionScale(int64_t depth) {
  return 1.0f / std::sqrt(static_cast<float>(depth));
}

Result<Program> BuildAttention(const AttentionSpec& spec) {
  EXHIBIT_RETURN_IF_ERROR(CheckSpec(spec));
  return ReadProgram(Fill(kTemplate, WordsOf(spec)), "attention");
}

Result<std::string> AttentionText(const AttentionSpec& spec) {
  EXHIBIT_ASSIGN_OR_RETURN(const Program program, BuildAttention(spec));
  return PrintProgram(program);
}

}  // namespace exhibit::tile
