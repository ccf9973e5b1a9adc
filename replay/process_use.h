// What a kernel took of its process, and what it left running in it.
//
// A visit is one thread. A kernel that starts another one, or a process, is
// measured in part only and disturbs the visits after it.

#ifndef EXHIBIT_REPLAY_PROCESS_USE_H_
#define EXHIBIT_REPLAY_PROCESS_USE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "manifests/result.h"

namespace exhibit {

// How much memory a kernel may allocate beyond its buffers. Past it, its
// allocations fail.
inline constexpr int64_t kKernelMemoryBytesMax = int64_t{1} << 30;

struct ProcessUse {
  std::optional<int64_t> threads;
  std::optional<int64_t> resident_bytes;  // Anonymous memory.
  bool has_children = false;       // Running, or ended and not waited for.
  int64_t ended_child_faults = 0;  // Of those ended and waited for.
  int64_t other_cpu_ns_min = 0;    // CPU time of the other threads, also of
  int64_t other_cpu_ns_max = 0;    // ended ones, lies between these.
};

// Of this process at this moment. Call WatchChildren first.
ProcessUse ProbeProcessUse();

// Makes this process the parent of whatever its children leave behind.
void WatchChildren();

// Lets this process allocate no more than `bytes` beyond what it has, until
// the second call. kIo when refused.
Status LimitMemory(int64_t bytes);
void LiftMemoryLimit();

// The first thing in which `after` differs from a process that is one thread,
// as a sentence without an end; "" when there is none.
std::string OthersThatRan(const ProcessUse& before, const ProcessUse& after);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_PROCESS_USE_H_
