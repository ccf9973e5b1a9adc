#include "tests/unit/build/random_program.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "compiler/tile/attention.h"

namespace exhibit::testing {
namespace {

// Whatever is expanded must stay small enough to compile at once.
constexpr int64_t kTileElements = 96;
constexpr int64_t kMmaTerms = 700;  // Outputs times terms.
constexpr int64_t kProgramWork = 1600;
constexpr int64_t kAttentionWork = 1500;

struct Value {
  std::string name;
  std::string scalar;  // f32, i64, bool
  std::vector<int> axes;
};

class Maker {
 public:
  explicit Maker(Random& random) : random_(random) {}

  std::string Make();

 private:
  using Axes = std::vector<int>;

  int64_t Elements(const Axes& axes) const {
    int64_t count = 1;
    for (const int axis : axes) count *= extents_[axis];
    return count;
  }
  static bool Within(const Axes& part, const Axes& whole) {
    return std::all_of(part.begin(), part.end(), [&](int axis) {
      return std::find(whole.begin(), whole.end(), axis) != whole.end();
    });
  }
  std::string Type(const std::string& scalar, const Axes& axes) const;
  void Shuffle(Axes& axes) {
    for (size_t i = axes.size(); i > 1; --i) {
      std::swap(axes[i - 1], axes[random_.Below(static_cast<int64_t>(i))]);
    }
  }
  // `axes` and perhaps others, in any order.
  Axes Wider(Axes axes, int64_t percent);
  Axes AnyAxes() { return Wider({}, 75); }

  void Line(const std::string& text) {
    body_ += std::string(2 + 2 * depth_, ' ') + text + "\n";
  }
  // Emits `name: type = right` and makes it known.
  Value Define(const std::string& scalar, const Axes& axes,
               const std::string& right);
  // A value of that type over some of `axes`; a constant where there is none.
  Value Pick(const std::string& scalar, const Axes& axes);
  // Any value of that type, the newer the likelier.
  Value Recent(const std::string& scalar);
  // The same, rarely a scalar.
  Value RecentTile();
  bool IsRead(const Value& value) const;
  Value MakeConstant(const std::string& scalar, const Axes& axes);
  std::string Offset();

  // A new value of exactly this type from others.
  Value Combine(const std::string& scalar, const Axes& axes);
  void MakeElementwise();
  void MakeComparison();
  void MakeUnary();
  void MakeMma();
  void MakeReduce();
  void MakeLoad();
  void MakePipeline();
  void TouchInout();
  void MakeOp();
  void MakeOutput(const Value& value);
  // "i, j, " and the extents before a tile's own.
  std::string DomainIndex() const;
  std::string DomainShape() const;

