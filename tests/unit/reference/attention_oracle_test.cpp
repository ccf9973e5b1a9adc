#include "audit/reference/attention_oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "audit/reference/exact_math.h"
#include "audit/reference/sine_input.h"
#include "audit/reference/vacuity.h"
#include "manifests/tolerance.h"

namespace exhibit {
namespace {

struct Case {
  AttentionShape shape;
  std::vector<float> query, key, value;
  AttentionInputs Inputs() const { return {query, key, value}; }
};

Case MakeCase(const std::vector<int64_t>& numbers) {
  Case made{*MakeAttentionShape(numbers), {}, {}, {}};
  made.query = SineInput(0, static_cast<uint64_t>(made.shape.QueryCount()));
  made.key = SineInput(1, static_cast<uint64_t>(made.shape.KeyCount()));
  made.value = SineInput(2, static_cast<uint64_t>(made.shape.ValueCount()));
  return made;
}

// What a wrong kernel might do.
struct Mistake {
  double scale_factor = 1.0;
  int64_t dropped_key = -1;
  int64_t mask_shift = 0;  // Keys more (or fewer) than are visible.
};

// Attention once more, plainly and with the library's exp, as a kernel's
// output: rounded to binary32.
std::vector<float> Attend(const Case& c, const Mistake& mistake) {
  const AttentionShape& s = c.shape;
  std::vector<float> output;
  for (int64_t bh = 0; bh < s.batch * s.query_heads; ++bh) {
    const int64_t b = bh / s.query_heads;
    const int64_t h = bh % s.query_heads;
    const int64_t kv = b * s.kv_heads + h / (s.query_heads / s.kv_heads);
    for (int64_t m = 0; m < s.queries; ++m) {
      std::vector<double> weight(static_cast<size_t>(s.keys), 0.0);
      double sum = 0.0;
      for (int64_t n = 0; n < s.keys; ++n) {
        const bool visible = n <= m + s.keys - s.queries + mistake.mask_shift;
        if (!visible || n == mistake.dropped_key) continue;
        double dot = 0.0;
        for (int64_t d = 0; d < s.depth; ++d) {
          dot += double{c.query[(bh * s.queries + m) * s.depth + d]} *
                 double{c.key[(kv * s.keys + n) * s.depth + d]};
        }
        weight[n] = std::exp(dot * mistake.scale_factor /
                             std::sqrt(static_cast<double>(s.depth)));
        sum += weight[n];
      }
      for (int64_t d = 0; d < s.value_depth; ++d) {
        double total = 0.0;
        for (int64_t n = 0; n < s.keys; ++n) {
          total += weight[n] *
                   double{c.value[(kv * s.keys + n) * s.value_depth + d]};
        }
        output.push_back(static_cast<float>(total / sum));
      }
    }
  }
  return output;
}

struct Pilot {
  const char* name;
  std::vector<int64_t> shape;
};
void PrintTo(const Pilot& pilot, std::ostream* out) { *out << pilot.name; }

class PilotTest : public testing::TestWithParam<Pilot> {};

INSTANTIATE_TEST_SUITE_P(
    Oracle, PilotTest,
    testing::Values(Pilot{"decode", {1, 8, 2, 1, 2053, 80, 96}},
                    Pilot{"decode_tail", {1, 6, 2, 1, 2053, 80, 96}},
                    Pilot{"mha", {1, 8, 8, 1, 2048, 64, 64}},
                    Pilot{"prefill", {1, 4, 2, 32, 65, 32, 32}}),
    [](const auto& pilot) { return std::string(pilot.param.name); });

TEST_P(PilotTest, RightKernelPassesAndEachMistakeFails) {
  const Case c = MakeCase(GetParam().shape);
  auto oracle = AttentionOracle(c.shape, c.Inputs());
  ASSERT_TRUE(oracle.ok());
  const Tolerance tolerance{1e-6, 1e-5};
  EXPECT_TRUE(CheckNotVacuous(*oracle, tolerance).ok());
  auto passes = [&](const Mistake& mistake) {
    return CheckTolerance(Attend(c, mistake), *oracle, tolerance).ok();
  };
  EXPECT_TRUE(passes({}));
  EXPECT_FALSE(passes({.scale_factor = 1.01}));
  EXPECT_FALSE(passes({.mask_shift = -1}));
  // No query sees past the last key, so only prefill can see one too many.
  EXPECT_EQ(passes({.mask_shift = 1}), c.shape.queries == 1);
  for (int64_t key : {int64_t{0}, c.shape.keys / 2, c.shape.keys - 1}) {
    EXPECT_FALSE(passes({.dropped_key = key})) << key;
  }
}

TEST(Oracle, HandComputedCaseHasItsBits) {
  // Two keys, one dimension: scores 0 and 1 (scale is 1), values 2 and 4.
  const AttentionShape shape{1, 1, 1, 1, 2, 1, 1};
  const std::vector<float> query{1}, key{0, 1}, value{2, 4};
  const double p = ExpRounded(-1.0);
  const auto got = AttentionOracle(shape, {query, key, value});
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0], (p * 2.0 + 4.0) / (p + 1.0));
}

