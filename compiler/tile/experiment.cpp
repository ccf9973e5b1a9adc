#include "compiler/tile/experiment.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "compiler/tile/text.h"

namespace exhibit::tile {
namespace {

Status CheckBuffer(const Buffer& buffer, const std::string& place) {
  const std::string of = place + ": buffer \"" + buffer.name + "\" ";
  if (buffer.role == BufferRole::kInout) {
    return Error{ErrorKind::kUnsupported, of + "is inout",
                 "An experiment calls a kernel many times, so what it reads "
                 "must not change: declare an input and an output."};
  }
  if (buffer.scalar != ScalarType::kF32) {
    return Error{ErrorKind::kUnsupported,
                 of + "is of " + std::string(NameOf(buffer.scalar)),
                 "The arrays of an experiment are of f32."};
  }
  if (!IsBufferName(buffer.name)) {
    return Error{ErrorKind::kInvalidArgument,
                 of + "has no name for an experiment",
                 "A buffer is [a-z][a-z0-9_]*, at most 32 long."};
  }
  for (const int64_t extent : buffer.shape) {
    if (extent >= 1) continue;
    return Error{ErrorKind::kInvalidArgument, of + "is empty", ""};
  }
  if (ElementCount(buffer) > ManifestLimits::kElementsMax) {
    return Error{ErrorKind::kLimitExceeded, of + "has more than 2^28 elements",
                 ""};
  }
  return Ok();
}

// Values of a relaxed mma that are unequal can both be right, so no text could
// be executed again to the same bits.
Status CheckOneResult(const Program& program, const std::vector<Op>& body,
                      const std::string& place) {
  for (const Op& op : body) {
    if (const auto* loop = std::get_if<Pipeline>(&op.node)) {
      EXHIBIT_RETURN_IF_ERROR(CheckOneResult(program, loop->body, place));
    }
    const auto* mma = std::get_if<Mma>(&op.node);
    if (mma == nullptr || mma->permission != Permission::kRelaxed) continue;
    return Error{ErrorKind::kUnsupported,
                 place + ": mma \"" + ValueName(program, mma->result) +
                     "\" is relaxed, so more than one result is right",
                 "Write strict or fma."};
  }
  return Ok();
}

}  // namespace

Result<Experiment> ReadExperiment(std::string_view text,
                                  std::string_view where) {
  const std::string place(where);
  Experiment experiment;
  EXHIBIT_ASSIGN_OR_RETURN(experiment.program, ReadProgram(text, where));
  const Program& program = experiment.program;
  if (program.buffers.size() >
      static_cast<size_t>(ManifestLimits::kBuffersMax)) {
    return Error{ErrorKind::kLimitExceeded,
                 place + ": " + std::to_string(program.buffers.size()) +
                     " buffers, at most 16 fit an experiment",
                 ""};
  }
  for (const Buffer& buffer : program.buffers) {
    EXHIBIT_RETURN_IF_ERROR(CheckBuffer(buffer, place));
    experiment.buffers.push_back({buffer.name, std::string(NameOf(buffer.role)),
                                  std::string(NameOf(buffer.scalar)),
                                  buffer.shape});
  }
  const bool has_output = std::any_of(
      program.buffers.begin(), program.buffers.end(),
      [](const Buffer& b) { return b.role == BufferRole::kOutput; });
  if (!has_output) {
    return Error{ErrorKind::kInvalidArgument, place + ": there is no output",
                 ""};
  }
  EXHIBIT_RETURN_IF_ERROR(CheckOneResult(program, program.body, place));
  experiment.dispatch = InstanceCount(program);
  if (experiment.dispatch > ManifestLimits::kDispatchMax) {
    return Error{ErrorKind::kLimitExceeded,
                 place + ": " + std::to_string(experiment.dispatch) +
                     " instances, at most 2^30 fit an experiment",
                 ""};
  }
  if (experiment.dispatch < 1) {
    return Error{ErrorKind::kInvalidArgument,
                 place + ": the domain has no instance", ""};
  }
  return experiment;
}

}  // namespace exhibit::tile
