#include "compiler/tile/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/tile/attention.h"

namespace exhibit::tile {
namespace {

// Every operation and every kind of type once.
constexpr std::string_view kEverything = R"(exhibit.tile/1
program everything

axis m = 2
axis n = 3
axis k = 4

input a f32[2, 4]
input index i64[3]
inout c f32[2, 3]
output out f32[2, 3]

parallel one < 1 {
  a: f32[m, k] = load a[0:m, one:k]
  b: f32[n, k] = constant 0.1
  index: i64[n] = load index[0:n]
  seed: f32[m, n] = load c[0:m, 0:n]
  strict: f32[m, n] = mma strict a, b, seed
  fused: f32[m, n] = mma fma a, b, seed
  free: f32[n, m] = mma relaxed a, b, seed
  two: i64 = constant 2
  i: i64[m] = iota m from -5
  j: i64[n] = iota n from two
  sum: i64[n] = add index, j
  difference: i64[n] = sub sum, j
  product: i64[n] = mul difference, j
  quotient: i64[n] = div product, two
  most: i64[n] = max quotient, j
  lt: bool[m, n] = lt i, j
  le: bool[m, n] = le i, j
  gt: bool[m, n] = gt i, j
  ge: bool[m, n] = ge i, j
  eq: bool[m, n] = eq i, j
  ne: bool[m, n] = ne i, j
  yes: bool = constant true
  no: bool[m, n] = constant false
  both: bool[m, n] = and lt, yes
  chosen: f32[m, n] = select both, strict, fused
  power: f32[m, n] = exp chosen
  number: f32[n] = convert index
  high: f32[m] = reduce max tree power over n
  total: f32[m] = reduce sum sequential power over n
  pipeline outer < 2 {
    carry x: f32[m] = high
    carry y: f32[m] = total
    pipeline inner < 0 {
      unused: f32 = constant inf
    }
    yield y, x
  }
  last: f32[m, n] = add x, y
  store last -> c[0:m, 0:n]
  store chosen -> out[0:m, 0:n]
}
)";

std::string Replaced(std::string text, std::string_view from,
                     std::string_view to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) ADD_FAILURE() << "text lacks " << from;
  return text.replace(at, from.size(), to);
}

TEST(ProgramText, PrintsEveryConstructAsItWasWritten) {
  const auto program = ReadProgram(kEverything, "t");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(PrintProgram(*program), kEverything);
}

TEST(ProgramText, TakesCommentsSpacesAndOtherSpellingsOfANumber) {
  const auto program = ParseProgram(
      "exhibit.tile/1\n# why\n\n program  p # name\n\taxis m=1\nparallel{\n\n"
      "x :f32[ m ]=constant 100e-2\n}\n\n# end\n",
      "t");
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(PrintProgram(*program),
            "exhibit.tile/1\nprogram p\n\naxis m = 1\n\nparallel {\n"
            "  x: f32[m] = constant 1\n}\n");
}

TEST(ProgramText, FloatsSurviveBitForBit) {
  for (float number :
       {0.0f, -0.0f, 1e-45f, std::numeric_limits<float>::min(), 0.1f,
        16777216.0f, -1e30f, std::numeric_limits<float>::max(),
        std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    Program program;
    program.name = "p";
    program.values.push_back(Value{"x", TileType{}});
    program.body.push_back(Op{Constant{0, number}});
    const std::string text = PrintProgram(program);
    const auto again = ReadProgram(text, "t");
    ASSERT_TRUE(again.ok()) << again.error().message << "\n" << text;
    const float read =
        std::get<float>(std::get<Constant>(again->body[0].node).number);
    EXPECT_EQ(std::isnan(read), std::isnan(number));
    if (!std::isnan(number)) {
      EXPECT_EQ(read, number);
      EXPECT_EQ(std::signbit(read), std::signbit(number));
    }
    EXPECT_EQ(PrintProgram(*again), text);
  }
}

TEST(ProgramText, IsRejectedWhenCutAnywhere) {
  const auto attention = AttentionText(AttentionSpec{
      {1, 4, 2, 32, 65, 32, 32}, 4, 16, Contraction::kMma, Contraction::kMma});
  ASSERT_TRUE(attention.ok());
  for (const std::string& text : {*attention, std::string(kEverything)}) {
    for (size_t length = 0; length < text.size(); ++length) {
      const auto cut = ParseProgram(text.substr(0, length), "t");
      ASSERT_FALSE(cut.ok()) << "cut at " << length;
      ASSERT_EQ(cut.error().kind, ErrorKind::kCorrupt) << "cut at " << length;
    }
  }
}

TEST(ProgramText, NeverCrashesOnOneWrongByte) {
  // Whatever is accepted still prints and reads back.
  const std::string text(kEverything);
  int rejected = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    for (char wrong : {'\0', '-', ':', '\n'}) {
      std::string damaged = text;
      damaged[at] = wrong;
      const auto program = ReadProgram(damaged, "t");
      if (!program.ok()) {
        EXPECT_FALSE(program.error().message.empty());
        ++rejected;
        continue;
      }
      const std::string printed = PrintProgram(*program);
      const auto again = ReadProgram(printed, "t");
      ASSERT_TRUE(again.ok()) << again.error().message << "\n" << damaged;
      ASSERT_EQ(PrintProgram(*again), printed);
    }
  }
  EXPECT_GT(rejected, 1000);
}

struct TextFault {
  std::string_view from;
  std::string_view to;
  std::string_view message;
};

