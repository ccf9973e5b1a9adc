// exhibit-capture as a user runs it.

#ifndef EXHIBIT_TESTS_TOOL_CAPTURE_CAPTURE_PROCESS_H_
#define EXHIBIT_TESTS_TOOL_CAPTURE_CAPTURE_PROCESS_H_

#include <string>
#include <vector>

#include "tests/tool/tool_process.h"

namespace exhibit {

// A start of exhibit-capture with `words`.
inline ToolStart CaptureStart(const std::vector<std::string>& words) {
  ToolStart start;
  start.tool = "exhibit-capture";
  start.words = words;
  return start;
}

inline ToolEnd RunCapture(const std::vector<std::string>& words) {
  return ToolProcess(CaptureStart(words)).Await();
}

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_CAPTURE_CAPTURE_PROCESS_H_
