// exhibit-capture as a user runs it.

#ifndef EXHIBIT_TESTS_TOOL_CAPTURE_CAPTURE_PROCESS_H_
#define EXHIBIT_TESTS_TOOL_CAPTURE_CAPTURE_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace exhibit {

struct ToolEnd {
  int status = 0;  // Exit status, or 128 + the signal it died of.
  std::string out;
  std::string talk;  // Standard error.
};

struct ToolStart {
  std::vector<std::string> words;  // Without the program.
  std::string hold;                // CAPTURE_TEST_HOLD; "" leaves it unset.
  uint64_t file_bytes_max = 0;     // RLIMIT_FSIZE; 0 leaves it as it is.
};

// A started tool. Await it once.
class CaptureProcess {
 public:
  explicit CaptureProcess(const ToolStart& start);
  CaptureProcess(const CaptureProcess&) = delete;
  CaptureProcess& operator=(const CaptureProcess&) = delete;
  ~CaptureProcess();

  void Signal(int number);
  ToolEnd Await();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int talk_ = -1;
};

ToolEnd RunCapture(const std::vector<std::string>& words);

// Waits until `path` is there; fails the test when it does not come.
void AwaitFile(const std::string& path);

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_CAPTURE_CAPTURE_PROCESS_H_
