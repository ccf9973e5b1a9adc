// exhibit-archive: pack, seal, sign and unpack.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "archive/gzip.h"
#include "archive/pack.h"
#include "archive/privacy.h"
#include "archive/run_contents.h"
#include "archive/seal.h"
#include "archive/sign.h"
#include "archive/tool/machine_names.h"
#include "archive/unpack.h"
#include "archive/xz.h"
#include "manifests/file.h"
#include "manifests/host/host.h"
#include "manifests/signature.h"
#include "manifests/tool/command.h"
#include "manifests/tool/identity.h"
#include "manifests/tool/progress.h"
#include "manifests/tool/talk.h"

namespace exhibit {
namespace {

constexpr char kToolName[] = "exhibit-archive";
constexpr uint64_t kMapsBytesMax = uint64_t{16} << 20;
constexpr size_t kDefaultThreadsMax = 8;

struct Words {
  bool pack = false, seal = false, sign = false, unpack = false;
  std::string from, to, audit, report, claims, key;
  bool allow_private = false;
  int64_t threads = 0;
};

void Describe(CommandLine& command, Words& words) {
  CommandLine& pack = command.Subcommand(
      "pack", "Pack a run into a new bundle; prints its content id",
      words.pack);
  pack.RequiredText("RUN", words.from, "Folder of the run");
  pack.RequiredText("-o,--output", words.to, "Folder of the bundle, new");
  pack.Integer("--threads", words.threads, 1, kXzThreadsMax,
               "Threads that compress; changes no byte of the bundle");
  pack.Text("--claims", words.claims,
            "File of numbers that a report quotes, to add as claims.json");
  pack.Flag("--allow-private", words.allow_private,
            "Pack even where home or working folder, user or host name stand "
            "in a file; without it that is refused with exit status 3");
  CommandLine& seal = command.Subcommand(
      "seal", "Add derived files to a bundle and close it with SHA256SUMS",
      words.seal);
  seal.RequiredText("BUNDLE", words.from, "Folder of the bundle");
  seal.Text("--audit", words.audit, "File to add as audit.json");
  seal.Text("--report", words.report, "File to add as report.md");
  CommandLine& sign = command.Subcommand(
      "sign",
      "Sign the content id of a bundle as content-id.sig; prints the SHA-256 "
      "of the public key",
      words.sign);
  sign.RequiredText("BUNDLE", words.from, "Folder of the bundle");
  sign.RequiredText("--key", words.key,
                    "Ed25519 private key, as openssl genpkey writes it");
  CommandLine& unpack = command.Subcommand(
      "unpack", "Verify a bundle and write its run into a new folder",
      words.unpack);
  unpack.RequiredText("BUNDLE", words.from, "Folder of the bundle");
  unpack.RequiredText("-o,--output", words.to, "Folder of the run, new");
}

Watch WatchWith(std::unique_ptr<Progress>& bar) {
  Watch watch;
  watch.on_file = [&bar](int64_t done, int64_t total, const std::string& what) {
    if (total == 0) return;
    if (!bar) {
      bar = std::make_unique<Progress>("pack", total, Progress::Log::kWhenLong);
    }
    bar->Update(done, what);
  };
  watch.is_stopped = [] { return PendingSignal() != 0; };
  return watch;
}

std::string VersionOf(const std::string& library) {
  if (library == "libcrypto") return CryptoLibraryVersion();
  if (library == "liblzma") return XzLibraryVersion();
  if (library == "libz") return GzipLibraryVersion();
  return "";
}

// The libraries whose code decides what bytes a bundle has.
Result<std::vector<LibraryIdentity>> DescribeLibraries() {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string maps,
                           ReadFile("/proc/self/maps", kMapsBytesMax));
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<MappedFile> files,
                           DescribeMappedFiles(maps));
  std::vector<LibraryIdentity> libraries;
  for (const std::string name : {"libcrypto", "liblzma", "libz"}) {
    LibraryIdentity library{name, VersionOf(name), ""};
    for (const MappedFile& file : files) {
      if (file.name.starts_with(name + ".so")) library.sha256 = file.sha256;
    }
    libraries.push_back(library);
  }
  return libraries;
}

Result<Producer> DescribeProducer() {
  Producer producer;
  EXHIBIT_ASSIGN_OR_RETURN(producer.tool, ThisTool(kToolName));
  producer.source_commit = SourceCommit();
  EXHIBIT_ASSIGN_OR_RETURN(producer.libraries, DescribeLibraries());
  return producer;
}

Result<int> ChooseThreads(int64_t asked) {
  if (asked != 0) return static_cast<int>(asked);
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<int64_t> cpus, AllowedCpus());
  return static_cast<int>(
      std::clamp<size_t>(cpus.size(), 1, kDefaultThreadsMax));
}

