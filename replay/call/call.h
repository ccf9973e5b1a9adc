// The guarded call: how a kernel is called anywhere in the project.
//
// Three parts, each its own header:
//   guarded_buffers.h   the memory a kernel sees, and what it must not touch
//   prepared_library.h  from a file to an entry: digest, CPU flags, symbol
//   worker_process.h    a fresh process that may crash, hang or exit
//
// Replay calls kernels this way for time, and capture for the outputs it
// records, so that a recorded output went through the very path that the
// visits take and guards are implemented once.
//
// A use, without error handling:
//   auto library = LoadLibrary({.path = so, .sha256 = digest,
//                               .symbol = symbol, .required_cpu_flags = f});
//   auto buffers = GuardedBuffers::Create(list, {.workspace_bytes = w,
//                      .dispatch = n, .workers_per_block = k});
//   buffers->Poison();
//   CallEntry(library->entry(), *buffers);
//   if (!buffers->GuardsIntact()) ... buffers->OutputFloats("output") ...

#ifndef EXHIBIT_REPLAY_CALL_CALL_H_
#define EXHIBIT_REPLAY_CALL_CALL_H_

#include "replay/call/guarded_buffers.h"
#include "replay/call/prepared_library.h"
#include "replay/call/worker_process.h"

namespace exhibit {

// Computes every block of the dispatch in one call of `entry` on this thread.
// Inline, and nothing but the call: the sampling loop is made of it.
inline void CallEntry(exhibit_entry* entry, const GuardedBuffers& buffers) {
  entry(buffers.buffers(), nullptr, buffers.launch(), buffers.block_count());
}

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CALL_CALL_H_
