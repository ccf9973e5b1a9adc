#include "compiler/tile/verify.h"

#include <gtest/gtest.h>

#include "compiler/tile/text.h"

namespace exhibit::tile {
namespace {

constexpr std::string_view kSound = R"(exhibit.tile/1
program sound

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
  seed: f32[m, n] = load c[0:m, 0:n]
  product: f32[m, n] = mma strict a, b, seed
  two: i64 = constant 2
  j: i64[n] = iota n from two
  half: i64[n] = div j, two
  less: bool[n] = lt j, half
  chosen: f32[m, n] = select less, product, seed
  high: f32[m] = reduce max sequential chosen over n
  pipeline step < 2 {
    carry x: f32[m] = high
    wide: f32[m, n] = sub chosen, x
    small: f32[m] = reduce sum tree wide over n
    yield small
  }
  last: f32[m, n] = add x, product
  store last -> out[0:m, 0:n]
}
)";

std::string Changed(std::string_view from, std::string_view to) {
  std::string text(kSound);
  const size_t at = text.find(from);
  if (at == std::string::npos) ADD_FAILURE() << "program lacks " << from;
  return text.replace(at, from.size(), to);
}

Program Sound() { return *ReadProgram(kSound, "t"); }

struct Fault {
  std::string_view from;
  std::string_view to;
  std::string_view message;
};

TEST(Verify, AcceptsTheSoundProgram) {
  const auto program = ReadProgram(kSound, "t");
  EXPECT_TRUE(program.ok()) << program.error().message;
}

TEST(Verify, FaultsQuoteTheOperation) {
  const Fault faults[] = {
      {"program sound", "program Sound",
       "program name \"Sound\" is not [a-z][a-z0-9_]*"},
      {"program sound", "program _sound",
       "program name \"_sound\" is not [a-z][a-z0-9_]*"},
      {"one < 1", "one < 0", "domain axis \"one\" has extent 0"},
      {"axis m = 2", "axis m = -2", "axis \"m\" has extent -2"},
      {"a f32[2, 4]", "a f32[2, -4]", "buffer \"a\" has extent -4"},
      {"seed: f32[m, n] =", "seed: f32[m, m] =",
       "value \"seed\" has axis \"m\" twice"},
      {"load a[0:m, one:k]", "load a[0:m]",
       "buffer \"a\" has 2 dimensions, not 1, in `a: f32[m, k] = load "
       "a[0:m]`"},
      {"load a[0:m, one:k]", "load a[0:m, 0]",
       "axis \"k\" indexes no dimension, in `a: f32[m, k] = load a[0:m, 0]`"},
      {"load a[0:m, one:k]", "load a[0:m, 0:n]",
       "the tile has no axis \"n\", in `a: f32[m, k] = load a[0:m, 0:n]`"},
      {"load a[0:m, one:k]", "load a[0:m, 0:m]",
       "axis \"m\" indexes two dimensions, in `a: f32[m, k] = load a[0:m, "
       "0:m]`"},
      {"load a[0:m", "load index[0:m",
       "buffer \"index\" has 1 dimensions, not 2"},
      {"load c[0:m, 0:n]", "load out[0:m, 0:n]",
       "output buffer \"out\" is loaded"},
      {"last -> out[0:m, 0:n]", "last -> a[0:m, 0:n]",
       "input buffer \"a\" is stored to"},
      {"last -> out[0:m, 0:n]", "j -> index[0:n]",
       "input buffer \"index\" is stored to"},
      {"last -> out[0:m, 0:n]", "less -> out[0, 0:n]",
       "buffer \"out\" is of f32"},
      {"iota n from two", "iota m from two",
       "an iota over \"m\" is i64[m], in `j: i64[n] = iota m from two`"},
      {"div j, two", "div j, j",
       "divisor \"j\" is not a constant of at least "},
      {"two: i64 = constant 2", "two: i64 = constant 0",
       "divisor \"two\" is not a constant of at least 1"},
      {"two: i64 = constant 2", "two: i64[n] = constant 2",
       "offset \"two\" is i64[n], not an i64 scalar"},
      {"lt j, half", "lt j, b", "lt does not take i64, f32 to bool"},
      {"lt j, half", "and j, half", "and does not take i64, i64 to bool"},
      {"lt j, half", "add j, half", "add does not take i64, i64 to bool"},
      {"lt j, half", "exp j", "exp does not take i64 to bool"},
      {"lt j, half", "sqrt j", "sqrt does not take i64 to bool"},
      {"lt j, half", "convert j", "convert does not take i64 to bool"},
      {"select less, product, seed", "select product, product, seed",
       "select does not take f32, f32, f32 to f32"},
      {"select less, product, seed", "select less, product, b",
       "operand \"b\" has axis \"k\", which the result lacks, in `chosen: "
       "f32[m, n] = select less, product, b`"},
      {"mma strict a, b, seed", "mma strict a, b, a",
       "operand \"a\" has axis \"k\", which the result lacks"},
      {"mma strict a, b, seed", "mma strict seed, b, seed",
       "axis \"k\" of the right operand is neither in the left operand nor in "
       "the result"},
      {"half: i64[n] = div j, two", "half: f32[n] = mma strict j, b, b",
       "\"j\" is not f32"},
      {"reduce max sequential chosen over n", "reduce max sequential a over n",
       "operand \"a\" has no axis \"n\""},
      {"reduce max sequential chosen over n",
       "reduce max sequential chosen over m", "the result is f32[n]"},
      {"reduce max sequential chosen over n", "reduce max sequential j over n",
       "a reduce is of f32"},
      {"axis n = 3", "axis n = 0", "axis \"n\" has no first element"},
      {"step < 2", "step < -2", "a negative number of trips"},
      {"carry x: f32[m]", "carry x: f32[]", ""},
      {"yield small", "yield wide",
       "carry \"x\" is f32[m] but \"wide\" is f32[m, n], in `pipeline step < "
       "2 {`"},
      {"f32[m] = high", "f32[m, n] = high",
       "carry \"x\" is f32[m, n] but \"high\" is f32[m]"},
      {"j: i64[n]", "store: i64[n]", ""},
      {"one < 1", "yield < 1", "value name \"yield\" is a reserved word"},
  };
  for (const Fault& fault : faults) {
    std::string text = Changed(fault.from, fault.to);
    if (fault.from == "one < 1" && fault.to == "yield < 1") {
      text =
          std::string("exhibit.tile/1\nprogram p\nparallel yield < 1 {\n}\n");
    }
    const auto program = ReadProgram(text, "t");
    ASSERT_FALSE(program.ok()) << fault.to;
    if (fault.message.empty()) continue;
    EXPECT_EQ(program.error().message.find("t: " + std::string(fault.message)),
              0u)
        << program.error().message;
  }
}

