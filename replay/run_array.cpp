#include "replay/run_array.h"

#include "manifests/file.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {

Result<Array> ReadRunArray(const std::string& run, const std::string& sha256) {
  std::string path = ArrayPath(sha256);
  EXHIBIT_ASSIGN_OR_RETURN(std::string bytes,
                           ReadFile(run + "/" + path, kArrayFileBytesMax));
  std::string digest = Sha256Hex(bytes);
  if (digest != sha256) {
    return Error{ErrorKind::kCorrupt,
                 path + ": its bytes have SHA-256 " + digest,
                 "The array was changed after it was written."};
  }
  return DecodeNpy(bytes, path);
}

}  // namespace exhibit
