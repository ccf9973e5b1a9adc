// Programs that the plan tests are about.

#ifndef EXHIBIT_TESTS_UNIT_PLAN_PROGRAMS_H_
#define EXHIBIT_TESTS_UNIT_PLAN_PROGRAMS_H_

#include <string>
#include <vector>

#include "compiler/plan/plan.h"
#include "compiler/tile/attention.h"
#include "compiler/tile/text.h"

namespace exhibit {

struct AttentionCase {
  std::string name;
  tile::AttentionSpec spec;
};

inline tile::AttentionSpec Attention(tile::AttentionShape shape, int64_t bq,
                                     int64_t bk) {
  tile::AttentionSpec spec;
  spec.shape = shape;
  spec.query_block = bq;
  spec.key_block = bk;
  return spec;
}

inline tile::AttentionSpec Decode() {
  return Attention({1, 8, 2, 1, 2053, 80, 96}, 1, 16);
}
inline tile::AttentionSpec DecodeTail() {
  return Attention({1, 6, 2, 1, 2053, 80, 96}, 1, 16);
}
inline tile::AttentionSpec Mha() {
  return Attention({1, 8, 8, 1, 2048, 64, 64}, 1, 16);
}
inline tile::AttentionSpec Prefill() {
  return Attention({1, 4, 2, 32, 65, 32, 32}, 4, 16);
}
inline tile::AttentionSpec Prefill8() {
  return Attention({1, 4, 2, 32, 65, 32, 32}, 8, 16);
}

// A program of one instance: the axes m, n, k and `body`, one operation a line.
// `a` is f32[m, k], `b` f32[n, k] (transposed), `bt` f32[k, n], `at` f32[k, m],
// `c` f32[m, n].
inline tile::Program Tiles(int64_t m, int64_t n, int64_t k,
                           const std::string& body) {
  const auto word = [](int64_t number) { return std::to_string(number); };
  const std::string text =
      "exhibit.tile/1\nprogram p\naxis m = " + word(m) +
      "\naxis n = " + word(n) + "\naxis k = " + word(k) + "\ninput x f32[" +
      word(m) + ", " + word(k) + "]\ninput y f32[" + word(n) + ", " + word(k) +
      "]\ninput z f32[" + word(m) + ", " + word(n) + "]\noutput out f32[" +
      word(m) + ", " + word(n) + "]\nparallel {\n" +
      "a: f32[m, k] = load x[0:m, 0:k]\n" +
      "at: f32[k, m] = load x[0:m, 0:k]\n" +
      "b: f32[n, k] = load y[0:n, 0:k]\n" +
      "bt: f32[k, n] = load y[0:n, 0:k]\n" +
      "c: f32[m, n] = load z[0:m, 0:n]\n" + body + "}\n";
  auto program = tile::ReadProgram(text, "test");
  if (!program.ok()) throw std::logic_error(program.error().message);
  return *program;
}

inline tile::ValueId Find(const tile::Program& program,
                          const std::string& name) {
  for (size_t id = 0; id < program.values.size(); ++id) {
    if (program.values[id].name == name) return static_cast<int32_t>(id);
  }
  throw std::logic_error("no value " + name);
}

// "name x elements:type" of every array, in layout order; f32 is left out.
inline std::vector<std::string> ArrayList(const Plan& plan) {
  std::vector<std::string> list;
  for (const ArrayPlan& array : plan.arrays) {
    std::string entry = array.name + std::to_string(array.elements);
    if (array.scalar != tile::ScalarType::kF32) {
      entry += ':';
      entry += NameOf(array.scalar);
    }
    list.push_back(entry);
  }
  return list;
}

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_UNIT_PLAN_PROGRAMS_H_
