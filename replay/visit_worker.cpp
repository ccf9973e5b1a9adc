#include "replay/visit_worker.h"

#include <alloca.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "manifests/host/host.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/call/call.h"
#include "replay/counters.h"
#include "replay/run_array.h"
#include "replay/visit_message.h"

namespace exhibit {
namespace {

constexpr int64_t kBatchNs = 500'000;  // Of a warm-up batch, at least.
constexpr int64_t kBatchCallsMax = int64_t{1} << 20;
constexpr int64_t kLateBatchesMin = 4;   // In the second half of warm-up,
constexpr int64_t kWarmUpFactorMax = 4;  // unless it grew this many times.

struct ExpectedOutput {
  std::string name;
  std::vector<double> values;
};

std::vector<uint64_t> ShapeOf(const CaseArray& array) {
  return {array.shape.begin(), array.shape.end()};
}

Result<std::vector<CallBuffer>> ReadInputs(const CaseRecord& record) {
  std::vector<CallBuffer> list;
  for (const CaseArray& array : record.arrays) {
    CallBuffer buffer;
    buffer.name = array.name;
    buffer.role = array.role;
    EXHIBIT_ASSIGN_OR_RETURN(buffer.dtype, ParseDType(array.dtype));
    buffer.shape = ShapeOf(array);
    if (array.role == "input") {
      EXHIBIT_ASSIGN_OR_RETURN(Array values, ReadRunArray(".", array.sha256));
      if (values.dtype != buffer.dtype || values.shape != buffer.shape) {
        return Error{ErrorKind::kCorrupt,
                     ArrayPath(array.sha256) +
                         ": not of the type and shape of input '" + array.name +
                         "'",
                     ""};
      }
      buffer.bytes = std::move(values.bytes);
    }
    list.push_back(std::move(buffer));
  }
  return list;
}

Result<std::vector<ExpectedOutput>> ReadExpected(const CaseRecord& record) {
  std::vector<ExpectedOutput> list;
  for (const CaseArray& array : record.arrays) {
    if (array.role != "output") continue;
    EXHIBIT_ASSIGN_OR_RETURN(Array values, ReadRunArray(".", array.sha256));
    ExpectedOutput expected;
    expected.name = array.name;
    if (values.dtype == DType::kF64) {
      expected.values = DoublesOf(values);
    } else if (values.dtype == DType::kF32) {
      std::vector<float> floats = FloatsOf(values);
      expected.values.assign(floats.begin(), floats.end());
    }
    if (expected.values.empty() || values.shape != ShapeOf(array)) {
      return Error{ErrorKind::kCorrupt,
                   ArrayPath(array.sha256) +
                       ": not floats in the shape of output '" + array.name +
                       "'",
                   ""};
    }
    list.push_back(std::move(expected));
  }
  return list;
}

Result<std::string> ReadOwnMaps() {
  // Not ReadFile: a file under /proc has no size.
  std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/proc/self/maps", "re"),
                                             fclose);
  if (file == nullptr) {
    return Error{ErrorKind::kIo,
                 std::string("cannot open /proc/self/maps: ") + strerror(errno),
                 ""};
  }
  std::string text;
  char piece[8192];
  for (size_t count;
       (count = fread(piece, 1, sizeof(piece), file.get())) > 0;) {
    text.append(piece, count);
  }
  return text;
}

ThreadCounts Difference(const ThreadCounts& after, const ThreadCounts& before) {
  ThreadCounts counts;
  counts.voluntary_switches =
      after.voluntary_switches - before.voluntary_switches;
  counts.involuntary_switches =
      after.involuntary_switches - before.involuntary_switches;
  counts.minor_faults = after.minor_faults - before.minor_faults;
  counts.major_faults = after.major_faults - before.major_faults;
  if (after.migrations && before.migrations) {
    counts.migrations = *after.migrations - *before.migrations;
  }
  return counts;
}

// One visit in a prepared process. Failure of a check is in the record's end.
class Visit {
 public:
  Visit(const VisitTask& task, exhibit_entry* entry, GuardedBuffers buffers,
        std::vector<ExpectedOutput> expected)
      : task_(task),
        record_(task.draft),
        entry_(entry),
        buffers_(std::move(buffers)),
        expected_(std::move(expected)) {
    results_.resize(expected_.size());
    record_.samples_ns.reserve(static_cast<size_t>(task.plan.samples));
    record_.end = ProcessEnd();
    record_.end.status = "completed";
    record_.clock = ProbeClock();
  }

