#include "replay/visit_run.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "manifests/host/host.h"
#include "manifests/sha256.h"
#include "replay/call/call.h"
#include "replay/counters.h"
#include "replay/process_use.h"

namespace exhibit {
namespace {

constexpr int64_t kBatchNs = 500'000;  // Of a warm-up batch, at least.
constexpr int64_t kBatchCallsMax = int64_t{1} << 20;
constexpr int64_t kLateBatchesMin = 4;   // In the second half of warm-up,
constexpr int64_t kWarmUpFactorMax = 4;  // unless it grew this many times
// and by this much: a slice of another process, or a few.
constexpr int64_t kWarmUpExtraNs = 50'000'000;
// Reading the clocks takes far less, a suspension far more.
constexpr int64_t kSuspendedNsMax = 1'000'000;

// What a visit counts besides the events of counters.h.
constexpr char kGrowthName[] = "memory_growth_bytes";
constexpr char kHugePagesName[] = "huge_page_bytes";

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
  Visit(const VisitTask& task, VisitParts parts)
      : task_(task),
        record_(task.draft),
        entry_(parts.entry),
        buffers_(std::move(parts.buffers)),
        expected_(std::move(parts.expected)),
        clock_(parts.clock) {
    results_.resize(expected_.size());
    record_.samples_ns.reserve(static_cast<size_t>(task.plan.samples));
    record_.end = ProcessEnd();
    record_.end.status = "completed";
    record_.clock = clock_.Facts();
  }

  Result<VisitReport> Run() {
    record_.before = ProbeHostState(record_.cpu);
    ProcessUse before = ProbeProcessUse();
    int64_t suspended_ns = clock_.SuspendedNs();
    bool held = FirstCall();
    SaveFirstOutputs();
    if (held) WarmUpAndSample();
    suspended_ns = clock_.SuspendedNs() - suspended_ns;
    if (suspended_ns > kSuspendedNsMax) {
      Disturbed("the host was suspended for " +
                std::to_string(suspended_ns / 1'000'000) + " ms");
    }
    TakeProcessUse(before, ProbeProcessUse());
    record_.after = ProbeHostState(record_.cpu);
    SaveLastOutputs();
    EXHIBIT_ASSIGN_OR_RETURN(std::string maps, ReadOwnMaps());
    return VisitReport{std::move(record_), std::move(maps), std::move(arrays_)};
  }

 private:
  void WarmUpAndSample() {
    ThreadCounts before = ProbeThreadCounts();
    Counters counters;
    if (WarmUp() && record_.repetitions > 0) Sample(counters);
    record_.counts = Difference(ProbeThreadCounts(), before);
    record_.counters = counters.Read();
    record_.counters[kHugePagesName] = buffers_.HugePageBytes();
    record_.counters[kGrowthName] = std::nullopt;
  }

  void TakeProcessUse(const ProcessUse& before, const ProcessUse& after) {
    std::string others = OthersThatRan(before, after);
    if (!others.empty()) {
      Disturbed("the kernel did not stay one thread: " + others);
    }
    auto growth = record_.counters.find(kGrowthName);
    if (growth != record_.counters.end() && before.resident_bytes &&
        after.resident_bytes) {
      growth->second =
          std::max<int64_t>(0, *after.resident_bytes - *before.resident_bytes);
    }
  }

  int64_t TimeCalls(int64_t calls) {
    int64_t start_ns = clock_.RawNs();
    for (int64_t i = 0; i < calls; ++i) CallEntry(entry_, buffers_);
    return clock_.RawNs() - start_ns;
  }

  // The first disturbance stands. What a check found wrong matters more.
  void Disturbed(const std::string& reason) {
    if (record_.end.status != "completed") return;
    record_.end.status = "disturbed";
    record_.end.reason = reason;
  }

  // False when the clock went back while a batch was timed.
  bool ClockHeld(int64_t elapsed_ns) {
    if (elapsed_ns >= 0) return true;
    Disturbed("the clock went back by " + std::to_string(-elapsed_ns) +
              " ns while calls were timed");
    return false;
  }

  // False when a sample is not far above what the clock itself adds to it.
  bool LongEnough(int64_t elapsed_ns) {
    int64_t least_ns = kClockMargin * (record_.clock.resolution_ns +
                                       record_.clock.overhead_ns);
    if (elapsed_ns >= least_ns) return true;
    Disturbed("a sample of " + std::to_string(record_.repetitions) +
              " calls took " + std::to_string(elapsed_ns) +
              " ns, too little for a clock that needs " +
              std::to_string(least_ns) + " ns");
    return false;
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
    int64_t elapsed_ns = TimeCalls(1);
    if (!ClockHeld(elapsed_ns)) return false;
    record_.first_call_ns = elapsed_ns;
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
      if (!ClockHeld(elapsed_ns)) return false;
      record_.warmup_ns += elapsed_ns;
      record_.warmup_calls += batch;
      if (record_.warmup_ns >= task_.plan.warmup_ns / 2) {
        probe_ns = std::min(probe_ns, (elapsed_ns + batch - 1) / batch);
        ++late_batches;
      }
      if (elapsed_ns < kBatchNs && batch < kBatchCallsMax) batch *= 2;
    } while (record_.warmup_ns < task_.plan.warmup_ns ||
             (late_batches < kLateBatchesMin &&
              record_.warmup_ns <
                  kWarmUpFactorMax * task_.plan.warmup_ns + kWarmUpExtraNs));
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
      if (!ClockHeld(elapsed_ns)) return;
      record_.samples_ns.push_back(elapsed_ns);
      if (!LongEnough(elapsed_ns)) return;
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
  VisitClock& clock_;
  std::vector<ToleranceResult> results_;
  std::vector<std::string> digests_;
  std::vector<std::string> arrays_;
};

}  // namespace

Result<VisitReport> RunVisitCalls(const VisitTask& task, VisitParts parts) {
  Visit visit(task, std::move(parts));
  return visit.Run();
}

}  // namespace exhibit
