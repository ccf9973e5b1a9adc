#include "manifests/tool/identity.h"

#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "manifests/file.h"
#include "manifests/host/file_identity.h"
#include "manifests/tool/source_digest.h"

namespace exhibit {
namespace {

constexpr char kSelf[] = "/proc/self/exe";

}  // namespace

Result<ToolIdentity> ThisTool(const std::string& name) {
  // The kernel's link leads to the file that runs, even when another file has
  // taken its name since.
  EXHIBIT_ASSIGN_OR_RETURN(const std::optional<FileIdentity> self,
                           IdentifyFile(kSelf));
  if (!self) {
    return Error{ErrorKind::kIo, std::string(kSelf) + " is no regular file",
                 ""};
  }
  return ToolIdentity{name, ToolVersion(), self->sha256, SourceTreeDigest()};
}

std::string ToolVersion() { return EXHIBIT_VERSION; }

std::string SourceTreeDigest() { return kSourceTreeDigest; }

std::string SourceCommit() { return kSourceTreeCommit; }

Result<std::string> ToolFolder() {
  char target[PATH_MAX];
  const ssize_t count = ::readlink(kSelf, target, sizeof target);
  if (count <= 0 || count == static_cast<ssize_t>(sizeof target)) {
    return Error{ErrorKind::kIo,
                 std::string("cannot read the link ") + kSelf + ": errno " +
                     std::to_string(errno),
                 "mount /proc"};
  }
  const std::string path(target, static_cast<size_t>(count));
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return Error{ErrorKind::kIo,
                 std::string(kSelf) + " leads to no path: " + path, ""};
  }
  return path.substr(0, slash);
}

Result<std::string> SourceFolder() {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string folder, ToolFolder());
  const std::string source =
      folder.substr(0, folder.rfind('/')) + "/share/exhibit/source";
  if (!PathExists(source)) {
    return Error{ErrorKind::kNotFound, "no sources of the tools at " + source,
                 "build or install Exhibit as a whole; the sources lie beside "
                 "its tools"};
  }
  return source;
}

}  // namespace exhibit
