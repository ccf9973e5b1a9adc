// Counts of a program's text against counts by hand.

#include "audit/work.h"

#include <gtest/gtest.h>

#include "compiler/tile/attention.h"
#include "compiler/tile/text.h"
#include "manifests/file.h"

namespace exhibit {
namespace {

ProgramWork Count(const tile::Program& program) {
  const Result<ProgramWork> work = WorkOf(program);
  if (!work.ok()) throw std::logic_error(work.error().message);
  return *work;
}

tile::Program Read(const std::string& text) {
  Result<tile::Program> program = tile::ReadProgram(text, "test");
  if (!program.ok()) throw std::logic_error(program.error().message);
  return *program;
}

TEST(Work, OfMatmulIsTwoPerTermOfEveryTile) {
  const Result<std::string> text = ReadFile(
      EXHIBIT_SOURCE_DIR "/manifests/programs/matmul.tile", int64_t{1} << 20);
  ASSERT_TRUE(text.ok());
  const ProgramWork work = Count(Read(*text));
  // 3 * 10 * 4 instances, 5 trips, 4 x 16 outputs of 16 terms.
  EXPECT_EQ(work.flops, 120 * 5 * (4 * 16) * 16 * 2);
  EXPECT_EQ(work.exps, 0);
  EXPECT_EQ(work.bytes_loaded, 4 * (3 * 37 * 75 + 3 * 75 * 50));
  EXPECT_EQ(work.bytes_stored, 4 * (3 * 37 * 50));
}

// One query over 33 keys in blocks of 16, so three trips.
tile::AttentionSpec Decode() {
  tile::AttentionSpec spec;
  spec.shape = {.batch = 1,
                .query_heads = 4,
                .kv_heads = 2,
                .queries = 1,
                .keys = 33,
                .depth = 8,
                .value_depth = 12};
  spec.query_block = 1;
  spec.key_block = 16;
  return spec;
}

constexpr int64_t kHeads = 4, kTrips = 3, kBlock = 16, kDepth = 8,
                  kValueDepth = 12;

// What a trip of the softmax asks for beside its products: scale, maximum of
// the block and of all, two differences, the sum kept, the sum of the block,
// their sum, and the accumulator kept.
constexpr int64_t kSoftmaxFlops =
    kBlock + (kBlock - 1) + 1 + 1 + kBlock + 1 + (kBlock - 1) + 1 + kValueDepth;

TEST(Work, OfDecodeIsThatOfEveryTrip) {
  const Result<tile::Program> program = tile::BuildAttention(Decode());
  ASSERT_TRUE(program.ok());
  const ProgramWork work = Count(*program);
  const int64_t trip =
      2 * kBlock * kDepth + kSoftmaxFlops + 2 * kBlock * kValueDepth;
  EXPECT_EQ(work.flops, kHeads * (kTrips * trip + kValueDepth));
  EXPECT_EQ(work.exps, kHeads * kTrips * (kBlock + 1));
  EXPECT_EQ(work.bytes_loaded, 4 * (4 * 8 + 2 * 33 * 8 + 2 * 33 * 12));
  EXPECT_EQ(work.bytes_stored, 4 * (4 * 12));
}

TEST(Work, OfAProductWrittenAsReduceSavesTheFirstAddition) {
  tile::AttentionSpec spec = Decode();
  const ProgramWork as_mma = Count(*tile::BuildAttention(spec));
  spec.qk = tile::Contraction::kReduce;
  const ProgramWork as_reduce = Count(*tile::BuildAttention(spec));
  EXPECT_EQ(as_mma.flops - as_reduce.flops, kHeads * kTrips * kBlock);
}

std::string Doubling(const std::string& trips) {
  return "exhibit.tile/1\nprogram p\n\naxis n = 4\n\noutput o f32[4]\n\n"
         "parallel i < 1 {\n  two: f32[n] = constant 2\n"
         "  pipeline s < " +
         trips +
         " {\n    carry c: f32[n] = two\n    d: f32[n] = mul c, two\n"
         "    yield d\n  }\n  store c -> o[0:n]\n}\n";
}

TEST(Work, OfAPipelineWithoutTripsIsNothing) {
  EXPECT_EQ(Count(Read(Doubling("0"))).flops, 0);
  EXPECT_EQ(Count(Read(Doubling("5"))).flops, 20);
  EXPECT_EQ(Count(Read(Doubling("5"))).bytes_loaded, 0);
  EXPECT_EQ(Count(Read(Doubling("5"))).bytes_stored, 16);
}

// `kept` is stored; `lost` is computed in each trip and carried to nobody.
TEST(Work, OnWhichNoStoreDependsIsNone) {
  const auto program = [](const std::string& stored) {
    return Read(
        "exhibit.tile/1\nprogram p\n\naxis n = 4\naxis k = 8\n\n"
        "input a f32[4, 8]\ninput b f32[8]\noutput o f32[4]\n\n"
        "parallel i < 1 {\n"
        "  x: f32[n, k] = load a[0:n, 0:k]\n"
        "  y: f32[k] = load b[0:k]\n"
        "  zero: f32[n] = constant 0\n"
        "  pipeline s < 3 {\n"
        "    carry kept: f32[n] = zero\n"
        "    carry lost: f32[n] = zero\n"
        "    product: f32[n] = mma strict x, y, lost\n"
        "    more: f32[n] = add kept, kept\n"
        "    yield more, product\n  }\n"
        "  store " +
        stored + " -> o[0:n]\n}\n");
  };
  const ProgramWork without = Count(program("kept"));
  EXPECT_EQ(without.flops, 3 * 4);
  EXPECT_EQ(without.bytes_loaded, 0);
  EXPECT_EQ(without.bytes_stored, 16);
  const ProgramWork with = Count(program("lost"));
  EXPECT_EQ(with.flops, 3 * 2 * 4 * 8);
  EXPECT_EQ(with.bytes_loaded, 4 * (32 + 8));
}

TEST(Work, BeyondTheIntegersOfARecordIsRefused) {
  tile::Program program = Read(Doubling("2147483648"));
  EXPECT_TRUE(WorkOf(program).ok());
  program.domain[0].extent = 1 << 20;
  program.domain[0].extent *= 4;
  const Result<ProgramWork> work = WorkOf(program);
  ASSERT_FALSE(work.ok());
  EXPECT_EQ(work.error().kind, ErrorKind::kLimitExceeded);
}

}  // namespace
}  // namespace exhibit
