#include "capture/capture_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "capture/capture_job.h"
#include "capture/capture_queue.h"
#include "capture/case_arrays.h"
#include "capture/expectations.h"
#include "capture/kernel_builder.h"
#include "capture/orphan_arrays.h"
#include "capture/run_folder.h"
#include "manifests/file.h"
#include "manifests/host/attempt_log.h"
#include "manifests/host/host.h"
#include "manifests/json.h"
#include "manifests/manifest.h"
#include "manifests/named_file.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

// The declared experiment and the library files it names, read and checked
// before anything is written.
struct Declaration {
  std::string bytes;
  std::string folder;  // Of the manifest.
  Manifest manifest;
  std::map<std::string, std::string> library_sha256;  // By path.
};

Result<Declaration> ReadDeclaration(const std::string& path) {
  Declaration declaration;
  EXHIBIT_ASSIGN_OR_RETURN(declaration.bytes, ReadFile(path, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(declaration.manifest,
                           ParseManifest(declaration.bytes, path));
  const std::string parent = std::filesystem::path(path).parent_path().string();
  declaration.folder = parent.empty() ? "." : parent;
  const Manifest& manifest = declaration.manifest;
  for (const ManifestVariant& variant : manifest.variants) {
    EXHIBIT_RETURN_IF_ERROR(CheckBuildable(variant));
    if (variant.kind != "library") continue;
    EXHIBIT_ASSIGN_OR_RETURN(
        const std::string library,
        ReadNamedFile(
            {declaration.folder, "variants." + variant.name + ".library",
             variant.library},
            kLibraryBytesMax));
    declaration.library_sha256[variant.library] = Sha256Hex(library);
  }
  for (const ManifestCase& manifest_case : manifest.cases) {
    EXHIBIT_RETURN_IF_ERROR(
        CheckSuppliedFiles(manifest, manifest_case, declaration.folder));
  }
  return declaration;
}

Result<RunContents> GatherContents(const CaptureRequest& request,
                                   const Declaration& declaration) {
  RunContents contents;
  contents.manifest_bytes = declaration.bytes;
  contents.tool = request.tool;
  EXHIBIT_ASSIGN_OR_RETURN(
      contents.files,
      GatherFrozenFiles(declaration.manifest, declaration.folder,
                        request.own_source));
  EXHIBIT_ASSIGN_OR_RETURN(contents.host, ProbeHost());
  return contents;
}

// A capture that an earlier attempt finished.
Result<std::optional<CaptureRecord>> ReadFinished(const CaptureJob& job) {
  const std::string path =
      CapturePath(job.manifest_case->name, job.variant->name);
  if (!PathExists(job.run + "/" + path)) return std::optional<CaptureRecord>();
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(job.run + "/" + path, kRecordBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(CaptureRecord record, DecodeCapture(bytes, path));
  if (record.freeze_sha256 != job.freeze_sha256 ||
      record.case_sha256 != job.case_sha256) {
    return Error{ErrorKind::kCorrupt,
                 path + " cites another freeze.json or case.json",
                 "Capture into a new folder."};
  }
  return std::optional<CaptureRecord>(std::move(record));
}

// The author's library must still be the one that a kept capture holds.
Status CheckSameLibrary(const CaptureJob& job, const CaptureRecord& kept) {
  if (job.library_path.empty()) return Ok();
  const bool is_object = job.variant->library.ends_with(".o");
  const std::string path =
      CaptureFolder(job.manifest_case->name, job.variant->name) +
      (is_object ? "/kernel.o" : "/kernel.so");
  for (const FileEntry& file : kept.files) {
    if (file.path != path || file.sha256 == job.library_sha256) continue;
    return Error{ErrorKind::kInvalidArgument,
                 "the library " + job.variant->library + " of variant " +
                     job.variant->name + " was captured with SHA-256 " +
                     file.sha256 + " and is now " + job.library_sha256,
                 "Capture into a new folder."};
  }
  return Ok();
}

std::string NameOf(const CaptureJob& job) {
  return job.manifest_case->name + "/" + job.variant->name;
}

std::string DescribeEnd(const std::string& name, const ProcessEnd& end) {
  return "capture " + name + " " + end.status + ": " + end.reason;
}

// One attempt at an open run: cases, then captures, then expectations.
class Attempt {
 public:
  Attempt(const CaptureRequest& request, const Declaration& declaration,
          const OpenRun& run, int64_t attempt)
      : request_(request),
        manifest_(declaration.manifest),
        declaration_(declaration),
        run_(run),
        attempt_(attempt) {}

  Result<CaptureSummary> Make() {
    std::vector<CaptureJob> jobs;
    for (const ManifestCase& manifest_case : manifest_.cases) {
      if (Interrupted()) return Stopped();
      EXHIBIT_ASSIGN_OR_RETURN(const std::string case_sha256,
                               MakeCase(CaseRequestOf(), manifest_case));
      for (const ManifestVariant& variant : manifest_case.variants) {
        jobs.push_back(JobOf(manifest_case, variant));
        jobs.back().case_sha256 = case_sha256;
      }
    }
    total_ = static_cast<int64_t>(jobs.size());
    EXHIBIT_ASSIGN_OR_RETURN(const std::vector<CaptureJob> missing,
                             KeepFinished(jobs));
    if (!missing.empty()) {
      EXHIBIT_RETURN_IF_ERROR(RemoveOrphanArrays(manifest_, run_.path));
    }
    QueueOptions options;
    options.jobs = request_.jobs;
    options.finished = [this](const CaptureJob& job, const ProcessEnd& end) {
      Note(NameOf(job), end);
    };
    EXHIBIT_ASSIGN_OR_RETURN(summary_.captures_made,
                             MakeCaptures(missing, options));
    if (summary_.captures_made < static_cast<int64_t>(missing.size())) {
      return Stopped();
    }
    return Judge();
  }

 private:
  bool Interrupted() const {
    return request_.interrupted && request_.interrupted();
  }

  CaptureSummary Stopped() {
    summary_.interrupted = true;
    return summary_;
  }

  CaseRequest CaseRequestOf() const {
    return {run_.path, &manifest_, declaration_.folder, run_.freeze_sha256,
            request_.tool};
  }

  CaptureJob JobOf(const ManifestCase& manifest_case,
                   const ManifestVariant& variant) const {
    CaptureJob job;
    job.run = run_.path;
    job.manifest = &manifest_;
    job.manifest_case = &manifest_case;
    job.variant = &variant;
    if (variant.kind == "library") {
      job.library_path = declaration_.folder + "/" + variant.library;
      job.library_sha256 = declaration_.library_sha256.at(variant.library);
    }
    job.freeze_sha256 = run_.freeze_sha256;
    job.tool = request_.tool;
    job.attempt = attempt_;
    job.timeout_ns =
        std::max(request_.timeout_ns_min, manifest_.timeout_s * 1'000'000'000);
    job.interrupted = request_.interrupted;
    return job;
  }

  // Counts what earlier attempts finished and returns the rest.
  Result<std::vector<CaptureJob>> KeepFinished(
      const std::vector<CaptureJob>& jobs) {
    std::vector<CaptureJob> missing;
    for (const CaptureJob& job : jobs) {
      EXHIBIT_ASSIGN_OR_RETURN(const std::optional<CaptureRecord> kept,
                               ReadFinished(job));
      if (!kept) {
        missing.push_back(job);
        continue;
      }
      EXHIBIT_RETURN_IF_ERROR(CheckSameLibrary(job, *kept));
      ++summary_.captures_kept;
      Note(NameOf(job) + " (kept)", kept->end);
    }
    return missing;
  }

  void Note(const std::string& name, const ProcessEnd& end) {
    ++done_;
    if (request_.talk.progress) request_.talk.progress(done_, total_, name);
    if (end.status == "completed") return;
    const std::string what = DescribeEnd(name, end);
    if (request_.talk.failed) request_.talk.failed(what);
  }

  // From the records, so that it does not matter which attempt or thread made
  // a capture.
  Result<CaptureSummary> Judge() {
    for (const ManifestCase& manifest_case : manifest_.cases) {
      for (const ManifestVariant& variant : manifest_case.variants) {
        const std::string path = CapturePath(manifest_case.name, variant.name);
        EXHIBIT_ASSIGN_OR_RETURN(
            const std::string bytes,
            ReadFile(run_.path + "/" + path, kRecordBytesMax));
        EXHIBIT_ASSIGN_OR_RETURN(const CaptureRecord record,
                                 DecodeCapture(bytes, path));
        if (record.end.status == "completed") continue;
        summary_.invalid.push_back(
            DescribeEnd(manifest_case.name + "/" + variant.name, record.end));
      }
    }
    EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> violations,
                             ViolatedExpectations(manifest_, run_.path));
    for (const std::string& violation : violations) {
      if (request_.talk.failed) request_.talk.failed(violation);
      summary_.invalid.push_back(violation);
    }
    return summary_;
  }

  const CaptureRequest& request_;
  const Manifest& manifest_;
  const Declaration& declaration_;
  const OpenRun& run_;
  const int64_t attempt_;
  CaptureSummary summary_;
  int64_t done_ = 0;
  int64_t total_ = 0;
};

// A dead attempt's half-made captures have no name in the run; they go before
// anything new is made.
Status RemovePartialCaptures(const Manifest& manifest, const std::string& run) {
  for (const ManifestCase& manifest_case : manifest.cases) {
    for (const ManifestVariant& variant : manifest_case.variants) {
      EXHIBIT_RETURN_IF_ERROR(
          RemovePartialCapture(run, manifest_case.name, variant.name));
    }
  }
  return Ok();
}

Status LogEnd(AttemptLog& log, const Result<CaptureSummary>& made) {
  if (!made.ok()) return log.End("error", made.error().message);
  if (made->interrupted) return log.End("interrupted", "");
  if (made->invalid.empty()) return log.End("done", "");
  std::string message;
  for (const std::string& sentence : made->invalid) {
    message += (message.empty() ? "" : "; ") + sentence;
  }
  return log.End("invalid", message);
}

}  // namespace

Result<CaptureSummary> CaptureRun(const CaptureRequest& request) {
  EXHIBIT_ASSIGN_OR_RETURN(const Declaration declaration,
                           ReadDeclaration(request.manifest_path));
  if (request.talk.declared) {
    EXHIBIT_RETURN_IF_ERROR(
        request.talk.declared(Sha256Hex(declaration.bytes)));
  }
  EXHIBIT_ASSIGN_OR_RETURN(const RunContents contents,
                           GatherContents(request, declaration));
  EXHIBIT_ASSIGN_OR_RETURN(const OpenRun run,
                           OpenOrCreateRun(request.run_path, contents));
  EXHIBIT_ASSIGN_OR_RETURN(
      AttemptLog log, AttemptLog::Start(run.path, "capture", request.tool));
  Result<CaptureSummary> made = CaptureSummary();
  const Status cleaned = RemovePartialCaptures(declaration.manifest, run.path);
  if (cleaned.ok()) {
    made = Attempt(request, declaration, run, log.attempt()).Make();
  } else {
    made = cleaned.error();
  }
  const Status logged = LogEnd(log, made);
  // The first failure is the one to hear about.
  if (made.ok() && !logged.ok()) return logged.error();
  return made;
}

}  // namespace exhibit
