#include <map>
#include <set>

#include "compiler/tile/cursor.h"
#include "compiler/tile/text.h"
#include "compiler/tile/verify.h"
#include "manifests/json.h"

namespace exhibit::tile {

namespace {

constexpr std::string_view kFirstLine = "exhibit.tile/1\n";
constexpr std::string_view kSchema = "exhibit.tile/";

// Recursive descent. Each function starts at the first token of its construct
// and ends behind the last one.
class Parser {
 public:
  Parser(std::string_view text, std::string_view where,
         const TileLimits& limits)
      : in_(text.substr(kFirstLine.size()), where, 2), limits_(limits) {}

  Result<Program> Run();

 private:
  using Names = std::map<std::string, int32_t, std::less<>>;

  Result<std::string> TakeName(std::string_view what) {
    return in_.TakeName(what, limits_.name_bytes_max);
  }

  // Uses: a name must stand in its table.
  Result<int32_t> TakeKnown(std::string_view what, const Names& names);
  Result<AxisId> TakeAxis() { return TakeKnown("an axis", axes_); }
  Result<ValueId> TakeValue() { return TakeKnown("a defined value", visible_); }
  Result<Scalar> TakeScalar();
  Result<TileType> TakeType();
  Result<View> TakeView();

  // A value numbered below `first_inside`: a carry starts from outside.
  Result<ValueId> TakeOutside(ValueId first_inside);

  // Definitions: a name must be new.
  Result<std::string> TakeNewValueName();
  ValueId Define(std::string name, TileType type);
  // Hides the values numbered from `first_inside` on.
  void LeaveScope(ValueId first_inside);

  Status ParseDeclaration();
  Status ParseAxis();
  Status ParseBuffer();
  Status ParseDomain();
  Status ParseBody(std::vector<Op>& body, int64_t depth);
  Result<Op> ParseStatement(int64_t depth);
  Result<Op> ParseStore();
  Result<Op> ParsePipeline(int64_t depth);
  Status ParseCarries(Pipeline& pipeline);
  Status ParseYield(Pipeline& pipeline);
  Result<Op> ParseDefinition();
  Result<Op> ParseConstant(const TileType& type);
  Result<Op> ParseIota();
  Result<Op> ParseMma();
  Result<Op> ParseReduce();
  Result<Op> ParseElementwise();

  Cursor in_;
  const TileLimits& limits_;
  Program program_;
  Names axes_;
  Names buffers_;
  Names visible_;  // Values in scope.
  // All value names so far: a name is not reused when its scope ends.
  std::set<std::string, std::less<>> taken_;
  int64_t op_count_ = 0;
};

Result<int32_t> Parser::TakeKnown(std::string_view what, const Names& names) {
  if (in_.token().kind != TokenKind::kName) return in_.Expected(what);
  const auto found = names.find(in_.token().text);
  if (found == names.end()) return in_.Expected(what);
  in_.Advance();
  return found->second;
}

Result<Scalar> Parser::TakeScalar() {
  Scalar scalar;
  if (in_.token().kind == TokenKind::kName) {
    EXHIBIT_ASSIGN_OR_RETURN(scalar.value, TakeValue());
  } else {
    EXHIBIT_ASSIGN_OR_RETURN(scalar.literal,
                             in_.TakeInteger("a defined value or an integer"));
  }
  return scalar;
}

Result<TileType> Parser::TakeType() {
  TileType type;
  EXHIBIT_ASSIGN_OR_RETURN(
      type.scalar,
      in_.TakeWord("f32, i64 or bool", ScalarType::kF32, ScalarType::kBool));
  if (!in_.Skip("[")) return type;
  do {
    EXHIBIT_ASSIGN_OR_RETURN(const AxisId axis, TakeAxis());
    type.axes.push_back(axis);
  } while (in_.Skip(","));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("]"));
  return type;
}

Result<View> Parser::TakeView() {
  View view;
  EXHIBIT_ASSIGN_OR_RETURN(view.buffer, TakeKnown("a buffer", buffers_));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("["));
  do {
    ViewDim dim;
    EXHIBIT_ASSIGN_OR_RETURN(dim.offset, TakeScalar());
    if (in_.Skip(":")) {
      EXHIBIT_ASSIGN_OR_RETURN(dim.axis, TakeAxis());
    }
    view.dims.push_back(dim);
  } while (in_.Skip(","));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("]"));
  return view;
}

Result<std::string> Parser::TakeNewValueName() {
  if (in_.token().kind == TokenKind::kName &&
      taken_.contains(in_.token().text)) {
    return in_.ErrorHere(
        "value " + DescribeToken(in_.token()) + " is already defined",
        ErrorKind::kCorrupt);
  }
  return TakeName("a value name");
}

