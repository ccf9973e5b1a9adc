// mma and its neighbours against a scalar oracle: a rounded product, then a
// rounded add, ascending.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compiler/build/compile.h"
#include "tests/unit/build/kernel_runner.h"
#include "tests/unit/emit/programs.h"

namespace exhibit {
namespace {

using testing::Bits;
using testing::MmaSpec;
using testing::MmaText;

using Arrays = std::vector<std::vector<float>>;

Arrays RunProgram(const std::string& text, const TileOptions& options,
                  const Arrays& initial, int64_t instances = 1) {
  auto kernel = CompileKernel(testing::Read(text), options);
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  testing::RunSpec run;
  run.instances = instances;
  run.workers_per_block = options.workers_per_block;
  run.workspace_bytes = kernel->workspace_bytes;
  const testing::RunResult result =
      testing::RunEntry(kernel->entry, run, initial);
  EXPECT_TRUE(result.guards_intact);
  return result.buffers;
}

struct MmaData {
  std::vector<float> a, b, c;
};

MmaData Data(const MmaSpec& spec) {
  MmaData data;
  const float pattern[] = {1048576.0f, 0.125f, -1048576.0f};
  for (int64_t i = 0; i < spec.rows * spec.terms; ++i) {
    data.a.push_back(pattern[i % 3]);
  }
  for (int64_t i = 0; i < spec.columns * spec.terms; ++i) {
    data.b.push_back(static_cast<float>((i * 7) % 16 - 8) / 16.0f +
                     1.0f / 1024.0f);
  }
  for (int64_t i = 0; i < spec.rows * spec.columns; ++i) {
    data.c.push_back(static_cast<float>(i % 9 - 4) * 0.25f);
  }
  return data;
}

// volatile: the oracle must not be fused by whoever compiles it.
std::vector<float> Oracle(const MmaSpec& spec, const MmaData& data) {
  std::vector<float> out = data.c;
  for (int64_t m = 0; m < spec.rows; ++m) {
    for (int64_t n = 0; n < spec.columns; ++n) {
      volatile float acc = data.c[m * spec.columns + n];
      for (int64_t k = 0; k < spec.terms; ++k) {
        volatile float product =
            data.a[m * spec.terms + k] * data.b[n * spec.terms + k];
        acc = acc + product;
      }
      out[m * spec.columns + n] = acc;
    }
  }
  return out;
}

void ExpectStrict(const MmaSpec& spec, const TileOptions& options) {
  const MmaData data = Data(spec);
  const std::vector<float> unset(data.c.size(), std::nanf(""));
  const Arrays after =
      RunProgram(MmaText(spec), options, {data.a, data.b, data.c, unset});
  EXPECT_EQ(Bits(after[3]), Bits(Oracle(spec, data)));
  EXPECT_EQ(Bits(after[1]), Bits(data.b));
  if (!spec.is_overwriting) return;
  EXPECT_EQ(after[0], std::vector<float>(data.a.size(), 0.0f));
  EXPECT_EQ(after[2], std::vector<float>(data.c.size(), 0.0f));
}

TEST(Mma, ThirtySixExecutionsAreBitEqualAfterTheirSourcesAreOverwritten) {
  const std::pair<int64_t, int64_t> lengths[] = {{0, 1}, {1, 1},  {8, 8},
                                                 {9, 8}, {16, 1}, {64, 8}};
  for (bool swapped : {false, true}) {
    for (const auto& [terms, cap] : lengths) {
      for (int64_t block : {1, 2, 4}) {
        MmaSpec spec;
        spec.terms = terms;
        spec.is_swapped = swapped;
        spec.is_overwriting = true;
        TileOptions options;
        options.max_unrolled_mma_terms = cap;
        options.mma_output_block = block;
        SCOPED_TRACE("swapped " + std::to_string(swapped) + " K " +
                     std::to_string(terms) + " R " + std::to_string(block));
        ExpectStrict(spec, options);
      }
    }
  }
}

TEST(Mma, BothSidesOfEveryThresholdAreBitEqual) {
  for (int64_t columns : {1, 4, 63, 64, 65}) {
    for (int64_t terms : {1, 3}) {
      for (int64_t block : {1, 4}) {
        MmaSpec spec;
        spec.rows = 2;
        spec.columns = columns;
        spec.terms = terms;
        TileOptions options;
        options.mma_output_block = block;
        SCOPED_TRACE("N " + std::to_string(columns));
        ExpectStrict(spec, options);
      }
    }
  }
}

TEST(Mma, TwoDimensionalGroupsWithOddEdgesAreBitEqual) {
  for (int64_t rows : {1, 2, 3}) {
    for (int64_t columns : {4, 5, 33}) {
      MmaSpec spec;
      spec.rows = rows;
      spec.columns = columns;
      spec.terms = 9;
      TileOptions options;
      options.mma_output_block = 4;
      options.enable_mma_2d_blocking = true;
      options.max_unrolled_mma_terms = 8;
      ExpectStrict(spec, options);
    }
  }
}

TEST(Mma, FullExpansionGivesTheSameBits) {
  MmaSpec spec;
  spec.rows = 3;
  spec.columns = 30;
  spec.terms = 11;
  TileOptions options;
  options.max_unrolled_tile_elements = 0;
  ExpectStrict(spec, options);
}

TEST(Mma, NoOutputsLeaveTheBuffersAlone) {
  MmaSpec spec;
  spec.columns = 0;
  ExpectStrict(spec, {});
}

// (1+2^-23) * (1-2^-23) - 1 is 0 with a rounded product and -2^-46 without.
TEST(Mma, StrictNeverFusesAndFmaAlwaysDoes) {
  for (bool swapped : {false, true}) {
    for (const char* permission : {"strict", "fma", "relaxed"}) {
      MmaSpec spec;
      spec.columns = 1;
      spec.terms = 1;
      spec.is_swapped = swapped;
      spec.permission = permission;
      auto kernel = CompileKernel(testing::Read(MmaText(spec)), {});
      if (!kernel.ok() && kernel.error().kind == ErrorKind::kUnsupported) {
        continue;  // This machine has no fused multiply-add.
      }
      const Arrays after =
          RunProgram(MmaText(spec), {},
                     {{1.0f + 0x1p-23f}, {1.0f - 0x1p-23f}, {-1.0f}, {7.0f}});
      const bool fused = spec.permission == "fma";
      EXPECT_EQ(after[3][0], fused ? -0x1p-46f : 0.0f) << permission;
    }
  }
}

TEST(Mma, FusingIsRefusedWhereTheTargetWouldCallALibrary) {
  MmaSpec spec;
  spec.permission = "fma";
  auto kernel = CompileKernel(testing::Read(MmaText(spec)), {}, {"x86-64-v2"});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind, ErrorKind::kUnsupported);
}

TEST(Pipeline, AllCarriesUpdateAtOnce) {
  for (int64_t extent : {1, 3, 100}) {
    const std::string n = std::to_string(extent);
    const std::string text =
        "exhibit.tile/1\nprogram swap\n\naxis n = " + n + "\n\ninput a f32[" +
        n + "]\ninput b f32[" + n + "]\noutput x f32[" + n +
        "]\noutput y f32[" + n +
        "]\n\nparallel i < 1 {\n"
        "  a: f32[n] = load a[0:n]\n  b: f32[n] = load b[0:n]\n"
        "  pipeline s < 3 {\n    carry p: f32[n] = a\n"
        "    carry q: f32[n] = b\n    sum: f32[n] = add p, q\n"
        "    yield q, sum\n  }\n"
        "  store p -> x[0:n]\n  store q -> y[0:n]\n}\n";
    std::vector<float> a, b, x, y;
    for (int64_t i = 0; i < extent; ++i) {
      a.push_back(static_cast<float>(i));
      b.push_back(1.0f);
      // (a, b) -> (b, a+b) -> (a+b, a+2b) -> (a+2b, 2a+3b)
      x.push_back(static_cast<float>(i) + 2);
      y.push_back(2 * static_cast<float>(i) + 3);
    }
    const Arrays after = RunProgram(text, {}, {a, b, a, b});
    EXPECT_EQ(after[2], x) << extent;
    EXPECT_EQ(after[3], y) << extent;
  }
}

TEST(Pipeline, NoTripLeavesTheFirstValue) {
  for (int64_t extent : {2, 100}) {  // In elements, and in arrays.
    const std::string n = std::to_string(extent);
    const std::string text =
        "exhibit.tile/1\nprogram none\n\naxis n = " + n + "\n\ninput a f32[" +
        n + "]\noutput x f32[" + n +
        "]\n\nparallel i < 1 {\n  a: f32[n] = load a[0:n]\n"
        "  pipeline s < 0 {\n    carry p: f32[n] = a\n"
        "    b: f32[n] = load a[0:n]\n"
        "    sum: f32[n] = add p, b\n    yield sum\n  }\n"
        "  store p -> x[0:n]\n}\n";
    std::vector<float> a;
    for (int64_t i = 0; i < extent; ++i) a.push_back(static_cast<float>(i));
    const Arrays after =
        RunProgram(text, {}, {a, std::vector<float>(a.size(), -1.0f)});
    EXPECT_EQ(after[1], a) << extent;
  }
}

TEST(Reduce, TreeHalvesFromTheNextPowerOfTwo) {
  const std::string text =
      "exhibit.tile/1\nprogram tree\n\naxis n = 5\n\ninput a f32[5]\n"
      "output x f32[1]\n\nparallel i < 1 {\n  a: f32[n] = load a[0:n]\n"
      "  s: f32 = reduce sum tree a over n\n  store s -> x[0]\n}\n";
  const std::vector<float> a = {0x1p24f, 1, 1, 1, 1};
  // ((a0+a4) + a2) + (a1+a3): 2^24 + 1 rounds to even twice, then + 2.
  const float expected = ((a[0] + a[4]) + a[2]) + (a[1] + a[3]);
  for (int64_t unrolled : {0, 64}) {
    TileOptions options;
    options.max_unrolled_tile_elements = unrolled;
    EXPECT_EQ(RunProgram(text, options, {a, {0}})[1][0], expected);
  }
}

TEST(Views, ElementsOutsideABufferLoadAsZeroAndAreNotStored) {
  // Lanes reach past the end and, through the offset, before the start.
  for (const char* domain : {"parallel i < 5", "parallel i < 1"}) {
    const bool many = std::string(domain).find('5') != std::string::npos;
    const std::string text =
        std::string(
            "exhibit.tile/1\nprogram edge\n\naxis n = 4\n\n"
            "input a f32[6]\noutput x f32[18]\n\n") +
        domain +
        " {\n  four: i64 = constant 4\n  back: i64 = constant 2\n"
        "  at: i64 = mul i, four\n  from: i64 = sub at, back\n"
        "  v: f32[n] = load a[from:n]\n  store v -> x[at:n]\n}\n";
    std::vector<float> expected(18, -1.0f);
    for (int i = 0; i < (many ? 18 : 4); ++i) {
      expected[i] =
          i - 2 >= 0 && i - 2 < 6 ? static_cast<float>(i - 2 + 10) : 0.0f;
    }
    const Arrays after = RunProgram(
        text, {}, {{10, 11, 12, 13, 14, 15}, std::vector<float>(18, -1.0f)},
        many ? 5 : 1);
    EXPECT_EQ(after[1], expected) << domain;
  }
}

TEST(Elementwise, MaximumTakesTheSecondOfTwoThatAreNotOrdered) {
  const std::string text =
      "exhibit.tile/1\nprogram top\n\naxis n = 4\n\ninput a f32[4]\n"
      "input b f32[4]\noutput x f32[4]\n\nparallel i < 1 {\n"
      "  a: f32[n] = load a[0:n]\n  b: f32[n] = load b[0:n]\n"
      "  m: f32[n] = max a, b\n  store m -> x[0:n]\n}\n";
  const float nan = std::nanf("");
  const Arrays after = RunProgram(
      text, {}, {{nan, 1, 0.0f, -0.0f}, {2, nan, -0.0f, 0.0f}, {9, 9, 9, 9}});
  EXPECT_EQ(after[2][0], 2.0f);
  EXPECT_TRUE(std::isnan(after[2][1]));
  EXPECT_TRUE(std::signbit(after[2][2]));
  EXPECT_FALSE(std::signbit(after[2][3]));
}

}  // namespace
}  // namespace exhibit
