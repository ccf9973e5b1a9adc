// The folder that a manifest grows into: made new, or opened to be finished.
//
// A run is resumed only by the very same manifest, sources, attachments, host,
// boot and tool build, because everything in it stands for one cohort.

#ifndef EXHIBIT_CAPTURE_RUN_FOLDER_H_
#define EXHIBIT_CAPTURE_RUN_FOLDER_H_

#include <string>
#include <vector>

#include "capture/frozen_files.h"
#include "manifests/file.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

// What a run is made from.
struct RunContents {
  std::string manifest_bytes;  // As typed.
  FrozenFiles files;
  HostFacts host;
  ToolIdentity tool;
};

// A run with its first record written, held under its lock.
struct OpenRun {
  std::string path;
  RunLock lock;
  FreezeRecord freeze;
  std::string freeze_sha256;
};

// True when the last attempt at a capture reached its end with every capture
// made, so that there is nothing to resume.
bool CaptureIsFinished(const std::vector<AttemptRecord>& attempts);

// Makes the run, or opens it if it is there and unfinished.
//
// Fails with kInvalidArgument, saying what differs, when `path` is something
// else, a run of other contents, or a run whose captures are all made; with
// kIo and the like when it cannot be written.
Result<OpenRun> OpenOrCreateRun(const std::string& path,
                                const RunContents& contents);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_RUN_FOLDER_H_
