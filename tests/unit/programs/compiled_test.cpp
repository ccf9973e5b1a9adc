// The shipped programs, compiled, give the bits that their text means.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "audit/interpreter/interpreter.h"
#include "audit/reference/sine_input.h"
#include "compiler/tile/experiment.h"
#include "tests/unit/build/kernel_runner.h"

namespace exhibit {
namespace {

struct Subject {
  tile::Experiment experiment;
  std::vector<std::vector<float>> buffers;  // Inputs filled, outputs not.
  std::map<std::string, BufferData> inputs;
};

Subject MustRead(const std::string& name) {
  std::ifstream file(EXHIBIT_SOURCE_DIR "/manifests/programs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  Subject subject;
  auto experiment = tile::ReadExperiment(text.str(), name);
  EXPECT_TRUE(experiment.ok()) << experiment.error().message;
  if (!experiment.ok()) return subject;
  subject.experiment = std::move(*experiment);
  for (const ManifestBuffer& buffer : subject.experiment.buffers) {
    uint64_t count = 1;
    for (const int64_t extent : buffer.shape) count *= extent;
    const auto place = static_cast<int64_t>(subject.buffers.size());
    subject.buffers.push_back(SineInput(place, count));
    if (buffer.role == "input") {
      subject.inputs[buffer.name] = subject.buffers.back();
    }
  }
  return subject;
}

TileOptions WithOptions(int64_t t, int64_t r, int64_t cap, bool full_packet) {
  TileOptions options;
  options.max_unrolled_tile_elements = t;
  options.mma_output_block = r;
  options.max_unrolled_mma_terms = cap;
  options.full_packet = full_packet;
  return options;
}

TEST(CompiledPrograms, GiveTheBitsOfTheirTextUnderEveryOption) {
  for (const char* name : {"matmul.tile", "softmax.tile", "rmsnorm.tile"}) {
    const Subject subject = MustRead(name);
    const auto expected =
        RunProgram(subject.experiment.program, subject.inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    for (const TileOptions& options :
         {WithOptions(64, 1, 0, false), WithOptions(64, 4, 8, true),
          WithOptions(8, 2, 1, false), WithOptions(256, 4, 0, true)}) {
      auto kernel = CompileKernel(subject.experiment.program, options, {});
      ASSERT_TRUE(kernel.ok()) << name << ": " << kernel.error().message;
      testing::RunSpec run;
      run.instances = subject.experiment.dispatch;
      run.workspace_bytes = kernel->workspace_bytes;
      const auto found = testing::RunEntry(kernel->entry, run, subject.buffers);
      EXPECT_TRUE(found.guards_intact) << name;
      for (const auto& [output, values] : *expected) {
        EXPECT_EQ(testing::Bits(std::get<std::vector<float>>(values)),
                  testing::Bits(found.buffers.back()))
            << name << " " << output;
      }
    }
  }
}

}  // namespace
}  // namespace exhibit
