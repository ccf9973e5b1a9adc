// What lies in the folder of a bundle.
//
// Normative: archive/FORMAT.md, "The folder".

#ifndef EXHIBIT_ARCHIVE_BUNDLE_H_
#define EXHIBIT_ARCHIVE_BUNDLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/evidence_reader.h"
#include "archive/limits.h"
#include "archive/progress.h"
#include "archive/provenance.h"
#include "manifests/content_id.h"
#include "manifests/folder_kind.h"
#include "manifests/result.h"

namespace exhibit {

// Subject: written by pack, with kEvidenceName of manifests/folder_kind.h.
inline constexpr char kSourcesName[] = "sources.tar.gz";
inline constexpr char kProvenanceName[] = "provenance.json";
// Attached: what the author adds beside the subject, which it does not change.
inline constexpr char kClaimsName[] = "claims.json";
// Derived: computed by the audit from the subject, and the claims if any.
inline constexpr char kAuditName[] = "audit.json";
inline constexpr char kReportName[] = "report.md";
// Seal: over every file but itself and the signature.
inline constexpr char kSealName[] = "SHA256SUMS";
// Over the content id. It holds or fails by itself, so it may come later.
inline constexpr char kSignatureName[] = "content-id.sig";

// Of any kind; a bundle has at most eight.
inline constexpr size_t kBundleEntriesMax = 10'000;
inline constexpr uint64_t kClaimsFileBytesMax = uint64_t{1} << 20;
inline constexpr uint64_t kSignatureBytesMax = uint64_t{4} << 10;

// True when `folder` is a bundle and no run: it has no manifest.json, and has
// an evidence.tar.xz or, if freeze.json is not there either, another file of
// the subject or a seal. So a bundle that lost its evidence is still one, and a run that
// lost its manifest is none because of an audit.json that was put into it.
bool LooksLikeBundle(const std::string& folder);

// The names in the folder `bundle`, sorted. Fails with kNotFound when there is
// no such folder and with kCorrupt when a file of the subject is missing, or
// anything else than the eight files is there, or one is not a regular file.
Result<std::vector<std::string>> ListBundle(const std::string& bundle);

// SHA-256 in hexadecimal of the file `name` in `folder`.
Result<std::string> HashFile(const std::string& folder,
                             const std::string& name);

// Digests of all files of `bundle` that a seal speaks of, as they are.
Result<FileDigests> HashSealed(const std::string& bundle);

// provenance.json of `bundle`.
Result<Provenance> ReadProvenance(const std::string& bundle);

// The digests in SHA256SUMS compared with the files: one sentence per
// difference, sorted by name; empty when the seal is sound. Fails with
// kNotFound when the bundle is not sealed and with kCorrupt when SHA256SUMS
// cannot be read as one.
Result<std::vector<std::string>> SealDifferences(const std::string& bundle);

// Reads the subject as ReadBundle does, and fails with kCorrupt when the index
// does not hold, when provenance.json names another run, or when there is a
// seal and it does not hold.
Result<EvidenceSummary> VerifyBundle(const std::string& bundle,
                                     const ArchiveLimits& limits,
                                     const EvidenceVisitor& visitor);

// The same with nobody looking: a step of `steps` for each file.
Result<EvidenceSummary> VerifyBundle(const std::string& bundle,
                                     const ArchiveLimits& limits, Steps& steps);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_BUNDLE_H_
