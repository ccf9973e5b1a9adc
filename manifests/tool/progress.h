// Progress on standard error: a bar with the time left on a terminal, plain
// lines elsewhere, nothing with --quiet.

#ifndef EXHIBIT_MANIFESTS_TOOL_PROGRESS_H_
#define EXHIBIT_MANIFESTS_TOOL_PROGRESS_H_

#include <cstdint>
#include <string>

namespace exhibit {

class Progress {
 public:
  // `total` steps; `label` such as "replay". Elapsed time decides what is left.
  Progress(std::string label, int64_t total);
  ~Progress();  // Ends the line of a bar.
  // `done` steps are finished and `what` comes next or was just finished.
  void Update(int64_t done, const std::string& what);

 private:
  std::string label_;
  int64_t total_;
  int64_t start_ns_;
  bool bar_;
  bool quiet_;
  int64_t printed_tenths_ = -1;
};

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_TOOL_PROGRESS_H_
