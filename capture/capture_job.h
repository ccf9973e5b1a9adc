// One capture: a case built one way, called, checked and frozen.
//
// Everything of the kernel happens in worker processes; here their reports are
// judged and written down. A capture grows in a hidden folder beside its place
// and takes its name in one rename, capture.json being written last, so that
// what has the name is whole.

#ifndef EXHIBIT_CAPTURE_CAPTURE_JOB_H_
#define EXHIBIT_CAPTURE_CAPTURE_JOB_H_

#include <cstdint>
#include <functional>
#include <string>

#include "manifests/manifest.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

struct CaptureJob {
  std::string run;  // Folder.
  const Manifest* manifest = nullptr;
  const ManifestCase* manifest_case = nullptr;
  const ManifestVariant* variant = nullptr;
  std::string library_path;  // Of a library variant; else "".
  std::string library_sha256;
  std::string freeze_sha256;
  std::string case_sha256;
  ToolIdentity tool;
  int64_t attempt = 0;
  int64_t timeout_ns = 0;             // Of one worker.
  std::function<bool()> interrupted;  // May be called from any thread.
};

struct CaptureOutcome {
  ProcessEnd end;            // As recorded.
  bool interrupted = false;  // Then nothing was recorded.
};

// Makes the capture. What the kernel does wrong is the outcome's end; an Error
// is what keeps this machine from capturing at all. May run on several threads
// at once, for different captures.
Result<CaptureOutcome> MakeCapture(const CaptureJob& job);

// Where a capture grows. Only a dead attempt leaves it behind.
std::string PartialCaptureFolder(const std::string& case_name,
                                 const std::string& variant);

// Removes what a dead attempt left of a capture.
Status RemovePartialCapture(const std::string& run,
                            const std::string& case_name,
                            const std::string& variant);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_CAPTURE_JOB_H_
