// The records of a run: what each stage writes and every later one reads.
//
// Each record is one canonical JSON file (manifests/json.h) with its schema's
// name. Encode writes it; Decode accepts exactly what Encode writes: it encodes
// again and compares, so an unknown field (unless it starts with "x-"), another
// order of keys or another spelling of a number is kCorrupt, and an unknown
// schema is kUnsupported. `where` names the file in messages.
//
// References between records are SHA-256 digests of whole files. Times are
// integers in nanoseconds; `start_ns` and `end_ns` are CLOCK_BOOTTIME. Paths
// are relative to the run.
// Normative: manifests/RECORDS.md. One definition of each field for both
// directions: records.cpp.

#ifndef EXHIBIT_MANIFESTS_RECORDS_H_
#define EXHIBIT_MANIFESTS_RECORDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/result.h"

namespace exhibit {

// ---- Parts that several records share.

struct ToolIdentity {
  std::string name;           // "exhibit-replay"
  std::string version;        // "0.1.0"
  std::string sha256;         // Of the executable that wrote the record.
  std::string source_sha256;  // Content id of the source it was built from.
  bool operator==(const ToolIdentity&) const = default;
};

struct FileEntry {
  std::string path;
  std::string sha256;
  int64_t bytes = 0;
  bool operator==(const FileEntry&) const = default;
};

// A file mapped into a process that ran kernels.
struct MappedFile {
  std::string name;  // Base name.
  std::string sha256;
  std::string build_id;  // Hexadecimal, or "" when it has none.
  bool operator==(const MappedFile&) const = default;
};

// How a worker process ended. `status` is one of
//   completed     ran to its end and every check held
//   failed-check  ran, but an output, a guard or a bit comparison was wrong
//   disturbed     ran, but clock, host or kernel did not allow to measure it
//   crashed, timed-out  ended by `signal`, killed after its time limit
//   exited        ended with `exit_status` without reporting
//   refused       did not start to run: digest, CPU flags, symbol, memory
struct ProcessEnd {
  std::string status;
  std::string reason;       // One sentence; "" when completed.
  int64_t signal = 0;       // 0 when none.
  int64_t exit_status = 0;  // 0 when a signal ended it.
  bool operator==(const ProcessEnd&) const = default;
};

// Whether a variable of the environment is recorded with its value: LANG,
// LC_ALL, TZ, OMP_NUM_THREADS, GLIBC_TUNABLES, MALLOC_*.
bool IsRecordedVariable(std::string_view name);
// Whether that it is set is recorded, as "set": LD_PRELOAD, LD_LIBRARY_PATH,
// whose values are paths.
bool IsVariableRecordedAsSet(std::string_view name);

// What stood in the process, recorded and not claimed.
struct ProcessFacts {
  std::vector<std::string> command;                // Paths replaced.
  std::map<std::string, std::string> environment;  // Allow list only.
  std::vector<MappedFile> mapped_files;            // By name, then digest.
  bool operator==(const ProcessFacts&) const = default;
};

// ---- freeze.json: exhibit.freeze/1, written first.

struct HostFacts {
  std::string architecture;  // "x86_64"
  std::string cpu_model;
  std::vector<std::string> cpu_flags;  // As in /proc/cpuinfo, sorted.
  std::string microcode;               // "" when absent.
  std::string kernel;                  // Release.
  std::string boot_id_sha256;          // Digest of the kernel's boot id.
  std::string clock_source;
  std::string governor;      // "" when absent.
  std::string boost;         // "0", "1" or "" when absent.
  std::string smt_siblings;  // Of CPU 0, "0" when alone, "" when absent.
  int64_t cpu_count = 0;     // Online.
  int64_t memory_bytes = 0;
  int64_t page_bytes = 0;
  bool operator==(const HostFacts&) const = default;
};

struct Attachment {
  std::string path;  // attachments/...
  std::string sha256;
  int64_t bytes = 0;
  std::string role;
  std::string note;
  bool operator==(const Attachment&) const = default;
};

struct FreezeRecord {
  std::string manifest_sha256;
  std::vector<FileEntry> sources;       // sources/..., sorted by path.
  std::vector<Attachment> attachments;  // Sorted by path.
  HostFacts host;
  ToolIdentity tool;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// ---- attempts.jsonl: exhibit.attempt/1, one line per event, append-only.

struct AttemptRecord {
  int64_t attempt = 0;  // 0 for the first start of any stage in this run.
  std::string event;    // start, end
  std::string stage;    // capture, replay
  std::string result;   // "" at start; done, invalid, interrupted, error
  std::string message;  // The error's text, or "".
  std::string previous_sha256;  // Of the file before this line.
  ToolIdentity tool;
  int64_t time_ns = 0;  // CLOCK_BOOTTIME
};

// ---- cases/<case>/case.json: exhibit.case/1.

struct CaseArray {
  std::string name;   // The buffer.
  std::string role;   // input, output
  std::string dtype;  // Of the buffer: f32
  std::vector<int64_t> shape;
  // The array file: for an input what the kernel reads, for an output what is
  // expected of it (f64 from an oracle, or as supplied).
  std::string sha256;
  std::string origin;  // sine, file (inputs); oracle, supplied (outputs)
  bool operator==(const CaseArray&) const = default;
};

struct CaseRecord {
  std::string freeze_sha256;
  std::string case_name;
  std::string program;         // attention, custom, tile
  std::vector<int64_t> shape;  // As declared; empty unless attention.
  std::vector<int64_t> tile;
  int64_t dispatch = 0;           // Program instances.
  std::vector<CaseArray> arrays;  // In declaration order.
  ToolIdentity tool;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// ---- captures/<case>/<variant>/capture.json: exhibit.capture/1.

struct CaptureOutput {
  std::string name;
  std::string jit_sha256;  // What the JIT-linked code wrote; "" for library.
  std::string
      prepared_sha256;  // One call through kernel.so in a fresh process.
  bool operator==(const CaptureOutput&) const = default;
};

struct CaptureRecord {
  std::string freeze_sha256;
  std::string case_sha256;
  std::string case_name;
  std::string variant;
  std::string kind;                     // tile, library
  std::map<std::string, Json> options;  // All of them; empty for library.
  std::string symbol;                   // Entry of kernel.so (.blocks form).
  int64_t workers_per_block = 0;
  int64_t workspace_bytes = 0;
  std::vector<std::string>
      required_cpu_flags;  // /proc/cpuinfo spelling, sorted.
  // How long each phase of the build took: plan, emit, optimize, assembly, jit.
  // Empty for a library.
  std::map<std::string, std::optional<int64_t>> build_ns;
  std::vector<FileEntry>
      files;  // Of this folder, all but capture.json, sorted.
  std::vector<CaptureOutput>
      outputs;  // In declaration order; empty if it failed.
  ProcessEnd end;
  ProcessFacts process;
  int64_t attempt = 0;
  ToolIdentity tool;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// ---- replays/<case>/plan.json: exhibit.plan/1, before the first visit.

struct PlanArm {
  std::string variant;
  std::string capture_sha256;  // Of capture.json.
  std::string library_sha256;  // Of kernel.so.
  bool operator==(const PlanArm&) const = default;
};

struct PairShift {
  int64_t stack_bytes = 0;  // Multiples of 16 up to 4096.
  int64_t heap_bytes = 0;
  bool operator==(const PairShift&) const = default;
};

struct PlanRecord {
  std::string freeze_sha256;
  std::string case_name;
  PlanArm baseline;
  PlanArm candidate;
  std::string starting_arm;  // baseline, candidate: drawn from the seed.
  int64_t cycles = 0;
  int64_t samples = 0;
  int64_t warmup_ns = 0;
  int64_t target_ns = 0;
  int64_t timeout_ns = 0;  // Of one visit.
  int64_t seed = 0;
  std::string isolation;          // process
  std::string timing_scope;       // native-entry-host-wall
  int64_t cpu = 0;                // Every visit is pinned to it.
  std::vector<PairShift> shifts;  // Of the 2 * cycles planned pairs.
  ToolIdentity tool;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// ---- replays/<case>/visit-NNNN.json and calibration-N.json: exhibit.visit/1.

struct VisitOutput {
  std::string name;
  std::string first_sha256;         // After the first call.
  std::string last_sha256;          // After the last sample.
  int64_t failed_elements = 0;      // Of the last check.
  std::optional<double> max_error;  // Absent when an element is not finite.
  bool operator==(const VisitOutput&) const = default;
};

struct VisitGuard {
  std::string buffer;  // Buffer name, or "workspace".
  std::string
      sha256;  // The guard bytes after the last call: before, then after.
  bool intact = false;
  bool operator==(const VisitGuard&) const = default;
};

struct ClockFacts {
  std::string name;  // CLOCK_MONOTONIC_RAW
  int64_t resolution_ns = 0;
  int64_t overhead_ns = 0;  // Median cost of one reading.
  bool operator==(const ClockFacts&) const = default;
};

struct HostState {
  std::optional<double> load_1m, load_5m, load_15m;
  std::optional<int64_t> frequency_khz;
  bool operator==(const HostState&) const = default;
};

struct ThreadCounts {
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  std::optional<int64_t> migrations;
  bool operator==(const ThreadCounts&) const = default;
};

struct VisitRecord {
  std::string kind;  // calibration, timed
  std::string plan_sha256;
  // The record before this one: plan.json, then calibration-0, calibration-1,
  // visit-0000, ...
  std::string previous_sha256;
  std::string case_name;
  int64_t index = 0;     // Within its kind.
  int64_t cycle = 0;     // index / 4; 0 for calibration.
  int64_t position = 0;  // index % 4; the index for calibration.
  std::string arm;       // baseline, candidate
  std::string variant;
  std::string library_sha256;
  std::string symbol;
  int64_t attempt = 0;  // Of the replay that made it (attempts.jsonl).
  int64_t cpu = 0;
  PairShift shift;
  ProcessEnd end;

