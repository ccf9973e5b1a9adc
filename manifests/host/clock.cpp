#include <time.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "manifests/host/host.h"

namespace exhibit {
namespace {

constexpr int kOverheadRounds = 101;
constexpr int kReadingsPerRound = 100;
constexpr int64_t kCoarseStepNs = 10'000'000;  // A tick of a slow kernel.

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

int64_t ReadClock(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) {
    throw std::logic_error("clock_gettime failed");
  }
  return Nanoseconds(now);
}

}  // namespace

int64_t BootTimeNs() { return ReadClock(CLOCK_BOOTTIME); }

int64_t RawTimeNs() { return ReadClock(CLOCK_MONOTONIC_RAW); }

ClockFacts ProbeClock() {
  timespec resolution{};
  if (::clock_getres(CLOCK_MONOTONIC_RAW, &resolution) != 0) {
    throw std::logic_error("clock_getres failed");
  }
  // One reading is near the resolution, so readings are timed in rounds. The
  // kernel states a nanosecond whatever counter is behind the clock, so the
  // step is looked for too: the least by which a reading differs from the next.
  int64_t step_ns = kCoarseStepNs;  // Stands when no step is seen at all.
  std::vector<int64_t> costs;
  costs.reserve(kOverheadRounds);
  for (int round = 0; round < kOverheadRounds; ++round) {
    const int64_t start = RawTimeNs();
    int64_t last = start;
    for (int i = 0; i < kReadingsPerRound; ++i) {
      const int64_t next = RawTimeNs();
      if (next > last) step_ns = std::min(step_ns, next - last);
      last = next;
    }
    costs.push_back((last - start + kReadingsPerRound / 2) / kReadingsPerRound);
  }
  std::nth_element(costs.begin(), costs.begin() + kOverheadRounds / 2,
                   costs.end());
  ClockFacts facts;
  facts.name = "CLOCK_MONOTONIC_RAW";
  facts.resolution_ns = std::max(Nanoseconds(resolution), step_ns);
  facts.overhead_ns = costs[kOverheadRounds / 2];
  return facts;
}

}  // namespace exhibit
