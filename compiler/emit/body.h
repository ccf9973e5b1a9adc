// Writes the body of one packet: the whole program for W instances.
//
// Private to emit/.

#ifndef EXHIBIT_COMPILER_EMIT_BODY_H_
#define EXHIBIT_COMPILER_EMIT_BODY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "compiler/emit/facts.h"
#include "compiler/emit/lanes.h"
#include "compiler/plan/plan.h"
#include "compiler/tile/program.h"
#include "manifests/options.h"

namespace exhibit {

// Thrown inside emit/ where a program would become too large a module; caught
// by EmitModule, which returns kLimitExceeded.
struct EmissionTooLarge {};

// Emitted accesses to buffers, by how the lanes' addresses lie.
struct AccessCounts {
  int64_t gather_loads = 0;
  int64_t contiguous_loads = 0;
  int64_t broadcast_loads = 0;
  int64_t scatter_stores = 0;
  int64_t contiguous_stores = 0;
};

struct BodyInputs {
  const tile::Program& program;
  const TileOptions& options;
  const Plan& plan;
  const std::vector<LaneFacts>& facts;
};

// An index along an axis: a number, or an i64 of the running code.
struct Coordinate {
  llvm::Value* running = nullptr;
  int64_t number = 0;  // Used when `running` is null.
};
// By AxisId; entries of axes that a value lacks are not looked at.
using Coordinates = std::vector<Coordinate>;

class BodyEmitter {
 public:
  // `function` is (ptr buffers, ptr workspace, i64 first instance, i32 active
  // lanes) -> void and has no block yet.
  BodyEmitter(const BodyInputs& inputs, llvm::Function& function);

  void Emit();

  const AccessCounts& accesses() const { return accesses_; }
  // Bytes taken by the arrays that were really allocated, and how many: to be
  // compared with the plan.
  int64_t allocated_bytes_per_worker() const { return allocated_bytes_; }
  int64_t allocations() const { return allocations_; }

 private:
  // Widths of the group at a point of a traversal; 1 for every other axis.
  struct GroupAxes {
    tile::AxisId row = tile::kNone;
    int64_t rows = 1;
    tile::AxisId column = tile::kNone;
    int64_t columns = 1;
  };
  struct GroupWidth {
    int64_t rows = 1;
    int64_t columns = 1;
  };
  using PointBody = std::function<void(Coordinates&, GroupWidth)>;

  // A view, with what does not depend on the element computed once.
  struct Access {
    const tile::View* view = nullptr;
    llvm::Value* base = nullptr;        // Pointer, or vector of pointers.
    bool per_lane = false;              // `base` is a vector.
    bool contiguous = false;            // `base` is the first lane's.
    std::vector<llvm::Value*> offsets;  // By dimension, as i64 or vector.
  };

  // body.cpp: set-up, values, dispatch.
  void EmitProlog();
  void EmitDomain();
  void EmitOps(const std::vector<tile::Op>& ops);
  void Emit(const tile::Constant& op);
  void Emit(const tile::Iota& op);
  void Emit(const tile::Load& op);
  void Emit(const tile::Store& op);
  void Emit(const tile::Elementwise& op);
  void Emit(const tile::Mma& op);
  void Emit(const tile::Reduce& op);
  void Emit(const tile::Pipeline& op);
  void IndexOps(const std::vector<tile::Op>& ops);

  const tile::TileType& Type(tile::ValueId value) const;
  int64_t Elements(tile::ValueId value) const;
  const ValuePlan& PlanOf(tile::ValueId value) const;
  bool IsLarge(tile::ValueId value) const;
  void CountWork();

  // Element of `value` at `at`, in the scalar or vector shape of its facts.
  llvm::Value* Read(tile::ValueId value, const Coordinates& at);
  llvm::Value* ReadScalar(const tile::Scalar& scalar);
  llvm::Value* ReadByCompare(tile::ValueId value, const Coordinates& at);
  llvm::Value* Rematerialize(tile::ValueId value, const Coordinates& at);
  llvm::Value* ElementOf(const tile::Elementwise& op, const Coordinates& at);
  llvm::Value* InShapeOf(tile::ValueId value, llvm::Value* element);

  // Flat row-major index; `fixed` when no coordinate runs.
  struct FlatIndex {
    llvm::Value* running = nullptr;
    int64_t number = 0;
  };
  FlatIndex Flatten(const tile::TileType& type, const Coordinates& at);
  llvm::Value* RunningIndex(const FlatIndex& index);

