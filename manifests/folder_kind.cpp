#include "manifests/folder_kind.h"

#include <sys/stat.h>

#include "manifests/run_layout.h"

namespace exhibit {
namespace {

constexpr char kRunHint[] = "Give the folder that exhibit-capture made.";
constexpr char kBundleHint[] =
    "Give the folder that exhibit-archive pack made.";

// Follows a symbolic link, which a user may well have to the latest run.
Status CheckIsFolder(const std::string& path, const char* kind,
                     const char* hint) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    return Error{ErrorKind::kNotFound, path + ": there is no such folder",
                 hint};
  }
  if (S_ISDIR(facts.st_mode)) return Ok();
  return Error{ErrorKind::kInvalidArgument,
               path + ": is a file, not the folder of a " + kind, hint};
}

bool Holds(const std::string& folder, const char* name) {
  struct stat facts {};
  return ::lstat((folder + "/" + name).c_str(), &facts) == 0 &&
         S_ISREG(facts.st_mode);
}

}  // namespace

Status CheckIsRun(const std::string& path) {
  EXHIBIT_RETURN_IF_ERROR(CheckIsFolder(path, "run", kRunHint));
  if (Holds(path, kManifestPath)) return Ok();
  if (Holds(path, kEvidenceName)) {
    return Error{ErrorKind::kInvalidArgument, path + ": is a bundle, not a run",
                 "Unpack it first: exhibit-archive unpack " + path + " -o RUN"};
  }
  return Error{ErrorKind::kNotFound,
               path + ": is not a run: it has no " + kManifestPath, kRunHint};
}

Status CheckIsBundle(const std::string& path) {
  EXHIBIT_RETURN_IF_ERROR(CheckIsFolder(path, "bundle", kBundleHint));
  if (Holds(path, kEvidenceName) || !Holds(path, kManifestPath)) return Ok();
  return Error{ErrorKind::kInvalidArgument, path + ": is a run, not a bundle",
               "Pack it first: exhibit-archive pack " + path + " -o BUNDLE"};
}

}  // namespace exhibit
