#include "archive/sign.h"

#include "archive/bundle.h"
#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "manifests/file.h"
#include "manifests/signature.h"

namespace exhibit {
namespace {

constexpr uint64_t kKeyBytesMax = uint64_t{64} << 10;

}  // namespace

Result<SignReport> SignBundle(const std::string& bundle,
                              const SignOptions& options) {
  const std::string path = bundle + "/" + kSignatureName;
  if (PathExists(path)) {
    return Error{ErrorKind::kInvalidArgument,
                 bundle + ": has a " + kSignatureName + " already",
                 "nothing is overwritten; sign a copy without it"};
  }
  EXHIBIT_ASSIGN_OR_RETURN(const std::string pem,
                           ReadFile(options.key_file, kKeyBytesMax));
  Steps steps(options.watch, 0);
  EXHIBIT_ASSIGN_OR_RETURN(const EvidenceSummary summary,
                           VerifyBundle(bundle, options.limits, steps));
  EXHIBIT_ASSIGN_OR_RETURN(
      const ContentSignature signature,
      SignContentId(summary.content_id, pem, options.key_file));
  EXHIBIT_RETURN_IF_ERROR(PublishFile(path, EncodeSignature(signature)));
  EXHIBIT_RETURN_IF_ERROR(SyncFolder(bundle));
  return SignReport{summary.content_id, KeyId(signature.key)};
}

}  // namespace exhibit
