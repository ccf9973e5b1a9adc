// The shipped programs are the algorithms that they are named after: evaluated
// in FP64 they give what a dense formula gives, written here by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "audit/interpreter/interpreter.h"
#include "audit/reference/sine_input.h"
#include "compiler/tile/experiment.h"
#include "compiler/tile/text.h"

namespace exhibit {
namespace {

std::string ReadText(const std::string& name) {
  std::ifstream file(EXHIBIT_SOURCE_DIR "/manifests/programs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

tile::Experiment MustRead(const std::string& name) {
  auto experiment = tile::ReadExperiment(ReadText(name), name);
  EXPECT_TRUE(experiment.ok()) << experiment.error().message;
  return experiment.ok() ? *experiment : tile::Experiment();
}

// As capture makes them: the buffer's place is the generator's array.
std::map<std::string, BufferData> SineInputs(const tile::Experiment& e) {
  std::map<std::string, BufferData> inputs;
  for (size_t i = 0; i < e.buffers.size(); ++i) {
    if (e.buffers[i].role != "input") continue;
    uint64_t count = 1;
    for (const int64_t extent : e.buffers[i].shape) count *= extent;
    inputs[e.buffers[i].name] = SineInput(static_cast<int64_t>(i), count);
  }
  return inputs;
}

const std::vector<float>& Input(const std::map<std::string, BufferData>& inputs,
                                const std::string& name) {
  return std::get<std::vector<float>>(inputs.at(name));
}

// The one output of the program in FP64.
std::vector<double> Evaluated(const tile::Experiment& e,
                              const std::string& output) {
  const auto outputs = EvaluateProgram(e.program, SineInputs(e));
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  if (!outputs.ok()) return {};
  return std::get<std::vector<double>>(outputs->at(output));
}

void ExpectClose(const std::vector<double>& expected,
                 const std::vector<double>& found) {
  ASSERT_EQ(expected.size(), found.size());
  // Of the largest: a sum that cancels has no digits of its own to compare.
  double scale = 0;
  for (const double e : expected) scale = std::max(scale, std::fabs(e));
  ASSERT_GT(scale, 0);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], found[i], 1e-12 * scale) << i;
  }
}

TEST(Programs, MatmulIsTheMatrixProduct) {
  const tile::Experiment e = MustRead("matmul.tile");
  const auto inputs = SineInputs(e);
  const std::vector<float>& a = Input(inputs, "a");
  const std::vector<float>& b = Input(inputs, "b");
  std::vector<double> expected;
  for (int batch = 0; batch < 3; ++batch) {
    for (int m = 0; m < 37; ++m) {
      for (int n = 0; n < 50; ++n) {
        double sum = 0;
        for (int k = 0; k < 75; ++k) {
          sum += double{a[(batch * 37 + m) * 75 + k]} *
                 double{b[(batch * 75 + k) * 50 + n]};
        }
        expected.push_back(sum);
      }
    }
  }
  ExpectClose(expected, Evaluated(e, "c"));
}

TEST(Programs, SoftmaxIsTheSoftmaxOfEveryRow) {
  const tile::Experiment e = MustRead("softmax.tile");
  const auto inputs = SineInputs(e);
  const std::vector<float>& x = Input(inputs, "x");
  std::vector<double> expected;
  for (int row = 0; row < 101; ++row) {
    double total = 0;
    for (int n = 0; n < 75; ++n) total += std::exp(double{x[row * 75 + n]});
    for (int n = 0; n < 75; ++n) {
      expected.push_back(std::exp(double{x[row * 75 + n]}) / total);
    }
  }
  ExpectClose(expected, Evaluated(e, "y"));
}

TEST(Programs, RmsnormIsTheRootMeanSquareNormalisation) {
  const tile::Experiment e = MustRead("rmsnorm.tile");
  const auto inputs = SineInputs(e);
  const std::vector<float>& x = Input(inputs, "x");
  const std::vector<float>& weight = Input(inputs, "weight");
  std::vector<double> expected;
  for (int row = 0; row < 101; ++row) {
    double squares = 0;
    for (int n = 0; n < 120; ++n) {
      squares += double{x[row * 120 + n]} * double{x[row * 120 + n]};
    }
    const double root = std::sqrt(squares / 120 + double{1e-5f});
    for (int n = 0; n < 120; ++n) {
      expected.push_back(double{x[row * 120 + n]} / root * double{weight[n]});
    }
  }
  ExpectClose(expected, Evaluated(e, "y"));
}

// The comparison above would see a formula that is a little off.
TEST(Programs, AWrongDivisorIsSeen) {
  std::string text = ReadText("rmsnorm.tile");
  const size_t at = text.find("constant 120");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 12, "constant 128");
  const auto wrong = tile::ReadExperiment(text, "wrong");
  ASSERT_TRUE(wrong.ok()) << wrong.error().message;
  const std::vector<double> right = Evaluated(MustRead("rmsnorm.tile"), "y");
  const std::vector<double> found = Evaluated(*wrong, "y");
  double largest = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    largest = std::max(largest, std::fabs(right[i] - found[i]));
  }
  EXPECT_GT(largest, 1e-3);
}

TEST(Programs, TheyDoNotEndWhereTheirTilesEnd) {
  for (const char* name : {"matmul.tile", "softmax.tile", "rmsnorm.tile"}) {
    const tile::Experiment e = MustRead(name);
    EXPECT_NE(e.dispatch % 32, 0) << name;
    bool has_tail = false;
    for (const tile::Axis& axis : e.program.axes) {
      for (const ManifestBuffer& buffer : e.buffers) {
        has_tail = has_tail || buffer.shape.back() % axis.extent != 0;
      }
    }
    EXPECT_TRUE(has_tail) << name;
  }
}

}  // namespace
}  // namespace exhibit
