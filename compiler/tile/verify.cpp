#include "compiler/tile/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/tile/check_op.h"
#include "compiler/tile/instances.h"
#include "compiler/tile/text.h"

namespace exhibit::tile {

namespace {

bool IsName(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

// Words that begin a statement; as value names they could not be read back.
bool IsReserved(const std::string& name) {
  return name == "store" || name == "pipeline" || name == "carry" ||
         name == "yield";
}

// Multiplies `count` by `extent`, taking 0 for 1: then no product of some of
// the extents, a stride, passes what the product of all does not. Says whether
// the product is within `limit`.
bool MultiplyWithin(int64_t extent, int64_t limit, int64_t& count) {
  const int64_t factor = std::max(extent, int64_t{1});
  return !__builtin_mul_overflow(count, factor, &count) && count <= limit;
}

Error Invalid(std::string what) {
  return Error{ErrorKind::kInvalidArgument, std::move(what), ""};
}

Error OverLimit(std::string what, int64_t limit) {
  return Error{ErrorKind::kLimitExceeded,
               std::move(what) + ", the limit is " + std::to_string(limit), ""};
}

class Verifier {
 public:
  Verifier(const Program& program, const TileLimits& limits)
      : program_(program),
        limits_(limits),
        visible_(program.values.size(), false),
        defined_(program.values.size(), false),
        op_checker_(program) {}

  Status Run();

 private:
  // Declarations and tables.
  Status CheckName(const char* what, const std::string& name) const;
  Status CheckCounts() const;
  Status CheckAxes() const;
  Status CheckBuffers() const;
  Status CheckValueTable() const;
  Status CheckTileType(const Value& value, int64_t& total) const;
  Status CheckDomain();
  Status CheckValueNames() const;

  // The body, in program order.
  Status CheckBody(const std::vector<Op>& body, int64_t depth);
  Status CheckIndices(const Op& op) const;
  Status CheckPipelineIndices(const Pipeline& pipeline) const;
  Status CheckPipeline(const Pipeline& pipeline, int64_t depth);
  Status CheckCarry(const Carry& carry) const;
  Status Define(ValueId value);
  Status CheckDefined(ValueId value) const;

  Error Fault(const std::string& what) const {
    return FaultIn(program_, *op_, what);
  }
  std::string Quote(ValueId value) const {
    return "\"" + ValueName(program_, value) + "\"";
  }
  std::string QuoteAxis(AxisId axis) const {
    return "\"" + program_.axes[axis].name + "\"";
  }
  const TileType& Type(ValueId value) const { return TypeOf(program_, value); }
  bool InRange(ValueId value) const {
    return value >= 0 && value < static_cast<ValueId>(program_.values.size());
  }
  bool IsAxis(AxisId axis) const {
    return axis >= 0 && axis < static_cast<AxisId>(program_.axes.size());
  }

  const Program& program_;
  const TileLimits& limits_;
  std::vector<bool> visible_;  // By ValueId: may be used here.
  std::vector<bool> defined_;  // By ValueId: has a definition.
  OpChecker op_checker_;
  std::vector<ValueId> scope_;  // Visible values, in order.
  std::set<std::pair<ValueId, ValueId>> carry_pairs_;
  const Op* op_ = nullptr;
  int64_t op_count_ = 0;
};

Status Verifier::CheckName(const char* what, const std::string& name) const {
  if (static_cast<int64_t>(name.size()) > limits_.name_bytes_max) {
    return OverLimit(std::string(what) + " name of " +
                         std::to_string(name.size()) + " bytes",
                     limits_.name_bytes_max);
  }
  if (!IsName(name)) {
    return Invalid(std::string(what) + " name is not [A-Za-z_][A-Za-z0-9_]*");
  }
  return Ok();
}

Status Verifier::CheckCounts() const {
  const struct {
    const char* what;
    size_t count;
    int64_t limit;
  } counts[] = {
      {" axes", program_.axes.size(), limits_.axis_count_max},
      {" buffers", program_.buffers.size(), limits_.buffer_count_max},
      {" domain axes", program_.domain.size(), limits_.domain_axis_count_max},
  };
  for (const auto& [what, count, limit] : counts) {
    if (static_cast<int64_t>(count) > limit) {
      return OverLimit(std::to_string(count) + what, limit);
    }
  }
  EXHIBIT_RETURN_IF_ERROR(CheckName("program", program_.name));
  // It becomes part of a symbol and of a file name.
  for (char c : program_.name) {
    if (c >= 'A' && c <= 'Z') {
      return Invalid("program name \"" + program_.name +
                     "\" is not [a-z][a-z0-9_]*");
    }
  }
  if (program_.name[0] == '_') {
    return Invalid("program name \"" + program_.name +
                   "\" is not [a-z][a-z0-9_]*");
  }
  return Ok();
}

Status Verifier::CheckAxes() const {
  std::set<std::string> names;
  for (const Axis& axis : program_.axes) {
    EXHIBIT_RETURN_IF_ERROR(CheckName("axis", axis.name));
    if (!names.insert(axis.name).second) {
      return Invalid("axis \"" + axis.name + "\" is declared twice");
    }
    const std::string extent =
        "axis \"" + axis.name + "\" has extent " + std::to_string(axis.extent);
    if (axis.extent < 0) return Invalid(extent);
    if (axis.extent > limits_.axis_extent_max) {
      return OverLimit(extent, limits_.axis_extent_max);
    }
  }
  return Ok();
}

Status Verifier::CheckBuffers() const {
  std::set<std::string> names;
  for (const Buffer& buffer : program_.buffers) {
    EXHIBIT_RETURN_IF_ERROR(CheckName("buffer", buffer.name));
    const std::string subject = "buffer \"" + buffer.name + "\"";
    if (!names.insert(buffer.name).second) {
      return Invalid(subject + " is declared twice");
    }
    if (buffer.scalar == ScalarType::kBool) {
      return Invalid(subject + " is of bool, a buffer is of f32 or i64");
    }
    const int64_t rank = static_cast<int64_t>(buffer.shape.size());
    if (rank < 1) return Invalid(subject + " has no dimensions");
    if (rank > limits_.rank_max) {
      return OverLimit(subject + " has " + std::to_string(rank) + " dimensions",
                       limits_.rank_max);
    }
    int64_t elements = 1;
    for (int64_t extent : buffer.shape) {
      if (extent < 0) {
        return Invalid(subject + " has extent " + std::to_string(extent));
      }
      if (!MultiplyWithin(extent, limits_.buffer_elements_max, elements)) {
        return OverLimit(subject + " has too many elements",
                         limits_.buffer_elements_max);
      }
    }
  }
  return Ok();
}

Status Verifier::CheckTileType(const Value& value, int64_t& total) const {
  const std::string subject = "value \"" + value.name + "\"";
  const std::vector<AxisId>& axes = value.type.axes;
  if (static_cast<int64_t>(axes.size()) > limits_.rank_max) {
    return OverLimit(subject + " has " + std::to_string(axes.size()) + " axes",
                     limits_.rank_max);
  }
  int64_t elements = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!IsAxis(axes[i])) {
      return Invalid(subject + " names axis number " + std::to_string(axes[i]) +
                     " of " + std::to_string(program_.axes.size()));
    }
    if (std::find(axes.begin(), axes.begin() + i, axes[i]) !=
        axes.begin() + i) {
      return Invalid(subject + " has axis " + QuoteAxis(axes[i]) + " twice");
    }
    if (!MultiplyWithin(program_.axes[axes[i]].extent,
                        limits_.tile_elements_max, elements)) {
      return OverLimit(subject + " has too many elements",
                       limits_.tile_elements_max);
    }
  }
  total += elements;
  if (total > limits_.total_tile_elements_max) {
    return OverLimit(
        "all values together, up to " + subject + ", have too many elements",
        limits_.total_tile_elements_max);
  }
  return Ok();
}

Status Verifier::CheckValueTable() const {
  int64_t total = 0;
  for (const Value& value : program_.values) {
    EXHIBIT_RETURN_IF_ERROR(CheckName("value", value.name));
    if (IsReserved(value.name)) {
      return Invalid("value name \"" + value.name + "\" is a reserved word");
    }
    EXHIBIT_RETURN_IF_ERROR(CheckTileType(value, total));
  }
  return Ok();
}

Status Verifier::CheckDomain() {
  int64_t instances = 1;
  for (const DomainAxis& axis : program_.domain) {
    if (!InRange(axis.index)) return Invalid("a domain axis has no index");
    EXHIBIT_RETURN_IF_ERROR(Define(axis.index));
    const std::string subject = "domain axis " + Quote(axis.index);
    if (Type(axis.index) != TileType{ScalarType::kI64, {}}) {
      return Invalid(subject + " is no i64 scalar");
    }
    if (axis.extent < 1) {
      return Invalid(subject + " has extent " + std::to_string(axis.extent));
    }
    if (!MultiplyWithin(axis.extent, limits_.instance_count_max, instances)) {
      return OverLimit(subject + " makes too many instances",
                       limits_.instance_count_max);
    }
  }
  return Ok();
}

// One name, one value; but argument and result of a carry share theirs.
Status Verifier::CheckValueNames() const {
  std::map<std::string, ValueId> first;
  for (ValueId id = 0; InRange(id); ++id) {
    if (!defined_[id])
      return Invalid("value " + Quote(id) + " has no definition");
    const auto [other, added] = first.emplace(ValueName(program_, id), id);
    if (!added && !carry_pairs_.contains({other->second, id})) {
      return Invalid("value " + Quote(id) + " is defined twice");
    }
  }
  return Ok();
}

Status Verifier::Define(ValueId value) {
  if (defined_[value]) {
    return Invalid("value " + Quote(value) + " is defined twice");
  }
  defined_[value] = true;
  visible_[value] = true;
  scope_.push_back(value);
  return Ok();
}

Status Verifier::CheckDefined(ValueId value) const {
  if (visible_[value]) return Ok();
  return Fault("value " + Quote(value) + " is used where it is not defined");
}

// Everything that PrintOp follows, so that faults can quote the operation.
Status Verifier::CheckIndices(const Op& op) const {
  const Error broken = Invalid("operation " + std::to_string(op_count_) +
                               " refers to what does not exist");
  for (ValueId operand : OperandsOf(op)) {
    if (!InRange(operand)) return broken;
  }
  const View* view = nullptr;
  if (const auto* load = std::get_if<Load>(&op.node)) view = &load->view;
  if (const auto* store = std::get_if<Store>(&op.node)) view = &store->view;
  if (view != nullptr) {
    if (view->buffer < 0 ||
        view->buffer >= static_cast<BufferId>(program_.buffers.size())) {
      return broken;
    }
    for (const ViewDim& dim : view->dims) {
      if (dim.axis != kNone && !IsAxis(dim.axis)) return broken;
    }
  }
  const auto* iota = std::get_if<Iota>(&op.node);
  if (iota != nullptr && !IsAxis(iota->axis)) return broken;
  const auto* reduce = std::get_if<Reduce>(&op.node);
  if (reduce != nullptr && !IsAxis(reduce->axis)) return broken;
  if (const auto* pipeline = std::get_if<Pipeline>(&op.node)) {
    return CheckPipelineIndices(*pipeline).ok() ? Ok() : broken;
  }
  const bool has_result = !std::holds_alternative<Store>(op.node);
  if (has_result && !InRange(ResultOf(op))) return broken;
  return Ok();
}

Status Verifier::CheckPipelineIndices(const Pipeline& pipeline) const {
  bool sound = InRange(pipeline.step);
  for (const Carry& carry : pipeline.carries) {
    sound = sound && InRange(carry.argument) && InRange(carry.yielded) &&
            InRange(carry.result);
  }
  return sound ? Ok() : Invalid("");
}

Status Verifier::CheckBody(const std::vector<Op>& body, int64_t depth) {
  for (const Op& op : body) {
    if (++op_count_ > limits_.op_count_max) {
      return OverLimit("too many operations", limits_.op_count_max);
    }
    EXHIBIT_RETURN_IF_ERROR(CheckIndices(op));
    op_ = &op;
    for (ValueId operand : OperandsOf(op)) {
      EXHIBIT_RETURN_IF_ERROR(CheckDefined(operand));
    }
    EXHIBIT_RETURN_IF_ERROR(op_checker_.Check(op));
    if (const auto* pipeline = std::get_if<Pipeline>(&op.node)) {
      EXHIBIT_RETURN_IF_ERROR(CheckPipeline(*pipeline, depth + 1));
    } else if (ResultOf(op) != kNone) {
      EXHIBIT_RETURN_IF_ERROR(Define(ResultOf(op)));
    }
  }
  return Ok();
}

Status Verifier::CheckPipeline(const Pipeline& pipeline, int64_t depth) {
  const Op* const self = op_;
  if (depth > limits_.pipeline_depth_max) {
    return OverLimit("pipelines nest too deeply", limits_.pipeline_depth_max);
  }
  if (static_cast<int64_t>(pipeline.carries.size()) > limits_.carry_count_max) {
    return OverLimit(std::to_string(pipeline.carries.size()) + " carries",
                     limits_.carry_count_max);
  }
  if (pipeline.trips < 0) return Fault("a negative number of trips");
  if (pipeline.trips > limits_.trip_count_max) {
    return OverLimit(std::to_string(pipeline.trips) + " trips",
                     limits_.trip_count_max);
  }
  if (Type(pipeline.step) != TileType{ScalarType::kI64, {}}) {
    return Fault("the step " + Quote(pipeline.step) + " is no i64 scalar");
  }
  const size_t outside = scope_.size();
  EXHIBIT_RETURN_IF_ERROR(Define(pipeline.step));
  for (const Carry& carry : pipeline.carries) {
    EXHIBIT_RETURN_IF_ERROR(Define(carry.argument));
  }
  EXHIBIT_RETURN_IF_ERROR(CheckBody(pipeline.body, depth));
  op_ = self;
  for (const Carry& carry : pipeline.carries) {
    EXHIBIT_RETURN_IF_ERROR(CheckDefined(carry.yielded));
    EXHIBIT_RETURN_IF_ERROR(CheckCarry(carry));
  }
  for (; scope_.size() > outside; scope_.pop_back()) {
    visible_[scope_.back()] = false;
  }
  for (const Carry& carry : pipeline.carries) {
    EXHIBIT_RETURN_IF_ERROR(Define(carry.result));
    carry_pairs_.insert({carry.argument, carry.result});
    carry_pairs_.insert({carry.result, carry.argument});
  }
  return Ok();
}

Status Verifier::CheckCarry(const Carry& carry) const {
  const TileType& type = Type(carry.argument);
  for (ValueId other : {carry.initial, carry.yielded, carry.result}) {
    if (Type(other) != type) {
      return Fault("carry " + Quote(carry.argument) + " is " +
                   PrintType(program_, type) + " but " + Quote(other) + " is " +
                   PrintType(program_, Type(other)));
    }
  }
  // The text has one name for both.
  if (ValueName(program_, carry.argument) !=
      ValueName(program_, carry.result)) {
    return Fault("carry " + Quote(carry.argument) + " has another name, " +
                 Quote(carry.result) + ", after the pipeline");
  }
  return Ok();
}

Status Verifier::Run() {
  EXHIBIT_RETURN_IF_ERROR(CheckCounts());
  EXHIBIT_RETURN_IF_ERROR(CheckAxes());
  EXHIBIT_RETURN_IF_ERROR(CheckBuffers());
  EXHIBIT_RETURN_IF_ERROR(CheckValueTable());
  EXHIBIT_RETURN_IF_ERROR(CheckDomain());
  EXHIBIT_RETURN_IF_ERROR(CheckBody(program_.body, 0));
  EXHIBIT_RETURN_IF_ERROR(CheckValueNames());
  return CheckInstances(program_);
}

}  // namespace

Status VerifyProgram(const Program& program, const TileLimits& limits) {
  return Verifier(program, limits).Run();
}

}  // namespace exhibit::tile
