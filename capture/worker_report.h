// What capture and its worker processes say to each other.
//
// A task and a report are bytes in memory files (replay/call/worker_process.h).
// They never reach a run: both ends are one build of one program.

#ifndef EXHIBIT_CAPTURE_WORKER_REPORT_H_
#define EXHIBIT_CAPTURE_WORKER_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

struct WorkerTask {
  std::string run;  // Folder.
  std::string case_name;
  std::string variant;
  std::string folder;  // Where the capture grows, not yet under its name.
  // A library variant's file, and what it held when capture started.
  std::string library_path;
  std::string library_sha256;
};

// What building gave, for whoever calls it. Written beside the built files
// before any of the kernel runs, so that it outlives a crash.
struct BuildFacts {
  std::string symbol;
  int64_t workspace_bytes = 0;
  std::vector<std::string> required_cpu_flags;
  std::string library_sha256;  // Of kernel.so.
  std::map<std::string, std::optional<int64_t>> build_ns;  // By phase.
};

struct OutputBytes {
  std::string name;
  std::string npy;  // As it would stand in arrays/.
};

struct CallReport {
  // Set when files could not be read or written: nothing about the kernel, and
  // the whole capture stops.
  std::optional<Error> could_not;
  std::string failure;               // What the kernel got wrong, or "".
  std::vector<OutputBytes> outputs;  // In declaration order.
  ProcessFacts process;
};

// Decoders fail with kCorrupt.
std::string EncodeTask(const WorkerTask& task);
Result<WorkerTask> DecodeTask(std::string_view bytes);
std::string EncodeBuildFacts(const BuildFacts& facts);
Result<BuildFacts> DecodeBuildFacts(std::string_view bytes);
std::string EncodeCallReport(const CallReport& report);
Result<CallReport> DecodeCallReport(std::string_view bytes);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_WORKER_REPORT_H_