TEST(ProgramText, FaultsNameLineColumnAndToken) {
  const TextFault faults[] = {
      {"exhibit.tile/1", "exhibit.tile/2",
       "t:1:1: expected \"exhibit.tile/1\", found \"exhibit.tile/2\""},
      {"exhibit.tile/1", "tile",
       "t:1:1: expected \"exhibit.tile/1\", found \"tile\""},
      {"program everything", "everything",
       "t:2:1: expected \"program\", found \"everything\""},
      {"axis n = 3", "axis m = 3", "t:5:6: axis \"m\" is already declared"},
      {"axis n = 3", "axis n = 3.5",
       "t:5:10: expected an extent, found \"3.5\""},
      {"axis n = 3", "axis n = 99999999999999999999",
       "t:5:10: expected an extent, found \"99999999999999999999\""},
      {"axis n = 3", "axes n = 3",
       "t:5:1: expected axis, input, output, inout or parallel, found "
       "\"axes\""},
      {"input index", "input a", "t:9:7: buffer \"a\" is already declared"},
      {"index i64[3]", "index bool[3]",
       "t:9:13: expected f32 or i64, found \"bool\""},
      {"index i64[3]", "index i64",
       "t:9:16: expected \"[\", found end of line"},
      {"one < 1 {", "one < 1", "t:13:17: expected \"{\", found end of line"},
      {"f32[m, k] = load", "f64[m, k] = load",
       "t:14:6: expected f32, i64 or bool, found \"f64\""},
      {"f32[m, k] = load", "f32[m, q] = load",
       "t:14:13: expected an axis, found \"q\""},
      {"load a[0:m", "load z[0:m", "t:14:23: expected a buffer, found \"z\""},
      {"one:k]", "two:k]", "t:14:30: expected a defined value, found \"two\""},
      {"constant 0.1", "constant 1e99",
       "t:15:27: expected an f32 number, found \"1e99\""},
      {"constant 0.1", "constant -nan",
       "t:15:27: expected an f32 number, found \"-nan\""},
      {"constant 0.1", "constant 0.1 0.2",
       "t:15:31: expected end of line, found \"0.2\""},
      {"mma strict", "mma exact",
       "t:18:27: expected strict, fma or relaxed, found \"exact\""},
      {"mma strict a, b, seed", "mma strict a, b",
       "t:18:38: expected \",\", found end of line"},
      {"mma strict a, b", "mma strict a, strict",
       "t:18:37: expected a defined value, found \"strict\""},
      {"constant 2\n", "constant 2.0\n",
       "t:21:23: expected an i64 number, found \"2.0\""},
      {"add index", "plus index",
       "t:24:17: expected an operation, found \"plus\""},
      {"constant true", "constant 1",
       "t:35:24: expected true or false, found \"1\""},
      {"reduce max tree", "reduce max random",
       "t:41:29: expected sequential or tree, found \"random\""},
      {"reduce max", "reduce min",
       "t:41:25: expected max or sum, found \"min\""},
      {"fused: f32", "strict: f32",
       "t:19:3: value \"strict\" is already defined"},
      {"unused: f32", "x: f32", "t:47:7: value \"x\" is already defined"},
      {"carry y: f32[m] = total", "carry y: f32[m] = x",
       "t:45:23: expected a value defined outside the pipeline, found \"x\""},
      {"yield y, x", "yield y", "t:49:12: expected \",\", found end of line"},
      {"yield y, x", "yield y, x, y",
       "t:49:15: expected end of line, found \",\""},
      {"    yield y, x\n", "", "t:49:3: expected \"yield\", found \"}\""},
      {"add x, y", "add x, unused",
       "t:51:28: expected a defined value, found \"unused\""},
      {"store last -> c", "store last, c",
       "t:52:13: expected \"->\", found \",\""},
      {"out[0:m, 0:n]\n}", "out[0:m, 0:n]\n}}",
       "t:54:2: expected end of line, found \"}\""},
      {"out[0:m, 0:n]\n}\n", "out[0:m, 0:n]\n}\nx\n",
       "t:55:1: expected end of text, found \"x\""},
      {"a: f32[m, k] =", "a; f32[m, k] =",
       "t:14:4: expected \":\", found \";\""},
  };
  for (const TextFault& fault : faults) {
    const auto program = ParseProgram(
        Replaced(std::string(kEverything), fault.from, fault.to), "t");
    ASSERT_FALSE(program.ok()) << fault.message;
    EXPECT_EQ(program.error().message, fault.message);
  }
}

TEST(ProgramText, FirstLineNeedsItsEnd) {
  const auto cut = ParseProgram("exhibit.tile/1", "t");
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(cut.error().message,
            "t:1:15: expected end of line, found end of "
            "text");
}

TEST(ProgramText, UnknownVersionIsUnsupported) {
  const auto next = ParseProgram("exhibit.tile/2\n", "t");
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().kind, ErrorKind::kUnsupported);
}

TEST(ProgramText, LimitsHoldFromBothSides) {
  const auto fails = [](const TileLimits& limits) {
    const auto program = ParseProgram(kEverything, "t", limits);
    return !program.ok() && program.error().kind == ErrorKind::kLimitExceeded;
  };
  TileLimits text;
  text.text_bytes_max = kEverything.size();
  EXPECT_FALSE(fails(text));
  --text.text_bytes_max;
  EXPECT_TRUE(fails(text));
  TileLimits name;
  name.name_bytes_max = std::string_view("difference").size();
  EXPECT_FALSE(fails(name));
  --name.name_bytes_max;
  EXPECT_TRUE(fails(name));
  TileLimits ops;
  ops.op_count_max = 35;
  EXPECT_FALSE(fails(ops));
  --ops.op_count_max;
  EXPECT_TRUE(fails(ops));
  TileLimits depth;
  depth.pipeline_depth_max = 2;
  EXPECT_FALSE(fails(depth));
  --depth.pipeline_depth_max;
  EXPECT_TRUE(fails(depth));
}

}  // namespace
}  // namespace exhibit::tile