Result<ValueId> Parser::TakeOutside(ValueId first_inside) {
  const auto found = visible_.find(in_.token().text);
  if (found != visible_.end() && found->second >= first_inside) {
    return in_.Expected("a value defined outside the pipeline");
  }
  return TakeValue();
}

void Parser::LeaveScope(ValueId first_inside) {
  for (size_t id = first_inside; id < program_.values.size(); ++id) {
    visible_.erase(program_.values[id].name);
  }
}

ValueId Parser::Define(std::string name, TileType type) {
  const ValueId id = static_cast<ValueId>(program_.values.size());
  taken_.insert(name);
  visible_[name] = id;
  program_.values.push_back(Value{std::move(name), std::move(type)});
  return id;
}

Status Parser::ParseAxis() {
  const Error repeated = in_.ErrorHere(
      "axis " + DescribeToken(in_.token()) + " is already declared",
      ErrorKind::kCorrupt);
  Axis axis;
  EXHIBIT_ASSIGN_OR_RETURN(axis.name, TakeName("an axis name"));
  const AxisId id = static_cast<AxisId>(program_.axes.size());
  if (!axes_.emplace(axis.name, id).second) return repeated;
  EXHIBIT_RETURN_IF_ERROR(in_.Require("="));
  EXHIBIT_ASSIGN_OR_RETURN(axis.extent, in_.TakeInteger("an extent"));
  program_.axes.push_back(std::move(axis));
  return in_.RequireLineEnd();
}

Status Parser::ParseBuffer() {
  Buffer buffer;
  EXHIBIT_ASSIGN_OR_RETURN(
      buffer.role, in_.TakeWord("axis, input, output, inout or parallel",
                                BufferRole::kInput, BufferRole::kInout));
  const Error repeated = in_.ErrorHere(
      "buffer " + DescribeToken(in_.token()) + " is already declared",
      ErrorKind::kCorrupt);
  EXHIBIT_ASSIGN_OR_RETURN(buffer.name, TakeName("a buffer name"));
  const BufferId id = static_cast<BufferId>(program_.buffers.size());
  if (!buffers_.emplace(buffer.name, id).second) return repeated;
  EXHIBIT_ASSIGN_OR_RETURN(
      buffer.scalar,
      in_.TakeWord("f32 or i64", ScalarType::kF32, ScalarType::kI64));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("["));
  do {
    EXHIBIT_ASSIGN_OR_RETURN(const int64_t extent,
                             in_.TakeInteger("an extent"));
    buffer.shape.push_back(extent);
  } while (in_.Skip(","));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("]"));
  program_.buffers.push_back(std::move(buffer));
  return in_.RequireLineEnd();
}

Status Parser::ParseDeclaration() {
  return in_.Skip("axis") ? ParseAxis() : ParseBuffer();
}

Status Parser::ParseDomain() {
  if (in_.At("{")) return Ok();
  do {
    EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
    DomainAxis axis;
    axis.index = Define(std::move(name), TileType{ScalarType::kI64, {}});
    EXHIBIT_RETURN_IF_ERROR(in_.Require("<"));
    EXHIBIT_ASSIGN_OR_RETURN(axis.extent, in_.TakeInteger("an extent"));
    program_.domain.push_back(axis);
  } while (in_.Skip(","));
  return Ok();
}

// Up to a "}" or a "yield", which it leaves.
Status Parser::ParseBody(std::vector<Op>& body, int64_t depth) {
  while (!in_.At("}") && !in_.At("yield")) {
    if (++op_count_ > limits_.op_count_max) {
      return in_.ErrorHere(
          "more than " + std::to_string(limits_.op_count_max) + " operations",
          ErrorKind::kLimitExceeded);
    }
    EXHIBIT_ASSIGN_OR_RETURN(Op op, ParseStatement(depth));
    body.push_back(std::move(op));
    EXHIBIT_RETURN_IF_ERROR(in_.RequireLineEnd());
  }
  return Ok();
}

Result<Op> Parser::ParseStatement(int64_t depth) {
  if (in_.Skip("store")) return ParseStore();
  if (in_.Skip("pipeline")) return ParsePipeline(depth + 1);
  return ParseDefinition();
}