TEST(Verify, UseBeforeDefinitionIsRejected) {
  Program program = Sound();
  std::swap(program.body[0], program.body[3]);
  const Status status = VerifyProgram(program);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "value \"a\" is used where it is not defined, in `product: f32[m, "
            "n] = mma strict a, b, seed`");
}

TEST(Verify, BodyValueIsNotVisibleOutside) {
  Program program = Sound();
  const auto& pipeline = std::get<Pipeline>(program.body[10].node);
  const ValueId wide = ResultOf(pipeline.body[0]);
  std::get<Elementwise>(program.body[11].node).operands[1] = wide;
  const Status status = VerifyProgram(program);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "value \"wide\" is used where it is not defined, in `last: f32[m, "
            "n] = add x, wide`");
}

TEST(Verify, CarryArgumentIsNotVisibleOutside) {
  Program program = Sound();
  const auto& pipeline = std::get<Pipeline>(program.body[10].node);
  std::get<Elementwise>(program.body[11].node).operands[0] =
      pipeline.carries[0].argument;
  EXPECT_FALSE(VerifyProgram(program).ok());
}

TEST(Verify, SecondDefinitionIsRejected) {
  Program program = Sound();
  program.body.push_back(program.body[1]);
  const Status status = VerifyProgram(program);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "value \"b\" is defined twice");
}

TEST(Verify, SharedNameIsRejectedUnlessOfOneCarry) {
  Program program = Sound();
  program.values[ResultOf(program.body[1])].name = std::string("a");
  EXPECT_FALSE(VerifyProgram(program).ok());
}

TEST(Verify, ValueWithoutDefinitionIsRejected) {
  Program program = Sound();
  program.values.push_back(Value{"ghost", TileType{}});
  const Status status = VerifyProgram(program);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "value \"ghost\" has no definition");
}

