// A tool of build/bin as a user runs it.

#ifndef EXHIBIT_TESTS_TOOL_TOOL_PROCESS_H_
#define EXHIBIT_TESTS_TOOL_TOOL_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace exhibit {

struct ToolEnd {
  int status = 0;  // Exit status, or 128 + the signal it died of.
  std::string out;
  std::string talk;  // Standard error.
};

struct ToolStart {
  std::string tool;                // "exhibit-replay"
  std::vector<std::string> words;  // Without the program.
  // Goes before the program, as in
  // {"unshare", "-rm", "sh", "-c", "... exec \"$0\" \"$@\""}.
  std::vector<std::string> wrapper;
  std::map<std::string, std::string> environment;  // Added to ours.
  uint64_t file_bytes_max = 0;  // RLIMIT_FSIZE; 0 leaves it as it is.
};

// A started tool. Await it once.
class ToolProcess {
 public:
  explicit ToolProcess(const ToolStart& start);
  ToolProcess(const ToolProcess&) = delete;
  ToolProcess& operator=(const ToolProcess&) = delete;
  ~ToolProcess();

  void Signal(int number);
  ToolEnd Await();

 private:
  std::string tool_;
  pid_t pid_ = -1;
  int out_ = -1;
  int talk_ = -1;
};

// Waits until `path` is there; fails the test when it does not come.
void AwaitFile(const std::string& path);

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_TOOL_PROCESS_H_
