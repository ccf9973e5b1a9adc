// exhibit-replay as a user runs it.

#ifndef EXHIBIT_TESTS_TOOL_REPLAY_TOOL_PROCESS_H_
#define EXHIBIT_TESTS_TOOL_REPLAY_TOOL_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace exhibit {

struct ToolEnd {
  int status = 0;  // Exit status, or 128 + the signal it died of.
  std::string out;
  std::string talk;  // Standard error.
};

// A started tool. Await it once.
class ToolProcess {
 public:
  // `words` without the program; `wrapper` goes before it, as in
  // {"unshare", "-rm", "sh", "-c", "... exec \"$0\" \"$@\""}.
  explicit ToolProcess(const std::vector<std::string>& words,
                       const std::vector<std::string>& wrapper = {});
  ToolProcess(const ToolProcess&) = delete;
  ToolProcess& operator=(const ToolProcess&) = delete;
  ~ToolProcess();

  void Signal(int number);
  ToolEnd Await();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int talk_ = -1;
};

ToolEnd RunReplay(const std::vector<std::string>& words);

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_REPLAY_TOOL_PROCESS_H_