TEST(Verify, NamesOutsideTheAlphabetAreRejected) {
  for (const char* name : {"", "1a", "a b", "\xff", "a\n"}) {
    Program program = Sound();
    program.values[ResultOf(program.body[1])].name = name;
    EXPECT_FALSE(VerifyProgram(program).ok()) << name;
  }
}

TEST(Verify, IndicesOutOfRangeAreRejected) {
  const auto rejects = [](void (*damage)(Program&)) {
    Program program = Sound();
    damage(program);
    return !VerifyProgram(program).ok();
  };
  EXPECT_TRUE(rejects(
      [](Program& p) { std::get<Load>(p.body[0].node).view.buffer = 99; }));
  EXPECT_TRUE(rejects([](Program& p) {
    std::get<Load>(p.body[0].node).view.dims[0].axis = -7;
  }));
  EXPECT_TRUE(
      rejects([](Program& p) { std::get<Load>(p.body[0].node).result = 99; }));
  EXPECT_TRUE(
      rejects([](Program& p) { std::get<Mma>(p.body[3].node).rhs = -1; }));
  EXPECT_TRUE(
      rejects([](Program& p) { std::get<Iota>(p.body[5].node).axis = 3; }));
  EXPECT_TRUE(
      rejects([](Program& p) { std::get<Reduce>(p.body[9].node).axis = 3; }));
  EXPECT_TRUE(rejects([](Program& p) {
    std::get<Pipeline>(p.body[10].node).carries[0].yielded = kNone;
  }));
  EXPECT_TRUE(rejects(
      [](Program& p) { std::get<Pipeline>(p.body[10].node).step = 99; }));
  EXPECT_TRUE(rejects([](Program& p) { p.values[0].type.axes = {17}; }));
  EXPECT_TRUE(rejects([](Program& p) { p.domain[0].index = kNone; }));
}

TEST(Verify, ConstantOfAnotherTypeIsRejected) {
  Program program = Sound();
  std::get<Constant>(program.body[1].node).number = int64_t{1};
  EXPECT_FALSE(VerifyProgram(program).ok());
}

TEST(Verify, LimitsHoldFromBothSides) {
  struct Edge {
    int64_t TileLimits::*limit;
    int64_t least;  // The smallest limit that the sound program fits in.
  };
  const Edge edges[] = {
      {&TileLimits::name_bytes_max, 7},
      {&TileLimits::axis_count_max, 3},
      {&TileLimits::buffer_count_max, 4},
      {&TileLimits::domain_axis_count_max, 1},
      {&TileLimits::op_count_max, 15},
      {&TileLimits::rank_max, 2},
      {&TileLimits::pipeline_depth_max, 1},
      {&TileLimits::carry_count_max, 1},
      {&TileLimits::axis_extent_max, 4},
      {&TileLimits::tile_elements_max, 12},
      {&TileLimits::total_tile_elements_max, 70},
      {&TileLimits::buffer_elements_max, 8},
      {&TileLimits::instance_count_max, 1},
      {&TileLimits::trip_count_max, 2},
  };
  for (const Edge& edge : edges) {
    TileLimits limits;
    limits.*edge.limit = edge.least;
    const Status fits = VerifyProgram(Sound(), limits);
    EXPECT_TRUE(fits.ok()) << fits.error().message;
    limits.*edge.limit = edge.least - 1;
    const Status passes = VerifyProgram(Sound(), limits);
    ASSERT_FALSE(passes.ok()) << edge.least;
    EXPECT_EQ(passes.error().kind, ErrorKind::kLimitExceeded)
        << passes.error().message;
  }
}

TEST(Verify, ProductsOfExtentsCannotOverflow) {
  // 2^60 elements, or 0: either way the strides behind a zero stay bounded.
  for (const char* first : {"1048576", "0"}) {
    const auto program = ReadProgram(
        "exhibit.tile/1\nprogram p\naxis z = " + std::string(first) +
            "\naxis a = 1048576\naxis b = 1048576\naxis c = 1048576\n"
            "parallel {\n  x: f32[z, a, b, c] = constant 0\n}\n",
        "t");
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.error().kind, ErrorKind::kLimitExceeded);
  }
}

}  // namespace
}  // namespace exhibit::tile
