#include "compiler/tile/attention.h"

#include <gtest/gtest.h>

#include "compiler/tile/text.h"

namespace exhibit::tile {
namespace {

AttentionSpec Prefill() {
  AttentionSpec spec;
  spec.shape = {1, 4, 2, 32, 65, 32, 32};
  spec.query_block = 4;
  spec.key_block = 16;
  return spec;
}

TEST(Attention, TextIsCanonical) {
  for (Contraction qk : {Contraction::kMma, Contraction::kReduce}) {
    for (Contraction pv : {Contraction::kMma, Contraction::kReduce}) {
      AttentionSpec spec = Prefill();
      spec.qk = qk;
      spec.pv = pv;
      const auto text = AttentionText(spec);
      ASSERT_TRUE(text.ok()) << text.error().message;
      const auto program = ReadProgram(*text, "t");
      ASSERT_TRUE(program.ok()) << program.error().message;
      EXPECT_EQ(PrintProgram(*program), *text);
      const size_t mmas = (qk == Contraction::kMma) + (pv == Contraction::kMma);
      size_t found = 0;
      for (size_t at = text->find("= mma strict"); at != std::string::npos;
           at = text->find("= mma strict", at + 1)) {
        ++found;
      }
      EXPECT_EQ(found, mmas);
    }
  }
}

TEST(Attention, DeclaresBuffersAndInstancesInTheOrderOfTheEntry) {
  const auto program = BuildAttention(Prefill());
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->name, "attention");
  ASSERT_EQ(program->buffers.size(), 4u);
  EXPECT_EQ(program->buffers[0].name, "query");
  EXPECT_EQ(program->buffers[0].shape, (std::vector<int64_t>{1, 4, 32, 32}));
  EXPECT_EQ(program->buffers[1].name, "key");
  EXPECT_EQ(program->buffers[1].shape, (std::vector<int64_t>{1, 2, 65, 32}));
  EXPECT_EQ(program->buffers[2].name, "value");
  EXPECT_EQ(program->buffers[3].name, "output");
  EXPECT_EQ(program->buffers[3].role, BufferRole::kOutput);
  ASSERT_EQ(program->domain.size(), 3u);
  EXPECT_EQ(program->domain[2].extent, 8);
  EXPECT_EQ(InstanceCount(*program), 32);
}

TEST(Attention, RightOperandsLieAsTheFiguresAssume) {
  const auto text = AttentionText(Prefill());
  ASSERT_TRUE(text.ok());
  for (const char* line : {
           "    K: f32[n, d] = load key[b, hkv, k0:n, 0:d]\n",
           "    V: f32[n, dv] = load value[b, hkv, k0:n, 0:dv]\n",
           "    dot: f32[m, n] = mma strict query, K, zero\n",
           "    PV: f32[m, dv] = mma strict p, V, kept\n",
           "  past: i64 = constant 33\n",
           "  pipeline step < 5 {\n",
       }) {
    EXPECT_NE(text->find(line), std::string::npos) << line;
  }
}

TEST(Attention, ScaleIsRoundedToFloatAtEachStep) {
  EXPECT_EQ(AttentionScale(64), 0.125f);
  EXPECT_EQ(AttentionScale(80), 1.0f / 8.94427204f);
  EXPECT_EQ(AttentionScale(32), 1.0f / 5.65685415f);
}

TEST(Attention, IllegalShapesAreNamed) {
  const struct {
    int64_t AttentionShape::*field;
    int64_t value;
    const char* message;
  } cases[] = {
      {&AttentionShape::batch, 0, "attention: B is 0, it must be at least 1"},
      {&AttentionShape::query_heads, 3,
       "attention: Hq is 3, it must be a multiple of Hkv, 2"},
      {&AttentionShape::kv_heads, -1,
       "attention: Hkv is -1, it must be at least 1"},
      {&AttentionShape::queries, 66,
       "attention: K is 65, it must be at least Q, 66"},
      {&AttentionShape::depth, 0, "attention: D is 0, it must be at least 1"},
      {&AttentionShape::keys, int64_t{1} << 40,
       "attention: K is 1099511627776, the limit is 2147483648"},
      {&AttentionShape::value_depth, int64_t{1} << 21,
       "attention: axis \"dv\" has extent 2097152, the limit is 1048576"},
  };
  for (const auto& [field, value, message] : cases) {
    AttentionSpec spec = Prefill();
    spec.shape.*field = value;
    const auto text = AttentionText(spec);
    ASSERT_FALSE(text.ok()) << message;
    EXPECT_EQ(text.error().message, message);
  }
  AttentionSpec tile = Prefill();
  tile.query_block = 0;
  EXPECT_EQ(AttentionText(tile).error().message,
            "attention: bq is 0, it must be at least 1");
}

TEST(Attention, SmallestShapeIsAccepted) {
  EXPECT_TRUE(BuildAttention(AttentionSpec{}).ok());
}

}  // namespace
}  // namespace exhibit::tile
