// The emitted exp against the one written in C++, and both against the truth.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/build/compile.h"
#include "compiler/build/target_cpu.h"
#include "compiler/tile/exp_f32.h"
#include "tests/unit/build/kernel_runner.h"
#include "tests/unit/emit/programs.h"

namespace exhibit {
namespace {

constexpr int64_t kSamples = int64_t{1} << 20;

// Every 4096th bit pattern, shifted so that other calls see other ones; and
// whatever lies at the edges.
std::vector<float> Samples(uint32_t shift) {
  std::vector<float> samples;
  for (uint32_t i = 0; i < kSamples; ++i) {
    samples.push_back(std::bit_cast<float>(i * 4096u + shift));
  }
  const float edges[] = {0.0f,      -0.0f,       1.0f,        -1.0f,
                         88.72283f, 88.722839f,  88.72284f,   89.0f,
                         -87.3365f, -103.27893f, -103.97208f, -104.0f,
                         -105.0f,   INFINITY,    -INFINITY,   NAN};
  std::copy(std::begin(edges), std::end(edges), samples.begin());
  return samples;
}

double UlpOf(double exact) {
  int exponent = 0;
  (void)std::frexp(exact, &exponent);
  return std::ldexp(1.0, std::max(exponent - 24, -149));
}

TEST(Exp, IsWithinOneUlpOfTheTruth) {
  double worst = 0;
  for (uint32_t shift : {0u, 1111u, 2717u}) {
    for (float x : Samples(shift)) {
      const double exact = std::exp(double{x});
      const float actual = ExpF32(x);
      if (std::isnan(x)) {
        ASSERT_TRUE(std::isnan(actual));
      } else if (exact > double{3.4028235677973366e38}) {
        ASSERT_EQ(actual, INFINITY) << x;
      } else {
        worst = std::max(worst, std::fabs(actual - exact) / UlpOf(exact));
      }
    }
  }
  EXPECT_LE(worst, 1.0);
}

TEST(Exp, EndsOfTheRangeAreExact) {
  EXPECT_EQ(ExpF32(-INFINITY), 0.0f);
  EXPECT_FALSE(std::signbit(ExpF32(-INFINITY)));
  EXPECT_EQ(ExpF32(INFINITY), INFINITY);
  EXPECT_EQ(ExpF32(0.0f), 1.0f);
  EXPECT_EQ(ExpF32(-0.0f), 1.0f);
  EXPECT_TRUE(std::isnan(ExpF32(NAN)));
  EXPECT_EQ(ExpF32(-103.97208f), 0x1p-149f);
  EXPECT_EQ(ExpF32(-104.0f), 0.0f);
}

void ExpectSameBits(const std::vector<float>& inputs,
                    const std::vector<float>& outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const float expected = ExpF32(inputs[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(outputs[i])) << i;
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(outputs[i]),
              std::bit_cast<uint32_t>(expected))
        << inputs[i];
  }
}

std::vector<float> RunExp(const std::string& text, const std::string& cpu,
                          int64_t instances, const std::vector<float>& inputs,
                          size_t outputs) {
  auto kernel = CompileKernel(testing::Read(text), {}, {cpu});
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  testing::RunSpec run;
  run.instances = instances;
  return testing::RunEntry(kernel->entry, run,
                           {inputs, std::vector<float>(outputs, 7.0f)})
      .buffers[1];
}

std::string PacketText() {
  const std::string n = std::to_string(kSamples);
  return "exhibit.tile/1\nprogram packet_exp\n\ninput x f32[" + n +
         "]\noutput y f32[" + n + "]\n\nparallel i < " + n +
         " {\n  v: f32 = load x[i]\n  e: f32 = exp v\n  store e -> y[i]\n}\n";
}

TEST(Exp, ThePacketVersionGivesTheSameBits) {
  const std::vector<float> inputs = Samples(77);
  ExpectSameBits(
      inputs, RunExp(PacketText(), "native", kSamples, inputs, inputs.size()));
}

TEST(Exp, TheBaselineOfThisMachineGivesTheSameBits) {
  const std::vector<float> inputs = Samples(3001);
  ExpectSameBits(
      inputs, RunExp(PacketText(), "x86-64", kSamples, inputs, inputs.size()));
}

#ifdef EXHIBIT_EVERY_INPUT

TEST(Exp, ThePacketVersionGivesTheSameBitsOnEveryInput) {
  auto kernel = CompileKernel(testing::Read(PacketText()), {});
  ASSERT_TRUE(kernel.ok());
  // Made once: fresh pages would cost more than the arithmetic.
  testing::GuardedArray in(std::vector<float>(kSamples, 0.0f));
  testing::GuardedArray out(std::vector<float>(kSamples, 0.0f));
  auto* inputs = static_cast<float*>(in.data());
  const auto* outputs = static_cast<const float*>(out.data());
  const exhibit_buffer buffers[] = {{in.data(), kSamples * 4},
                                    {out.data(), kSamples * 4}};
  const exhibit_launch launch = {
      {0, 0, 0}, {kSamples, 1, 1}, {32, 1, 1}, {kSamples / 32, 1, 1}, 0,
      0,         nullptr};
  for (uint32_t shift = 0; shift < 4096; ++shift) {
    for (uint32_t i = 0; i < kSamples; ++i) {
      inputs[i] = std::bit_cast<float>(i * 4096u + shift);
    }
    kernel->entry(buffers, nullptr, &launch, kSamples / 32);
    // Counted without a branch, four thousand million times.
    uint32_t different = 0;
    for (uint32_t i = 0; i < kSamples; ++i) {
      const float expected = ExpF32(inputs[i]);
      const bool same_bits = std::bit_cast<uint32_t>(outputs[i]) ==
                             std::bit_cast<uint32_t>(expected);
      const bool both_nan = outputs[i] != outputs[i] && expected != expected;
      different += !(same_bits | both_nan);
    }
    ASSERT_EQ(different, 0u) << "shift " << shift;
  }
}

#endif  // EXHIBIT_EVERY_INPUT

TEST(Exp, TheUniformVersionGivesTheSameBits) {
  const int64_t rows = kSamples / 8;
  const std::string n = std::to_string(rows);
  const std::string text =
      "exhibit.tile/1\nprogram uniform_exp\n\ninput x f32[" + n +
      "]\noutput y f32[" + n + ", 8]\n\nparallel i < " + n +
      ", j < 8 {\n  v: f32 = load x[i]\n  e: f32 = exp v\n"
      "  store e -> y[i, j]\n}\n";
  std::vector<float> inputs = Samples(913);
  inputs.resize(static_cast<size_t>(rows));
  const std::vector<float> eightfold =
      RunExp(text, "native", kSamples, inputs, inputs.size() * 8);
  std::vector<float> first, last;
  for (size_t i = 0; i < inputs.size(); ++i) {
    first.push_back(eightfold[i * 8]);
    last.push_back(eightfold[i * 8 + 7]);
  }
  ExpectSameBits(inputs, first);
  ExpectSameBits(inputs, last);
}

}  // namespace
}  // namespace exhibit
