#include "compiler/plan/storage.h"

#include <utility>

namespace exhibit {

using tile::Carry;
using tile::Mma;
using tile::Op;
using tile::Pipeline;
using tile::Program;
using tile::ValueId;

namespace {

// What the rules ask of a value, gathered over the whole program.
struct Facts {
  int64_t elements = 0;
  int64_t depth = 0;  // Pipelines around its definition.
  int64_t uses = 0;   // Operand slots; two if the use is in a deeper pipeline.
  bool constant = false;
  bool elementwise = false;
  bool read_by_reduce = false;
  bool read_by_large = false;        // Rule (c).
  bool indexed_by_cap_loop = false;  // Rule (d).
};

class FactFinder {
 public:
  FactFinder(const Program& program, const TileOptions& options)
      : program_(program), options_(options), facts_(program.values.size()) {
    for (size_t id = 0; id < facts_.size(); ++id) {
      facts_[id].elements = ElementCount(program, static_cast<ValueId>(id));
    }
  }

  std::vector<Facts> Run() {
    Walk(program_.body, 0);
    return std::move(facts_);
  }

 private:
  void Walk(const std::vector<Op>& body, int64_t depth);
  void WalkPipeline(const Pipeline& pipeline, int64_t depth);
  void Use(ValueId value, int64_t depth);
  void NoteReaders(const Op& op);
  void NoteCapLoop(const Mma& mma);
  void NoteDefinition(const Op& op, int64_t depth);

  const Program& program_;
  const TileOptions& options_;
  std::vector<Facts> facts_;  // By ValueId.
};

void FactFinder::Use(ValueId value, int64_t depth) {
  facts_.at(value).uses += depth > facts_.at(value).depth ? 2 : 1;
}

void FactFinder::Walk(const std::vector<Op>& body, int64_t depth) {
  for (const Op& op : body) {
    for (ValueId operand : OperandsOf(op)) Use(operand, depth);
    NoteReaders(op);
    NoteDefinition(op, depth);
    if (const auto* pipeline = std::get_if<Pipeline>(&op.node)) {
      WalkPipeline(*pipeline, depth);
    }
  }
}

void FactFinder::WalkPipeline(const Pipeline& pipeline, int64_t depth) {
  facts_.at(pipeline.step).depth = depth + 1;
  for (const Carry& carry : pipeline.carries) {
    facts_.at(carry.argument).depth = depth + 1;
    facts_.at(carry.result).depth = depth;
  }
  Walk(pipeline.body, depth + 1);
  for (const Carry& carry : pipeline.carries) Use(carry.yielded, depth + 1);
}

void FactFinder::NoteReaders(const Op& op) {
  if (const auto* reduce = std::get_if<tile::Reduce>(&op.node)) {
    facts_.at(reduce->operand).read_by_reduce = true;
  }
  const auto* mma = std::get_if<Mma>(&op.node);
  if (mma != nullptr) NoteCapLoop(*mma);
  if (mma == nullptr && !std::holds_alternative<tile::Elementwise>(op.node)) {
    return;
  }
  const int64_t result_elements = facts_.at(ResultOf(op)).elements;
  if (!TraversalIsLoop(result_elements, options_)) return;
  for (ValueId operand : OperandsOf(op)) {
    facts_.at(operand).read_by_large = true;
  }
}

// A run-time k cannot index SSA elements but by a chain of compares and
// selects; an array it can.
void FactFinder::NoteCapLoop(const Mma& mma) {
  if (!options_.indexable_mma_snapshots) return;
  if (!PlanMma(program_, mma, options_).rolled_by_cap_only) return;
  for (tile::AxisId axis : ContractedAxes(program_, mma)) {
    if (program_.axes.at(axis).extent <= 1) continue;
    for (ValueId operand : {mma.lhs, mma.rhs}) {
      if (HasAxis(TypeOf(program_, operand), axis)) {
        facts_.at(operand).indexed_by_cap_loop = true;
      }
    }
  }
}

void FactFinder::NoteDefinition(const Op& op, int64_t depth) {
  const ValueId result = ResultOf(op);
  if (result == tile::kNone) return;
  Facts& facts = facts_.at(result);
  facts.depth = depth;
  facts.elementwise = std::holds_alternative<tile::Elementwise>(op.node);
  facts.constant = std::holds_alternative<tile::Constant>(op.node);
  if (const auto* iota = std::get_if<tile::Iota>(&op.node)) {
    facts.constant = iota->offset.value == tile::kNone ||
                     facts_.at(iota->offset.value).constant;
  }
}

int64_t RoundUp64(int64_t bytes) { return (bytes + 63) / 64 * 64; }

class Layout {
 public:
  Layout(const Program& program, const TileOptions& options, Plan& plan)
      : program_(program),
        options_(options),
        plan_(plan),
        facts_(FactFinder(program, options).Run()) {
    plan_.values.assign(program.values.size(), ValuePlan{});
  }

