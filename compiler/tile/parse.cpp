#include <charconv>
#include <limits>
#include <map>
#include <set>

#include "compiler/tile/lexer.h"
#include "compiler/tile/text.h"
#include "compiler/tile/verify.h"
#include "manifests/json.h"

namespace exhibit::tile {

namespace {

constexpr std::string_view kFirstLine = "exhibit.tile/1\n";
constexpr std::string_view kSchema = "exhibit.tile/";

// Finds the enumerator in [first, last] whose word is `word`.
template <typename Enum>
bool FindWord(std::string_view word, Enum first, Enum last, Enum& found) {
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    if (NameOf(static_cast<Enum>(i)) == word) {
      found = static_cast<Enum>(i);
      return true;
    }
  }
  return false;
}

// Recursive descent, one token ahead. Each function starts at the first token
// of its construct and ends behind the last one.
class Parser {
 public:
  Parser(std::string_view text, std::string_view where,
         const TileLimits& limits)
      : lexer_(text.substr(kFirstLine.size()), 2),
        where_(where),
        limits_(limits) {
    Advance();
  }

  Result<Program> Run();

 private:
  using Names = std::map<std::string, int32_t, std::less<>>;

  void Advance() { token_ = lexer_.Next(); }
  bool At(std::string_view word) const {
    return (token_.kind == TokenKind::kName ||
            token_.kind == TokenKind::kPunctuation) &&
           token_.text == word;
  }
  // Steps over `word` and says whether it stood there.
  bool Skip(std::string_view word);
  Error ErrorHere(std::string_view what, ErrorKind kind) const;
  Error Expected(std::string_view what) const;

  Status Require(std::string_view word);
  Status RequireLineEnd();
  void SkipEmptyLines();
  Result<std::string> TakeName(std::string_view what);
  Result<int64_t> TakeInteger(std::string_view what);
  Result<float> TakeFloat();
  template <typename Enum>
  Result<Enum> TakeWord(std::string_view what, Enum first, Enum last);

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

