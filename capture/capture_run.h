// From a manifest to a run: the whole of what exhibit-capture does, but the
// talking.

#ifndef EXHIBIT_CAPTURE_CAPTURE_RUN_H_
#define EXHIBIT_CAPTURE_CAPTURE_RUN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture/frozen_files.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

// Who hears how a capture goes. Called from one thread at a time.
struct CaptureTalk {
  // The manifest was read and is legal; nothing is written yet.
  std::function<Status(const std::string& manifest_sha256)> declared;
  // `done` of `total` captures are there; `what` was just finished.
  std::function<void(int64_t done, int64_t total, const std::string& what)>
      progress;
  // A capture ended otherwise than completed.
  std::function<void(const std::string& what)> failed;
};

struct CaptureRequest {
  std::string manifest_path;
  std::string run_path;
  int64_t jobs = 1;  // Captures made at a time; at least 1.
  ToolIdentity tool;
  OwnSource own_source;
  // A worker may take this long, or the manifest's timeout_s if that is more.
  int64_t timeout_ns_min = 300'000'000'000;
  std::function<bool()> interrupted;  // May be called from any thread.
  CaptureTalk talk;
};

struct CaptureSummary {
  int64_t captures_kept = 0;  // Made by an earlier attempt.
  int64_t captures_made = 0;
  bool interrupted = false;  // The run can be resumed.
  // One sentence for each capture that did not complete and each expectation
  // that does not hold; then the cohort is invalid.
  std::vector<std::string> invalid;
};

// Captures every case in every variant into a new run, or makes what an
// unfinished run of the very same contents lacks. A start and an end of this
// attempt stand in attempts.jsonl whatever happens in between.
//
// Fails with what keeps it from capturing: a bad manifest, a file that is
// missing or changed, a folder that is something else, a vacuous oracle, the
// system. A capture that goes wrong is no such failure: it is recorded, and the
// later ones are still made.
Result<CaptureSummary> CaptureRun(const CaptureRequest& request);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_CAPTURE_RUN_H_