  // Defines one value, element by element; loops where the plan says so, and
  // writes its array if it has one.
  void Define(tile::ValueId value,
              const std::function<llvm::Value*(const Coordinates&)>& element);
  void SetElement(tile::ValueId value, const Coordinates& at,
                  llvm::Value* element);
  // The small value's elements into its array, if it has one.
  void StoreElements(tile::ValueId value);
  void Traverse(tile::ValueId shape, const PointBody& body,
                const GroupAxes& groups);
  void TraverseFrom(const std::vector<tile::AxisId>& axes, size_t depth,
                    bool loops, const GroupAxes& groups, GroupWidth width,
                    Coordinates& at, const PointBody& body);

  // body.cpp: pipelines. A large carry lives in arrays, a small one in elements
  // that the loop carries.
  void AllocateCarry(const tile::Carry& carry);
  void AllocateSkipped(const std::vector<tile::Op>& ops);
  void CopyToArray(tile::ValueId from, tile::ValueId shape, int32_t to);
  std::vector<llvm::Value*> ReadSmall(const tile::Pipeline& op,
                                      tile::ValueId tile::Carry::*which);
  void SetSmall(const tile::Pipeline& op, tile::ValueId tile::Carry::*which,
                const std::vector<llvm::Value*>& elements);
  void UpdateLarge(const tile::Pipeline& op);

  // access.cpp: buffers and arrays.
  void Allocate(int32_t array, tile::ScalarType scalar, int64_t elements);
  void AllocateFor(tile::ValueId value);
  llvm::Value* ArrayPointer(int32_t array, const FlatIndex& index);
  llvm::Value* LoadArray(int32_t array, const FlatIndex& index, bool uniform);
  void StoreArray(int32_t array, const FlatIndex& index, llvm::Value* element);
  void CopyArray(int32_t from, int32_t to);
  Access Prepare(const tile::View& view);
  llvm::Value* LoadElement(const Access& access, const Coordinates& at);
  void StoreElement(const Access& access, const Coordinates& at,
                    llvm::Value* element);
  // Null when every element at `at` is inside the buffer.
  llvm::Value* InsideCheck(const Access& access, const Coordinates& at);
  llvm::Value* LaneMask(llvm::Value* inside);
  llvm::Value* PointerTo(const Access& access, const Coordinates& at);
  void MarkAlias(llvm::Instruction* access, int32_t array);

  // contract.cpp: mma and reduce.
  void EmitGroup(const tile::Mma& op, const MmaPlan& plan, Coordinates& at,
                 GroupWidth width);
  std::vector<llvm::Value*> Accumulate(
      const tile::Mma& op, const MmaPlan& plan, const Coordinates& at,
      GroupWidth width, const std::vector<llvm::Value*>& accumulators);
  void SetContracted(const tile::Mma& op, Coordinate term, Coordinates& at);
  Coordinates Shifted(const Coordinates& at, const MmaPlan& plan, int64_t row,
                      int64_t column);
  llvm::Value* ReduceElement(const tile::Reduce& op, const Coordinates& at);
  llvm::Value* ReduceTree(const tile::Reduce& op, Coordinates& at,
                          int64_t first, int64_t stride, int64_t padded);
  llvm::Value* Combine(tile::ReduceKind kind, llvm::Value* acc,
                       llvm::Value* element);

  const BodyInputs& in_;
  llvm::Function& function_;
  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  LaneBuilder lanes_;

  std::vector<std::vector<llvm::Value*>> elements_;  // By ValueId.
  std::vector<const tile::Op*> definitions_;         // By ValueId.
  std::vector<llvm::Value*> buffers_;                // By BufferId.
  llvm::Value* arena_ = nullptr;
  llvm::Value* active_mask_ = nullptr;

  std::vector<bool> allocated_;  // By array.
  llvm::MDNode* buffer_scope_ = nullptr;
  std::vector<llvm::MDNode*> array_scopes_;
  std::vector<llvm::MDNode*> other_scopes_;  // All but the array's own.
  llvm::MDNode* all_array_scopes_ = nullptr;

  AccessCounts accesses_;
  int64_t allocated_bytes_ = 0;
  int64_t allocations_ = 0;
  int64_t work_ = 0;
};

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_EMIT_BODY_H_
