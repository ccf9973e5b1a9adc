// The emitted sqrt: one instruction, rounded as IEEE 754 says, on every level.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "compiler/build/compile.h"
#include "tests/unit/build/kernel_runner.h"
#include "tests/unit/emit/programs.h"

namespace exhibit {
namespace {

constexpr int64_t kSamples = int64_t{1} << 18;

// Every 16384th bit pattern; and whatever lies at the edges.
std::vector<float> Samples() {
  std::vector<float> samples;
  for (uint32_t i = 0; i < kSamples; ++i) {
    samples.push_back(std::bit_cast<float>(i * 16384u + 977u));
  }
  const float edges[] = {0.0f,  -0.0f,    1.0f,      2.0f,      0x1p-149f,
                         -1.0f, INFINITY, -INFINITY, 0x1p-126f, NAN};
  std::copy(std::begin(edges), std::end(edges), samples.begin());
  return samples;
}

// `lanes` lets each lane have its own element; otherwise all read the first.
std::string SqrtText(bool lanes) {
  const std::string n = std::to_string(kSamples);
  const std::string from = lanes ? "x[i]" : "x[0]";
  return "exhibit.tile/1\nprogram roots\n\ninput x f32[" + n +
         "]\noutput y f32[" + n + "]\n\nparallel i < " + n +
         " {\n  v: f32 = load " + from +
         "\n  r: f32 = sqrt v\n  store r -> y[i]\n}\n";
}

void ExpectRoot(float x, float root) {
  const float expected = std::sqrt(x);
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(root)) << x;
  } else {
    ASSERT_EQ(std::bit_cast<uint32_t>(expected), std::bit_cast<uint32_t>(root))
        << x;
  }
}

std::vector<float> Roots(const std::string& text, const std::string& cpu,
                         const std::vector<float>& inputs) {
  auto kernel = CompileKernel(testing::Read(text), {}, {cpu});
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  testing::RunSpec run;
  run.instances = kSamples;
  return testing::RunEntry(kernel->entry, run,
                           {inputs, std::vector<float>(inputs.size(), 7.0f)})
      .buffers[1];
}

TEST(Sqrt, ThePacketVersionIsRoundedOnce) {
  const std::vector<float> inputs = Samples();
  for (const char* cpu : {"native", "x86-64"}) {
    const std::vector<float> roots = Roots(SqrtText(true), cpu, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) ExpectRoot(inputs[i], roots[i]);
  }
}

TEST(Sqrt, TheUniformVersionIsRoundedOnce) {
  std::vector<float> inputs(kSamples, 3.0f);
  for (float x : {2.0f, 0x1.234566p-140f, -0.0f, -4.0f, INFINITY}) {
    inputs[0] = x;
    const std::vector<float> roots = Roots(SqrtText(false), "native", inputs);
    ExpectRoot(x, roots.front());
    ExpectRoot(x, roots.back());
  }
}

TEST(Sqrt, NoLevelCallsALibraryForIt) {
  for (const char* cpu : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    auto kernel = CompileKernel(testing::Read(SqrtText(true)), {}, {cpu});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    const auto undefined = UndefinedSymbols(kernel->object);
    ASSERT_TRUE(undefined.ok());
    EXPECT_TRUE(undefined->empty()) << undefined->front() << " on " << cpu;
  }
}

}  // namespace
}  // namespace exhibit
