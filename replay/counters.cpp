#include "replay/counters.h"

#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace exhibit {
namespace {

struct CounterKind {
  const char* name;
  uint32_t type;
  uint64_t config;
};

// Two of the hardware events have counters of their own on common CPUs, so
// that these four do not have to take turns.
constexpr CounterKind kCounterKinds[] = {
    {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"task_clock_ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
};

int OpenCounter(const CounterKind& kind) {
  perf_event_attr attributes = {};
  attributes.size = sizeof(attributes);
  attributes.type = kind.type;
  attributes.config = kind.config;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format =
      PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
                                  PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

Counters::Counters() {
  for (const CounterKind& kind : kCounterKinds) {
    open_.emplace_back(kind.name, OpenCounter(kind));
  }
}

Counters::~Counters() {
  for (const auto& [name, fd] : open_) {
    if (fd >= 0) close(fd);
  }
}

// Cannot fail in a way that matters: a counter that did not count reads as
// never enabled and is absent.
void Counters::Enable() { prctl(PR_TASK_PERF_EVENTS_ENABLE); }
void Counters::Disable() { prctl(PR_TASK_PERF_EVENTS_DISABLE); }

std::map<std::string, std::optional<int64_t>> Counters::Read() const {
  constexpr uint64_t kLargest = uint64_t{1} << 53;  // Of a record's integer.
  std::map<std::string, std::optional<int64_t>> values;
  for (const auto& [name, fd] : open_) {
    values[name] = std::nullopt;
    uint64_t fields[3] = {};  // Value, time enabled, time running.
    if (fd < 0 || read(fd, fields, sizeof(fields)) != sizeof(fields)) continue;
    if (fields[1] == 0 || fields[1] != fields[2] || fields[0] > kLargest) {
      continue;
    }
    values[name] = static_cast<int64_t>(fields[0]);
  }
  return values;
}

}  // namespace exhibit
