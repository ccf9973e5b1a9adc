// Runs a compiled entry on buffers between guard zones.

#ifndef EXHIBIT_TESTS_UNIT_BUILD_KERNEL_RUNNER_H_
#define EXHIBIT_TESTS_UNIT_BUILD_KERNEL_RUNNER_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "compiler/build/compile.h"
#include "manifests/entry.h"

namespace exhibit::testing {

// One array of floats, 64-byte aligned, with a guard of 256 bytes on each side.
class GuardedArray {
 public:
  static constexpr size_t kGuardBytes = 256;
  static constexpr unsigned char kGuard = 0xC3;

  explicit GuardedArray(const std::vector<float>& values)
      : count_(values.size()),
        bytes_(values.size() * 4 + 2 * kGuardBytes + 64, kGuard) {
    const size_t misplaced =
        (reinterpret_cast<uintptr_t>(bytes_.data()) + kGuardBytes) % 64;
    start_ = kGuardBytes + (misplaced == 0 ? 0 : 64 - misplaced);
    if (count_ > 0) std::memcpy(data(), values.data(), count_ * 4);
  }

  void* data() { return bytes_.data() + start_; }
  std::vector<float> Values() {
    std::vector<float> values(count_);
    if (count_ > 0) std::memcpy(values.data(), data(), count_ * 4);
    return values;
  }
  bool GuardsIntact() const {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      if (i >= start_ && i < start_ + count_ * 4) continue;
      if (bytes_[i] != kGuard) return false;
    }
    return true;
  }

 private:
  size_t count_;
  std::vector<unsigned char> bytes_;
  size_t start_ = 0;
};

struct RunSpec {
  int64_t instances = 1;
  int64_t workers_per_block = 32;
  uint64_t workspace_bytes = 0;
};

struct RunResult {
  std::vector<std::vector<float>> buffers;  // As they are afterwards.
  bool guards_intact = true;
};

inline RunResult RunEntry(exhibit_entry* entry, const RunSpec& spec,
                          const std::vector<std::vector<float>>& initial) {
  std::vector<std::unique_ptr<GuardedArray>> arrays;
  std::vector<exhibit_buffer> buffers;
  for (const std::vector<float>& values : initial) {
    arrays.push_back(std::make_unique<GuardedArray>(values));
    buffers.push_back({arrays.back()->data(), values.size() * 4});
  }
  // What the workspace holds must not matter.
  std::vector<float> dirt((spec.workspace_bytes + 3) / 4, -1e30f);
  GuardedArray workspace(dirt);
  const auto blocks = static_cast<uint32_t>(
      (spec.instances + spec.workers_per_block - 1) / spec.workers_per_block);
  const exhibit_launch launch = {
      {0, 0, 0},
      {static_cast<uint32_t>(spec.instances), 1, 1},
      {static_cast<uint32_t>(spec.workers_per_block), 1, 1},
      {blocks, 1, 1},
      0,
      0,
      spec.workspace_bytes > 0 ? workspace.data() : nullptr};
  entry(buffers.data(), nullptr, &launch, blocks);
  RunResult result;
  result.guards_intact = workspace.GuardsIntact();
  for (auto& array : arrays) {
    result.buffers.push_back(array->Values());
    result.guards_intact = result.guards_intact && array->GuardsIntact();
  }
  return result;
}

inline std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  if (!values.empty()) {
    std::memcpy(bits.data(), values.data(), values.size() * 4);
  }
  return bits;
}

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_UNIT_BUILD_KERNEL_RUNNER_H_
