#include <sched.h>
#include <sys/resource.h>

#include <cerrno>
#include <memory>
#include <stdexcept>

#include "manifests/host/host.h"
#include "manifests/host/system_text.h"

namespace exhibit {
namespace {

// Larger than any machine the kernel is built for.
constexpr size_t kCpuCountMax = 16384;

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeCpuSet>;

CpuSet EmptyCpuSet() {
  CpuSet set(CPU_ALLOC(kCpuCountMax));
  if (!set) throw std::bad_alloc();
  CPU_ZERO_S(CPU_ALLOC_SIZE(kCpuCountMax), set.get());
  return set;
}

}  // namespace

ThreadCounts ProbeThreadCounts() {
  rusage usage{};
  if (::getrusage(RUSAGE_THREAD, &usage) != 0) {
    throw std::logic_error("getrusage failed");
  }
  ThreadCounts counts;
  counts.voluntary_switches = usage.ru_nvcsw;
  counts.involuntary_switches = usage.ru_nivcsw;
  counts.minor_faults = usage.ru_minflt;
  counts.major_faults = usage.ru_majflt;
  counts.migrations = ParseSystemInteger(SystemField(
      ReadSystemText("/proc/thread-self/sched"), "se.nr_migrations"));
  return counts;
}

Result<std::vector<int64_t>> AllowedCpus() {
  const CpuSet set = EmptyCpuSet();
  const size_t set_bytes = CPU_ALLOC_SIZE(kCpuCountMax);
  if (::sched_getaffinity(0, set_bytes, set.get()) != 0) {
    return Error{ErrorKind::kIo,
                 "the kernel does not state the allowed CPUs: errno " +
                     std::to_string(errno),
                 ""};
  }
  std::vector<int64_t> cpus;
  for (size_t cpu = 0; cpu < kCpuCountMax; ++cpu) {
    if (CPU_ISSET_S(cpu, set_bytes, set.get())) {
      cpus.push_back(static_cast<int64_t>(cpu));
    }
  }
  return cpus;
}

Status PinToCpu(int64_t cpu) {
  const Error refused{ErrorKind::kUnsupported,
                      "CPU " + std::to_string(cpu) +
                          " does not exist or is not allowed to this process",
                      "see the list of allowed CPUs with taskset -p $$"};
  if (cpu < 0 || cpu >= static_cast<int64_t>(kCpuCountMax)) return refused;
  const CpuSet set = EmptyCpuSet();
  const size_t set_bytes = CPU_ALLOC_SIZE(kCpuCountMax);
  CPU_SET_S(static_cast<size_t>(cpu), set_bytes, set.get());
  if (::sched_setaffinity(0, set_bytes, set.get()) == 0) return Ok();
  if (errno == EINVAL) return refused;
  return Error{ErrorKind::kIo,
               "cannot pin to CPU " + std::to_string(cpu) + ": errno " +
                   std::to_string(errno),
               ""};
}

}  // namespace exhibit
