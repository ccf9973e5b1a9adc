#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "manifests/host/file_identity.h"
#include "manifests/host/host.h"
#include "manifests/host/system_text.h"

namespace exhibit {
namespace {

constexpr size_t kMappedFileCountMax = 10'000;

// The path of one line of /proc/PID/maps,
//   start-end perms offset device inode     path
// or "" for memory without a file: anonymous, [heap], or shared memory, which
// the kernel shows under names that no folder holds.
std::string PathOfMapping(std::string_view line) {
  std::string_view inode;
  for (int field = 0; field < 5; ++field) {
    const size_t end = line.find(' ');
    if (end == std::string_view::npos) return "";
    inode = line.substr(0, end);
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  if (inode == "0" || !line.starts_with('/')) return "";
  if (line.starts_with("/memfd:") || line.starts_with("/SYSV") ||
      line == "/dev/zero (deleted)") {
    return "";
  }
  // The kernel writes a newline within a name as \012 and nothing else so.
  std::string path;
  while (!line.empty()) {
    const size_t escape = std::min(line.find("\\012"), line.size());
    path += line.substr(0, escape);
    line.remove_prefix(escape);
    if (line.empty()) break;
    path += '\n';
    line.remove_prefix(4);
  }
  return path;
}

std::set<std::string> MappedPaths(std::string_view maps) {
  std::set<std::string> paths;
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    std::string path = PathOfMapping(line);
    if (!path.empty()) paths.insert(std::move(path));
  }
  return paths;
}

}  // namespace

Result<std::vector<MappedFile>> DescribeMappedFiles(
    const std::string& maps_text) {
  const std::set<std::string> paths = MappedPaths(maps_text);
  if (paths.size() > kMappedFileCountMax) {
    return Error{ErrorKind::kLimitExceeded,
                 "more than " + std::to_string(kMappedFileCountMax) +
                     " mapped files: " + std::to_string(paths.size()),
                 ""};
  }
  std::vector<MappedFile> files;
  for (const std::string& path : paths) {
    Result<std::optional<FileIdentity>> identity = IdentifyFile(path);
    if (!identity.ok()) {
      Error error = identity.error();
      error.message = "a mapped file: " + error.message;
      error.hint =
          "a program or library must not be rebuilt or removed while a run "
          "is made";
      return error;
    }
    if (!identity->has_value()) continue;
    const std::string name = path.substr(path.rfind('/') + 1);
    files.push_back(MappedFile{RecordableText(name), (*identity)->sha256,
                               (*identity)->build_id});
  }
  std::sort(files.begin(), files.end(),
            [](const MappedFile& a, const MappedFile& b) {
              return std::tie(a.name, a.sha256) < std::tie(b.name, b.sha256);
            });
  // The same bytes under the same name in two folders say nothing more.
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace exhibit
