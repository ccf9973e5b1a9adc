#include "archive/staging.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "manifests/file.h"

namespace exhibit {
namespace {

namespace fs = std::filesystem;

Error Exists(const std::string& target) {
  return Error{ErrorKind::kInvalidArgument, target + ": exists already",
               "nothing is overwritten; choose another name"};
}

std::string WithoutTrailingSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

Result<StagingFolder> StagingFolder::Create(const std::string& name) {
  const std::string target = WithoutTrailingSlashes(name);
  if (target.empty()) {
    return Error{ErrorKind::kInvalidArgument, "the name of a folder is empty",
                 ""};
  }
  if (PathExists(target)) return Exists(target);
  const std::string stem = ParentOf(target) + "/." +
                           fs::path(target).filename().string() + ".partial-" +
                           std::to_string(getpid());
  // A crashed process with our number may have left its folder behind.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string path = stem + "-" + std::to_string(attempt);
    if (mkdir(path.c_str(), 0755) == 0) return StagingFolder(path, target);
    if (errno != EEXIST) {
      return Error{
          errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo,
          target +
              ": cannot create a folder beside it: " + strerrordesc_np(errno),
          errno == ENOENT ? "create the folder that it shall lie in" : ""};
    }
  }
  return Error{ErrorKind::kIo, stem + "-*: all names are taken",
               "remove what earlier attempts left behind"};
}

StagingFolder::StagingFolder(StagingFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")),
      target_(std::move(other.target_)) {}

StagingFolder::~StagingFolder() {
  std::error_code ignored;  // There is nobody left to tell.
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Status StagingFolder::Publish() {
  EXHIBIT_RETURN_IF_ERROR(SyncFolder(path_));
  int code = renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(),
                       RENAME_NOREPLACE);
  // Some file systems lack the flag. A plain rename replaces an empty folder
  // at the most.
  if (code != 0 && errno == EINVAL && !PathExists(target_)) {
    code = rename(path_.c_str(), target_.c_str());
  }
  if (code != 0 && (errno == EEXIST || PathExists(target_))) {
    return Exists(target_);
  }
  if (code != 0) {
    return Error{
        ErrorKind::kIo,
        target_ + ": cannot rename into place: " + strerrordesc_np(errno), ""};
  }
  path_.clear();
  return SyncFolder(ParentOf(target_));
}

}  // namespace exhibit
