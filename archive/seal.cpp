#include "archive/seal.h"

#include <unistd.h>

#include <vector>

#include "archive/bundle.h"
#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "manifests/content_id.h"
#include "manifests/file.h"

namespace exhibit {
namespace {

constexpr uint64_t kDerivedBytesMax = uint64_t{256} << 20;

// Files added to a bundle, taken back unless all went well.
class Additions {
 public:
  explicit Additions(const std::string& bundle) : bundle_(bundle) {}
  Additions(const Additions&) = delete;
  Additions& operator=(const Additions&) = delete;
  ~Additions() {
    // Nobody is left to tell when this fails; the bundle stays unsealed.
    for (const std::string& path : paths_) (void)unlink(path.c_str());
  }

  Status Add(const std::string& name, const std::string& bytes) {
    const std::string path = bundle_ + "/" + name;
    EXHIBIT_RETURN_IF_ERROR(PublishFile(path, bytes));
    paths_.push_back(path);
    return Ok();
  }
  void Keep() { paths_.clear(); }

 private:
  const std::string& bundle_;
  std::vector<std::string> paths_;
};

Status CheckAbsent(const std::string& bundle, const char* name) {
  if (!PathExists(bundle + "/" + name)) return Ok();
  return Error{ErrorKind::kInvalidArgument,
               bundle + ": has a " + name + " already",
               "nothing is overwritten; pack the run again to seal it anew"};
}

Status Copy(const std::string& from, const char* name, Additions& additions) {
  if (from.empty()) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(from, kDerivedBytesMax));
  return additions.Add(name, bytes);
}

Result<FileDigests> HashBundle(const std::string& bundle) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListBundle(bundle));
  FileDigests digests;
  for (const std::string& name : names) {
    EXHIBIT_ASSIGN_OR_RETURN(digests[name], HashFile(bundle, name));
  }
  return digests;
}

}  // namespace

Result<std::string> SealBundle(const std::string& bundle,
                               const SealOptions& options) {
  EXHIBIT_RETURN_IF_ERROR(CheckAbsent(bundle, kSealName));
  if (!options.audit_file.empty()) {
    EXHIBIT_RETURN_IF_ERROR(CheckAbsent(bundle, kAuditName));
  }
  if (!options.report_file.empty()) {
    EXHIBIT_RETURN_IF_ERROR(CheckAbsent(bundle, kReportName));
  }
  Steps steps(options.watch, 0);
  EXHIBIT_ASSIGN_OR_RETURN(
      const EvidenceSummary summary,
      VerifyBundle(
          bundle, options.limits,
          [&](const EvidenceFile& file, ByteSource& contents) -> Status {
            EXHIBIT_RETURN_IF_ERROR(steps.Next("verify " + file.path));
            StoppableSource stoppable(contents, steps);
            const Result<uint64_t> size_bytes = Drain(stoppable);
            if (!size_bytes.ok()) return size_bytes.error();
            return Ok();
          }));
  Additions additions(bundle);
  EXHIBIT_RETURN_IF_ERROR(Copy(options.audit_file, kAuditName, additions));
  EXHIBIT_RETURN_IF_ERROR(Copy(options.report_file, kReportName, additions));
  EXHIBIT_ASSIGN_OR_RETURN(const FileDigests digests, HashBundle(bundle));
  EXHIBIT_RETURN_IF_ERROR(additions.Add(kSealName, EncodeIndex(digests)));
  EXHIBIT_RETURN_IF_ERROR(SyncFolder(bundle));
  additions.Keep();
  return summary.content_id;
}

}  // namespace exhibit
