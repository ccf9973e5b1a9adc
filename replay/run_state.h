// A run as replay finds it: declared, captured and perhaps partly replayed.
//
// Everything read is checked: each record decodes, cites the digests of what
// it rests on, and stands in the order that the plan gives. The arrays are
// read by case_store.h.

#ifndef EXHIBIT_REPLAY_RUN_STATE_H_
#define EXHIBIT_REPLAY_RUN_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/manifest.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

inline constexpr char kTimingScope[] = "native-entry-host-wall";
inline constexpr int64_t kVisitCountMax = 10'000;  // Of one case.

// One arm of one case.
struct CaptureState {
  CaptureRecord record;
  std::string sha256;          // Of capture.json.
  std::string library_sha256;  // Of kernel.so; "" when the capture has none.
};

struct CaseState {
  std::string name;
  CaseRecord record;
  CaptureState baseline;
  CaptureState candidate;
  // From here on: what replay itself has written so far.
  std::optional<PlanRecord> plan;
  std::string plan_sha256;
  std::vector<VisitRecord> calibrations;
  std::vector<VisitRecord> visits;
  std::string last_sha256;  // Of the last record in the chain.

  const CaptureState& ArmCapture(const std::string& arm) const {
    return arm == "baseline" ? baseline : candidate;
  }
  // The attempt of each timed visit, as manifests/visit_order.h wants it.
  std::vector<int64_t> Attempts() const;
  // The first capture or visit that did not complete, in one sentence; "" when
  // all did.
  std::string FirstFailure() const;
};

struct RunState {
  std::string path;
  Manifest manifest;
  FreezeRecord freeze;
  std::string freeze_sha256;
  std::vector<CaseState> cases;  // In declared order.
  // The attempt that goes on with the run; 0 before one does. A pair whose
  // first visit another attempt made will be split.
  int64_t attempt = 0;
};

// Reads a run and all that replay rests on.
//
// Fails with kNotFound when a stage before replay has not finished, kCorrupt
// when a record or a file is not what it is cited as, and with what the
// readers of manifest and records fail with.
Result<RunState> ReadRunState(const std::string& path);

// Whether this host, boot and build may add to the run: kInvalidArgument with
// what differs, or Ok.
Status CheckSameCohort(const FreezeRecord& freeze, const HostFacts& host,
                       const ToolIdentity& tool);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_RUN_STATE_H_
