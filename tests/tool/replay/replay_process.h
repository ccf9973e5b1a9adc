// exhibit-replay as a user runs it.

#ifndef EXHIBIT_TESTS_TOOL_REPLAY_REPLAY_PROCESS_H_
#define EXHIBIT_TESTS_TOOL_REPLAY_REPLAY_PROCESS_H_

#include <string>
#include <vector>

#include "tests/tool/tool_process.h"

namespace exhibit {

// A start of exhibit-replay with `words`, behind `wrapper`.
inline ToolStart ReplayStart(const std::vector<std::string>& words,
                             const std::vector<std::string>& wrapper = {}) {
  ToolStart start;
  start.tool = "exhibit-replay";
  start.words = words;
  start.wrapper = wrapper;
  return start;
}

inline ToolEnd RunReplay(const std::vector<std::string>& words) {
  return ToolProcess(ReplayStart(words)).Await();
}

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_REPLAY_REPLAY_PROCESS_H_