// What is made inside of what it is made from would be one more file of that.
// `inside` is what it lies in: "the run", "the bundle".
Status CheckOutside(const Words& words, const std::string& inside) {
  std::error_code failed;
  const auto inner = std::filesystem::weakly_canonical(words.to, failed);
  const auto outer = std::filesystem::weakly_canonical(words.from, failed);
  const auto end =
      std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  if (failed || end.first != outer.end()) return Ok();
  return Error{ErrorKind::kInvalidArgument,
               words.to + ": lies inside " + inside + " " + words.from,
               "Choose a folder outside " + inside + "."};
}

// What the audit would hold against the run, or a reader would miss, is told
// while its author can still do something about it.
Status CheckContents(const std::string& run) {
  EXHIBIT_ASSIGN_OR_RETURN(const RunContents contents, LookAtRun(run, {}));
  if (!contents.frozen_manifest_sha256.empty()) {
    return Error{ErrorKind::kInvalidArgument,
                 run +
                     ": manifest.json was edited after the capture: its "
                     "SHA-256 is " +
                     contents.found_manifest_sha256 +
                     ", and freeze.json froze " +
                     contents.frozen_manifest_sha256,
                 "put the manifest back as it was, or capture the new one "
                 "into a run of its own; no audit would accept this one"};
  }
  if (!contents.unknown.empty()) {
    Warn("not looked at for stray and missing files: " + contents.unknown);
  }
  if (!contents.stray.empty()) {
    const size_t more = contents.stray.size() - 1;
    return Error{ErrorKind::kInvalidArgument,
                 run + ": holds " + contents.stray.front() +
                     (more == 0 ? ""
                                : " and " + std::to_string(more) +
                                      " more"
                                      " files") +
                     ", which nothing of the run asks for",
                 "move it out of the run; the list of its files is closed, "
                 "and what the author adds is declared as an attachment"};
  }
  for (const std::string& sentence : contents.unfinished) {
    Warn("the run is not finished: " + sentence);
  }
  return Ok();
}

PrivateWords WordsToRefuse(const Words& words) {
  if (words.allow_private) return {};
  PrivateWords chosen = ChoosePrivateWords(ThisMachinesNames());
  if (IsQuiet()) return chosen;
  for (const std::string& sentence : chosen.exempt) SayLine(sentence);
  return chosen;
}

Result<std::string> Pack(const Words& words, const Watch& watch) {
  EXHIBIT_RETURN_IF_ERROR(CheckOutside(words, "the run"));
  EXHIBIT_RETURN_IF_ERROR(CheckContents(words.from));
  PackOptions options;
  EXHIBIT_ASSIGN_OR_RETURN(options.producer, DescribeProducer());
  EXHIBIT_ASSIGN_OR_RETURN(options.threads, ChooseThreads(words.threads));
  options.private_words = WordsToRefuse(words);
  options.claims_file = words.claims;
  options.watch = watch;
  EXHIBIT_ASSIGN_OR_RETURN(const PackReport report,
                           PackRun(words.from, words.to, options));
  return report.content_id;
}

Result<std::string> Seal(const Words& words, const Watch& watch) {
  SealOptions options;
  options.audit_file = words.audit;
  options.report_file = words.report;
  options.watch = watch;
  return SealBundle(words.from, options);
}

Result<std::string> Sign(const Words& words, const Watch& watch) {
  SignOptions options;
  options.key_file = words.key;
  options.watch = watch;
  EXHIBIT_ASSIGN_OR_RETURN(const SignReport report,
                           SignBundle(words.from, options));
  return report.key_id;
}

Result<std::string> Unpack(const Words& words, const Watch& watch) {
  EXHIBIT_RETURN_IF_ERROR(CheckOutside(words, "the bundle"));
  UnpackOptions options;
  options.watch = watch;
  return UnpackBundle(words.from, words.to, options);
}

Exit Run(const Words& words) {
  WatchSignals();
  std::unique_ptr<Progress> bar;
  const Watch watch = WatchWith(bar);
  const Result<std::string> product = words.pack   ? Pack(words, watch)
                                      : words.seal ? Seal(words, watch)
                                      : words.sign ? Sign(words, watch)
                                                   : Unpack(words, watch);
  bar.reset();
  if (!product.ok()) return ReportError(product.error());
  const Status printed = PrintProduct(*product + "\n");
  return printed.ok() ? Exit::kDone : ReportError(printed.error());
}

}  // namespace
}  // namespace exhibit

int main(int argc, char** argv) {
  exhibit::Words words;
  exhibit::CommandLine command(
      exhibit::kToolName,
      "Packs a run into a bundle that can be checked offline, and back.",
      {"exhibit-archive pack run -o bundle",
       "exhibit-audit bundle > audit.json",
       "exhibit-archive seal bundle --audit audit.json",
       "exhibit-archive sign bundle --key key.pem",
       "exhibit-archive unpack bundle -o run-again"});
  exhibit::Describe(command, words);
  return exhibit::RunTool(argc, argv, command,
                          [&words] { return exhibit::Run(words); });
}
