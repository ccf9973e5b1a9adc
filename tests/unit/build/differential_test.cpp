// Compiled code against the interpreter, bit for bit, on random programs.
//
// Each seed gives a program, options and inputs. The default run takes a fixed
// list of seeds; with EXHIBIT_DIFFERENTIAL_SECONDS set it goes on for that long
// from EXHIBIT_DIFFERENTIAL_FROM (or 1000) and tells how far it came.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "audit/interpreter/interpreter.h"
#include "compiler/plan/plan.h"
#include "compiler/tile/text.h"
#include "tests/unit/build/kernel_runner.h"
#include "tests/unit/build/random_program.h"

namespace exhibit {
namespace {

using testing::Random;

constexpr uint64_t kDefaultSeeds = 150;
constexpr uint64_t kLongRunsStartAt = 1000;

struct Subject {
  std::string text;
  TileOptions options;
  std::string cpu;
};

bool UsesFma(const Subject& subject) {
  return subject.text.find("= mma fma ") != std::string::npos;
}

// A third of the seeds are attention.
Subject SubjectOf(Random& random, uint64_t seed) {
  Subject subject;
  subject.options = testing::RandomOptions(random);
  subject.cpu = random.Chance(75) ? "native" : "x86-64";
  subject.text = seed % 3 == 0
                     ? testing::RandomAttention(random, subject.options)
                     : testing::RandomProgram(random);
  if (UsesFma(subject)) subject.cpu = "native";
  return subject;
}

float RandomFloat(Random& random, bool tame) {
  if (!tame && random.Chance(4)) {
    return random.OneOf({INFINITY, -INFINITY, std::nanf(""), -0.0f, 1e30f,
                         -1e38f, 1e-40f, 87.5f, -103.9f});
  }
  // Eleven bits, so that products and sums round.
  const auto units = static_cast<float>(random.Between(-2047, 2047));
  return units * random.OneOf({0x1p-11f, 0x1p-10f, 0.1f, 0x1p-13f});
}

// The values of one buffer, as the interpreter takes them.
BufferData RandomData(Random& random, const tile::Buffer& buffer) {
  const auto count = static_cast<size_t>(tile::ElementCount(buffer));
  if (buffer.scalar == tile::ScalarType::kF32) {
    const bool tame = random.Chance(70);
    std::vector<float> values(count);
    for (float& value : values) value = RandomFloat(random, tame);
    return values;
  }
  std::vector<int64_t> values(count);
  for (int64_t& value : values) {
    value = random.Chance(3) ? static_cast<int64_t>(random.Next())
                             : random.Between(-5, 12);
  }
  return values;
}

// The bytes of a buffer in the words that the runner moves about.
std::vector<float> Words(const BufferData& data) {
  if (const auto* floats = std::get_if<std::vector<float>>(&data)) {
    return *floats;
  }
  const auto& integers = std::get<std::vector<int64_t>>(data);
  std::vector<float> words(2 * integers.size());
  if (!integers.empty()) {
    std::memcpy(words.data(), integers.data(), 8 * integers.size());
  }
  return words;
}

// The first element that differs, or an empty string. Of NaNs only that they
// are NaNs counts, in f32.
std::string Difference(const BufferData& expected,
                       const std::vector<float>& found) {
  const std::vector<float> words = Words(expected);
  const bool is_f32 = std::holds_alternative<std::vector<float>>(expected);
  const std::vector<uint32_t> a = testing::Bits(words);
  const std::vector<uint32_t> b = testing::Bits(found);
  if (a.size() != b.size()) return "another size";
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (is_f32 && std::isnan(words[i]) && std::isnan(found[i])) continue;
    return "word " + std::to_string(i) + ": interpreter " +
           std::to_string(words[i]) + ", compiled " + std::to_string(found[i]) +
           " (bits " + std::to_string(a[i]) + ", " + std::to_string(b[i]) + ")";
  }
  return "";
}

// What a person types to see the code.
std::string CommandOf(const Subject& subject) {
  std::string command = "exhibit-compile - --explain --cpu " + subject.cpu;
  for (const auto& [name, value] : TileOptionValues(subject.options)) {
    const std::string* word = value.AsString();
    const std::string typed = word != nullptr ? *word : QuoteJson(value);
    command += " --set " + name + "=" + typed;
  }
  return command + " <<'END'\n" + subject.text + "END";
}

// An empty string, or in what the two differ.
std::string Compare(const Subject& subject, Random& random) {
  const auto program = tile::ReadProgram(subject.text, "random");
  if (!program.ok()) return program.error().message;
  std::map<std::string, BufferData> inputs;
  std::vector<std::vector<float>> initial;
  for (const tile::Buffer& buffer : program->buffers) {
    const BufferData data = RandomData(random, buffer);
    initial.push_back(Words(data));
    if (buffer.role != tile::BufferRole::kOutput) inputs[buffer.name] = data;
  }
  const auto expected = RunProgram(*program, inputs);
  if (!expected.ok()) return expected.error().message;
  CompileOptions compile;
  compile.cpu = subject.cpu;
  const auto kernel = CompileKernel(*program, subject.options, compile);
  if (!kernel.ok()) {
    // A machine without the instruction has nothing to compare.
    const bool lacks_fma =
        UsesFma(subject) && kernel.error().kind == ErrorKind::kUnsupported;
    return lacks_fma ? "" : kernel.error().message;
  }
  testing::RunSpec run;
  run.instances = tile::InstanceCount(*program);
  run.workers_per_block = subject.options.workers_per_block;
  run.workspace_bytes = kernel->workspace_bytes;
  const auto found = testing::RunEntry(kernel->entry, run, initial);
  if (!found.guards_intact) return "a guard zone was written to";
  for (size_t i = 0; i < program->buffers.size(); ++i) {
    const tile::Buffer& buffer = program->buffers[i];
    const auto output = expected->find(buffer.name);
    const std::string difference = Difference(
        output != expected->end() ? output->second : inputs.at(buffer.name),
        found.buffers[i]);
    if (!difference.empty()) return buffer.name + ", " + difference;
  }
  return "";
}

// True when the two agree.
bool SeedAgrees(uint64_t seed) {
  Random random(seed);
  const Subject subject = SubjectOf(random, seed);
  std::string difference;
  try {
    difference = Compare(subject, random);
  } catch (const std::exception& bug) {
    difference = bug.what();
  }
  if (difference.empty()) return true;
  ADD_FAILURE() << "seed " << seed << ": " << difference << "\n"
                << CommandOf(subject);
  return false;
}

uint64_t NumberIn(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Differential, CompiledCodeGivesTheInterpretersBits) {
  for (uint64_t seed = 0; seed < kDefaultSeeds; ++seed) {
    EXPECT_TRUE(SeedAgrees(seed));
  }
}

// Found by seed 100081 of a first generator: a constant that a reduce reads has
// an array, which nothing had filled.
TEST(Differential, AReduceOverAConstantFindsItsElements) {
  for (const char* number : {"8", "0.1", "-inf"}) {
    for (const char* order : {"sequential", "tree"}) {
      for (const int64_t unrolled : {0, 2, 8, 64}) {
        Subject subject;
        subject.cpu = "native";
        subject.options.max_unrolled_tile_elements = unrolled;
        subject.text =
            "exhibit.tile/1\nprogram constant\naxis n = 12\n"
            "output sums f32[5]\noutput tops f32[5]\n"
            "parallel i < 5 {\n  v: f32[n] = constant " +
            std::string(number) + "\n  sum: f32 = reduce sum " + order +
            " v over n\n  top: f32 = reduce max " + order +
            " v over n\n  store sum -> sums[i]\n  store top -> tops[i]\n}\n";
        Random random(1);
        EXPECT_EQ(Compare(subject, random), "")
            << number << " " << order << " " << unrolled;
      }
    }
  }
}

// How many of the default seeds reach a decision of the plan.
struct Reach {
  int rolled = 0;
  int rolled_by_cap = 0;
  int rows = 0;
  int blocks = 0;
  int arrays = 0;
  int workspace = 0;
  int tails = 0;
  int full_packets = 0;
  int empty_mmas = 0;

