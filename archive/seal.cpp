#include "archive/seal.h"

#include <unistd.h>

#include <vector>

#include "archive/bundle.h"
#include "archive/bytes.h"
#include "archive/evidence_reader.h"
#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/json.h"

namespace exhibit {
namespace {

constexpr uint64_t kDerivedBytesMax = uint64_t{256} << 20;
constexpr char kAuditSchema[] = "exhibit.audit/1";

// Files added to a bundle, taken back unless all went well.
class Additions {
 public:
  explicit Additions(const std::string& bundle) : bundle_(bundle) {}
  Additions(const Additions&) = delete;
  Additions& operator=(const Additions&) = delete;
  ~Additions() {
    // Nobody is left to tell when this fails; the bundle stays unsealed.
    for (const std::string& path : paths_) (void)unlink(path.c_str());
  }

  Status Add(const std::string& name, const std::string& bytes) {
    const std::string path = bundle_ + "/" + name;
    EXHIBIT_RETURN_IF_ERROR(PublishFile(path, bytes));
    paths_.push_back(path);
    return Ok();
  }
  void Keep() { paths_.clear(); }

 private:
  const std::string& bundle_;
  std::vector<std::string> paths_;
};

Status CheckAbsent(const std::string& bundle, const char* name) {
  if (!PathExists(bundle + "/" + name)) return Ok();
  return Error{ErrorKind::kInvalidArgument,
               bundle + ": has a " + name + " already",
               "nothing is overwritten; pack the run again to seal it anew"};
}

// A text that is `key` of `object`, or "".
std::string TextOf(const Json::Object& object, const char* key) {
  const auto field = object.find(key);
  if (field == object.end() || !field->second.AsString()) return "";
  return *field->second.AsString();
}

// Whether it is what the audit derives is for the audit to say; that it is one
// of another run, or no audit at all, can be seen here.
Status AddAudit(const std::string& from, const std::string& content_id,
                Additions& additions) {
  if (from.empty()) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(from, kDerivedBytesMax));
  const std::string hint = "give what exhibit-audit printed of this bundle";
  const auto refuse = [&](const std::string& what) {
    return Error{ErrorKind::kCorrupt, from + ": " + what, hint};
  };
  const Result<Json> audit = ParseJson(bytes, from);
  if (!audit.ok()) {
    return Error{audit.error().kind, audit.error().message, hint};
  }
  const Json::Object* object = audit->AsObject();
  if (object == nullptr) return refuse("is not an audit.json");
  const std::string schema = TextOf(*object, "schema");
  if (schema != kAuditSchema) {
    return refuse("schema is " + QuoteText(schema) + ", expected " +
                  kAuditSchema);
  }
  const std::string stated = TextOf(*object, "content_id");
  if (stated != content_id) {
    return refuse("is of content id " + QuoteText(stated) +
                  ", the bundle has " + content_id);
  }
  return additions.Add(kAuditName, bytes);
}

Status AddReport(const std::string& from, const std::string& content_id,
                 Additions& additions) {
  if (from.empty()) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadFile(from, kDerivedBytesMax));
  if (bytes.find(content_id) == std::string::npos) {
    return Error{ErrorKind::kCorrupt,
                 from + ": does not name the content id " + content_id,
                 "give what exhibit-audit --report printed of this bundle"};
  }
  return additions.Add(kReportName, bytes);
}

}  // namespace

Result<std::string> SealBundle(const std::string& bundle,
                               const SealOptions& options) {
  EXHIBIT_RETURN_IF_ERROR(CheckAbsent(bundle, kSealName));
  if (!options.audit_file.empty()) {
    EXHIBIT_RETURN_IF_ERROR(CheckAbsent(bundle, kAuditName));
  }
  if (!options.report_file.empty()) {
    EXHIBIT_RETURN_IF_ERROR(CheckAbsent(bundle, kReportName));
  }
  Steps steps(options.watch, 0);
  EXHIBIT_ASSIGN_OR_RETURN(const EvidenceSummary summary,
                           VerifyBundle(bundle, options.limits, steps));
  Additions additions(bundle);
  EXHIBIT_RETURN_IF_ERROR(
      AddAudit(options.audit_file, summary.content_id, additions));
  EXHIBIT_RETURN_IF_ERROR(
      AddReport(options.report_file, summary.content_id, additions));
  EXHIBIT_ASSIGN_OR_RETURN(const FileDigests digests, HashSealed(bundle));
  EXHIBIT_RETURN_IF_ERROR(additions.Add(kSealName, EncodeIndex(digests)));
  EXHIBIT_RETURN_IF_ERROR(SyncFolder(bundle));
  additions.Keep();
  return summary.content_id;
}

}  // namespace exhibit
