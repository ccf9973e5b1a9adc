// Where a visit takes its time from: the host, or a script in a test.

#ifndef EXHIBIT_REPLAY_VISIT_CLOCK_H_
#define EXHIBIT_REPLAY_VISIT_CLOCK_H_

#include <cstdint>

#include "manifests/records.h"

namespace exhibit {

class VisitClock {
 public:
  virtual ~VisitClock() = default;
  // Nanoseconds that no adjustment of the time of day touches.
  virtual int64_t RawNs() = 0;
  // For how long the host has been suspended since it started.
  virtual int64_t SuspendedNs() = 0;
  // Name, resolution and overhead of RawNs, measured.
  virtual ClockFacts Facts() = 0;
};

// CLOCK_MONOTONIC_RAW, and what CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC.
VisitClock& HostClock();

// A sample must last this many times the resolution and overhead of the clock
// together: what they add to it is then below a hundredth. Below that it tells
// nothing; from there to a thousand times, the audit remarks on it.
inline constexpr int64_t kClockMargin = 100;

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_VISIT_CLOCK_H_
