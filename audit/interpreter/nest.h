// Nested loops over axes that walk several row-major arrays at once.
//
// An array that lacks an axis has stride 0 along it: that is all there is to
// broadcasting. Offsets stay numbers until an element is touched, since an
// array without elements has no address to add to.

#ifndef EXHIBIT_AUDIT_INTERPRETER_NEST_H_
#define EXHIBIT_AUDIT_INTERPRETER_NEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace exhibit {

// `N` arrays.
template <size_t N>
class Nest {
 public:
  using PerArray = std::array<int64_t, N>;  // In elements.

  // Adds the next inner axis. At most kAxesMax whose extent is not 1.
  void AddAxis(int64_t extent, const PerArray& strides) {
    if (extent == 1) return;
    if (count_ == kAxesMax) throw std::logic_error("a nest of too many axes");
    levels_[count_++] = {extent, strides};
    empty_ = empty_ || extent <= 0;
  }

  // Calls row(length, offsets, strides) for every run along the innermost axis,
  // in row-major order; for no axes once with length 1, and never when some
  // extent is 0.
  template <typename Row>
  void ForEachRow(PerArray offsets, Row row) const {
    if (empty_) return;
    if (count_ == 0) {
      row(int64_t{1}, offsets, PerArray{});
      return;
    }
    const Level& inner = levels_[count_ - 1];
    std::array<int64_t, kAxesMax> index{};
    size_t level = 0;
    do {
      row(inner.extent, offsets, inner.strides);
      for (level = count_ - 1; level > 0; --level) {
        if (Advance(levels_[level - 1], index[level - 1], offsets)) break;
      }
    } while (level > 0);
  }

 private:
  static constexpr size_t kAxesMax = 8;  // TileLimits::rank_max.

  struct Level {
    int64_t extent = 0;
    PerArray strides{};
  };

  // One step along `level`; false when it came round to its start.
  static bool Advance(const Level& level, int64_t& index, PerArray& offsets) {
    const bool within = ++index < level.extent;
    const int64_t steps = within ? 1 : 1 - level.extent;
    if (!within) index = 0;
    for (size_t i = 0; i < N; ++i) offsets[i] += steps * level.strides[i];
    return within;
  }

  std::array<Level, kAxesMax> levels_{};
  size_t count_ = 0;
  bool empty_ = false;
};

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_INTERPRETER_NEST_H_
