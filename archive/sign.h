// A signature beside a bundle: who stands behind its content id.
//
// Normative: archive/FORMAT.md, "content-id.sig".

#ifndef EXHIBIT_ARCHIVE_SIGN_H_
#define EXHIBIT_ARCHIVE_SIGN_H_

#include <string>

#include "archive/limits.h"
#include "archive/progress.h"
#include "manifests/result.h"

namespace exhibit {

struct SignOptions {
  std::string key_file;  // An Ed25519 private key in PEM form.
  ArchiveLimits limits;
  Watch watch;
};

struct SignReport {
  std::string content_id;
  std::string key_id;  // As KeyId (manifests/signature.h).
};

// Verifies the bundle in the folder `bundle` as VerifyBundle does and signs its
// content id, before or after it is sealed: SHA256SUMS does not speak of the
// signature, and the signature not of SHA256SUMS.
//
// Fails with kInvalidArgument when the bundle is signed already, with kCorrupt
// when it does not hold, and as SignContentId does.
Result<SignReport> SignBundle(const std::string& bundle,
                              const SignOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_SIGN_H_
