// Lists of digests (index.sha256 and SHA256SUMS): what is accepted is written
// back byte for byte, and its digest is the content id.

#include "manifests/content_id.h"
#include "manifests/sha256.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const Result<FileDigests> digests = DecodeIndex(text, "input");
  if (!digests.ok()) {
    fuzz::RequireSound(digests.error());
    return 0;
  }
  fuzz::Require(EncodeIndex(*digests) == text,
                "a list is written back byte for byte");
  fuzz::Require(ContentId(*digests) == Sha256Hex(text),
                "the content id is the digest of the list");
  for (const auto& [path, sha256] : *digests) {
    fuzz::Require(IsRunPath(path), "a listed path may stand in a run");
    fuzz::Require(path.find("..") == std::string::npos ||
                      ("/" + path + "/").find("/../") == std::string::npos,
                  "a listed path stays below its folder");
  }
  return 0;
}
