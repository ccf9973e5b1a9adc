// What a running program holds: its tiles, its buffers, and what it may spend.
//
// `Real` is what stands for f32: float, or double in EvaluateProgram.

#ifndef EXHIBIT_AUDIT_INTERPRETER_MACHINE_H_
#define EXHIBIT_AUDIT_INTERPRETER_MACHINE_H_

#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "audit/interpreter/interpreter.h"
#include "compiler/tile/program.h"

namespace exhibit {

template <typename Real>
using BufferOf = std::variant<std::vector<Real>, std::vector<int64_t>>;

// The elements of one tile; one of the three is used, as its type says.
template <typename Real>
struct TileData {
  std::vector<Real> f32;
  std::vector<int64_t> i64;
  std::vector<uint8_t> flags;  // bool: 0 or 1.

  static TileData Of(tile::ScalarType type, int64_t elements) {
    const auto count = static_cast<size_t>(elements);
    TileData tile;
    if (type == tile::ScalarType::kF32) tile.f32.resize(count);
    if (type == tile::ScalarType::kI64) tile.i64.resize(count);
    if (type == tile::ScalarType::kBool) tile.flags.resize(count);
    return tile;
  }

  template <typename T>
  T* Data() {
    if constexpr (std::is_same_v<T, Real>) {
      return f32.data();
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return i64.data();
    } else {
      static_assert(std::is_same_v<T, uint8_t>);
      return flags.data();
    }
  }
};

// One buffer. Inputs are read where the caller holds them.
template <typename Real>
struct BufferState {
  const BufferOf<Real>* input = nullptr;  // Of an input only.
  BufferOf<Real> own;                     // Of an output or inout.
  std::vector<uint8_t> written;           // Of an output: whether, per element.

  template <typename T>
  const T* Read() const {
    return std::get<std::vector<T>>(input != nullptr ? *input : own).data();
  }
  template <typename T>
  T* Write() {
    return std::get<std::vector<T>>(own).data();
  }
};

// Neither vector grows once statements hold pointers into them.
template <typename Real>
struct Machine {
  std::vector<TileData<Real>> tiles;       // By ValueId.
  std::vector<BufferState<Real>> buffers;  // By BufferId.
  std::vector<Real> scratch;               // Of reduces in tree order.
  int64_t operations_left = 0;
};

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_INTERPRETER_MACHINE_H_
