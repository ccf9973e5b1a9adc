#include "compiler/tile/experiment.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace exhibit::tile {
namespace {

constexpr char kText[] = R"(exhibit.tile/1
program twice
axis n = 4
input x f32[3, 4]
output y f32[3, 4]
parallel row < 3 {
  v: f32[n] = load x[row, 0:n]
  zero: f32[n] = constant 0
  one: f32[n] = constant 1
  w: f32[n] = mma strict v, one, zero
  store w -> y[row, 0:n]
}
)";

std::string Replaced(std::string text, std::string_view from,
                     std::string_view to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) ADD_FAILURE() << "text lacks " << from;
  return text.replace(at, from.size(), to);
}

TEST(Experiment, BuffersAndDispatchComeFromTheText) {
  const auto experiment = ReadExperiment(kText, "twice.tile");
  ASSERT_TRUE(experiment.ok()) << experiment.error().message;
  EXPECT_EQ(experiment->dispatch, 3);
  ASSERT_EQ(experiment->buffers.size(), 2u);
  EXPECT_EQ(experiment->buffers[0].name, "x");
  EXPECT_EQ(experiment->buffers[0].role, "input");
  EXPECT_EQ(experiment->buffers[0].dtype, "f32");
  EXPECT_EQ(experiment->buffers[0].shape, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(experiment->buffers[1].role, "output");
}

struct Refusal {
  const char* from;
  const char* to;
  ErrorKind kind;
  const char* message;
};

TEST(Experiment, WhatNoExperimentCanHaveIsRefusedByName) {
  const Refusal refusals[] = {
      {"output y", "inout y", ErrorKind::kUnsupported, "\"y\" is inout"},
      {"input x f32[3, 4]", "input x f32[3, 4]\ninput j i64[3]",
       ErrorKind::kUnsupported, "\"j\" is of i64"},
      {"input x f32[3, 4]", "input x f32[3, 4]\ninput Big f32[3]",
       ErrorKind::kInvalidArgument, "\"Big\" has no name"},
      {"input x f32[3, 4]", "input x f32[3, 4]\ninput none f32[0]",
       ErrorKind::kInvalidArgument, "\"none\" is empty"},
      {"input x f32[3, 4]", "input x f32[3, 4]\ninput huge f32[268435457]",
       ErrorKind::kLimitExceeded, "\"huge\" has more than 2^28"},
      {"  store w -> y[row, 0:n]\n", "", ErrorKind::kInvalidArgument, ""},
      {"mma strict", "mma relaxed", ErrorKind::kUnsupported,
       "\"w\" is relaxed"},
      {"exhibit.tile/1", "exhibit.tile/2", ErrorKind::kUnsupported, ""},
      {"load x[row", "load x[column", ErrorKind::kCorrupt, "column"},
  };
  for (const Refusal& refusal : refusals) {
    std::string text = Replaced(kText, refusal.from, refusal.to);
    if (std::string_view(refusal.to).empty()) {
      text = Replaced(text, "output y f32[3, 4]\n", "");
    }
    const auto experiment = ReadExperiment(text, "bad.tile");
    ASSERT_FALSE(experiment.ok()) << refusal.to;
    EXPECT_EQ(experiment.error().kind, refusal.kind)
        << experiment.error().message;
    EXPECT_NE(experiment.error().message.find("bad.tile"), std::string::npos)
        << experiment.error().message;
    EXPECT_NE(experiment.error().message.find(refusal.message),
              std::string::npos)
        << experiment.error().message;
  }
}

TEST(Experiment, ARelaxedMmaInsideAPipelineIsFound) {
  const std::string text =
      Replaced(kText, "  w: f32[n] = mma strict v, one, zero\n",
               "  pipeline step < 2 {\n    carry w: f32[n] = zero\n"
               "    z: f32[n] = mma relaxed v, one, w\n    yield z\n  }\n");
  const auto experiment = ReadExperiment(text, "bad.tile");
  ASSERT_FALSE(experiment.ok());
  EXPECT_EQ(experiment.error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace exhibit::tile
