// Says which buffer a fault hit, from inside the signal handler.
//
// Ranges of memory are registered with a phrase ("input buffer 'query'").
// When a worker takes SIGSEGV, SIGBUS, SIGILL or SIGFPE, the handler writes
// one sentence to a descriptor and lets the process die of the signal. The
// table has a fixed size and the handler neither allocates nor locks.

#ifndef EXHIBIT_REPLAY_CALL_FAULT_REPORT_H_
#define EXHIBIT_REPLAY_CALL_FAULT_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/result.h"

namespace exhibit {

inline constexpr uint64_t kFaultRangeCountMax = 512;
inline constexpr uint64_t kFaultPhraseBytesMax = 160;

// Registers [begin, begin + bytes) under `phrase` (cut at the limit). A full
// table drops the range: a fault there is reported without a name.
void RegisterFaultRange(const void* begin, uint64_t bytes,
                        std::string_view phrase);
// Forgets every range that starts within [begin, begin + bytes).
void ForgetFaultRanges(const void* begin, uint64_t bytes);

// Installs the handlers on an alternate stack of this thread. The sentence is
// written to `fd` at `offset` with pwrite, at most 1023 bytes and a zero byte.
Status InstallFaultReport(int fd, int64_t offset);

// The sentence, as the handler would write it: "signal 11 while writing input
// buffer 'query'". `access` is "reading", "writing" or "accessing".
std::string DescribeFault(int signal, std::string_view access,
                          const void* address);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CALL_FAULT_REPORT_H_
