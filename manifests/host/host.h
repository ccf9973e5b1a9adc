// What is recorded of the machine: facts that hold for a boot, and the state
// around a visit. Nothing here changes a setting.
//
// User name, host name and home appear nowhere. What cannot be read is
// recorded as absent ("" or nullopt), never as zero.

#ifndef EXHIBIT_MANIFESTS_HOST_HOST_H_
#define EXHIBIT_MANIFESTS_HOST_HOST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

// Static facts: the same from call to call within one boot.
Result<HostFacts> ProbeHost();

// Load averages and the frequency of `cpu` where readable.
HostState ProbeHostState(int64_t cpu);

// Counts of this thread since it started: context switches, page faults,
// migrations (from /proc/self/sched or the software perf event).
ThreadCounts ProbeThreadCounts();

// The files mapped into a process, from the text of its /proc/PID/maps: each
// regular file once, by base name, with SHA-256 and GNU build id, sorted.
// Digests are remembered per (device, inode, size, mtime) within this process.
Result<std::vector<MappedFile>> DescribeMappedFiles(const std::string& maps_text);

// CPUs this process may run on, ascending.
Result<std::vector<int64_t>> AllowedCpus();
// Pins the calling thread; kUnsupported or kIo when refused.
Status PinToCpu(int64_t cpu);

// The part of the environment that may be recorded (IsRecordedVariable,
// IsVariableRecordedAsSet).
std::map<std::string, std::string> AllowedEnvironment();
// A command line with every path replaced: a word with a '/' becomes
// "<path>/" + its base name.
std::vector<std::string> CommandWithoutPaths(const std::vector<std::string>& words);

// CLOCK_BOOTTIME in nanoseconds: for the order of records.
int64_t BootTimeNs();
// CLOCK_MONOTONIC_RAW in nanoseconds: for samples.
int64_t RawTimeNs();
// Resolution and measured overhead of RawTimeNs, in nanoseconds.
ClockFacts ProbeClock();

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_HOST_HOST_H_
