// Attention from program to numbers, in every variant an experiment compares.

#include "compiler/tile/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compiler/build/compile.h"
#include "tests/unit/build/attention_oracle.h"
#include "tests/unit/build/kernel_runner.h"

namespace exhibit {
namespace {

using testing::Bits;

struct Case {
  std::string name;
  tile::AttentionSpec spec;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

#ifdef EXHIBIT_PILOT_SHAPES

std::vector<Case> Cases() {
  return {
      {"Decode", {{1, 8, 2, 1, 2053, 80, 96}, 1, 16}},
      {"MultiHead", {{1, 8, 8, 1, 2048, 64, 64}, 1, 16}},
      {"Prefill", {{1, 4, 2, 32, 65, 32, 32}, 4, 16}},
      {"PrefillWideTile", {{1, 4, 2, 32, 65, 32, 32}, 8, 16}},
      {"DecodeTail", {{1, 6, 2, 1, 2053, 80, 96}, 1, 16}},
  };
}

#else

// Each keeps one trait of a pilot: long rows, more keys than a block, a grouped
// head, a causal edge inside a tile, a packet that is not full.
std::vector<Case> Cases() {
  return {
      {"Decode", {{1, 8, 2, 1, 37, 20, 24}, 1, 16}},
      {"DecodeLongDepth", {{1, 8, 2, 1, 21, 80, 96}, 1, 16}},
      {"MultiHead", {{1, 8, 8, 1, 32, 32, 32}, 1, 16}},
      {"Prefill", {{1, 4, 2, 32, 65, 12, 12}, 4, 8}},
      {"PrefillWideTile", {{1, 4, 2, 32, 65, 32, 32}, 8, 16}},
      {"Tail", {{1, 6, 2, 1, 37, 20, 24}, 1, 16}},
      {"Batched", {{2, 3, 1, 5, 9, 8, 4}, 2, 4}},
  };
}

#endif  // EXHIBIT_PILOT_SHAPES

class Attention : public ::testing::TestWithParam<Case> {
 protected:
  const tile::AttentionSpec& spec() const { return GetParam().spec; }

  std::vector<float> Run(const TileOptions& options) {
    auto program = tile::BuildAttention(spec());
    EXPECT_TRUE(program.ok());
    auto kernel = CompileKernel(*program, options);
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    const tile::AttentionShape& s = spec().shape;
    const testing::AttentionArrays in = testing::SineInputs(s);
    const size_t outputs = static_cast<size_t>(s.batch * s.query_heads *
                                               s.queries * s.value_depth);
    const std::vector<float> unset(outputs, std::nanf(""));
    testing::RunSpec run;
    run.instances = tile::InstanceCount(*program);
    run.workers_per_block = options.workers_per_block;
    run.workspace_bytes = kernel->workspace_bytes;
    const testing::RunResult result = testing::RunEntry(
        kernel->entry, run, {in.query, in.key, in.value, unset});
    EXPECT_TRUE(result.guards_intact);
    EXPECT_EQ(Bits(result.buffers[0]), Bits(in.query));
    EXPECT_EQ(Bits(result.buffers[1]), Bits(in.key));
    EXPECT_EQ(Bits(result.buffers[2]), Bits(in.value));
    return result.buffers[3];
  }
};

TEST_P(Attention, OutputsAgreeWithDenseArithmeticInDoublePrecision) {
  const std::vector<float> actual = Run({});
  const std::vector<double> expected =
      testing::DenseAttention(spec().shape, testing::SineInputs(spec().shape));
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_LE(std::fabs(actual[i] - expected[i]),
              1e-6 + 1e-5 * std::fabs(expected[i]))
        << "element " << i;
  }
}

TEST_P(Attention, EveryVariantGivesTheSameBits) {
  const std::vector<uint32_t> reference = Bits(Run({}));
  for (int64_t block : {1, 2, 4}) {
    for (int64_t terms : {0, 8}) {
      for (bool full : {false, true}) {
        TileOptions options;
        options.mma_output_block = block;
        options.max_unrolled_mma_terms = terms;
        options.full_packet = full;
        EXPECT_EQ(Bits(Run(options)), reference)
            << "R " << block << ", cap " << terms << ", P " << full;
      }
    }
  }
}

TEST_P(Attention, TwoDimensionalGroupsAndOtherWidthsGiveTheSameBits) {
  const std::vector<uint32_t> reference = Bits(Run({}));
  TileOptions options;
  options.mma_output_block = 4;
  options.enable_mma_2d_blocking = true;
  EXPECT_EQ(Bits(Run(options)), reference);
  for (int64_t width : {2, 4, 16}) {
    options.packet_width = width;
    EXPECT_EQ(Bits(Run(options)), reference) << "W " << width;
  }
}

TEST_P(Attention, RollingWithoutIndexableSnapshotsGivesTheSameBits) {
  TileOptions options;
  options.max_unrolled_mma_terms = 8;
  options.indexable_mma_snapshots = false;
  EXPECT_EQ(Bits(Run(options)), Bits(Run({})));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Attention, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace exhibit
