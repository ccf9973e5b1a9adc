#include "replay/visit_clock.h"

#include <time.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "manifests/host/host.h"

namespace exhibit {
namespace {

int64_t MonotonicNs() {
  timespec now = {};
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    throw std::logic_error("clock_gettime failed");
  }
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class Host : public VisitClock {
 public:
  int64_t RawNs() override { return RawTimeNs(); }
  ClockFacts Facts() override { return ProbeClock(); }

  // The two clocks are read one after the other, and the thread may be stopped
  // in between: the least difference of a few is the least disturbed.
  int64_t SuspendedNs() override {
    int64_t least_ns = std::numeric_limits<int64_t>::max();
    for (int i = 0; i < 5; ++i) {
      int64_t monotonic_ns = MonotonicNs();
      least_ns = std::min(least_ns, BootTimeNs() - monotonic_ns);
    }
    return least_ns;
  }
};

}  // namespace

VisitClock& HostClock() {
  static Host host;
  return host;
}

}  // namespace exhibit