  void Add(const Plan& plan) {
    rolled += plan.rolled_mmas > 0;
    blocks += plan.two_dimensional_mmas > 0;
    rows += plan.blocked_mmas > plan.two_dimensional_mmas;
    arrays += plan.static_snapshot_allocations > 0;
    workspace += plan.private_workspace_bytes > 0;
    tails += plan.tail_packets_dispatched > 0;
    full_packets += plan.full_packets_dispatched > 0;
    for (const MmaPlan& mma : plan.mmas) {
      rolled_by_cap += mma.rolled_by_cap_only;
      empty_mmas += mma.terms == 0;
    }
  }
};

TEST(Differential, TheSeedsReachWhatThePlanDecides) {
  Reach reach;
  for (uint64_t seed = 0; seed < kDefaultSeeds; ++seed) {
    Random random(seed);
    const Subject subject = SubjectOf(random, seed);
    const auto program = tile::ReadProgram(subject.text, "random");
    ASSERT_TRUE(program.ok()) << program.error().message;
    const auto plan = PlanProgram(*program, subject.options);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    reach.Add(*plan);
  }
  const std::pair<const char*, int> counts[] = {
      {"rolled", reach.rolled},
      {"rolled by the cap", reach.rolled_by_cap},
      {"rows", reach.rows},
      {"blocks", reach.blocks},
      {"arrays", reach.arrays},
      {"workspace", reach.workspace},
      {"tails", reach.tails},
      {"full packets", reach.full_packets},
      {"empty mmas", reach.empty_mmas}};
  for (const auto& [what, count] : counts) {
    EXPECT_GE(count, 3) << what;
    RecordProperty(what, count);
  }
}

// For as long as asked, to the first seed that does not agree.
TEST(Differential, CompiledCodeGivesTheInterpretersBitsForAsLongAsAsked) {
  using Clock = std::chrono::steady_clock;
  const uint64_t seconds = NumberIn("EXHIBIT_DIFFERENTIAL_SECONDS", 0);
  if (seconds == 0) GTEST_SKIP() << "EXHIBIT_DIFFERENTIAL_SECONDS is not set";
  const uint64_t from = NumberIn("EXHIBIT_DIFFERENTIAL_FROM", kLongRunsStartAt);
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  uint64_t seed = from;
  for (; Clock::now() < end; ++seed) {
    ASSERT_TRUE(SeedAgrees(seed)) << seed - from << " seeds agreed before";
    if (seed % 100 == 99)
      std::cout << "seed " << seed << " agrees" << std::endl;
  }
  std::cout << seed - from << " seeds agree, " << from << " to " << seed - 1
            << "\n";
}

}  // namespace
}  // namespace exhibit