Result<Op> Parser::ParseStore() {
  Store store;
  EXHIBIT_ASSIGN_OR_RETURN(store.source, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(in_.Require("->"));
  EXHIBIT_ASSIGN_OR_RETURN(store.view, TakeView());
  return Op{std::move(store)};
}

Result<Op> Parser::ParsePipeline(int64_t depth) {
  // Bounds the recursion; nothing else here recurses.
  if (depth > limits_.pipeline_depth_max) {
    return in_.ErrorHere("pipelines nest deeper than " +
                             std::to_string(limits_.pipeline_depth_max),
                         ErrorKind::kLimitExceeded);
  }
  Pipeline pipeline;
  EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
  pipeline.step = Define(std::move(name), TileType{ScalarType::kI64, {}});
  EXHIBIT_RETURN_IF_ERROR(in_.Require("<"));
  EXHIBIT_ASSIGN_OR_RETURN(pipeline.trips,
                           in_.TakeInteger("a number of trips"));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("{"));
  EXHIBIT_RETURN_IF_ERROR(in_.RequireLineEnd());
  EXHIBIT_RETURN_IF_ERROR(ParseCarries(pipeline));
  EXHIBIT_RETURN_IF_ERROR(ParseBody(pipeline.body, depth));
  EXHIBIT_RETURN_IF_ERROR(ParseYield(pipeline));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("}"));
  LeaveScope(pipeline.step);
  for (Carry& carry : pipeline.carries) {
    const Value argument = program_.values.at(carry.argument);
    carry.result = Define(argument.name, argument.type);
  }
  return Op{std::move(pipeline)};
}

Status Parser::ParseCarries(Pipeline& pipeline) {
  while (in_.Skip("carry")) {
    Carry carry;
    EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
    EXHIBIT_RETURN_IF_ERROR(in_.Require(":"));
    EXHIBIT_ASSIGN_OR_RETURN(TileType type, TakeType());
    EXHIBIT_RETURN_IF_ERROR(in_.Require("="));
    EXHIBIT_ASSIGN_OR_RETURN(carry.initial, TakeOutside(pipeline.step));
    carry.argument = Define(std::move(name), std::move(type));
    pipeline.carries.push_back(carry);
    EXHIBIT_RETURN_IF_ERROR(in_.RequireLineEnd());
  }
  return Ok();
}

Status Parser::ParseYield(Pipeline& pipeline) {
  if (pipeline.carries.empty()) return Ok();
  EXHIBIT_RETURN_IF_ERROR(in_.Require("yield"));
  for (size_t i = 0; i < pipeline.carries.size(); ++i) {
    if (i > 0) EXHIBIT_RETURN_IF_ERROR(in_.Require(","));
    EXHIBIT_ASSIGN_OR_RETURN(pipeline.carries[i].yielded, TakeValue());
  }
  return in_.RequireLineEnd();
}

Result<Op> Parser::ParseDefinition() {
  EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
  EXHIBIT_RETURN_IF_ERROR(in_.Require(":"));
  EXHIBIT_ASSIGN_OR_RETURN(TileType type, TakeType());
  EXHIBIT_RETURN_IF_ERROR(in_.Require("="));
  Result<Op> parsed = [&]() -> Result<Op> {
    if (in_.Skip("constant")) return ParseConstant(type);
    if (in_.Skip("iota")) return ParseIota();
    if (in_.Skip("load")) {
      EXHIBIT_ASSIGN_OR_RETURN(View view, TakeView());
      return Op{Load{kNone, std::move(view)}};
    }
    if (in_.Skip("mma")) return ParseMma();
    if (in_.Skip("reduce")) return ParseReduce();
    return ParseElementwise();
  }();
  EXHIBIT_ASSIGN_OR_RETURN(Op op, std::move(parsed));
  // Only now, so that an operation cannot read its own result.
  const ValueId result = Define(std::move(name), std::move(type));
  std::visit(
      [result](auto& node) {
        if constexpr (requires { node.result; }) node.result = result;
      },
      op.node);
  return op;
}

Result<Op> Parser::ParseConstant(const TileType& type) {
  Constant constant;
  switch (type.scalar) {
    case ScalarType::kF32: {
      EXHIBIT_ASSIGN_OR_RETURN(const float number, in_.TakeFloat());
      constant.number = number;
      break;
    }
    case ScalarType::kI64: {
      EXHIBIT_ASSIGN_OR_RETURN(const int64_t number,
                               in_.TakeInteger("an i64 number"));
      constant.number = number;
      break;
    }
    case ScalarType::kBool: {
      if (!in_.At("true") && !in_.At("false"))
        return in_.Expected("true or false");
      constant.number = in_.At("true");
      in_.Advance();
      break;
    }
  }
  return Op{std::move(constant)};
}

Result<Op> Parser::ParseIota() {
  Iota iota;
  EXHIBIT_ASSIGN_OR_RETURN(iota.axis, TakeAxis());
  EXHIBIT_RETURN_IF_ERROR(in_.Require("from"));
  EXHIBIT_ASSIGN_OR_RETURN(iota.offset, TakeScalar());
  return Op{iota};
}

