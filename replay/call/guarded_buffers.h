// The memory that a kernel is given, arranged so that a stray access shows.
//
// Inputs lie in read-only pages between inaccessible ones: a write to an input
// or a read past it ends the process with a signal. Outputs and workspace lie
// between guard zones of known bytes, at least kGuardBytesMin on each side,
// with inaccessible pages outside those. The structures that the entry takes
// (entry.h) are themselves in read-only pages. All data is 64-byte aligned and
// ends within 64 bytes of the page or zone that guards it.
//
// Buffers of 256 KiB or more ask for huge pages (MADV_HUGEPAGE) and end on the
// boundary of one. Every visit fills its buffers anew, and where a fault is
// slow (in a guest without hardware paging: 12 us) small pages cost more than
// the samples. HugePageBytes says whether the system gave them.
//
// Guard bytes: for a buffer, let g be the zone before it followed by the zone
// after it; g[i] is (167 * i + 13) mod 256. Whoever holds the saved bytes can
// check them without knowing where one zone ends.
//
// What each inaccessible or read-only range belongs to is registered with
// fault_report.h, so that a worker can say which buffer a fault hit.

#ifndef EXHIBIT_REPLAY_CALL_GUARDED_BUFFERS_H_
#define EXHIBIT_REPLAY_CALL_GUARDED_BUFFERS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/entry.h"
#include "manifests/npy.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

inline constexpr uint64_t kGuardBytesMin = 4096;  // Before, and after.
inline constexpr uint64_t kBufferCountMax = 64;
inline constexpr uint64_t kCallBytesMax = uint64_t{1} << 36;  // Of all buffers.

// What an output holds before a call: quiet NaNs with this pattern.
inline constexpr uint32_t kPoisonFloat = 0x7FC0DEADu;
// What the workspace holds before a call.
inline constexpr uint8_t kPoisonWorkspace = 0xA5;

// One buffer, in the order in which the case declares them.
struct CallBuffer {
  std::string name;
  std::string role;  // input, output
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;
  std::string bytes;  // Of an input: its values. Empty for an output.
  // Of an input whose `bytes` are empty: the file that holds its values, and
  // where they start. Read straight into the buffer.
  int fd = -1;
  uint64_t offset = 0;
};

// How the entry is to be called.
struct CallShape {
  uint64_t workspace_bytes = 0;
  uint32_t dispatch = 1;           // Program instances.
  uint32_t workers_per_block = 1;  // Instances in a block.
};

// The guards of one output or of the workspace, after a call.
struct GuardState {
  std::string buffer;  // Buffer name, or "workspace".
  std::string bytes;   // Zone before, then zone after.
  bool intact = false;
};

class GuardedBuffers {
 public:
  // Maps and fills everything; outputs and workspace are poisoned.
  //
  // Fails with kInvalidArgument on a repeated or empty name, an unknown role,
  // an input whose bytes disagree with its shape, or a dispatch or block of 0;
  // with kUnsupported on an output that is not f32; with kLimitExceeded past
  // the limits above; with kCorrupt when an input's file is too short; and with
  // kIo when the system gives no memory or a file cannot be read.
  static Result<GuardedBuffers> Create(const std::vector<CallBuffer>& list,
                                       const CallShape& shape);
  GuardedBuffers(GuardedBuffers&&) noexcept;
  GuardedBuffers& operator=(GuardedBuffers&&) noexcept;
  ~GuardedBuffers();  // Unmaps; the entry must not run any more.

  // What the entry takes. Read-only memory.
  const exhibit_buffer* buffers() const { return buffers_; }
  const exhibit_launch* launch() const { return launch_; }
  uint32_t block_count() const { return block_count_; }

  // Bytes of all buffers that are mapped as whole huge pages at this moment;
  // absent where /proc/self/smaps does not say.
  std::optional<int64_t> HugePageBytes() const;

  // Refills outputs with NaN and workspace with 0xA5. Does not allocate.
  void Poison();

  // True when every guard byte is as it was made. Does not allocate.
  bool GuardsIntact() const;
  // The guards with their bytes: outputs in declaration order, then the
  // workspace if there is one.
  std::vector<GuardState> Guards() const;

  // The output of that name; a bug when there is none. Valid until destroyed.
  std::span<const float> OutputFloats(std::string_view name) const;
  // The same as an array, for saving.
  Array OutputArray(std::string_view name) const;

 private:
  struct State;
  explicit GuardedBuffers(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
  const exhibit_buffer* buffers_ = nullptr;
  const exhibit_launch* launch_ = nullptr;
  uint32_t block_count_ = 0;
};

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CALL_GUARDED_BUFFERS_H_
