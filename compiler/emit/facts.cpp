#include "compiler/emit/facts.h"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace exhibit {
namespace {

using tile::Elementwise;
using tile::ElementwiseKind;
using tile::ValueId;

// Wide enough for one operation on any two ranges.
using Wide = __int128;

std::optional<IndexRange> Narrow(Wide low, Wide high) {
  if (low < INT64_MIN || high > INT64_MAX) return std::nullopt;  // Would wrap.
  return IndexRange{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

std::optional<IndexRange> RangeOf(ElementwiseKind kind, const IndexRange& a,
                                  const IndexRange& b) {
  switch (kind) {
    case ElementwiseKind::kAdd:
      return Narrow(Wide{a.low} + b.low, Wide{a.high} + b.high);
    case ElementwiseKind::kSub:
      return Narrow(Wide{a.low} - b.high, Wide{a.high} - b.low);
    case ElementwiseKind::kMul: {
      const Wide corners[] = {Wide{a.low} * b.low, Wide{a.low} * b.high,
                              Wide{a.high} * b.low, Wide{a.high} * b.high};
      return Narrow(*std::min_element(corners, corners + 4),
                    *std::max_element(corners, corners + 4));
    }
    case ElementwiseKind::kDiv:
      if (b.low != b.high || b.low < 1) return std::nullopt;
      return IndexRange{a.low / b.low, a.high / b.low};
    case ElementwiseKind::kMax:
      return IndexRange{std::max(a.low, b.low), std::max(a.high, b.high)};
    default:
      return std::nullopt;
  }
}

class FactFinder {
 public:
  FactFinder(const tile::Program& program, int64_t width)
      : program_(program), width_(width), facts_(program.values.size()) {}

  std::vector<LaneFacts> Find() {
    SetDomain();
    // Carries may need several rounds: uniformity only ever gets lost, so this
    // ends after at most one round per value.
    do {
      changed_ = false;
      Walk(program_.body);
    } while (changed_);
    return std::move(facts_);
  }

 private:
  void SetDomain() {
    int64_t inner = 1;
    for (size_t i = program_.domain.size(); i-- > 0;) {
      const tile::DomainAxis& axis = program_.domain[i];
      int64_t outer = 1;
      for (size_t j = 0; j < i; ++j) outer *= program_.domain[j].extent;
      LaneFacts& facts = facts_[axis.index];
      facts.range = IndexRange{0, std::max<int64_t>(axis.extent - 1, 0)};
      if (axis.extent == 1 || inner % width_ == 0) {
        facts.lane_stride = 0;
      } else {
        facts.uniform = false;
        if (inner == 1 && (outer == 1 || axis.extent % width_ == 0)) {
          facts.lane_stride = 1;
        }
      }
      inner *= axis.extent;
    }
  }

  void Walk(const std::vector<tile::Op>& ops) {
    for (const tile::Op& op : ops) {
      std::visit([this](const auto& node) { Visit(node); }, op.node);
    }
  }

  void Visit(const tile::Constant& op) {
    if (const int64_t* number = std::get_if<int64_t>(&op.number)) {
      facts_[op.result].range = IndexRange{*number, *number};
      facts_[op.result].lane_stride = 0;
    }
  }

  void Visit(const tile::Iota& op) {
    SetUniform(op.result, IsUniform(op.offset));
    const auto offset = RangeOfScalar(op.offset);
    const int64_t extent = program_.axes[op.axis].extent;
    if (offset && extent > 0) {
      facts_[op.result].range =
          Narrow(offset->low, Wide{offset->high} + extent - 1);
    }
  }

  void Visit(const tile::Load& op) {
    bool uniform = true;
    for (const tile::ViewDim& dim : op.view.dims) {
      uniform = uniform && IsUniform(dim.offset);
    }
    SetUniform(op.result, uniform);
  }

  void Visit(const tile::Store&) {}

  void Visit(const Elementwise& op) {
    bool uniform = true;
    for (ValueId operand : op.operands) {
      uniform = uniform && facts_[operand].uniform;
    }
    SetUniform(op.result, uniform);
    if (op.operands.size() != 2 ||
        tile::TypeOf(program_, op.result).scalar != tile::ScalarType::kI64) {
      return;
    }
    const LaneFacts& a = facts_[op.operands[0]];
    const LaneFacts& b = facts_[op.operands[1]];
    LaneFacts& result = facts_[op.result];
    if (a.range && b.range) result.range = RangeOf(op.kind, *a.range, *b.range);
    if (!tile::TypeOf(program_, op.result).axes.empty()) return;
    result.lane_stride = StrideOf(op.kind, a, b, uniform);
  }

  static std::optional<int64_t> StrideOf(ElementwiseKind kind,
                                         const LaneFacts& a, const LaneFacts& b,
                                         bool uniform) {
    if (uniform) return 0;
    const auto of_a = a.uniform ? 0 : a.lane_stride;
    const auto of_b = b.uniform ? 0 : b.lane_stride;
    if (!of_a || !of_b) return std::nullopt;
    Wide stride = 0;
    if (kind == ElementwiseKind::kAdd) {
      stride = Wide{*of_a} + *of_b;
    } else if (kind == ElementwiseKind::kSub) {
      stride = Wide{*of_a} - *of_b;
    } else if (kind == ElementwiseKind::kMul && b.range &&
               b.range->low == b.range->high) {
      stride = Wide{*of_a} * b.range->low;
    } else if (kind == ElementwiseKind::kMul && a.range &&
               a.range->low == a.range->high) {
      stride = Wide{*of_b} * a.range->low;
    } else {
      return std::nullopt;
    }
    if (!Narrow(stride, stride)) return std::nullopt;
    return static_cast<int64_t>(stride);
  }

  void Visit(const tile::Mma& op) {
    SetUniform(op.result, facts_[op.lhs].uniform && facts_[op.rhs].uniform &&
                              facts_[op.seed].uniform);
  }

  void Visit(const tile::Reduce& op) {
    SetUniform(op.result, facts_[op.operand].uniform);
  }

  void Visit(const tile::Pipeline& op) {
    if (op.step != tile::kNone) {
      facts_[op.step].range = IndexRange{0, std::max<int64_t>(op.trips - 1, 0)};
      facts_[op.step].lane_stride = 0;
    }
    for (const tile::Carry& carry : op.carries) {
      SetUniform(carry.argument, facts_[carry.initial].uniform);
    }
    Walk(op.body);
    for (const tile::Carry& carry : op.carries) {
      const bool uniform =
          facts_[carry.argument].uniform && facts_[carry.yielded].uniform;
      SetUniform(carry.argument, uniform);
      SetUniform(carry.result, uniform);
    }
  }

  bool IsUniform(const tile::Scalar& scalar) const {
    return scalar.value == tile::kNone || facts_[scalar.value].uniform;
  }

  std::optional<IndexRange> RangeOfScalar(const tile::Scalar& scalar) const {
    if (scalar.value != tile::kNone) return facts_[scalar.value].range;
    return IndexRange{scalar.literal, scalar.literal};
  }

  void SetUniform(ValueId value, bool uniform) {
    if (uniform || !facts_[value].uniform) return;
    facts_[value].uniform = false;
    changed_ = true;
  }

  const tile::Program& program_;
  const int64_t width_;
  std::vector<LaneFacts> facts_;
  bool changed_ = false;
};

}  // namespace

std::vector<LaneFacts> FindLaneFacts(const tile::Program& program,
                                     int64_t packet_width) {
  return FactFinder(program, packet_width).Find();
}

}  // namespace exhibit
