#include <charconv>
#include <cmath>

#include "compiler/tile/text.h"

namespace exhibit::tile {

namespace {

std::string NumberText(int64_t number) { return std::to_string(number); }

std::string NumberText(float number) {
  // to_chars would print the sign of a NaN, which no operation here keeps.
  if (std::isnan(number)) return "nan";
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, std::end(buffer), number);
  if (error != std::errc()) throw std::logic_error("f32 longer than 64 digits");
  return std::string(buffer, end);
}

// Appends pieces; each function prints one construct without its indentation.
class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string TakeText() { return std::move(text_); }

  void PrintAll();
  void Print(const TileType& type);
  void PrintHead(const Op& op);

 private:
  const std::string& Name(ValueId value) { return ValueName(program_, value); }
  const std::string& AxisName(AxisId axis) {
    return program_.axes.at(axis).name;
  }
  void Print(const Scalar& scalar);
  void Print(const View& view);
  void PrintNames(const std::vector<ValueId>& values);
  void PrintDefinition(ValueId result, std::string_view operation);
  void PrintBody(const std::vector<Op>& body, int depth);
  void PrintInside(const Pipeline& pipeline, int depth);
  void PrintBuffer(const Buffer& buffer);
  void Indent(int depth) { text_.append(2 * depth, ' '); }

  void Head(const Constant& op);
  void Head(const Iota& op);
  void Head(const Load& op);
  void Head(const Store& op);
  void Head(const Elementwise& op);
  void Head(const Mma& op);
  void Head(const Reduce& op);
  void Head(const Pipeline& op);

  const Program& program_;
  std::string text_;
};

void Printer::Print(const TileType& type) {
  text_ += NameOf(type.scalar);
  if (type.axes.empty()) return;
  text_ += '[';
  for (size_t i = 0; i < type.axes.size(); ++i) {
    if (i > 0) text_ += ", ";
    text_ += AxisName(type.axes[i]);
  }
  text_ += ']';
}

void Printer::Print(const Scalar& scalar) {
  text_ +=
      scalar.value == kNone ? NumberText(scalar.literal) : Name(scalar.value);
}

void Printer::Print(const View& view) {
  text_ += program_.buffers.at(view.buffer).name + "[";
  for (size_t i = 0; i < view.dims.size(); ++i) {
    if (i > 0) text_ += ", ";
    Print(view.dims[i].offset);
    if (view.dims[i].axis != kNone) text_ += ":" + AxisName(view.dims[i].axis);
  }
  text_ += ']';
}

void Printer::PrintNames(const std::vector<ValueId>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    text_ += i > 0 ? ", " : " ";
    text_ += Name(values[i]);
  }
}

void Printer::PrintDefinition(ValueId result, std::string_view operation) {
  text_ += Name(result) + ": ";
  Print(TypeOf(program_, result));
  text_ += " = ";
  text_ += operation;
}

void Printer::Head(const Constant& op) {
  PrintDefinition(op.result, "constant ");
  if (const bool* truth = std::get_if<bool>(&op.number)) {
    text_ += *truth ? "true" : "false";
  } else if (const int64_t* integer = std::get_if<int64_t>(&op.number)) {
    text_ += NumberText(*integer);
  } else {
    text_ += NumberText(std::get<float>(op.number));
  }
}

void Printer::Head(const Iota& op) {
  PrintDefinition(op.result, "iota ");
  text_ += AxisName(op.axis) + " from ";
  Print(op.offset);
}

void Printer::Head(const Load& op) {
  PrintDefinition(op.result, "load ");
  Print(op.view);
}

void Printer::Head(const Store& op) {
  text_ += "store " + Name(op.source) + " -> ";
  Print(op.view);
}

void Printer::Head(const Elementwise& op) {
  PrintDefinition(op.result, NameOf(op.kind));
  PrintNames(op.operands);
}

void Printer::Head(const Mma& op) {
  PrintDefinition(op.result, "mma ");
  text_ += NameOf(op.permission);
  PrintNames({op.lhs, op.rhs, op.seed});
}

void Printer::Head(const Reduce& op) {
  PrintDefinition(op.result, "reduce ");
  text_ += NameOf(op.kind);
  text_ += ' ';
  text_ += NameOf(op.order);
  PrintNames({op.operand});
  text_ += " over " + AxisName(op.axis);
}

void Printer::Head(const Pipeline& op) {
  text_ += "pipeline " + Name(op.step) + " < " + NumberText(op.trips) + " {";
}

void Printer::PrintHead(const Op& op) {
  std::visit([this](const auto& node) { Head(node); }, op.node);
}

void Printer::PrintInside(const Pipeline& pipeline, int depth) {
  std::vector<ValueId> yielded;
  for (const Carry& carry : pipeline.carries) {
    Indent(depth);
    text_ += "carry ";
    PrintDefinition(carry.argument, Name(carry.initial));
    text_ += '\n';
    yielded.push_back(carry.yielded);
  }
  PrintBody(pipeline.body, depth);
  if (yielded.empty()) return;
  Indent(depth);
  text_ += "yield";
  PrintNames(yielded);
  text_ += '\n';
}

void Printer::PrintBody(const std::vector<Op>& body, int depth) {
  for (const Op& op : body) {
    Indent(depth);
    PrintHead(op);
    text_ += '\n';
    if (const auto* pipeline = std::get_if<Pipeline>(&op.node)) {
      PrintInside(*pipeline, depth + 1);
      Indent(depth);
      text_ += "}\n";
    }
  }
}

void Printer::PrintBuffer(const Buffer& buffer) {
  text_ += NameOf(buffer.role);
  text_ += " " + buffer.name + " ";
  text_ += NameOf(buffer.scalar);
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    text_ += (i > 0 ? ", " : "[") + NumberText(buffer.shape[i]);
  }
  text_ += "]\n";
}

void Printer::PrintAll() {
  text_ += "exhibit.tile/1\nprogram " + program_.name + "\n";
  if (!program_.axes.empty()) text_ += '\n';
  for (const Axis& axis : program_.axes) {
    text_ += "axis " + axis.name + " = " + NumberText(axis.extent) + "\n";
  }
  if (!program_.buffers.empty()) text_ += '\n';
  for (const Buffer& buffer : program_.buffers) PrintBuffer(buffer);
  text_ += "\nparallel";
  for (size_t i = 0; i < program_.domain.size(); ++i) {
    const DomainAxis& axis = program_.domain[i];
    text_ += i > 0 ? ", " : " ";
    text_ += Name(axis.index) + " < " + NumberText(axis.extent);
  }
  text_ += " {\n";
  PrintBody(program_.body, 1);
  text_ += "}\n";
}

}  // namespace

std::string PrintProgram(const Program& program) {
  Printer printer(program);
  printer.PrintAll();
  return printer.TakeText();
}

std::string PrintType(const Program& program, const TileType& type) {
  Printer printer(program);
  printer.Print(type);
  return printer.TakeText();
}

std::string PrintOp(const Program& program, const Op& op) {
  Printer printer(program);
  printer.PrintHead(op);
  return printer.TakeText();
}

}  // namespace exhibit::tile