  Random& random_;
  std::vector<int64_t> extents_;
  std::vector<int64_t> domain_;
  std::vector<Value> scope_;
  std::string buffers_;
  std::string body_;
  int depth_ = 0;
  int64_t work_ = 0;
  int names_ = 0;
  int buffer_names_ = 0;
};

std::string Maker::Type(const std::string& scalar, const Axes& axes) const {
  std::string text = scalar;
  for (size_t i = 0; i < axes.size(); ++i) {
    text += (i == 0 ? "[a" : ", a") + std::to_string(axes[i]);
  }
  return axes.empty() ? text : text + "]";
}

Value Maker::RecentTile() {
  for (int i = 0; i < 3; ++i) {
    Value value = Recent("f32");
    if (!value.axes.empty()) return value;
  }
  return Recent("f32");
}

// Whether its name stands anywhere but where it is defined.
bool Maker::IsRead(const Value& value) const {
  size_t count = 0;
  for (size_t at = body_.find(value.name); at != std::string::npos;
       at = body_.find(value.name, at + 1)) {
    const char after = body_[at + value.name.size()];
    count += after < '0' || after > '9';
  }
  return count > 1;
}

Maker::Axes Maker::Wider(Axes axes, int64_t percent) {
  while (axes.size() < 3 && random_.Chance(percent)) {
    const auto axis =
        static_cast<int>(random_.Below(static_cast<int64_t>(extents_.size())));
    if (Within({axis}, axes)) continue;
    if (Elements(axes) * extents_[axis] > kTileElements) break;
    axes.push_back(axis);
  }
  if (random_.Chance(40)) Shuffle(axes);
  return axes;
}

Value Maker::Define(const std::string& scalar, const Axes& axes,
                    const std::string& right) {
  Value value{"v" + std::to_string(names_++), scalar, axes};
  Line(value.name + ": " + Type(scalar, axes) + " = " + right);
  scope_.push_back(value);
  work_ += Elements(axes);
  return value;
}

Value Maker::MakeConstant(const std::string& scalar, const Axes& axes) {
  std::string number;
  if (scalar == "f32") {
    number = random_.OneOf<const char*>({"0", "1", "-1", "0.5", "-0.25", "3",
                                         "1e-3", "-1e+30", "0.1", "-0", "inf",
                                         "-inf", "nan", "1e-40"});
    if (random_.Chance(50)) {
      number = std::to_string(random_.Between(-9, 9));
    }
  } else if (scalar == "i64") {
    number = std::to_string(random_.Between(-4, 9));
  } else {
    number = random_.Chance(60) ? "true" : "false";
  }
  return Define(scalar, axes, "constant " + number);
}

Value Maker::Pick(const std::string& scalar, const Axes& axes) {
  std::vector<Value> found;
  for (const Value& value : scope_) {
    if (value.scalar == scalar && Within(value.axes, axes)) {
      found.push_back(value);
    }
  }
  if (found.empty()) return MakeConstant(scalar, {});
  const auto count = static_cast<int64_t>(found.size());
  return found[std::max(random_.Below(count), random_.Below(count))];
}

Value Maker::Recent(const std::string& scalar) {
  Axes all;
  for (size_t i = 0; i < extents_.size(); ++i) {
    all.push_back(static_cast<int>(i));
  }
  return Pick(scalar, all);
}

std::string Maker::Offset() {
  if (random_.Chance(40)) return std::to_string(random_.Between(-2, 3));
  return Pick("i64", {}).name;
}

Value Maker::Combine(const std::string& scalar, const Axes& axes) {
  const std::string a = Pick(scalar, axes).name;
  if (random_.Chance(25)) {
    const std::string chosen = Pick("bool", axes).name;
    return Define(
        scalar, axes,
        "select " + chosen + ", " + a + ", " + Pick(scalar, axes).name);
  }
  if (scalar == "bool") {
    return Define(scalar, axes, "and " + a + ", " + Pick(scalar, axes).name);
  }
  if (scalar == "i64" && random_.Chance(20)) {
    const std::string divisor =
        Define("i64", {}, "constant " + std::to_string(random_.Between(1, 9)))
            .name;
    return Define(scalar, axes, "div " + a + ", " + divisor);
  }
  const std::string kind =
      scalar == "f32"
          ? random_.OneOf<const char*>(
                {"add", "add", "sub", "mul", "mul", "div", "max"})
          : random_.OneOf<const char*>({"add", "sub", "mul", "max"});
  return Define(scalar, axes, kind + " " + a + ", " + Pick(scalar, axes).name);
}

void Maker::MakeElementwise() {
  const std::string scalar =
      random_.OneOf<const char*>({"f32", "f32", "f32", "i64", "bool"});
  Combine(scalar, Wider(Recent(scalar).axes, 25));
}

void Maker::MakeComparison() {
  const std::string scalar = random_.Chance(60) ? "f32" : "i64";
  const Value a = Recent(scalar);
  const Axes axes = Wider(a.axes, 25);
  const std::string kind =
      random_.OneOf<const char*>({"lt", "le", "gt", "ge", "eq", "ne"});
  Define("bool", axes, kind + " " + a.name + ", " + Pick(scalar, axes).name);
}

void Maker::MakeUnary() {
  const int64_t choice = random_.Below(5);
  if (choice <= 1) {
    const Value a = Recent("f32");
    const Axes axes = Wider(a.axes, 15);
    Define("f32", axes, (choice == 0 ? "exp " : "sqrt ") + a.name);
    return;
  }
  const Value a = Recent(random_.Chance(50) ? "i64" : "bool");
  const Axes axes = Wider(a.axes, 15);
  const bool to_integer = a.scalar == "bool" && choice == 2;
  Define(to_integer ? "i64" : "f32", axes, "convert " + a.name);
}

void Maker::MakeMma() {
  const Value lhs = RecentTile();
  const Value rhs = RecentTile();
  // Of the left operand's axes some are contracted; the right operand's others
  // must stay.
  Axes result;
  Axes contracted;
  for (const int axis : lhs.axes) {
    const bool stays = random_.Chance(Within({axis}, rhs.axes) ? 25 : 60);
    (stays ? result : contracted).push_back(axis);
  }
  for (const int axis : rhs.axes) {
    if (!Within({axis}, lhs.axes)) result.push_back(axis);
  }
  if (result.size() > 3 || Elements(result) > kTileElements ||
      Elements(result) * std::max<int64_t>(1, Elements(contracted)) >
          kMmaTerms) {
    return;
  }
  if (random_.Chance(50)) Shuffle(result);
  work_ += Elements(result) * Elements(contracted);
  const std::string seed = Pick("f32", result).name;
  Define("f32", result,
         std::string(random_.Chance(10) ? "mma fma " : "mma strict ") +
             lhs.name + ", " + rhs.name + ", " + seed);
}

void Maker::MakeReduce() {
  const Value operand = RecentTile();
  if (operand.axes.empty()) return;
  Axes rest = operand.axes;
  const auto at =
      rest.begin() + random_.Below(static_cast<int64_t>(rest.size()));
  const int axis = *at;
  if (extents_[axis] == 0) return;
  rest.erase(at);
  work_ += 2 * Elements(operand.axes);
  Define("f32", rest,
         std::string("reduce ") + (random_.Chance(50) ? "max " : "sum ") +
             (random_.Chance(70) ? "sequential " : "tree ") + operand.name +
             " over a" + std::to_string(axis));
}

void Maker::MakeLoad() {
  const Axes axes = AnyAxes();
  const std::string scalar = random_.Chance(80) ? "f32" : "i64";
  Axes order = axes;
  Shuffle(order);
  std::string shape;
  std::string view;
  const int64_t plain =
      order.size() < 3 && (order.empty() || random_.Chance(40));
  for (int64_t i = 0; i < plain; ++i) {
    shape += std::to_string(random_.Between(1, 9)) + ", ";
    view += Offset() + ", ";
  }
  for (const int axis : order) {
    const int64_t extent =
        extents_[axis] * random_.Between(1, 3) + random_.Between(-2, 2);
    shape += std::to_string(std::max<int64_t>(1, extent)) + ", ";
    std::string offset = Offset();
    if (random_.Chance(40)) {
      const std::string block =
          Define("i64", {}, "constant " + std::to_string(extents_[axis])).name;
      offset =
          Define("i64", {}, "mul " + Pick("i64", {}).name + ", " + block).name;
    }
    view += offset + ":a" + std::to_string(axis) + ", ";
  }
  const std::string name = "in" + std::to_string(buffer_names_++);
  buffers_ += "input " + name + " " + scalar + "[" +
              shape.substr(0, shape.size() - 2) + "]\n";
  Define(scalar, axes,
         "load " + name + "[" + view.substr(0, view.size() - 2) + "]");
}

std::string Maker::DomainIndex() const {
  return domain_.size() == 1 ? "i" : "i, j";
}

std::string Maker::DomainShape() const {
  std::string shape = std::to_string(domain_[0]);
  return domain_.size() == 1 ? shape
                             : shape + ", " + std::to_string(domain_[1]);
}

// Loads a tile, stores another over it; who reads the first must not see it.
void Maker::TouchInout() {
  const Value source = Recent("f32");
  std::string shape = DomainShape();
  std::string view = DomainIndex();
  for (const int axis : source.axes) {
    const int64_t extent = extents_[axis] + random_.Between(-1, 2);
    shape += ", " + std::to_string(std::max<int64_t>(1, extent));
    view += ", " + Offset() + ":a" + std::to_string(axis);
  }
  const std::string name = "io" + std::to_string(buffer_names_++);
  buffers_ += "inout " + name + " f32[" + shape + "]\n";
  const std::string at = name + "[" + view + "]";
  const Value before = Define("f32", source.axes, "load " + at);
  if (random_.Chance(50)) Define("f32", source.axes, "exp " + before.name);
  const std::string stored =
      random_.Chance(50) ? Define("f32", source.axes,
                                  "add " + before.name + ", " + source.name)
                               .name
                         : source.name;
  Line("store " + stored + " -> " + at);
  if (random_.Chance(50)) Define("f32", source.axes, "load " + at);
  scope_.push_back(before);  // Likely to be read again.
}

void Maker::MakePipeline() {
  if (depth_ == 2) return;
  std::vector<Value> carries;
  const int64_t count = random_.Between(1, 3);
  std::string lines;
  for (int64_t i = 0; i < count; ++i) {
    const Value initial = Recent(
        random_.OneOf<const char*>({"f32", "f32", "f32", "i64", "bool"}));
    carries.push_back(
        {"c" + std::to_string(names_++), initial.scalar, initial.axes});
    lines += std::string(4 + 2 * depth_, ' ') + "carry " + carries.back().name +
             ": " + Type(initial.scalar, initial.axes) + " = " + initial.name +
             "\n";
  }
  const std::string step = "s" + std::to_string(names_++);
  Line("pipeline " + step + " < " +
       std::to_string(random_.OneOf<int64_t>({0, 1, 2, 2, 3, 4, 5})) + " {");
  body_ += lines;
  const size_t outside = scope_.size();
  scope_.push_back({step, "i64", {}});
  scope_.insert(scope_.end(), carries.begin(), carries.end());
  ++depth_;
  for (int64_t ops = random_.Between(1, 6); ops > 0; --ops) MakeOp();
  std::string yielded;
  for (const Value& carry : carries) {
    Value last = Pick(carry.scalar, carry.axes);
    if (last.axes != carry.axes || random_.Chance(60)) {
      last = Combine(carry.scalar, carry.axes);
    }
    yielded += (yielded.empty() ? "" : ", ") + last.name;
  }
  Line("yield " + yielded);
  --depth_;
  Line("}");
  scope_.resize(outside);
  scope_.insert(scope_.end(), carries.begin(), carries.end());
}

void Maker::MakeOp() {
  if (work_ > kProgramWork) return;
  const int64_t choice = random_.Below(100);
  if (choice < 8) {
    MakeConstant(random_.OneOf<const char*>({"f32", "i64", "bool"}), AnyAxes());
  } else if (choice < 13) {
    const auto axis =
        static_cast<int>(random_.Below(static_cast<int64_t>(extents_.size())));
    if (extents_[axis] > kTileElements) return;
    const std::string offset = Offset();
    Define("i64", {axis}, "iota a" + std::to_string(axis) + " from " + offset);
  } else if (choice < 30) {
    MakeLoad();
  } else if (choice < 50) {
    MakeElementwise();
  } else if (choice < 56) {
    MakeComparison();
  } else if (choice < 65) {
    MakeUnary();
  } else if (choice < 80) {
    MakeMma();
  } else if (choice < 88) {
    MakeReduce();
  } else if (choice < 93) {
    TouchInout();
  } else {
    MakePipeline();
  }
}

void Maker::MakeOutput(const Value& value) {
  if (Elements(value.axes) == 0) return;
  Value stored = value;
  if (stored.scalar == "bool") {
    stored = Define("f32", value.axes, "convert " + value.name);
  }
  const std::string name = "out" + std::to_string(buffer_names_++);
  std::string shape = DomainShape();
  std::string view = DomainIndex();
  size_t first = 0;
  if (!stored.axes.empty() && domain_.size() == 1 && random_.Chance(50)) {
    // Rows in blocks, the last of which may reach over the edge.
    const int64_t extent = extents_[stored.axes[0]];
    const std::string block =
        Define("i64", {}, "constant " + std::to_string(extent)).name;
    view = Define("i64", {}, "mul i, " + block).name + ":a" +
           std::to_string(stored.axes[0]);
    shape = std::to_string(domain_[0] * extent - random_.Below(extent));
    first = 1;
  }
  for (size_t i = first; i < stored.axes.size(); ++i) {
    shape += ", " + std::to_string(extents_[stored.axes[i]]);
    view += ", 0:a" + std::to_string(stored.axes[i]);
  }
  buffers_ += "output " + name + " " + stored.scalar + "[" + shape + "]\n";
  Line("store " + stored.name + " -> " + name + "[" + view + "]");
}

std::string Maker::Make() {
  std::string text = "exhibit.tile/1\nprogram random\n";
  for (int64_t count = random_.Between(2, 5); count > 0; --count) {
    const auto extent = random_.OneOf<int64_t>(
        {1, 2, 3, 3, 4, 5, 5, 7, 8, 9, 12, 16, 17, 33, 65});
    text += "axis a" + std::to_string(extents_.size()) + " = " +
            std::to_string(random_.Chance(3) ? 0 : extent) + "\n";
    extents_.push_back(text.ends_with("= 0\n") ? 0 : extent);
  }
  domain_ = {random_.OneOf<int64_t>({1, 2, 3, 5, 8, 9, 16, 17, 33})};
  std::string domain = "i < " + std::to_string(domain_[0]);
  scope_.push_back({"i", "i64", {}});
  if (random_.Chance(50)) {
    domain_.push_back(random_.OneOf<int64_t>({1, 2, 3, 4, 8}));
    domain += ", j < " + std::to_string(domain_[1]);
    scope_.push_back({"j", "i64", {}});
  }
  MakeLoad();
  MakeLoad();
  for (int64_t ops = random_.Between(4, 18); ops > 0; --ops) MakeOp();
  // Whatever nothing reads, the newest first, so that little is dead.
  const std::vector<Value> made = scope_;
  int64_t outputs = 0;
  for (size_t i = made.size(); i-- > 0 && outputs < 6;) {
    if (IsRead(made[i]) && outputs + static_cast<int64_t>(i) > 2) continue;
    MakeOutput(made[i]);
    ++outputs;
  }
  return text + buffers_ + "parallel " + domain + " {\n" + body_ + "}\n";
}

}  // namespace

TileOptions RandomOptions(Random& random) {
  TileOptions options;
  options.packet_width = random.OneOf<int64_t>({2, 4, 8, 8, 16});
  options.workers_per_block =
      options.packet_width * random.OneOf<int64_t>({1, 2, 3, 4, 8});
  options.max_unrolled_tile_elements =
      random.OneOf<int64_t>({0, 1, 2, 8, 64, 64, 1024});
  options.max_unrolled_region_work =
      random.OneOf<int64_t>({0, 4096, 4096, 64, 500});
  options.mma_output_block = random.OneOf<int64_t>({1, 2, 4, 4});
  options.max_unrolled_mma_terms = random.OneOf<int64_t>({0, 0, 1, 2, 8, 64});
  options.indexable_mma_snapshots = random.Chance(70);
  options.enable_mma_2d_blocking = random.Chance(50);
  options.full_packet = random.Chance(50);
  options.max_full_packet_instructions =
      random.OneOf<int64_t>({4096, 1 << 20, 100});
  options.qk = random.Chance(70) ? "mma" : "reduce";
  options.pv = random.Chance(70) ? "mma" : "reduce";
  return options;
}

std::string RandomAttention(Random& random, const TileOptions& options) {
  const auto contraction = [](const std::string& word) {
    return word == "reduce" ? tile::Contraction::kReduce
                            : tile::Contraction::kMma;
  };
  // What runs in loops may be larger, and then needs a workspace.
  const int64_t t = options.max_unrolled_tile_elements;
  const bool large = t != 0 && t <= 64 && random.Chance(40);
  const int64_t depth_max = large ? 90 : 20;
  tile::AttentionSpec spec;
  do {
    tile::AttentionShape& s = spec.shape;
    s.batch = random.Between(1, 2);
    s.kv_heads = random.Between(1, 3);
    s.query_heads = s.kv_heads * random.Between(1, 3);
    s.queries = random.Between(1, 9);
    s.keys = s.queries + random.Below(25);
    s.depth = random.Between(1, depth_max);
    s.value_depth = random.Between(1, depth_max);
    spec.query_block = random.Between(1, 5);
    spec.key_block = random.Between(1, 17);
  } while (spec.query_block * spec.key_block *
               (spec.shape.depth + spec.shape.value_depth) >
           (large ? 6 : 1) * kAttentionWork);
  spec.qk = contraction(options.qk);
  spec.pv = contraction(options.pv);
  const Result<std::string> text = tile::AttentionText(spec);
  if (!text.ok()) throw std::logic_error(text.error().message);
  return *text;
}

std::string RandomProgram(Random& random) { return Maker(random).Make(); }

}  // namespace exhibit::testing
