#include "audit/interpreter/interpreter.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "audit/interpreter/machine.h"
#include "audit/interpreter/statement.h"
#include "compiler/tile/verify.h"

namespace exhibit {
namespace {

using tile::BufferRole;

Error Invalid(std::string what) {
  return Error{ErrorKind::kInvalidArgument, std::move(what), ""};
}

std::string Quote(const tile::Buffer& buffer) {
  return "buffer \"" + buffer.name + "\"";
}

bool IsOfType(const BufferData& data, tile::ScalarType type) {
  return std::holds_alternative<std::vector<float>>(data) ==
         (type == tile::ScalarType::kF32);
}

uint64_t SizeOf(const BufferData& data) {
  return std::visit([](const auto& values) { return values.size(); }, data);
}

Status CheckInputs(const tile::Program& program,
                   const std::map<std::string, BufferData>& inputs) {
  size_t expected = 0;
  for (const tile::Buffer& buffer : program.buffers) {
    const auto input = inputs.find(buffer.name);
    if (buffer.role == BufferRole::kOutput) {
      if (input == inputs.end()) continue;
      return Invalid(Quote(buffer) + " is an output, but was given");
    }
    ++expected;
    if (input == inputs.end()) return Invalid(Quote(buffer) + " is missing");
    if (!IsOfType(input->second, buffer.scalar)) {
      return Invalid(Quote(buffer) + " is of " +
                     std::string(NameOf(buffer.scalar)));
    }
    const auto elements = static_cast<uint64_t>(ElementCount(buffer));
    if (SizeOf(input->second) != elements) {
      return Invalid(Quote(buffer) + " has " + std::to_string(elements) +
                     " elements, not " + std::to_string(SizeOf(input->second)));
    }
  }
  if (inputs.size() == expected) return Ok();
  return Invalid(std::to_string(inputs.size()) + " buffers were given, " +
                 std::to_string(expected) + " are declared");
}

// Of one element of a tile or buffer, with Real in the place of f32.
template <typename Real>
int64_t BytesOfOne(tile::ScalarType type) {
  return type == tile::ScalarType::kF32 ? int64_t{sizeof(Real)}
                                        : ScalarBytes(type);
}

// Every carry has a second place for its update.
template <typename Real>
int64_t CarryBytes(const tile::Program& program,
                   const std::vector<tile::Op>& body) {
  int64_t bytes = 0;
  for (const tile::Op& op : body) {
    const auto* pipeline = std::get_if<tile::Pipeline>(&op.node);
    if (pipeline == nullptr) continue;
    for (const tile::Carry& carry : pipeline->carries) {
      bytes += ElementCount(program, carry.result) *
               BytesOfOne<Real>(TypeOf(program, carry.result).scalar);
    }
    bytes += CarryBytes<Real>(program, pipeline->body);
  }
  return bytes;
}

// Whether an input is copied because it is given as other numbers.
template <typename Real>
bool IsWidened(const tile::Buffer& buffer) {
  return !std::is_same_v<Real, float> &&
         buffer.scalar == tile::ScalarType::kF32;
}

// The limits of VerifyProgram keep the sum far from overflow.
template <typename Real>
Status CheckMemory(const tile::Program& program, int64_t bytes_max) {
  int64_t bytes = CarryBytes<Real>(program, program.body);
  for (const tile::Value& value : program.values) {
    bytes += ElementCount(program, value.type.axes) *
             BytesOfOne<Real>(value.type.scalar);
  }
  for (const tile::Buffer& buffer : program.buffers) {
    if (buffer.role == BufferRole::kInput && !IsWidened<Real>(buffer)) continue;
    // One byte for the mark that an element was written.
    bytes += ElementCount(buffer) * (BytesOfOne<Real>(buffer.scalar) + 1);
  }
  if (bytes <= bytes_max) return Ok();
  return Error{ErrorKind::kLimitExceeded,
               "the program needs " + std::to_string(bytes) +
                   " bytes of memory, the limit is " +
                   std::to_string(bytes_max),
               ""};
}

template <typename Real>
using Buffers = std::map<std::string, BufferOf<Real>>;

template <typename Real>
BufferState<Real> MakeBuffer(const tile::Buffer& buffer,
                             const Buffers<Real>& inputs) {
  BufferState<Real> state;
  if (buffer.role == BufferRole::kInput) {
    state.input = &inputs.at(buffer.name);
    return state;
  }
  if (buffer.role == BufferRole::kInout) {
    state.own = inputs.at(buffer.name);
    return state;
  }
  const auto elements = static_cast<size_t>(ElementCount(buffer));
  if (buffer.scalar == tile::ScalarType::kF32) {
    state.own = std::vector<Real>(elements);
  } else {
    state.own = std::vector<int64_t>(elements);
  }
  state.written.resize(elements);
  return state;
}

template <typename Real>
void FillMachine(const tile::Program& program, const Buffers<Real>& inputs,
                 Machine<Real>& machine) {
  for (const tile::Value& value : program.values) {
    machine.tiles.push_back(TileData<Real>::Of(
        value.type.scalar, ElementCount(program, value.type.axes)));
  }
  for (const tile::Buffer& buffer : program.buffers) {
    machine.buffers.push_back(MakeBuffer<Real>(buffer, inputs));
  }
}

// Row-major, the last axis of the domain fastest; false when the operations
// were used up.
template <typename Real>
bool ExecuteInstances(const tile::Program& program,
                      const std::vector<Statement<Real>>& body,
                      Machine<Real>& machine) {
  std::vector<int64_t*> indices;
  for (const tile::DomainAxis& axis : program.domain) {
    indices.push_back(machine.tiles.at(axis.index).template Data<int64_t>());
  }
  const int64_t instances = InstanceCount(program);
  for (int64_t instance = 0; instance < instances; ++instance) {
    int64_t rest = instance;
    for (size_t i = indices.size(); i-- > 0;) {
      *indices[i] = rest % program.domain[i].extent;
      rest /= program.domain[i].extent;
    }
    if (machine.operations_left < kStatementOperations) return false;
    machine.operations_left -= kStatementOperations;
    if (!Execute(body, machine)) return false;
  }
  return true;
}

// "[1,2]" of the element at `offset`.
std::string IndexText(const tile::Buffer& buffer, int64_t offset) {
  std::string text;
  for (auto extent = buffer.shape.rbegin(); extent != buffer.shape.rend();
       ++extent) {
    text = std::to_string(offset % *extent) + (text.empty() ? "" : ",") + text;
    offset /= *extent;
  }
  return "[" + text + "]";
}

template <typename Real>
Result<Buffers<Real>> TakeOutputs(const tile::Program& program,
                                  Machine<Real>& machine) {
  Buffers<Real> outputs;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const tile::Buffer& buffer = program.buffers[i];
    if (buffer.role == BufferRole::kInput) continue;
    BufferState<Real>& state = machine.buffers[i];
    const auto gap =
        std::find(state.written.begin(), state.written.end(), uint8_t{0});
    if (gap != state.written.end()) {
      return Invalid("no instance writes element " +
                     IndexText(buffer, gap - state.written.begin()) + " of " +
                     Quote(buffer));
    }
    outputs[buffer.name] = std::move(state.own);
  }
  return outputs;
}

// What may be run, and within its memory.
template <typename Real>
Status CheckRunnable(const tile::Program& program,
                     const std::map<std::string, BufferData>& inputs,
                     const InterpreterLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(VerifyProgram(program));
  EXHIBIT_RETURN_IF_ERROR(CheckInputs(program, inputs));
  return CheckMemory<Real>(program, limits.memory_bytes_max);
}

// Runs a program that CheckRunnable lets pass.
template <typename Real>
Result<Buffers<Real>> RunChecked(const tile::Program& program,
                                 const Buffers<Real>& inputs,
                                 const InterpreterLimits& limits) {
  Machine<Real> machine;
  machine.operations_left = limits.operation_count_max;
  FillMachine(program, inputs, machine);
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<Statement<Real>> body,
                           MakeStatements(program, program.body, machine));
  const bool done = ExecuteInstances(program, body, machine);
  if (limits.operations_left != nullptr) {
    *limits.operations_left = done ? machine.operations_left : 0;
  }
  if (!done) {
    return Error{ErrorKind::kLimitExceeded,
                 "the program takes more than " +
                     std::to_string(limits.operation_count_max) + " operations",
                 ""};
  }
  return TakeOutputs(program, machine);
}

WideBufferData Widened(const BufferData& data) {
  if (const auto* floats = std::get_if<std::vector<float>>(&data)) {
    return std::vector<double>(floats->begin(), floats->end());
  }
  return std::get<std::vector<int64_t>>(data);
}

}  // namespace

Result<std::map<std::string, BufferData>> RunProgram(
    const tile::Program& program,
    const std::map<std::string, BufferData>& inputs,
    const InterpreterLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(CheckRunnable<float>(program, inputs, limits));
  return RunChecked<float>(program, inputs, limits);
}

Result<std::map<std::string, WideBufferData>> EvaluateProgram(
    const tile::Program& program,
    const std::map<std::string, BufferData>& inputs,
    const InterpreterLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(CheckRunnable<double>(program, inputs, limits));
  Buffers<double> wide;
  for (const auto& [name, data] : inputs) wide[name] = Widened(data);
  return RunChecked<double>(program, wide, limits);
}

}  // namespace exhibit