Result<Op> Parser::ParseMma() {
  Mma mma;
  EXHIBIT_ASSIGN_OR_RETURN(
      mma.permission, in_.TakeWord("strict, fma or relaxed",
                                   Permission::kStrict, Permission::kRelaxed));
  EXHIBIT_ASSIGN_OR_RETURN(mma.lhs, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(in_.Require(","));
  EXHIBIT_ASSIGN_OR_RETURN(mma.rhs, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(in_.Require(","));
  EXHIBIT_ASSIGN_OR_RETURN(mma.seed, TakeValue());
  return Op{mma};
}

Result<Op> Parser::ParseReduce() {
  Reduce reduce;
  EXHIBIT_ASSIGN_OR_RETURN(
      reduce.kind,
      in_.TakeWord("max or sum", ReduceKind::kMax, ReduceKind::kSum));
  EXHIBIT_ASSIGN_OR_RETURN(
      reduce.order, in_.TakeWord("sequential or tree", ReduceOrder::kSequential,
                                 ReduceOrder::kTree));
  EXHIBIT_ASSIGN_OR_RETURN(reduce.operand, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(in_.Require("over"));
  EXHIBIT_ASSIGN_OR_RETURN(reduce.axis, TakeAxis());
  return Op{reduce};
}

Result<Op> Parser::ParseElementwise() {
  Elementwise op;
  EXHIBIT_ASSIGN_OR_RETURN(op.kind,
                           in_.TakeWord("an operation", ElementwiseKind::kAdd,
                                        ElementwiseKind::kConvert));
  for (int i = 0; i < OperandCount(op.kind); ++i) {
    if (i > 0) EXHIBIT_RETURN_IF_ERROR(in_.Require(","));
    EXHIBIT_ASSIGN_OR_RETURN(const ValueId operand, TakeValue());
    op.operands.push_back(operand);
  }
  return Op{std::move(op)};
}

Result<Program> Parser::Run() {
  in_.SkipEmptyLines();
  EXHIBIT_RETURN_IF_ERROR(in_.Require("program"));
  EXHIBIT_ASSIGN_OR_RETURN(program_.name, TakeName("a program name"));
  EXHIBIT_RETURN_IF_ERROR(in_.RequireLineEnd());
  while (!in_.Skip("parallel")) EXHIBIT_RETURN_IF_ERROR(ParseDeclaration());
  EXHIBIT_RETURN_IF_ERROR(ParseDomain());
  EXHIBIT_RETURN_IF_ERROR(in_.Require("{"));
  EXHIBIT_RETURN_IF_ERROR(in_.RequireLineEnd());
  EXHIBIT_RETURN_IF_ERROR(ParseBody(program_.body, 0));
  EXHIBIT_RETURN_IF_ERROR(in_.Require("}"));
  EXHIBIT_RETURN_IF_ERROR(in_.RequireLineEnd());
  if (in_.token().kind != TokenKind::kTextEnd)
    return in_.Expected("end of text");
  return std::move(program_);
}

Status CheckFirstLine(std::string_view text, std::string_view where) {
  if (text.starts_with(kFirstLine)) return Ok();
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  const std::string at(where);
  if (line == kFirstLine.substr(0, kFirstLine.size() - 1)) {
    return Error{ErrorKind::kCorrupt,
                 at + ":1:15: expected end of line, found end of text", ""};
  }
  if (line.ends_with('\r')) {
    return Error{ErrorKind::kCorrupt, at + ":1: the line ends in CRLF",
                 "Tile text has LF line ends: sed -i 's/\\r$//' FILE"};
  }
  const bool other_version =
      end != std::string_view::npos && line.starts_with(kSchema);
  return Error{
      other_version ? ErrorKind::kUnsupported : ErrorKind::kCorrupt,
      at + ":1:1: expected \"exhibit.tile/1\", found " + QuoteText(line),
      "The first line of a tile program names its language."};
}

}  // namespace

Result<Program> ParseProgram(std::string_view text, std::string_view where,
                             const TileLimits& limits) {
  if (static_cast<int64_t>(text.size()) > limits.text_bytes_max) {
    return Error{ErrorKind::kLimitExceeded,
                 std::string(where) + ": the text has " +
                     std::to_string(text.size()) + " bytes, the limit is " +
                     std::to_string(limits.text_bytes_max),
                 ""};
  }
  EXHIBIT_RETURN_IF_ERROR(CheckFirstLine(text, where));
  return Parser(text, where, limits).Run();
}

Result<Program> ReadProgram(std::string_view text, std::string_view where,
                            const TileLimits& limits) {
  EXHIBIT_ASSIGN_OR_RETURN(Program program, ParseProgram(text, where, limits));
  const Status status = VerifyProgram(program, limits);
  if (!status.ok()) {
    Error error = status.error();
    error.message = std::string(where) + ": " + error.message;
    return error;
  }
  return program;
}

}  // namespace exhibit::tile
