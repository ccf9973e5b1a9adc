// Hardware and kernel counters of this thread, where the host permits them.
//
// Counted in user mode and only between Enable and Disable, that is in the
// samples. A counter that cannot be opened, or that had to share its hardware
// with another, is absent: no value is scaled or made up.

#ifndef EXHIBIT_REPLAY_COUNTERS_H_
#define EXHIBIT_REPLAY_COUNTERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace exhibit {

class Counters {
 public:
  Counters();  // Opens what can be opened, disabled.
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  ~Counters();

  // One system call each; neither allocates.
  void Enable();
  void Disable();

  // branch_misses, cache_misses, cycles, instructions, task_clock_ns: always
  // all of them.
  std::map<std::string, std::optional<int64_t>> Read() const;

 private:
  std::vector<std::pair<std::string, int>> open_;  // -1: absent.
};

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_COUNTERS_H_
