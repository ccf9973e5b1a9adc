// In which order the files of a run are archived, and which names may stand
// beside each other.
//
// Normative: archive/FORMAT.md, "Members".

#ifndef EXHIBIT_ARCHIVE_RUN_ORDER_H_
#define EXHIBIT_ARCHIVE_RUN_ORDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "archive/limits.h"
#include "manifests/result.h"

namespace exhibit {

// Paths are relative to the run.

// True for what goes to sources.tar.gz, false for what goes to evidence.tar.xz.
bool IsSourcePath(std::string_view path);

// The order of one run: evidence before sources; in the evidence
// manifest.json, freeze.json, attempts.jsonl, then the others; bytewise.
bool ComesBefore(std::string_view a, std::string_view b);

// Names that can be told apart on any file system, and files that are not
// folders of other files.
class PathSet {
 public:
  static constexpr size_t kFoldersMax = 20'000;

  // Adds a file. Fails with kCorrupt, naming both paths, when `path` was added
  // before, equals another but for case, or needs a folder where there is a
  // file; and with kLimitExceeded past kFoldersMax folders, of which one path
  // alone may need 47. `where` opens the message.
  Status Add(const std::string& path, const std::string& where);

 private:
  enum class Kind { kFile, kFolder };
  struct Entry {
    std::string path;
    Kind kind;
  };
  Status AddEntry(const Entry& entry, const std::string& where);

  std::map<std::string, Entry> by_lower_case_;
  size_t folder_count_ = 0;
};

struct RunFile {
  std::string path;
  uint64_t size_bytes = 0;
};

// Every file of the run in the folder `run`, in archive order, opened once to
// learn its size. Fails with kCorrupt on a path that cannot be archived and on
// anything but regular files, and with kLimitExceeded.
Result<std::vector<RunFile>> ListRun(const std::string& run,
                                     const ArchiveLimits& limits);

// The same error, named by the folder that it is about. What reads a run or a
// bundle says what is wrong in it and not where it lies, for a finding must not
// depend on that.
Error InFolder(const std::string& folder, Error error);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_RUN_ORDER_H_
