#include "compiler/tile/instances.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace exhibit::tile {

namespace {

// The scalar coefficient * index(domain) + constant; no domain index if
// `domain` is kNone.
struct Affine {
  int32_t domain = kNone;  // Index into Program::domain.
  int64_t coefficient = 0;
  int64_t constant = 0;
};
using MaybeAffine = std::optional<Affine>;

MaybeAffine Times(Affine value, int64_t factor) {
  if (__builtin_mul_overflow(value.coefficient, factor, &value.coefficient) ||
      __builtin_mul_overflow(value.constant, factor, &value.constant)) {
    return std::nullopt;
  }
  return value;
}

MaybeAffine Plus(const Affine& a, const Affine& b) {
  if (a.domain != kNone && b.domain != kNone && a.domain != b.domain) {
    return std::nullopt;
  }
  Affine sum;
  sum.domain = a.domain == kNone ? b.domain : a.domain;
  if (__builtin_add_overflow(a.coefficient, b.coefficient, &sum.coefficient) ||
      __builtin_add_overflow(a.constant, b.constant, &sum.constant)) {
    return std::nullopt;
  }
  return sum;
}

MaybeAffine Combine(ElementwiseKind kind, const Affine& a, const Affine& b) {
  switch (kind) {
    case ElementwiseKind::kAdd:
      return Plus(a, b);
    case ElementwiseKind::kSub: {
      const MaybeAffine negated = Times(b, -1);
      return negated ? Plus(a, *negated) : std::nullopt;
    }
    case ElementwiseKind::kMul:
      if (b.domain == kNone) return Times(a, b.constant);
      if (a.domain == kNone) return Times(b, a.constant);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// What the program does to one buffer.
struct Accesses {
  std::vector<const View*> views;
  bool stored = false;
};

class InstanceChecker {
 public:
  explicit InstanceChecker(const Program& program)
      : program_(program),
        affine_(program.values.size()),
        accesses_(program.buffers.size()) {}

  Status Run();

 private:
  void Walk(const std::vector<Op>& body);
  void Note(const Constant& op);
  void Note(const Elementwise& op);
  void Note(const View& view) {
    accesses_.at(view.buffer).views.push_back(&view);
  }

  MaybeAffine IndexOf(const ViewDim& dim) const;
  bool Separates(int32_t domain, size_t dim,
                 const std::vector<const View*>& views) const;

  const Program& program_;
  std::vector<MaybeAffine> affine_;  // By ValueId; of i64 scalars.
  std::vector<Accesses> accesses_;   // By BufferId.
};

void InstanceChecker::Note(const Constant& op) {
  if (const int64_t* number = std::get_if<int64_t>(&op.number)) {
    affine_.at(op.result) = Affine{kNone, 0, *number};
  }
}

void InstanceChecker::Note(const Elementwise& op) {
  if (op.operands.size() != 2) return;
  const MaybeAffine& a = affine_.at(op.operands[0]);
  const MaybeAffine& b = affine_.at(op.operands[1]);
  if (a && b) affine_.at(op.result) = Combine(op.kind, *a, *b);
}

void InstanceChecker::Walk(const std::vector<Op>& body) {
  for (const Op& op : body) {
    if (const auto* constant = std::get_if<Constant>(&op.node)) {
      Note(*constant);
    } else if (const auto* elementwise = std::get_if<Elementwise>(&op.node)) {
      Note(*elementwise);
    } else if (const auto* load = std::get_if<Load>(&op.node)) {
      Note(load->view);
    } else if (const auto* store = std::get_if<Store>(&op.node)) {
      Note(store->view);
      accesses_.at(store->view.buffer).stored = true;
    } else if (const auto* pipeline = std::get_if<Pipeline>(&op.node)) {
      Walk(pipeline->body);
    }
  }
}

MaybeAffine InstanceChecker::IndexOf(const ViewDim& dim) const {
  if (dim.offset.value == kNone) return Affine{kNone, 0, dim.offset.literal};
  return affine_.at(dim.offset.value);
}

// Whether dimension `dim` of all `views` lies in windows of at most |c|
// elements that start at c * i + constant.
bool InstanceChecker::Separates(int32_t domain, size_t dim,
                                const std::vector<const View*>& views) const {
  int64_t coefficient = 0;
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  for (const View* view : views) {
    const MaybeAffine index = IndexOf(view->dims.at(dim));
    if (!index || index->domain != domain || index->coefficient == 0) {
      return false;
    }
    if (coefficient != 0 && index->coefficient != coefficient) return false;
    coefficient = index->coefficient;
    const AxisId axis = view->dims.at(dim).axis;
    const int64_t extent = axis == kNone ? 1 : program_.axes.at(axis).extent;
    int64_t view_end = 0;
    if (__builtin_add_overflow(index->constant, extent, &view_end)) {
      return false;
    }
    first = std::min(first, index->constant);
    end = std::max(end, view_end);
  }
  // Indices wrap modulo 2^64, so the whole range has to fit as well.
  int64_t width = 0;
  int64_t reach = 0;
  int64_t last = 0;
  if (__builtin_sub_overflow(end, first, &width) ||
      __builtin_mul_overflow(coefficient, program_.domain.at(domain).extent,
                             &reach) ||
      __builtin_add_overflow(coefficient > 0 ? end : first, reach, &last)) {
    return false;
  }
  return coefficient > 0 ? width <= coefficient : -width >= coefficient;
}

Status InstanceChecker::Run() {
  for (size_t i = 0; i < program_.domain.size(); ++i) {
    affine_.at(program_.domain[i].index) =
        Affine{static_cast<int32_t>(i), 1, 0};
  }
  Walk(program_.body);
  for (size_t buffer = 0; buffer < accesses_.size(); ++buffer) {
    if (!accesses_[buffer].stored) continue;
    const size_t rank = program_.buffers[buffer].shape.size();
    for (size_t domain = 0; domain < program_.domain.size(); ++domain) {
      if (program_.domain[domain].extent <= 1) continue;
      bool separated = false;
      for (size_t dim = 0; dim < rank && !separated; ++dim) {
        separated = Separates(static_cast<int32_t>(domain), dim,
                              accesses_[buffer].views);
      }
      if (separated) continue;
      return Error{
          ErrorKind::kInvalidArgument,
          "two instances may meet in buffer \"" +
              program_.buffers[buffer].name +
              "\": no dimension keeps the instances of \"" +
              ValueName(program_, program_.domain[domain].index) + "\" apart",
          "Let every load and store of it index one dimension by that domain "
          "index, times at least the extent of the tile there."};
    }
  }
  return Ok();
}

}  // namespace

Status CheckInstances(const Program& program) {
  return InstanceChecker(program).Run();
}

}  // namespace exhibit::tile
