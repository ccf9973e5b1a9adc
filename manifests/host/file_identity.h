// What names a program or library: the digest of its bytes and its build id.

#ifndef EXHIBIT_MANIFESTS_HOST_FILE_IDENTITY_H_
#define EXHIBIT_MANIFESTS_HOST_FILE_IDENTITY_H_

#include <optional>
#include <string>

#include "manifests/result.h"

namespace exhibit {

struct FileIdentity {
  std::string sha256;
  std::string build_id;  // GNU build id in hexadecimal, "" when there is none.
};

// Reads the file once in pieces; links are followed, since loaders do. Nothing
// when it is not a regular file. Fails with kNotFound, kIo, or kLimitExceeded
// past 8 GiB. Results are remembered per (device, inode, size, mtime) within
// this process.
Result<std::optional<FileIdentity>> IdentifyFile(const std::string& path);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_HOST_FILE_IDENTITY_H_
