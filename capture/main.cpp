// exhibit-capture MANIFEST -o RUN: the command line and the talk.

#include <memory>
#include <optional>
#include <string>

#include "capture/capture_run.h"
#include "capture/capture_worker.h"
#include "manifests/tool/command.h"
#include "manifests/tool/identity.h"
#include "manifests/tool/progress.h"
#include "replay/call/worker_process.h"

namespace exhibit {
namespace {

constexpr char kTool[] = "exhibit-capture";

struct Arguments {
  std::string manifest;
  std::string run;
  int64_t jobs = 1;
};

Result<CaptureRequest> RequestOf(const Arguments& arguments) {
  CaptureRequest request;
  request.manifest_path = arguments.manifest;
  request.run_path = arguments.run;
  request.jobs = arguments.jobs;
  EXHIBIT_ASSIGN_OR_RETURN(request.tool, ThisTool(kTool));
  EXHIBIT_ASSIGN_OR_RETURN(request.own_source.folder, SourceFolder());
  request.own_source.content_id = SourceTreeDigest();
  request.interrupted = [] { return PendingSignal() != 0; };
  return request;
}

Exit Capture(const Arguments& arguments) {
  WatchSignals();
  Result<CaptureRequest> request = RequestOf(arguments);
  if (!request.ok()) return ReportError(request.error());
  std::unique_ptr<Progress> progress;
  request->talk.declared = [](const std::string& sha256) {
    // At once, so that it can be published before there is a result.
    return PrintProduct("manifest " + sha256 + "\n");
  };
  request->talk.progress = [&progress](int64_t done, int64_t total,
                                       const std::string& what) {
    if (!progress) progress = std::make_unique<Progress>("capture", total);
    progress->Update(done, what);
  };
  request->talk.failed = [](const std::string& what) { Warn(what); };
  const Result<CaptureSummary> summary = CaptureRun(*request);
  progress.reset();
  if (!summary.ok()) return ReportError(summary.error());
  if (summary->interrupted) {
    Warn("interrupted; to go on: exhibit-capture " + arguments.manifest +
         " -o " + arguments.run);
    return Exit::kCouldNot;  // RunTool returns the signal's status.
  }
  const Status printed = PrintProduct("run " + arguments.run + "\n");
  if (!printed.ok()) return ReportError(printed.error());
  if (summary->invalid.empty()) return Exit::kDone;
  ReportError({ErrorKind::kInvalidArgument,
               "the experiment is invalid: see the warnings above",
               "Pack the run as it is, or correct the cause and capture into a "
               "new folder."});
  return Exit::kDoesNotHold;
}

}  // namespace
}  // namespace exhibit

int main(int argc, char** argv) {
  if (const std::optional<int> status =
          exhibit::RunAsWorker(argc, argv, exhibit::CaptureWorkers())) {
    return *status;
  }
  exhibit::Arguments arguments;
  exhibit::CommandLine command(
      exhibit::kTool,
      "Turn a manifest into a run: build every case in both variants, freeze "
      "what ran, and check it once.",
      {"exhibit-capture manifests/quickstart.json -o out/quickstart",
       "exhibit-replay out/quickstart"});
  command.RequiredText("MANIFEST", arguments.manifest,
                       "The predeclared experiment");
  command.RequiredText("-o,--output", arguments.run,
                       "The run: a new folder, or an unfinished run of the "
                       "very same manifest to resume");
  command.Integer("-j,--jobs", arguments.jobs, 1, 256,
                  "Captures to make at a time");
  return exhibit::RunTool(argc, argv, command,
                          [&] { return exhibit::Capture(arguments); });
}
