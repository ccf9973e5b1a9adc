#include "manifests/named_file.h"

#include <utility>

#include "manifests/file.h"

namespace exhibit {

Error AboutNamedFile(const NamedFile& file, Error error) {
  error.message =
      "field \"" + file.field + "\" of the manifest: " + error.message;
  if (error.kind == ErrorKind::kNotFound) {
    error.hint = "a path in a manifest begins at the manifest's own folder: " +
                 (file.folder == "." ? "here the current one" : file.folder);
  }
  return error;
}

Result<std::string> ReadNamedFile(const NamedFile& file, uint64_t bytes_max) {
  Result<std::string> bytes =
      ReadFile(file.folder + "/" + file.path, bytes_max);
  if (bytes.ok()) return bytes;
  return AboutNamedFile(file, bytes.error());
}

}  // namespace exhibit
