// The arrays of all cases of a run, verified before the first visit.

#ifndef EXHIBIT_REPLAY_CASE_STORE_H_
#define EXHIBIT_REPLAY_CASE_STORE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "manifests/result.h"
#include "replay/case_data.h"
#include "replay/run_state.h"

namespace exhibit {

class CaseStore {
 public:
  // Reads and checks every array of the run, here and not in a visit: a damaged
  // array is no visit's fault. Fails with what CaseData::Load fails with.
  static Result<CaseStore> Load(const RunState& run);

  // The descriptor of case `index` of the run (case_data.h), valid until the
  // next call. Arrays that were not kept, since they are large, are read and
  // checked again.
  Result<int> Open(const RunState& run, size_t index);

 private:
  CaseStore() = default;
  std::vector<std::optional<CaseData>> data_;
  uint64_t bytes_ = 0;
};

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CASE_STORE_H_
