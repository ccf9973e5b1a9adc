#include "replay/process_use.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "manifests/host/system_text.h"

namespace exhibit {
namespace {

// CPU time of other threads that is more than the accounting's own grain.
constexpr int64_t kOtherCpuNsMax = 10'000;

int64_t ClockNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// The number of a line as "RssAnon:   132 kB" or "Threads:  1".
std::optional<int64_t> NumberOf(std::string_view status, std::string_view key) {
  std::string text = SystemField(status, key);
  return ParseSystemInteger(std::string_view(text).substr(0, text.find(' ')));
}

}  // namespace

ProcessUse ProbeProcessUse() {
  ProcessUse use;
  std::string status = ReadSystemText("/proc/self/status");
  use.threads = NumberOf(status, "Threads");
  if (std::optional<int64_t> kilobytes = NumberOf(status, "RssAnon")) {
    use.resident_bytes = *kilobytes * 1024;
  }
  siginfo_t info = {};
  use.has_children = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
  rusage children = {};
  getrusage(RUSAGE_CHILDREN, &children);
  use.ended_child_faults = children.ru_minflt;
  // The thread may be stopped between two readings, hence two bounds.
  int64_t early_ns = ClockNs(CLOCK_THREAD_CPUTIME_ID);
  int64_t all_ns = ClockNs(CLOCK_PROCESS_CPUTIME_ID);
  int64_t late_ns = ClockNs(CLOCK_THREAD_CPUTIME_ID);
  use.other_cpu_ns_min = all_ns - late_ns;
  use.other_cpu_ns_max = all_ns - early_ns;
  return use;
}

void WatchChildren() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

Status LimitMemory(int64_t bytes) {
  std::optional<int64_t> used_kilobytes =
      NumberOf(ReadSystemText("/proc/self/status"), "VmData");
  if (!used_kilobytes) return Ok();  // No /proc: nothing to count from.
  rlimit limit = {};
  getrlimit(RLIMIT_DATA, &limit);
  rlim_t wanted = static_cast<rlim_t>(*used_kilobytes * 1024 + bytes);
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= wanted) return Ok();
  limit.rlim_cur = wanted;
  if (setrlimit(RLIMIT_DATA, &limit) == 0) return Ok();
  return Error{ErrorKind::kIo,
               std::string("cannot limit memory: ") + strerror(errno), ""};
}

void LiftMemoryLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
}

std::string OthersThatRan(const ProcessUse& before, const ProcessUse& after) {
  if (after.has_children) return "a process that it started is left";
  // No process runs without a page fault.
  if (after.ended_child_faults > before.ended_child_faults)
    return "it ran another process";
  if (before.threads && after.threads && *after.threads > *before.threads) {
    int64_t left = *after.threads - *before.threads;
    return left == 1
               ? "a thread that it started is left"
               : std::to_string(left) + " threads that it started are left";
  }
  int64_t other_ns = after.other_cpu_ns_min - before.other_cpu_ns_max;
  if (other_ns > kOtherCpuNsMax) {
    return "other threads ran for " + std::to_string(other_ns) + " ns";
  }
  return "";
}

}  // namespace exhibit