  Result<VisitReport> Run() {
    record_.before = ProbeHostState(record_.cpu);
    bool held = FirstCall();
    SaveFirstOutputs();
    if (held) {
      ThreadCounts before = ProbeThreadCounts();
      Counters counters;
      held = WarmUp();
      if (held && record_.repetitions > 0) Sample(counters);
      record_.counts = Difference(ProbeThreadCounts(), before);
      record_.counters = counters.Read();
    }
    record_.after = ProbeHostState(record_.cpu);
    SaveLastOutputs();
    EXHIBIT_ASSIGN_OR_RETURN(std::string maps, ReadOwnMaps());
    return VisitReport{std::move(record_), std::move(maps), std::move(arrays_)};
  }

 private:
  int64_t TimeCalls(int64_t calls) {
    int64_t start_ns = RawTimeNs();
    for (int64_t i = 0; i < calls; ++i) CallEntry(entry_, buffers_);
    return RawTimeNs() - start_ns;
  }

  // Guards and every element of every output. Allocates only when it fails.
  bool Check(const char* after, int64_t number) {
    bool held = buffers_.GuardsIntact();
    for (size_t i = 0; i < expected_.size(); ++i) {
      results_[i] = CheckTolerance(buffers_.OutputFloats(expected_[i].name),
                                   expected_[i].values, task_.tolerance);
      held &= results_[i].ok();
    }
    if (held) {
      ++record_.checks_passed;
    } else {
      record_.end.status = "failed-check";
      record_.end.reason = "after " + std::string(after) +
                           (number >= 0 ? " " + std::to_string(number) : "") +
                           ": " + FirstFailure();
    }
    return held;
  }

  std::string FirstFailure() const {
    for (const GuardState& guard : buffers_.Guards()) {
      if (!guard.intact) {
        return "the guard around buffer '" + guard.buffer + "' was overwritten";
      }
    }
    for (size_t i = 0; i < expected_.size(); ++i) {
      if (results_[i].ok()) continue;
      return DescribeFailure(expected_[i].name,
                             buffers_.OutputFloats(expected_[i].name),
                             expected_[i].values, results_[i]);
    }
    return "a check failed";
  }

  bool FirstCall() {
    buffers_.Poison();
    record_.first_call_ns = TimeCalls(1);
    return Check("the first call", -1);
  }

  // Batches grow until one is long beside a reading of the clock. The probe is
  // the fastest batch that ends in the second half: a slower one was disturbed,
  // and would make every sample of the case too short. One long disturbance
  // must not be all that the second half saw, so it goes on a little if need
  // be.
  bool WarmUp() {
    buffers_.Poison();
    int64_t batch = 1;
    int64_t late_batches = 0;
    int64_t probe_ns = std::numeric_limits<int64_t>::max();
    do {
      int64_t elapsed_ns = TimeCalls(batch);
      record_.warmup_ns += elapsed_ns;
      record_.warmup_calls += batch;
      if (record_.warmup_ns >= task_.plan.warmup_ns / 2) {
        probe_ns = std::min(probe_ns, (elapsed_ns + batch - 1) / batch);
        ++late_batches;
      }
      if (elapsed_ns < kBatchNs && batch < kBatchCallsMax) batch *= 2;
    } while (record_.warmup_ns < task_.plan.warmup_ns ||
             (late_batches < kLateBatchesMin &&
              record_.warmup_ns < kWarmUpFactorMax * task_.plan.warmup_ns));
    record_.probe_ns = std::max<int64_t>(1, probe_ns);
    return Check("warm-up", -1);
  }

  // Nothing here allocates, logs or formats while the checks hold.
  void Sample(Counters& counters) {
    for (int64_t sample = 0; sample < task_.plan.samples; ++sample) {
      buffers_.Poison();
      counters.Enable();
      int64_t elapsed_ns = TimeCalls(record_.repetitions);
      counters.Disable();
      record_.samples_ns.push_back(elapsed_ns);
      if (!Check("sample", sample)) return;
    }
  }

