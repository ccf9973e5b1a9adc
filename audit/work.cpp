#include "audit/work.h"

#include <set>
#include <variant>
#include <vector>

namespace exhibit {
namespace {

constexpr int64_t kCountMax = int64_t{1} << 53;

// The values that some store depends on.
class LiveValues {
 public:
  explicit LiveValues(const tile::Program& program)
      : live_(program.values.size(), false) {
    // What a carry brings to the next trip is known only after the body.
    do {
      changed_ = false;
      Mark(program.body);
    } while (changed_);
  }

  bool Has(tile::ValueId value) const {
    return value != tile::kNone && live_[static_cast<size_t>(value)];
  }

 private:
  void Add(tile::ValueId value) {
    if (value == tile::kNone || live_[static_cast<size_t>(value)]) return;
    live_[static_cast<size_t>(value)] = true;
    changed_ = true;
  }

  void Mark(const std::vector<tile::Op>& ops) {
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      if (const auto* pipeline = std::get_if<tile::Pipeline>(&op->node)) {
        for (const tile::Carry& carry : pipeline->carries) {
          if (!Has(carry.result) && !Has(carry.argument)) continue;
          Add(carry.initial);
          Add(carry.yielded);
        }
        Mark(pipeline->body);
      } else if (std::holds_alternative<tile::Store>(op->node) ||
                 Has(tile::ResultOf(*op))) {
        for (const tile::ValueId operand : tile::OperandsOf(*op)) Add(operand);
      }
    }
  }

  std::vector<bool> live_;
  bool changed_ = false;
};

class Counter {
 public:
  explicit Counter(const tile::Program& program)
      : program_(program), live_(program) {}

  // `times`: how often the operations run.
  void Count(const std::vector<tile::Op>& ops, int64_t times) {
    for (const tile::Op& op : ops) {
      const tile::ValueId result = tile::ResultOf(op);
      if (result != tile::kNone && !live_.Has(result)) continue;
      std::visit([&](const auto& node) { CountOp(node, times); }, op.node);
    }
  }

  Result<ProgramWork> Finish() {
    for (const tile::BufferId id : loaded_) {
      Add(1, BytesOf(id), work_.bytes_loaded);
    }
    for (const tile::BufferId id : stored_) {
      Add(1, BytesOf(id), work_.bytes_stored);
    }
    if (overflow_) {
      return Error{ErrorKind::kLimitExceeded,
                   "program " + program_.name +
                       " asks for more than 2^53 operations or bytes",
                   ""};
    }
    return work_;
  }

  int64_t Times(int64_t outer, int64_t inner) {
    int64_t product = 0;
    Add(outer, inner, product);
    return product;
  }

 private:
  void Add(int64_t times, int64_t count, int64_t& sum) {
    int64_t product = 0;
    overflow_ |= __builtin_mul_overflow(times, count, &product) ||
                 __builtin_add_overflow(sum, product, &sum) || sum > kCountMax;
    if (overflow_) sum = 0;
  }

  int64_t BytesOf(tile::BufferId id) const {
    const tile::Buffer& buffer = program_.buffers[static_cast<size_t>(id)];
    return tile::ElementCount(buffer) * tile::ScalarBytes(buffer.scalar);
  }

  void CountOp(const tile::Load& load, int64_t times) {
    if (times > 0) loaded_.insert(load.view.buffer);
  }
  void CountOp(const tile::Store& store, int64_t times) {
    if (times > 0) stored_.insert(store.view.buffer);
  }

  void CountOp(const tile::Elementwise& op, int64_t times) {
    const int64_t elements = tile::ElementCount(program_, op.result);
    if (tile::TypeOf(program_, op.result).scalar != tile::ScalarType::kF32) {
      return;
    }
    switch (op.kind) {
      case tile::ElementwiseKind::kAdd:
      case tile::ElementwiseKind::kSub:
      case tile::ElementwiseKind::kMul:
      case tile::ElementwiseKind::kDiv:
      case tile::ElementwiseKind::kMax:
      case tile::ElementwiseKind::kSqrt:
        Add(times, elements, work_.flops);
        return;
      case tile::ElementwiseKind::kExp:
        Add(times, elements, work_.exps);
        return;
      default:
        return;
    }
  }

  void CountOp(const tile::Mma& mma, int64_t times) {
    const tile::TileType& result = tile::TypeOf(program_, mma.result);
    int64_t terms = tile::ElementCount(program_, mma.result);
    for (const tile::AxisId axis : tile::TypeOf(program_, mma.lhs).axes) {
      if (tile::HasAxis(result, axis)) continue;
      terms = Times(terms, program_.axes[static_cast<size_t>(axis)].extent);
    }
    Add(times, Times(2, terms), work_.flops);
  }

  void CountOp(const tile::Reduce& reduce, int64_t times) {
    const int64_t extent =
        program_.axes[static_cast<size_t>(reduce.axis)].extent;
    Add(times, Times(tile::ElementCount(program_, reduce.result), extent - 1),
        work_.flops);
  }

  void CountOp(const tile::Pipeline& pipeline, int64_t times) {
    Count(pipeline.body, Times(times, pipeline.trips));
  }

  void CountOp(const tile::Constant&, int64_t) {}
  void CountOp(const tile::Iota&, int64_t) {}

  const tile::Program& program_;
  const LiveValues live_;
  ProgramWork work_;
  std::set<tile::BufferId> loaded_;
  std::set<tile::BufferId> stored_;
  bool overflow_ = false;
};

}  // namespace

Result<ProgramWork> WorkOf(const tile::Program& program) {
  Counter counter(program);
  counter.Count(program.body, tile::InstanceCount(program));
  return counter.Finish();
}

}  // namespace exhibit
