#include "archive/unpack.h"

#include <array>
#include <memory>
#include <set>

#include "archive/bundle.h"
#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "archive/staging.h"
#include "manifests/file.h"

namespace exhibit {
namespace {

// Writes files into a folder of its own. Their paths are IsRunPath and no
// file's path is a folder of another's (archive/evidence_reader.h), so none
// leads out.
class Extractor {
 public:
  explicit Extractor(const std::string& target) : target_(target) {}

  Status Extract(const EvidenceFile& file, ByteSource& contents) {
    EXHIBIT_RETURN_IF_ERROR(MakeFoldersOf(file.path));
    EXHIBIT_ASSIGN_OR_RETURN(
        FileSink sink, FileSink::Create(target_ + "/" + file.path, file.path));
    const auto piece = std::make_unique<std::array<char, kPieceBytes>>();
    for (;;) {
      EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                               contents.Read(piece->data(), piece->size()));
      if (got == 0) return sink.Finish();
      EXHIBIT_RETURN_IF_ERROR(sink.Write(std::string_view(piece->data(), got)));
    }
  }

  Status SyncFolders() {
    for (const std::string& folder : folders_) {
      EXHIBIT_RETURN_IF_ERROR(SyncFolder(target_ + "/" + folder));
    }
    return Ok();
  }

 private:
  Status MakeFoldersOf(const std::string& path) {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const std::string folder = path.substr(0, slash);
      if (!folders_.insert(folder).second) continue;
      EXHIBIT_RETURN_IF_ERROR(CreateFolder(target_ + "/" + folder));
    }
    return Ok();
  }

  const std::string& target_;
  std::set<std::string> folders_;
};

}  // namespace

Result<std::string> UnpackBundle(const std::string& bundle,
                                 const std::string& run,
                                 const UnpackOptions& options) {
  EXHIBIT_ASSIGN_OR_RETURN(StagingFolder staging, StagingFolder::Create(run));
  Extractor extractor(staging.path());
  Steps steps(options.watch, 0);
  EXHIBIT_ASSIGN_OR_RETURN(
      const EvidenceSummary summary,
      VerifyBundle(
          bundle, options.limits,
          [&](const EvidenceFile& file, ByteSource& contents) -> Status {
            EXHIBIT_RETURN_IF_ERROR(
                steps.Next("unpack " + StepName(file.path)));
            StoppableSource stoppable(contents, steps);
            return extractor.Extract(file, stoppable);
          }));
  EXHIBIT_RETURN_IF_ERROR(extractor.SyncFolders());
  EXHIBIT_RETURN_IF_ERROR(staging.Publish());
  return summary.content_id;
}

}  // namespace exhibit