  Lexer lexer_;
  Token token_;
  std::string where_;
  const TileLimits& limits_;
  Program program_;
  Names axes_;
  Names buffers_;
  Names visible_;  // Values in scope.
  // All value names so far: a name is not reused when its scope ends.
  std::set<std::string, std::less<>> taken_;
  int64_t op_count_ = 0;
};

bool Parser::Skip(std::string_view word) {
  if (!At(word)) return false;
  Advance();
  return true;
}

Error Parser::ErrorHere(std::string_view what, ErrorKind kind) const {
  return Error{kind,
               where_ + ":" + std::to_string(token_.line) + ":" +
                   std::to_string(token_.column) + ": " + std::string(what),
               ""};
}

Error Parser::Expected(std::string_view what) const {
  return ErrorHere(
      "expected " + std::string(what) + ", found " + DescribeToken(token_),
      ErrorKind::kCorrupt);
}

Status Parser::Require(std::string_view word) {
  if (!Skip(word)) return Expected(QuoteText(word));
  return Ok();
}

Status Parser::RequireLineEnd() {
  if (token_.kind != TokenKind::kLineEnd) return Expected("end of line");
  SkipEmptyLines();
  return Ok();
}

void Parser::SkipEmptyLines() {
  while (token_.kind == TokenKind::kLineEnd) Advance();
}

Result<std::string> Parser::TakeName(std::string_view what) {
  if (token_.kind != TokenKind::kName) return Expected(what);
  if (static_cast<int64_t>(token_.text.size()) > limits_.name_bytes_max) {
    return ErrorHere("name " + DescribeToken(token_) + " has " +
                         std::to_string(token_.text.size()) +
                         " bytes, the limit is " +
                         std::to_string(limits_.name_bytes_max),
                     ErrorKind::kLimitExceeded);
  }
  std::string name(token_.text);
  Advance();
  return name;
}

Result<int64_t> Parser::TakeInteger(std::string_view what) {
  int64_t number = 0;
  const char* const end = token_.text.data() + token_.text.size();
  const auto parsed = std::from_chars(token_.text.data(), end, number);
  if (token_.kind != TokenKind::kNumber || parsed.ptr != end ||
      parsed.ec != std::errc()) {
    return Expected(what);
  }
  Advance();
  return number;
}

Result<float> Parser::TakeFloat() {
  float number = 0;
  if (Skip("nan")) return std::numeric_limits<float>::quiet_NaN();
  if (Skip("inf")) return std::numeric_limits<float>::infinity();
  const char* const end = token_.text.data() + token_.text.size();
  const auto parsed = std::from_chars(token_.text.data(), end, number);
  // A NaN has one spelling, without a sign or a payload.
  if (token_.kind != TokenKind::kNumber || parsed.ptr != end ||
      parsed.ec != std::errc() || number != number) {
    return Expected("an f32 number");
  }
  Advance();
  return number;
}

template <typename Enum>
Result<Enum> Parser::TakeWord(std::string_view what, Enum first, Enum last) {
  Enum found = first;
  if (token_.kind != TokenKind::kName ||
      !FindWord(token_.text, first, last, found)) {
    return Expected(what);
  }
  Advance();
  return found;
}

Result<int32_t> Parser::TakeKnown(std::string_view what, const Names& names) {
  if (token_.kind != TokenKind::kName) return Expected(what);
  const auto found = names.find(token_.text);
  if (found == names.end()) return Expected(what);
  Advance();
  return found->second;
}

Result<Scalar> Parser::TakeScalar() {
  Scalar scalar;
  if (token_.kind == TokenKind::kName) {
    EXHIBIT_ASSIGN_OR_RETURN(scalar.value, TakeValue());
  } else {
    EXHIBIT_ASSIGN_OR_RETURN(scalar.literal,
                             TakeInteger("a defined value or an integer"));
  }
  return scalar;
}

Result<TileType> Parser::TakeType() {
  TileType type;
  EXHIBIT_ASSIGN_OR_RETURN(
      type.scalar,
      TakeWord("f32, i64 or bool", ScalarType::kF32, ScalarType::kBool));
  if (!Skip("[")) return type;
  do {
    EXHIBIT_ASSIGN_OR_RETURN(const AxisId axis, TakeAxis());
    type.axes.push_back(axis);
  } while (Skip(","));
  EXHIBIT_RETURN_IF_ERROR(Require("]"));
  return type;
}

Result<View> Parser::TakeView() {
  View view;
  EXHIBIT_ASSIGN_OR_RETURN(view.buffer, TakeKnown("a buffer", buffers_));
  EXHIBIT_RETURN_IF_ERROR(Require("["));
  do {
    ViewDim dim;
    EXHIBIT_ASSIGN_OR_RETURN(dim.offset, TakeScalar());
    if (Skip(":")) {
      EXHIBIT_ASSIGN_OR_RETURN(dim.axis, TakeAxis());
    }
    view.dims.push_back(dim);
  } while (Skip(","));
  EXHIBIT_RETURN_IF_ERROR(Require("]"));
  return view;
}

Result<std::string> Parser::TakeNewValueName() {
  if (token_.kind == TokenKind::kName && taken_.contains(token_.text)) {
    return ErrorHere("value " + DescribeToken(token_) + " is already defined",
                     ErrorKind::kCorrupt);
  }
  return TakeName("a value name");
}

Result<ValueId> Parser::TakeOutside(ValueId first_inside) {
  const auto found = visible_.find(token_.text);
  if (found != visible_.end() && found->second >= first_inside) {
    return Expected("a value defined outside the pipeline");
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
  const Error repeated =
      ErrorHere("axis " + DescribeToken(token_) + " is already declared",
                ErrorKind::kCorrupt);
  Axis axis;
  EXHIBIT_ASSIGN_OR_RETURN(axis.name, TakeName("an axis name"));
  const AxisId id = static_cast<AxisId>(program_.axes.size());
  if (!axes_.emplace(axis.name, id).second) return repeated;
  EXHIBIT_RETURN_IF_ERROR(Require("="));
  EXHIBIT_ASSIGN_OR_RETURN(axis.extent, TakeInteger("an extent"));
  program_.axes.push_back(std::move(axis));
  return RequireLineEnd();
}

Status Parser::ParseBuffer() {
  Buffer buffer;
  EXHIBIT_ASSIGN_OR_RETURN(buffer.role,
                           TakeWord("axis, input, output, inout or parallel",
                                    BufferRole::kInput, BufferRole::kInout));
  const Error repeated =
      ErrorHere("buffer " + DescribeToken(token_) + " is already declared",
                ErrorKind::kCorrupt);
  EXHIBIT_ASSIGN_OR_RETURN(buffer.name, TakeName("a buffer name"));
  const BufferId id = static_cast<BufferId>(program_.buffers.size());
  if (!buffers_.emplace(buffer.name, id).second) return repeated;
  EXHIBIT_ASSIGN_OR_RETURN(
      buffer.scalar,
      TakeWord("f32 or i64", ScalarType::kF32, ScalarType::kI64));
  EXHIBIT_RETURN_IF_ERROR(Require("["));
  do {
    EXHIBIT_ASSIGN_OR_RETURN(const int64_t extent, TakeInteger("an extent"));
    buffer.shape.push_back(extent);
  } while (Skip(","));
  EXHIBIT_RETURN_IF_ERROR(Require("]"));
  program_.buffers.push_back(std::move(buffer));
  return RequireLineEnd();
}

Status Parser::ParseDeclaration() {
  return Skip("axis") ? ParseAxis() : ParseBuffer();
}

Status Parser::ParseDomain() {
  if (At("{")) return Ok();
  do {
    EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
    DomainAxis axis;
    axis.index = Define(std::move(name), TileType{ScalarType::kI64, {}});
    EXHIBIT_RETURN_IF_ERROR(Require("<"));
    EXHIBIT_ASSIGN_OR_RETURN(axis.extent, TakeInteger("an extent"));
    program_.domain.push_back(axis);
  } while (Skip(","));
  return Ok();
}

// Up to a "}" or a "yield", which it leaves.
Status Parser::ParseBody(std::vector<Op>& body, int64_t depth) {
  while (!At("}") && !At("yield")) {
    if (++op_count_ > limits_.op_count_max) {
      return ErrorHere(
          "more than " + std::to_string(limits_.op_count_max) + " operations",
          ErrorKind::kLimitExceeded);
    }
    EXHIBIT_ASSIGN_OR_RETURN(Op op, ParseStatement(depth));
    body.push_back(std::move(op));
    EXHIBIT_RETURN_IF_ERROR(RequireLineEnd());
  }
  return Ok();
}

Result<Op> Parser::ParseStatement(int64_t depth) {
  if (Skip("store")) return ParseStore();
  if (Skip("pipeline")) return ParsePipeline(depth + 1);
  return ParseDefinition();
}

Result<Op> Parser::ParseStore() {
  Store store;
  EXHIBIT_ASSIGN_OR_RETURN(store.source, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(Require("->"));
  EXHIBIT_ASSIGN_OR_RETURN(store.view, TakeView());
  return Op{std::move(store)};
}

Result<Op> Parser::ParsePipeline(int64_t depth) {
  // Bounds the recursion; nothing else here recurses.
  if (depth > limits_.pipeline_depth_max) {
    return ErrorHere("pipelines nest deeper than " +
                         std::to_string(limits_.pipeline_depth_max),
                     ErrorKind::kLimitExceeded);
  }
  Pipeline pipeline;
  EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
  pipeline.step = Define(std::move(name), TileType{ScalarType::kI64, {}});
  EXHIBIT_RETURN_IF_ERROR(Require("<"));
  EXHIBIT_ASSIGN_OR_RETURN(pipeline.trips, TakeInteger("a number of trips"));
  EXHIBIT_RETURN_IF_ERROR(Require("{"));
  EXHIBIT_RETURN_IF_ERROR(RequireLineEnd());
  EXHIBIT_RETURN_IF_ERROR(ParseCarries(pipeline));
  EXHIBIT_RETURN_IF_ERROR(ParseBody(pipeline.body, depth));
  EXHIBIT_RETURN_IF_ERROR(ParseYield(pipeline));
  EXHIBIT_RETURN_IF_ERROR(Require("}"));
  LeaveScope(pipeline.step);
  for (Carry& carry : pipeline.carries) {
    const Value argument = program_.values.at(carry.argument);
    carry.result = Define(argument.name, argument.type);
  }
  return Op{std::move(pipeline)};
}

Status Parser::ParseCarries(Pipeline& pipeline) {
  while (Skip("carry")) {
    Carry carry;
    EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
    EXHIBIT_RETURN_IF_ERROR(Require(":"));
    EXHIBIT_ASSIGN_OR_RETURN(TileType type, TakeType());
    EXHIBIT_RETURN_IF_ERROR(Require("="));
    EXHIBIT_ASSIGN_OR_RETURN(carry.initial, TakeOutside(pipeline.step));
    carry.argument = Define(std::move(name), std::move(type));
    pipeline.carries.push_back(carry);
    EXHIBIT_RETURN_IF_ERROR(RequireLineEnd());
  }
  return Ok();
}

Status Parser::ParseYield(Pipeline& pipeline) {
  if (pipeline.carries.empty()) return Ok();
  EXHIBIT_RETURN_IF_ERROR(Require("yield"));
  for (size_t i = 0; i < pipeline.carries.size(); ++i) {
    if (i > 0) EXHIBIT_RETURN_IF_ERROR(Require(","));
    EXHIBIT_ASSIGN_OR_RETURN(pipeline.carries[i].yielded, TakeValue());
  }
  return RequireLineEnd();
}

Result<Op> Parser::ParseDefinition() {
  EXHIBIT_ASSIGN_OR_RETURN(std::string name, TakeNewValueName());
  EXHIBIT_RETURN_IF_ERROR(Require(":"));
  EXHIBIT_ASSIGN_OR_RETURN(TileType type, TakeType());
  EXHIBIT_RETURN_IF_ERROR(Require("="));
  Result<Op> parsed = [&]() -> Result<Op> {
    if (Skip("constant")) return ParseConstant(type);
    if (Skip("iota")) return ParseIota();
    if (Skip("load")) {
      EXHIBIT_ASSIGN_OR_RETURN(View view, TakeView());
      return Op{Load{kNone, std::move(view)}};
    }
    if (Skip("mma")) return ParseMma();
    if (Skip("reduce")) return ParseReduce();
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
      EXHIBIT_ASSIGN_OR_RETURN(const float number, TakeFloat());
      constant.number = number;
      break;
    }
    case ScalarType::kI64: {
      EXHIBIT_ASSIGN_OR_RETURN(const int64_t number,
                               TakeInteger("an i64 number"));
      constant.number = number;
      break;
    }
    case ScalarType::kBool: {
      if (!At("true") && !At("false")) return Expected("true or false");
      constant.number = At("true");
      Advance();
      break;
    }
  }
  return Op{std::move(constant)};
}

Result<Op> Parser::ParseIota() {
  Iota iota;
  EXHIBIT_ASSIGN_OR_RETURN(iota.axis, TakeAxis());
  EXHIBIT_RETURN_IF_ERROR(Require("from"));
  EXHIBIT_ASSIGN_OR_RETURN(iota.offset, TakeScalar());
  return Op{iota};
}

Result<Op> Parser::ParseMma() {
  Mma mma;
  EXHIBIT_ASSIGN_OR_RETURN(
      mma.permission, TakeWord("strict, fma or relaxed", Permission::kStrict,
                               Permission::kRelaxed));
  EXHIBIT_ASSIGN_OR_RETURN(mma.lhs, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(Require(","));
  EXHIBIT_ASSIGN_OR_RETURN(mma.rhs, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(Require(","));
  EXHIBIT_ASSIGN_OR_RETURN(mma.seed, TakeValue());
  return Op{mma};
}

Result<Op> Parser::ParseReduce() {
  Reduce reduce;
  EXHIBIT_ASSIGN_OR_RETURN(
      reduce.kind, TakeWord("max or sum", ReduceKind::kMax, ReduceKind::kSum));
  EXHIBIT_ASSIGN_OR_RETURN(
      reduce.order, TakeWord("sequential or tree", ReduceOrder::kSequential,
                             ReduceOrder::kTree));
  EXHIBIT_ASSIGN_OR_RETURN(reduce.operand, TakeValue());
  EXHIBIT_RETURN_IF_ERROR(Require("over"));
  EXHIBIT_ASSIGN_OR_RETURN(reduce.axis, TakeAxis());
  return Op{reduce};
}

Result<Op> Parser::ParseElementwise() {
  Elementwise op;
  EXHIBIT_ASSIGN_OR_RETURN(op.kind,
                           TakeWord("an operation", ElementwiseKind::kAdd,
                                    ElementwiseKind::kConvert));
  for (int i = 0; i < OperandCount(op.kind); ++i) {
    if (i > 0) EXHIBIT_RETURN_IF_ERROR(Require(","));
    EXHIBIT_ASSIGN_OR_RETURN(const ValueId operand, TakeValue());
    op.operands.push_back(operand);
  }
  return Op{std::move(op)};
}

Result<Program> Parser::Run() {
  SkipEmptyLines();
  EXHIBIT_RETURN_IF_ERROR(Require("program"));
  EXHIBIT_ASSIGN_OR_RETURN(program_.name, TakeName("a program name"));
  EXHIBIT_RETURN_IF_ERROR(RequireLineEnd());
  while (!Skip("parallel")) EXHIBIT_RETURN_IF_ERROR(ParseDeclaration());
  EXHIBIT_RETURN_IF_ERROR(ParseDomain());
  EXHIBIT_RETURN_IF_ERROR(Require("{"));
  EXHIBIT_RETURN_IF_ERROR(RequireLineEnd());
  EXHIBIT_RETURN_IF_ERROR(ParseBody(program_.body, 0));
  EXHIBIT_RETURN_IF_ERROR(Require("}"));
  EXHIBIT_RETURN_IF_ERROR(RequireLineEnd());
  if (token_.kind != TokenKind::kTextEnd) return Expected("end of text");
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
