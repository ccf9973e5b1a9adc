// The published figures of the attention cases: arrays, bytes, counts.

#include <gtest/gtest.h>

#include "tests/unit/plan/programs.h"

namespace exhibit {
namespace {

struct Figures {
  const char* name;
  tile::AttentionSpec spec;
  int64_t cap;
  int64_t bytes_per_worker;
  int64_t workspace_bytes;
  int64_t rolled_mmas;
  std::vector<std::string> arrays;
};

const std::vector<std::string> kDecodeArrays = {
    "query80", "acc96",    "acc_next96", "K1280",
    "V1536",   "masked16", "p16",        "PV96"};
const std::vector<std::string> kPrefillArrays = {
    "query128", "acc128", "acc_next128", "K512",  "V512",
    "masked64", "alpha4", "p64",         "PV128", "row_sum4"};
const std::vector<std::string> kPrefill8Arrays = {
    "query256",      "acc256",        "acc_next256", "K512",
    "V512",          "dot128",        "n16:i64",     "limit8:i64",
    "inside16:bool", "valid128:bool", "masked128",   "next_max8",
    "alpha8",        "p128",          "PV256",       "row_sum8"};

std::vector<Figures> AllFigures() {
  return {
      {"decode", Decode(), 0, 12864, 102912, 1, kDecodeArrays},
      {"decode", Decode(), 8, 12864, 102912, 2, kDecodeArrays},
      {"MHA", Mha(), 0, 8320, 66560, 0, {"K1024", "V1024", "masked16", "p16"}},
      {"MHA",
       Mha(),
       8,
       8576,
       68608,
       2,
       {"query64", "K1024", "V1024", "masked16", "p16"}},
      {"prefill", Prefill(), 0, 6688, 0, 0, kPrefillArrays},
      {"prefill", Prefill(), 8, 6688, 0, 2, kPrefillArrays},
      {"prefill 8x16", Prefill8(), 0, 10160, 81280, 0, kPrefill8Arrays},
      {"prefill 8x16", Prefill8(), 8, 10160, 81280, 2, kPrefill8Arrays},
  };
}

TEST(Capacity, EqualsThePublishedFigures) {
  for (const Figures& figures : AllFigures()) {
    for (int64_t block : {1, 2, 4}) {
      TileOptions options;
      options.max_unrolled_mma_terms = figures.cap;
      options.mma_output_block = block;
      const auto program = BuildAttention(figures.spec);
      ASSERT_TRUE(program.ok());
      const auto plan = PlanProgram(*program, options);
      ASSERT_TRUE(plan.ok());
      SCOPED_TRACE(std::string(figures.name) + " at cap " +
                   std::to_string(figures.cap));
      EXPECT_EQ(plan->static_snapshot_bytes_per_worker,
                figures.bytes_per_worker);
      EXPECT_EQ(plan->private_workspace_bytes, figures.workspace_bytes);
      EXPECT_EQ(plan->static_snapshot_allocations,
                static_cast<int64_t>(figures.arrays.size()));
      EXPECT_EQ(ArrayList(*plan), figures.arrays);
      EXPECT_EQ(plan->rolled_mmas, figures.rolled_mmas);
      EXPECT_EQ(plan->blocked_mmas, block == 1 ? 0 : 2);
      EXPECT_EQ(plan->two_dimensional_mmas, 0);
    }
  }
}

TEST(Capacity, WithoutTheIndexableRuleMhaNeedsNoQueryArray) {
  TileOptions options;
  options.max_unrolled_mma_terms = 8;
  options.indexable_mma_snapshots = false;
  const auto plan = PlanProgram(*BuildAttention(Mha()), options);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->static_snapshot_bytes_per_worker, 8320);
  EXPECT_EQ(plan->rolled_mmas, 2);
}

TEST(Capacity, ArraysAreAlignedAndDoNotOverlapAtAnyWidth) {
  for (const Figures& figures : AllFigures()) {
    for (int64_t width : {2, 4, 8, 16}) {
      TileOptions options;
      options.packet_width = width;
      const auto plan = PlanProgram(*BuildAttention(figures.spec), options);
      ASSERT_TRUE(plan.ok());
      int64_t end = 0;
      for (const ArrayPlan& array : plan->arrays) {
        EXPECT_EQ(array.offset_bytes % 64, 0);
        EXPECT_GE(array.offset_bytes, end);
        EXPECT_LT(array.offset_bytes, end + 64);
        end = array.offset_bytes +
              array.elements * tile::ScalarBytes(array.scalar) * width;
      }
      EXPECT_EQ(plan->aligned_packet_bytes, (end + 63) / 64 * 64);
    }
  }
}

TEST(Capacity, StackHoldsExactly64KiB) {
  // One array of n f32, eight lanes: 32 n bytes.
  for (int64_t n : {2048, 2049}) {
    const auto plan = PlanProgram(Tiles(1, n, 1, "store c -> out[0:m, 0:n]\n"),
                                  TileOptions{.packet_width = 8});
    ASSERT_TRUE(plan.ok());
    // c, b and bt have n elements.
    EXPECT_EQ(plan->aligned_packet_bytes, 3 * ((32 * n + 63) / 64 * 64));
  }
  const auto fits = PlanProgram(
      *tile::ReadProgram("exhibit.tile/1\nprogram p\naxis n = 2048\n"
                         "input x f32[2048]\nparallel {\n"
                         "a: f32[n] = load x[0:n]\n}\n",
                         "t"),
      TileOptions());
  EXPECT_EQ(fits->aligned_packet_bytes, 65536);
  EXPECT_EQ(fits->private_workspace_bytes, 0);
  const auto spills = PlanProgram(
      *tile::ReadProgram("exhibit.tile/1\nprogram p\naxis n = 2049\n"
                         "input x f32[2049]\nparallel {\n"
                         "a: f32[n] = load x[0:n]\n}\n",
                         "t"),
      TileOptions());
  EXPECT_EQ(spills->aligned_packet_bytes, 65600);
  EXPECT_EQ(spills->private_workspace_bytes, 65600);
}

TEST(Capacity, ReduceFormsStoreTheProductsTheyRead) {
  tile::AttentionSpec spec = Decode();
  spec.qk = tile::Contraction::kReduce;
  spec.pv = tile::Contraction::kReduce;
  const auto plan = PlanProgram(*BuildAttention(spec), TileOptions());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(ArrayList(*plan),
            (std::vector<std::string>{"query80", "acc96", "acc_next96", "K1280",
                                      "V1536", "qk1280", "masked16", "p16",
                                      "pv1536", "block_acc96"}));
  EXPECT_TRUE(plan->mmas.empty());
}

TEST(Dispatch, CountsFullAndTailPackets) {
  const struct {
    tile::AttentionSpec spec;
    int64_t full;
    int64_t tail;
  } cases[] = {
      {Decode(), 1, 0}, {Mha(), 1, 0}, {Prefill(), 4, 0}, {DecodeTail(), 0, 1}};
  for (const auto& [spec, full, tail] : cases) {
    const auto plan = PlanProgram(*BuildAttention(spec), TileOptions());
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->full_packets_dispatched, full);
    EXPECT_EQ(plan->tail_packets_dispatched, tail);
  }
}

}  // namespace
}  // namespace exhibit
