// A program written in a test, run.

#ifndef EXHIBIT_TESTS_UNIT_INTERPRETER_RUN_TEXT_H_
#define EXHIBIT_TESTS_UNIT_INTERPRETER_RUN_TEXT_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "audit/interpreter/interpreter.h"
#include "compiler/tile/text.h"

namespace exhibit {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;
using Buffers = std::map<std::string, BufferData>;

// Declarations and body of a program of one instance.
inline std::string ProgramText(const std::string& declarations,
                               const std::string& body) {
  return "exhibit.tile/1\nprogram p\n" + declarations + "parallel i < 1 {\n" +
         body + "}\n";
}

inline Result<Buffers> RunText(const std::string& text, const Buffers& inputs,
                               const InterpreterLimits& limits = {}) {
  EXHIBIT_ASSIGN_OR_RETURN(const tile::Program program,
                           tile::ReadProgram(text, "test"));
  return RunProgram(program, inputs, limits);
}

// Of a run that has to succeed: the elements of one buffer.
template <typename Data>
Data BufferOf(const Result<Buffers>& outputs, const std::string& name) {
  if (!outputs.ok()) {
    ADD_FAILURE() << outputs.error().message;
    return {};
  }
  const auto buffer = outputs.value().find(name);
  if (buffer == outputs.value().end() ||
      !std::holds_alternative<Data>(buffer->second)) {
    ADD_FAILURE() << "no buffer " << name << " of that type";
    return {};
  }
  return std::get<Data>(buffer->second);
}

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_UNIT_INTERPRETER_RUN_TEXT_H_
