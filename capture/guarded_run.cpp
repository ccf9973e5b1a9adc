#include "capture/guarded_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/call/call.h"

namespace exhibit {
namespace {

constexpr uint64_t kProcTextBytesMax = uint64_t{64} << 20;

Result<Array> ReadArray(const std::string& run, const std::string& sha256) {
  const std::string path = ArrayPath(sha256);
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(run + "/" + path, kArrayFileBytesMax));
  const std::string found = Sha256Hex(bytes);
  if (found != sha256) {
    return Error{ErrorKind::kCorrupt, path + " has SHA-256 " + found, ""};
  }
  return DecodeNpy(bytes, path);
}

std::vector<double> ExpectedOf(const Array& array) {
  if (array.dtype == DType::kF64) return DoublesOf(array);
  const std::vector<float> floats = FloatsOf(array);
  return std::vector<double>(floats.begin(), floats.end());
}

Result<uint32_t> Extent32(const char* what, int64_t value) {
  if (value >= 1 && value <= std::numeric_limits<uint32_t>::max()) {
    return static_cast<uint32_t>(value);
  }
  return Error{ErrorKind::kLimitExceeded,
               std::string(what) + " is " + std::to_string(value) +
                   ", not in 1..4294967295",
               ""};
}

// The first guard or output that is wrong, or "".
std::string WhatFailed(const CallableCase& callable,
                       const GuardedBuffers& buffers,
                       const Tolerance& tolerance) {
  for (const GuardState& guard : buffers.Guards()) {
    if (!guard.intact) {
      return guard.buffer + ": a guard zone beside it was written to";
    }
  }
  for (const CallBuffer& buffer : callable.buffers) {
    if (buffer.role != "output") continue;
    const std::span<const float> actual = buffers.OutputFloats(buffer.name);
    const std::vector<double>& expected = callable.expected.at(buffer.name);
    const ToleranceResult result = CheckTolerance(actual, expected, tolerance);
    if (!result.ok()) {
      return DescribeFailure(buffer.name, actual, expected, result);
    }
  }
  return "";
}

}  // namespace

Result<CallableCase> LoadCallableCase(const std::string& run,
                                      const CaseRecord& record) {
  CallableCase callable;
  callable.dispatch = record.dispatch;
  for (const CaseArray& declared : record.arrays) {
    EXHIBIT_ASSIGN_OR_RETURN(Array array, ReadArray(run, declared.sha256));
    CallBuffer buffer;
    buffer.name = declared.name;
    buffer.role = declared.role;
    buffer.shape.assign(declared.shape.begin(), declared.shape.end());
    if (declared.role == "output") {
      callable.expected[declared.name] = ExpectedOf(array);
    } else {
      buffer.bytes = std::move(array.bytes);
    }
    callable.buffers.push_back(std::move(buffer));
  }
  return callable;
}

Result<CallReport> RunGuarded(const CallableCase& callable,
                              const GuardedRun& run) {
  CallShape shape;
  shape.workspace_bytes = static_cast<uint64_t>(run.workspace_bytes);
  EXHIBIT_ASSIGN_OR_RETURN(shape.dispatch,
                           Extent32("the dispatch", callable.dispatch));
  EXHIBIT_ASSIGN_OR_RETURN(
      shape.workers_per_block,
      Extent32("workers_per_block", run.workers_per_block));
  EXHIBIT_ASSIGN_OR_RETURN(GuardedBuffers buffers,
                           GuardedBuffers::Create(callable.buffers, shape));
  buffers.Poison();
  CallEntry(run.entry, buffers);
  CallReport report;
  report.failure = WhatFailed(callable, buffers, run.tolerance);
  for (const CallBuffer& buffer : callable.buffers) {
    if (buffer.role != "output") continue;
    report.outputs.push_back(
        {buffer.name, EncodeNpy(buffers.OutputArray(buffer.name))});
  }
  Result<ProcessFacts> process = DescribeThisProcess();
  if (process.ok()) {
    report.process = std::move(*process);
  } else {
    report.could_not = process.error();
  }
  return report;
}

Result<ProcessFacts> DescribeThisProcess() {
  ProcessFacts facts;
  EXHIBIT_ASSIGN_OR_RETURN(const std::string line,
                           ReadFile("/proc/self/cmdline", kProcTextBytesMax));
  std::vector<std::string> words;
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find('\0', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  facts.command = CommandWithoutPaths(words);
  facts.environment = AllowedEnvironment();
  EXHIBIT_ASSIGN_OR_RETURN(const std::string maps,
                           ReadFile("/proc/self/maps", kProcTextBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(facts.mapped_files, DescribeMappedFiles(maps));
  return facts;
}

}  // namespace exhibit
