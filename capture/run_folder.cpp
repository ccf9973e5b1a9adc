#include "capture/run_folder.h"

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "manifests/host/attempt_log.h"
#include "manifests/host/host.h"
#include "manifests/json.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

Error Differs(const std::string& run, const std::string& what) {
  return Error{ErrorKind::kInvalidArgument,
               "the run " + QuoteText(run) + " cannot be resumed: " + what,
               "Capture into a new folder; a run holds one manifest, one set "
               "of sources, one host, one boot and one tool build."};
}

// Says how two lists of files differ; "" when they do not.
template <typename Entry>
std::string FirstDifference(const std::vector<Entry>& frozen,
                            const std::vector<Entry>& now) {
  std::map<std::string, Entry> old_by_path;
  for (const Entry& entry : frozen) old_by_path[entry.path] = entry;
  for (const Entry& entry : now) {
    const auto old = old_by_path.find(entry.path);
    if (old == old_by_path.end()) return entry.path + " was not frozen";
    if (old->second.sha256 != entry.sha256) {
      return entry.path + " was frozen with SHA-256 " + old->second.sha256 +
             " and is now " + entry.sha256;
    }
    if (!(old->second == entry)) return entry.path + " was described otherwise";
    old_by_path.erase(old);
  }
  if (old_by_path.empty()) return "";
  return old_by_path.begin()->first + " was frozen and is gone";
}

// Names the first static fact of the host that changed; "" when none did.
std::string FirstDifference(const HostFacts& frozen, const HostFacts& now) {
  const std::map<std::string, std::pair<std::string, std::string>> texts = {
      {"architecture", {frozen.architecture, now.architecture}},
      {"boost", {frozen.boost, now.boost}},
      {"boot", {frozen.boot_id_sha256, now.boot_id_sha256}},
      {"clock source", {frozen.clock_source, now.clock_source}},
      {"CPU model", {frozen.cpu_model, now.cpu_model}},
      {"governor", {frozen.governor, now.governor}},
      {"kernel", {frozen.kernel, now.kernel}},
      {"microcode", {frozen.microcode, now.microcode}},
      {"SMT siblings", {frozen.smt_siblings, now.smt_siblings}},
  };
  for (const auto& [name, values] : texts) {
    if (values.first != values.second) {
      return "another " + name + ": frozen " + QuoteText(values.first) +
             ", now " + QuoteText(values.second);
    }
  }
  return frozen == now ? "" : "another host: CPUs, memory or CPU flags changed";
}

Status CheckSameContents(const std::string& run, const FreezeRecord& freeze,
                         const RunContents& contents) {
  EXHIBIT_ASSIGN_OR_RETURN(
      const std::string manifest,
      ReadFile(run + "/" + kManifestPath, kRecordBytesMax));
  const std::string now = Sha256Hex(contents.manifest_bytes);
  if (freeze.manifest_sha256 != now || manifest != contents.manifest_bytes) {
    return Differs(run, "its manifest was frozen with SHA-256 " +
                            freeze.manifest_sha256 + " and this one has " +
                            now);
  }
  if (!(freeze.tool == contents.tool)) {
    return Differs(run, "it was started by another build of " +
                            freeze.tool.name + ", SHA-256 " +
                            freeze.tool.sha256 + "; this one has " +
                            contents.tool.sha256);
  }
  std::string what = FirstDifference(freeze.sources, contents.files.sources);
  if (what.empty()) {
    what = FirstDifference(freeze.attachments, contents.files.attachments);
  }
  if (what.empty()) what = FirstDifference(freeze.host, contents.host);
  if (!what.empty()) return Differs(run, what);
  return Ok();
}

// A run that was stopped before its first record may hold a part of the files
// that come before it, and nothing else.
Status CheckUnstarted(const std::string& run, const RunContents& contents) {
  Result<std::vector<std::string>> present = ListFiles(run);
  if (!present.ok()) {
    return Error{
        ErrorKind::kInvalidArgument,
        QuoteText(run) + " exists and is not a run: " + present.error().message,
        "Name a folder that does not exist."};
  }
  for (const std::string& path : *present) {
    const bool expected =
        path == kManifestPath || contents.files.bytes.count(path) != 0;
    if (expected) continue;
    return Error{ErrorKind::kInvalidArgument,
                 QuoteText(run) + " exists and is not a run: it holds " +
                     QuoteText(path),
                 "Name a folder that does not exist."};
  }
  return Ok();
}

Status PublishFirstFiles(const std::string& run, const RunContents& contents) {
  EXHIBIT_RETURN_IF_ERROR(
      PublishContent(run + "/" + kManifestPath, contents.manifest_bytes));
  for (const auto& [path, bytes] : contents.files.bytes) {
    const std::string full = run + "/" + path;
    EXHIBIT_RETURN_IF_ERROR(
        CreateFolders(std::filesystem::path(full).parent_path().string()));
    EXHIBIT_RETURN_IF_ERROR(PublishContent(full, bytes));
  }
  return Ok();
}

// The files before freeze.json, then freeze.json.
Status Freeze(const std::string& run, const RunContents& contents,
              int64_t start_ns) {
  EXHIBIT_RETURN_IF_ERROR(CheckUnstarted(run, contents));
  Status published = PublishFirstFiles(run, contents);
  if (!published.ok()) {
    if (published.error().kind != ErrorKind::kCorrupt) return published;
    return Differs(run, published.error().message);
  }
  FreezeRecord freeze;
  freeze.manifest_sha256 = Sha256Hex(contents.manifest_bytes);
  freeze.sources = contents.files.sources;
  freeze.attachments = contents.files.attachments;
  freeze.host = contents.host;
  freeze.tool = contents.tool;
  freeze.start_ns = start_ns;
  freeze.end_ns = BootTimeNs();
  return PublishFile(run + "/" + kFreezePath, EncodeFreeze(freeze));
}

Status CheckUnfinished(const std::string& run) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<AttemptRecord> attempts,
                           AttemptLog::Read(run));
  if (!CaptureIsFinished(attempts)) return Ok();
  return Error{ErrorKind::kInvalidArgument,
               "all captures of the run " + QuoteText(run) + " are made",
               "Replay it with `exhibit-replay " + run +
                   "`, or capture into a new folder."};
}

}  // namespace

bool CaptureIsFinished(const std::vector<AttemptRecord>& attempts) {
  bool finished = false;
  for (const AttemptRecord& record : attempts) {
    if (record.stage != "capture") continue;
    finished = record.event == "end" &&
               (record.result == "done" || record.result == "invalid");
  }
  return finished;
}

Result<OpenRun> OpenOrCreateRun(const std::string& path,
                                const RunContents& contents) {
  const int64_t start_ns = BootTimeNs();
  if (!PathExists(path)) EXHIBIT_RETURN_IF_ERROR(CreateFolder(path));
  EXHIBIT_ASSIGN_OR_RETURN(RunLock lock, RunLock::Acquire(path));
  const std::string freeze_path = path + "/" + kFreezePath;
  const bool is_new = !PathExists(freeze_path);
  if (is_new) EXHIBIT_RETURN_IF_ERROR(Freeze(path, contents, start_ns));
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(freeze_path, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(FreezeRecord freeze,
                           DecodeFreeze(bytes, kFreezePath));
  EXHIBIT_RETURN_IF_ERROR(CheckSameContents(path, freeze, contents));
  if (!is_new) EXHIBIT_RETURN_IF_ERROR(CheckUnfinished(path));
  return OpenRun{path, std::move(lock), std::move(freeze), Sha256Hex(bytes)};
}

}  // namespace exhibit
