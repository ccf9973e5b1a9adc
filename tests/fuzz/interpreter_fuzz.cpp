// The interpreter, which executes program texts of whoever made a bundle: a
// program gives the same bits twice and from its canonical text, or says why
// not; and what an experiment accepts is a program that can be executed.

#include <bit>
#include <cmath>
#include <limits>

#include "audit/interpreter/interpreter.h"
#include "compiler/tile/experiment.h"
#include "compiler/tile/text.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

constexpr int64_t kElementsMax = 1 << 16;
constexpr InterpreterLimits kLimits = {.operation_count_max = 1 << 20,
                                       .memory_bytes_max = 1 << 22};

template <typename Buffers>
using Run = Result<Buffers>;
using Buffers = std::map<std::string, BufferData>;
using WideBuffers = std::map<std::string, WideBufferData>;

float FloatAt(int64_t i) {
  constexpr float kSpecial[] = {0.0F,
                                -0.0F,
                                1.0F,
                                std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::denorm_min(),
                                std::numeric_limits<float>::max()};
  if (i % 11 == 10) return kSpecial[i / 11 % std::size(kSpecial)];
  return static_cast<float>(i % 97) * 0.3F - 7.0F;
}

BufferData DataOf(const tile::Buffer& buffer) {
  const int64_t count = tile::ElementCount(buffer);
  if (buffer.scalar == tile::ScalarType::kF32) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(FloatAt(i));
    return values;
  }
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(i % 5 == 4 ? std::numeric_limits<int64_t>::min() >> i % 64
                                : i % 7 - 3);
  }
  return values;
}

// Nothing when that is more than a fuzzer has time for.
std::optional<Buffers> InputsOf(const tile::Program& program) {
  Buffers inputs;
  int64_t elements = 0;
  for (const tile::Buffer& buffer : program.buffers) {
    if (tile::ElementCount(buffer) > kElementsMax - elements) {
      return std::nullopt;
    }
    elements += tile::ElementCount(buffer);
    if (buffer.role != tile::BufferRole::kOutput) {
      inputs[buffer.name] = DataOf(buffer);
    }
  }
  return inputs;
}

template <typename T>
bool Same(T a, T b) {
  return a == b ? std::signbit(static_cast<double>(a)) ==
                      std::signbit(static_cast<double>(b))
                : a != a && b != b;
}

// Equal bits, whatever the NaNs.
template <typename Buffer>
bool SameBuffer(const Buffer& a, const Buffer& b) {
  return std::visit(
      [&b](const auto& values) {
        const auto* others = std::get_if<std::decay_t<decltype(values)>>(&b);
        return others != nullptr &&
               std::equal(values.begin(), values.end(), others->begin(),
                          others->end(),
                          [](auto x, auto y) { return Same(x, y); });
      },
      a);
}

template <typename Results>
void RequireSame(const Result<Results>& a, const Result<Results>& b) {
  fuzz::Require(a.ok() == b.ok(), "a program ends alike twice");
  if (!a.ok()) {
    fuzz::RequireSound(a.error());
    fuzz::Require(a.error().kind == b.error().kind, "it fails alike twice");
    return;
  }
  fuzz::Require(std::equal(a->begin(), a->end(), b->begin(), b->end(),
                           [](const auto& x, const auto& y) {
                             return x.first == y.first &&
                                    SameBuffer(x.second, y.second);
                           }),
                "a program gives the same bits twice");
}

template <typename Results>
void RequireWhole(const tile::Program& program, const Results& results) {
  size_t written = 0;
  for (const tile::Buffer& buffer : program.buffers) {
    if (buffer.role == tile::BufferRole::kInput) continue;
    ++written;
    const auto found = results.find(buffer.name);
    fuzz::Require(found != results.end(), "what is declared is given");
    const size_t count = std::visit(
        [](const auto& values) { return values.size(); }, found->second);
    fuzz::Require(count == static_cast<size_t>(tile::ElementCount(buffer)),
                  "a buffer is given whole");
  }
  fuzz::Require(written == results.size(), "nothing else is given");
}

void CheckRuns(const tile::Program& program, const tile::Program& printed,
               const Buffers& inputs) {
  const Run<Buffers> run = RunProgram(program, inputs, kLimits);
  RequireSame(run, RunProgram(printed, inputs, kLimits));
  if (run.ok()) RequireWhole(program, *run);
  const Run<WideBuffers> wide = EvaluateProgram(program, inputs, kLimits);
  RequireSame(wide, EvaluateProgram(printed, inputs, kLimits));
  if (wide.ok()) RequireWhole(program, *wide);
}

void CheckExperiment(std::string_view text, const tile::Program& program,
                     const Buffers& inputs) {
  const auto experiment = tile::ReadExperiment(text, "input");
  if (!experiment.ok()) return fuzz::RequireSound(experiment.error());
  fuzz::Require(experiment->buffers.size() == program.buffers.size() &&
                    experiment->dispatch == tile::InstanceCount(program),
                "an experiment is of its program");
  const Run<Buffers> run = RunProgram(program, inputs, kLimits);
  fuzz::Require(run.ok() || run.error().kind != ErrorKind::kUnsupported,
                "what an experiment accepts can be executed");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const auto program = tile::ReadProgram(text, "input");
  if (!program.ok()) {
    fuzz::RequireSound(program.error());
    fuzz::Require(!tile::ReadExperiment(text, "input").ok(),
                  "an experiment needs a program");
    return 0;
  }
  const std::optional<Buffers> inputs = InputsOf(*program);
  if (!inputs) return 0;
  const auto printed =
      tile::ReadProgram(tile::PrintProgram(*program), "printed");
  fuzz::Require(printed.ok(), "what is printed is read");
  CheckRuns(*program, *printed, *inputs);
  CheckExperiment(text, *program, *inputs);
  return 0;
}
