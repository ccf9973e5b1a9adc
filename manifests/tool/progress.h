// Progress on standard error: a bar with the time left on a terminal, plain
// lines elsewhere, nothing with --quiet.

#ifndef EXHIBIT_MANIFESTS_TOOL_PROGRESS_H_
#define EXHIBIT_MANIFESTS_TOOL_PROGRESS_H_

#include <cstdint>
#include <string>

namespace exhibit {

class Progress {
 public:
  // Whether a log gets its lines at once, or only when it takes longer than a
  // reader of the log would wait without a word: ten seconds.
  enum class Log { kAtOnce, kWhenLong };

  // `total` steps; `label` such as "replay". Elapsed time decides what is left.
  Progress(std::string label, int64_t total, Log log = Log::kAtOnce);
  ~Progress();  // Ends the line of a bar.
  // `done` steps are finished and `what` comes next or was just finished. Steps
  // that the first call tells of were finished before: they count, but the time
  // left does not follow from them.
  void Update(int64_t done, const std::string& what);

 private:
  std::string label_;
  int64_t total_;
  int64_t start_ns_;
  int64_t done_before_ = -1;  // -1 until the first call.
  Log log_;
  bool bar_;
  bool quiet_;
  int64_t printed_tenths_ = -1;
};

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_TOOL_PROGRESS_H_