  int64_t first_call_ns = 0;
  int64_t warmup_calls = 0;
  int64_t warmup_ns = 0;
  int64_t probe_ns = 0;             // Per call, from the warm-up's second half.
  int64_t repetitions = 0;          // Calls per sample; 0 for calibration.
  std::vector<int64_t> samples_ns;  // Elapsed, not divided.
  int64_t checks_passed = 0;        // Full checks of guards and outputs.

  std::vector<VisitOutput> outputs;
  std::vector<VisitGuard> guards;
  ClockFacts clock;
  HostState before, after;
  ThreadCounts counts;  // Over warm-up and samples.
  std::map<std::string, std::optional<int64_t>> counters;  // null: absent.
  ProcessFacts process;
  ToolIdentity tool;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// ---- Encoding and decoding.

std::string EncodeFreeze(const FreezeRecord& record);
std::string EncodeAttempt(const AttemptRecord& record);  // One line.
std::string EncodeCase(const CaseRecord& record);
std::string EncodeCapture(const CaptureRecord& record);
std::string EncodePlan(const PlanRecord& record);
std::string EncodeVisit(const VisitRecord& record);

Result<FreezeRecord> DecodeFreeze(std::string_view bytes,
                                  std::string_view where);
// The whole file; also checks the numbering and the chain of digests.
Result<std::vector<AttemptRecord>> DecodeAttempts(std::string_view bytes,
                                                  std::string_view where);
Result<CaseRecord> DecodeCase(std::string_view bytes, std::string_view where);
Result<CaptureRecord> DecodeCapture(std::string_view bytes,
                                    std::string_view where);
Result<PlanRecord> DecodePlan(std::string_view bytes, std::string_view where);
Result<VisitRecord> DecodeVisit(std::string_view bytes, std::string_view where);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_RECORDS_H_
