// What this process gives up before it opens what it is to judge.
//
// The subject may be hostile and the libraries that read it are large, so the
// kernel is asked to refuse everything that an audit never needs: running a
// program, making a process, talking to a network or to another process,
// tracing, opening anything for writing, changing a name or what belongs to it,
// mapping new code, and changing the state of the machine. It is a seccomp
// filter in plain BPF, so no library stands between this list and the kernel.

#ifndef EXHIBIT_AUDIT_SANDBOX_H_
#define EXHIBIT_AUDIT_SANDBOX_H_

#include <cstdint>
#include <span>

#include "manifests/result.h"

namespace exhibit {

// Numbers of the calls that are refused whatever their arguments are; empty
// where there is no filter. open, openat, mmap, mprotect, pkey_mprotect and
// clone are refused by their arguments.
std::span<const uint32_t> RefusedCalls();

// Sets no_new_privs and the filter, for all threads and for ever.
//
// A refused call fails with EPERM; clone3 and openat2 fail with ENOSYS, because
// their flags stand in memory that a filter cannot read and glibc falls back
// to clone and openat. Threads still start. A call from another architecture
// ends the process.
//
// Fails with kUnsupported where the kernel or the architecture has no filter:
// the process then goes on unguarded and its owner must say so. Nothing of
// this reaches audit.json, whose bytes depend on the subject alone.
Status EnterSandbox();

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_SANDBOX_H_