  std::string Save(const Array& array) {
    std::string bytes = EncodeNpy(array);
    std::string digest = Sha256Hex(bytes);
    if (std::find(digests_.begin(), digests_.end(), digest) == digests_.end()) {
      digests_.push_back(digest);
      arrays_.push_back(std::move(bytes));
    }
    return digest;
  }

  void SaveFirstOutputs() {
    for (const ExpectedOutput& expected : expected_) {
      VisitOutput output;
      output.name = expected.name;
      output.first_sha256 = Save(buffers_.OutputArray(expected.name));
      record_.outputs.push_back(std::move(output));
    }
  }

  void SaveLastOutputs() {
    for (size_t i = 0; i < expected_.size(); ++i) {
      VisitOutput& output = record_.outputs[i];
      output.last_sha256 = Save(buffers_.OutputArray(output.name));
      output.failed_elements = results_[i].failed_elements;
      output.max_error = results_[i].max_error;
    }
    for (const GuardState& guard : buffers_.Guards()) {
      Array bytes{DType::kU8, {guard.bytes.size()}, guard.bytes};
      record_.guards.push_back({guard.buffer, Save(bytes), guard.intact});
    }
  }

  const VisitTask& task_;
  VisitRecord record_;
  exhibit_entry* entry_;
  GuardedBuffers buffers_;
  std::vector<ExpectedOutput> expected_;
  std::vector<ToleranceResult> results_;
  std::vector<std::string> digests_;
  std::vector<std::string> arrays_;
};

Result<VisitReport> Perform(const VisitTask& task) {
  if (chdir(task.run.c_str()) != 0) {
    return Error{ErrorKind::kIo,
                 std::string("cannot enter the run: ") + strerror(errno), ""};
  }
  EXHIBIT_RETURN_IF_ERROR(PinToCpu(task.draft.cpu));
  EXHIBIT_ASSIGN_OR_RETURN(
      PreparedLibrary library,
      LoadLibrary(
          {.path = LibraryPath(task.draft.case_name, task.draft.variant),
           .sha256 = task.draft.library_sha256,
           .symbol = task.draft.symbol,
           .required_cpu_flags = task.capture.required_cpu_flags}));
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<CallBuffer> list,
                           ReadInputs(task.case_record));
  EXHIBIT_ASSIGN_OR_RETURN(std::vector<ExpectedOutput> expected,
                           ReadExpected(task.case_record));
  CallShape shape;
  shape.workspace_bytes = static_cast<uint64_t>(task.capture.workspace_bytes);
  shape.dispatch = static_cast<uint32_t>(task.case_record.dispatch);
  shape.workers_per_block =
      static_cast<uint32_t>(task.capture.workers_per_block);
  EXHIBIT_ASSIGN_OR_RETURN(GuardedBuffers buffers,
                           GuardedBuffers::Create(list, shape));
  Visit visit(task, library.entry(), std::move(buffers), std::move(expected));
  return visit.Run();
}

// Everything below runs with the stack moved down by the pair's shift.
__attribute__((noinline)) Result<VisitReport> PerformWithShiftedStack(
    const VisitTask& task) {
  size_t shift = static_cast<size_t>(task.draft.shift.stack_bytes);
  volatile char* room = static_cast<volatile char*>(alloca(shift + 16));
  room[0] = 0;  // Keeps the compiler from dropping it.
  Result<VisitReport> report = Perform(task);
  room[shift] = 0;
  return report;
}

}  // namespace

Result<std::string> RunVisit(const std::string& task_bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(VisitTask task, DecodeVisitTask(task_bytes));
  // Held until the end: later allocations lie behind it.
  std::unique_ptr<void, void (*)(void*)> heap(
      malloc(static_cast<size_t>(task.draft.shift.heap_bytes) + 16), free);
  if (heap == nullptr) return Error{ErrorKind::kIo, "out of memory", ""};
  EXHIBIT_ASSIGN_OR_RETURN(VisitReport report, PerformWithShiftedStack(task));
  return EncodeVisitReport(report);
}

WorkerFunctions ReplayWorkers() { return {{kVisitFunction, RunVisit}}; }

}  // namespace exhibit
