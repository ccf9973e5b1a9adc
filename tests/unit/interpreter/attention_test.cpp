// Attention, executed, against the dense oracle in binary64.

#include "compiler/tile/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "audit/interpreter/interpreter.h"
#include "audit/reference/attention_oracle.h"
#include "audit/reference/sine_input.h"

namespace exhibit {
namespace {

struct Case {
  std::string name;
  tile::AttentionSpec spec;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<Case> Cases() {
  return {
      {"Decode", {{1, 8, 2, 1, 2053, 80, 96}, 1, 16}},
      {"MultiHead", {{1, 8, 8, 1, 2048, 64, 64}, 1, 16}},
      {"Prefill", {{1, 4, 2, 32, 65, 32, 32}, 4, 16}},
      {"PrefillWideTile", {{1, 4, 2, 32, 65, 32, 32}, 8, 16}},
      {"DecodeTail", {{1, 6, 2, 1, 2053, 80, 96}, 1, 16}},
      {"OddEverywhere", {{2, 3, 1, 7, 13, 5, 9}, 4, 6}},
      {"OneOfAll", {{1, 1, 1, 1, 1, 1, 1}, 1, 1}},
      {"BlocksLargerThanTheShape", {{1, 2, 1, 3, 5, 4, 2}, 8, 16}},
      {"WrittenAsReduces",
       {{1, 2, 1, 5, 9, 8, 4},
        2,
        4,
        tile::Contraction::kReduce,
        tile::Contraction::kReduce}},
  };
}

class AttentionProgram : public ::testing::TestWithParam<Case> {};

TEST_P(AttentionProgram, AgreesWithTheOracle) {
  const tile::AttentionSpec& spec = GetParam().spec;
  const tile::AttentionShape& s = spec.shape;
  const std::vector<int64_t> numbers = {s.batch,      s.query_heads, s.kv_heads,
                                        s.queries,    s.keys,        s.depth,
                                        s.value_depth};
  const auto shape = MakeAttentionShape(numbers);
  ASSERT_TRUE(shape.ok());
  const auto query = SineInput(0, shape.value().QueryCount());
  const auto key = SineInput(1, shape.value().KeyCount());
  const auto value = SineInput(2, shape.value().ValueCount());
  const auto oracle = AttentionOracle(*shape, {query, key, value});
  ASSERT_TRUE(oracle.ok());
  const auto program = tile::BuildAttention(spec);
  ASSERT_TRUE(program.ok());

  const auto outputs =
      RunProgram(*program, {{"query", query}, {"key", key}, {"value", value}});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const auto& actual =
      std::get<std::vector<float>>(outputs.value().at("output"));
  ASSERT_EQ(actual.size(), oracle.value().size());
  size_t wrong = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double expected = oracle.value()[i];
    const double error = std::abs(double{actual[i]} - expected);
    if (!(error <= 1e-6 + 1e-5 * std::abs(expected))) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionProgram, ::testing::ValuesIn(Cases()),
                         [](const auto& instance) {
                           return instance.param.name;
                         });

}  // namespace
}  // namespace exhibit
