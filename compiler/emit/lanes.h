// LLVM values of a packet: <W x T> where lanes differ, T where they agree.
//
// Private to emit/: the only header here, with body.h, that shows LLVM.

#ifndef EXHIBIT_COMPILER_EMIT_LANES_H_
#define EXHIBIT_COMPILER_EMIT_LANES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/tile/program.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace exhibit {

// Writes instructions at one place of one function. No instruction carries a
// fast-math flag or a wrapping flag.
class LaneBuilder {
 public:
  LaneBuilder(llvm::IRBuilder<>& builder, int64_t width)
      : builder_(builder), width_(width) {}

  llvm::IRBuilder<>& ir() { return builder_; }
  int64_t width() const { return width_; }

  llvm::Type* ScalarOf(tile::ScalarType type);
  llvm::Type* VectorOf(tile::ScalarType type);
  llvm::Value* Index(int64_t number);  // i64
  llvm::Constant* Float(float number);

  static bool IsVector(llvm::Value* value);
  // `value` as a vector.
  llvm::Value* Splat(llvm::Value* value);
  // Both scalars, or both vectors.
  void Unify(llvm::Value*& a, llvm::Value*& b);

  // One elementwise operation on one element; scalar where all operands are.
  // `exp` is the function to call for a kExp of the operand's shape.
  llvm::Value* Elementwise(tile::ElementwiseKind kind,
                           std::vector<llvm::Value*> operands,
                           tile::ScalarType result, llvm::Function* exp);
  // a > b ? a : b
  llvm::Value* Max(llvm::Value* a, llvm::Value* b);
  // acc + a * b with two roundings, or one when `fused`.
  llvm::Value* MultiplyAdd(llvm::Value* a, llvm::Value* b, llvm::Value* acc);
  llvm::Value* FusedMultiplyAdd(llvm::Value* a, llvm::Value* b,
                                llvm::Value* acc);

  // A run-time loop over low, low + step, ... while below high; at least one
  // trip. `body` gets the index and the loop-carried values and returns their
  // next ones; the result holds them after the last trip. A carried value that
  // is a vector in `initial` or in what `body` returns must be one in both.
  std::vector<llvm::Value*> Loop(
      int64_t low, int64_t high, int64_t step,
      const std::vector<llvm::Value*>& initial,
      const std::function<std::vector<llvm::Value*>(
          llvm::Value* index, const std::vector<llvm::Value*>& carried)>& body);

 private:
  llvm::Value* Compare(tile::ElementwiseKind kind, llvm::Value* a,
                       llvm::Value* b);
  llvm::Value* Arithmetic(tile::ElementwiseKind kind, llvm::Value* a,
                          llvm::Value* b);
  llvm::Value* Select(llvm::Value* condition, llvm::Value* a, llvm::Value* b);
  llvm::Value* Convert(llvm::Value* value, tile::ScalarType to);

  llvm::IRBuilder<>& builder_;
  const int64_t width_;
};

// The internal, always inlined exp of this module for the given shape, made on
// first use: "exhibit.exp.f32" or "exhibit.exp.f32.w<W>".
llvm::Function* ExpFunction(llvm::Module& module, int64_t width, bool uniform);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_EMIT_LANES_H_
