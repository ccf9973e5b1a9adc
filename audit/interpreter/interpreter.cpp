#include "audit/interpreter/interpreter.h"

#include <algorithm>
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

// Every carry has a second place for its update.
int64_t CarryBytes(const tile::Program& program,
                   const std::vector<tile::Op>& body) {
  int64_t bytes = 0;
  for (const tile::Op& op : body) {
    const auto* pipeline = std::get_if<tile::Pipeline>(&op.node);
    if (pipeline == nullptr) continue;
    for (const tile::Carry& carry : pipeline->carries) {
      bytes += ElementCount(program, carry.result) *
               ScalarBytes(TypeOf(program, carry.result).scalar);
    }
    bytes += CarryBytes(program, pipeline->body);
  }
  return bytes;
}

// The limits of VerifyProgram keep the sum far from overflow.
Status CheckMemory(const tile::Program& program, int64_t bytes_max) {
  int64_t bytes = CarryBytes(program, program.body);
  for (const tile::Value& value : program.values) {
    bytes +=
        ElementCount(program, value.type.axes) * ScalarBytes(value.type.scalar);
  }
  for (const tile::Buffer& buffer : program.buffers) {
    if (buffer.role == BufferRole::kInput) continue;
    // One byte for the mark that an element was written.
    bytes += ElementCount(buffer) * (ScalarBytes(buffer.scalar) + 1);
  }
  if (bytes <= bytes_max) return Ok();
  return Error{ErrorKind::kLimitExceeded,
               "the program needs " + std::to_string(bytes) +
                   " bytes of memory, the limit is " +
                   std::to_string(bytes_max),
               ""};
}

BufferState MakeBuffer(const tile::Buffer& buffer,
                       const std::map<std::string, BufferData>& inputs) {
  BufferState state;
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
    state.own = std::vector<float>(elements);
  } else {
    state.own = std::vector<int64_t>(elements);
  }
  state.written.resize(elements);
  return state;
}

void FillMachine(const tile::Program& program,
                 const std::map<std::string, BufferData>& inputs,
                 Machine& machine) {
  for (const tile::Value& value : program.values) {
    machine.tiles.push_back(TileData::Of(
        value.type.scalar, ElementCount(program, value.type.axes)));
  }
  for (const tile::Buffer& buffer : program.buffers) {
    machine.buffers.push_back(MakeBuffer(buffer, inputs));
  }
}

// Row-major, the last axis of the domain fastest; false when the operations
// were used up.
bool ExecuteInstances(const tile::Program& program,
                      const std::vector<Statement>& body, Machine& machine) {
  std::vector<int64_t*> indices;
  for (const tile::DomainAxis& axis : program.domain) {
    indices.push_back(machine.tiles.at(axis.index).Data<int64_t>());
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

Result<std::map<std::string, BufferData>> TakeOutputs(
    const tile::Program& program, Machine& machine) {
  std::map<std::string, BufferData> outputs;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const tile::Buffer& buffer = program.buffers[i];
    if (buffer.role == BufferRole::kInput) continue;
    BufferState& state = machine.buffers[i];
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

}  // namespace

Result<std::map<std::string, BufferData>> RunProgram(
    const tile::Program& program,
    const std::map<std::string, BufferData>& inputs,
    const InterpreterLimits& limits) {
  EXHIBIT_RETURN_IF_ERROR(VerifyProgram(program));
  EXHIBIT_RETURN_IF_ERROR(CheckInputs(program, inputs));
  EXHIBIT_RETURN_IF_ERROR(CheckMemory(program, limits.memory_bytes_max));
  Machine machine;
  machine.operations_left = limits.operation_count_max;
  FillMachine(program, inputs, machine);
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<Statement> body,
                           MakeStatements(program, program.body, machine));
  if (!ExecuteInstances(program, body, machine)) {
    return Error{ErrorKind::kLimitExceeded,
                 "the program takes more than " +
                     std::to_string(limits.operation_count_max) + " operations",
                 ""};
  }
  return TakeOutputs(program, machine);
}

}  // namespace exhibit