  void Run() {
    Walk(program_.body);
    plan_.static_snapshot_allocations =
        static_cast<int64_t>(plan_.arrays.size());
    plan_.aligned_packet_bytes = RoundUp64(end_bytes_);
    if (plan_.aligned_packet_bytes > kStackSnapshotBytesMax) {
      plan_.private_workspace_bytes = plan_.aligned_packet_bytes;
    }
  }

 private:
  void Walk(const std::vector<Op>& body);
  void PlaceCarry(const Carry& carry);
  void Place(ValueId value, const std::string& name_suffix);
  char RuleFor(const Facts& facts) const;
  bool IsLarge(const Facts& facts) const {
    return TraversalIsLoop(facts.elements, options_);
  }
  int32_t AddArray(ValueId value, const std::string& name_suffix);

  const Program& program_;
  const TileOptions& options_;
  Plan& plan_;
  std::vector<Facts> facts_;  // By ValueId.
  int64_t end_bytes_ = 0;     // Behind the last array.
};

// Arrays stand in the order of the definitions in the printed program.
void Layout::Walk(const std::vector<Op>& body) {
  for (const Op& op : body) {
    if (const auto* pipeline = std::get_if<Pipeline>(&op.node)) {
      for (const Carry& carry : pipeline->carries) PlaceCarry(carry);
      Walk(pipeline->body);
      for (const Carry& carry : pipeline->carries) {
        if (!IsLarge(facts_.at(carry.result))) Place(carry.result, "");
      }
    } else if (ResultOf(op) != tile::kNone) {
      Place(ResultOf(op), "");
    }
  }
}

void Layout::PlaceCarry(const Carry& carry) {
  if (!IsLarge(facts_.at(carry.argument))) {
    // The result, if it has one, takes the plain name.
    Place(carry.argument, "_argument");
    return;
  }
  ValuePlan current{StorageKind::kSnapshot, 'a', AddArray(carry.argument, ""),
                    -1};
  plan_.values.at(carry.result) = current;
  current.next_array = AddArray(carry.yielded, "");
  plan_.arrays.back().is_next = true;
  plan_.arrays.back().name = ValueName(program_, carry.argument) + "_next";
  plan_.values.at(carry.argument) = current;
}

// The first rule that gives the value an array, or 0.
char Layout::RuleFor(const Facts& facts) const {
  if (options_.max_unrolled_tile_elements == 0 || facts.elements == 0) return 0;
  const bool deferred = facts.elementwise && facts.uses == 1;
  if (IsLarge(facts) && !facts.constant && !deferred) return 'a';
  if (facts.read_by_reduce) return 'b';
  if (IsLarge(facts) || facts.elements == 1 || facts.constant) return 0;
  if (facts.read_by_large) return 'c';
  if (facts.indexed_by_cap_loop) return 'd';
  return 0;
}

void Layout::Place(ValueId value, const std::string& name_suffix) {
  const Facts& facts = facts_.at(value);
  ValuePlan& plan = plan_.values.at(value);
  plan.rule = RuleFor(facts);
  if (plan.rule != 0) {
    plan.kind = StorageKind::kSnapshot;
    plan.array = AddArray(value, name_suffix);
  } else if (facts.constant) {
    plan.kind = StorageKind::kConstant;
  } else if (IsLarge(facts)) {
    plan.kind = StorageKind::kDeferred;
  }
}

int32_t Layout::AddArray(ValueId value, const std::string& name_suffix) {
  ArrayPlan array;
  array.name = ValueName(program_, value) + name_suffix;
  array.scalar = TypeOf(program_, value).scalar;
  array.elements = facts_.at(value).elements;
  array.offset_bytes = RoundUp64(end_bytes_);
  array.value = value;
  const int64_t bytes = array.elements * tile::ScalarBytes(array.scalar);
  end_bytes_ = array.offset_bytes + bytes * options_.packet_width;
  plan_.static_snapshot_bytes_per_worker += bytes;
  plan_.arrays.push_back(std::move(array));
  return static_cast<int32_t>(plan_.arrays.size()) - 1;
}

}  // namespace

void PlanStorage(const Program& program, const TileOptions& options,
                 Plan& plan) {
  Layout(program, options, plan).Run();
}

}  // namespace exhibit
