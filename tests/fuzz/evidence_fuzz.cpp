// The two archives of a bundle: what is shown is what was counted and hashed,
// in the one order there is. The first byte of the input tells whether the
// archives are compressed, then comes the evidence as a part with a length,
// the rest are the sources.

#include "archive/evidence_reader.h"
#include "archive/gzip.h"
#include "archive/run_order.h"
#include "archive/xz.h"
#include "manifests/sha256.h"
#include "tests/fuzz/archive_input.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

struct Shown {
  FileDigests digests;
  uint64_t bytes = 0;
  std::string last_path;
};

Status Show(const EvidenceFile& file, ByteSource& contents, Shown& shown) {
  fuzz::Require(IsRunPath(file.path), "a path that is shown is safe");
  fuzz::Require(
      shown.last_path.empty() || ComesBefore(shown.last_path, file.path),
      "files are shown in archive order");
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadAll(contents, file.path, 1 << 20));
  fuzz::Require(bytes.size() == file.size_bytes,
                "a file has the bytes that it announces");
  shown.digests[file.path] = Sha256Hex(bytes);
  shown.bytes += bytes.size();
  shown.last_path = file.path;
  return Ok();
}

void Check(ByteSource& evidence, ByteSource& sources) {
  Shown shown;
  const Result<EvidenceSummary> summary =
      ReadTarStreams(evidence, sources, fuzz::SmallLimits(),
                     [&shown](const EvidenceFile& file, ByteSource& contents) {
                       return Show(file, contents, shown);
                     });
  if (!summary.ok()) {
    fuzz::RequireSound(summary.error());
    return;
  }
  fuzz::Require(summary->found == shown.digests, "all that is shown is hashed");
  fuzz::Require(summary->contents_bytes == shown.bytes, "bytes are counted");
  fuzz::Require(summary->content_id == ContentId(summary->stated),
                "the content id is that of the index");
  const std::vector<std::string> differences = IndexDifferences(*summary);
  fuzz::Require(differences.empty() == (summary->found == summary->stated),
                "an index that does not hold is told");
  for (const std::string& difference : differences) {
    fuzz::RequireShowable(difference);
  }
}

void CheckCompressed(std::string_view evidence, std::string_view sources) {
  const ArchiveLimits limits = fuzz::SmallLimits();
  StringSource evidence_bytes(evidence), sources_bytes(sources);
  const auto xz = XzSource::Create(evidence_bytes, "evidence", limits);
  const auto gzip = GzipSource::Create(sources_bytes, "sources", limits);
  fuzz::Require(xz.ok() && gzip.ok(), "memory suffices to decompress");
  Check(**xz, **gzip);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes = fuzz::TextOf(data + 1, size - 1);
  const std::string_view evidence = fuzz::TakePart(bytes);
  if (data[0] % 2 != 0) {
    CheckCompressed(evidence, bytes);
    return 0;
  }
  StringSource evidence_tar(evidence), sources_tar(bytes);
  Check(evidence_tar, sources_tar);
  return 0;
}