TEST(Oracle, FirstQueryOfASquareSeesOnlyTheFirstKey) {
  const Case c = MakeCase({2, 4, 2, 3, 3, 5, 4});
  const auto got = AttentionOracle(c.shape, c.Inputs());
  ASSERT_TRUE(got.ok());
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t h = 0; h < 4; ++h) {
      const int64_t row = (b * 4 + h) * 3;
      const int64_t key = (b * 2 + h / 2) * 3;
      for (int64_t d = 0; d < 4; ++d) {
        EXPECT_EQ((*got)[row * 4 + d], double{c.value[key * 4 + d]});
      }
    }
  }
}

TEST(Oracle, BitsAreThoseOfASeparateImplementation) {
  // Found once by a separate program whose exp and sine had 200 bits.
  const Case c = MakeCase({1, 4, 2, 2, 33, 16, 8});
  const auto got = AttentionOracle(c.shape, c.Inputs());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0], -0x1.1c74b3ef329a3p-3);
  EXPECT_EQ(got->back(), 0x1.4bbc6afb59513p-3);
}

TEST(Oracle, BadShapesAreRejected) {
  using Numbers = std::vector<int64_t>;
  for (const Numbers& numbers :
       {Numbers{}, Numbers{1, 1, 1, 1, 1, 1}, Numbers{1, 1, 1, 1, 1, 1, 1, 1},
        Numbers{0, 1, 1, 1, 1, 1, 1}, Numbers{1, 1, 1, 1, 1, 1, -1},
        Numbers{1, 3, 2, 1, 1, 1, 1}, Numbers{1, 1, 1, 3, 2, 1, 1}}) {
    auto made = MakeAttentionShape(numbers);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().kind, ErrorKind::kInvalidArgument);
  }
}

TEST(Oracle, HugeShapesAreRejectedWithoutOverflow) {
  const int64_t huge = int64_t{1} << 62;
  for (const std::vector<int64_t>& numbers :
       {std::vector<int64_t>{huge, 1, 1, 1, 1, 1, 1},
        std::vector<int64_t>{huge, huge, huge, huge, huge, huge, huge},
        std::vector<int64_t>{1, 1 << 14, 1 << 14, 1 << 14, 1 << 14, 1, 1}}) {
    auto made = MakeAttentionShape(numbers);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().kind, ErrorKind::kLimitExceeded);
  }
}

TEST(Oracle, LimitsHoldAtTheirEdge) {
  const std::vector<int64_t> numbers{1, 2, 1, 1, 8, 4, 4};
  // Keys are the largest array, 32; each of two heads sees 8 keys.
  const int64_t operations = 2 * 8 * (4 + 4 + kExpOperations);
  EXPECT_EQ(MakeAttentionShape(numbers)->OperationCount(), operations);
  EXPECT_TRUE(MakeAttentionShape(numbers, {32, operations}).ok());
  EXPECT_FALSE(MakeAttentionShape(numbers, {31, operations}).ok());
  EXPECT_FALSE(MakeAttentionShape(numbers, {32, operations - 1}).ok());
  EXPECT_FALSE(MakeAttentionShape(numbers, {32, 0}).ok());
}

TEST(Oracle, OnlyVisibleKeysAreCounted) {
  // Three queries at the end of five keys see 3, 4 and 5.
  const auto shape =
      MakeAttentionShape(std::vector<int64_t>{2, 6, 3, 3, 5, 7, 2});
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->OperationCount(),
            2 * 6 * (3 + 4 + 5) * (7 + 2 + kExpOperations));
}

TEST(Oracle, InputOfAnotherCountIsRejected) {
  Case c = MakeCase({1, 2, 1, 1, 8, 4, 4});
  for (std::vector<float>* array : {&c.query, &c.key, &c.value}) {
    array->push_back(0.0f);
    EXPECT_FALSE(AttentionOracle(c.shape, c.Inputs()).ok());
    array->pop_back();
    array->pop_back();
    EXPECT_FALSE(AttentionOracle(c.shape, c.Inputs()).ok());
    array->push_back(0.0f);
  }
}

}  // namespace
}  // namespace exhibit
