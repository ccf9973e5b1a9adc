// provenance.json: what made a bundle. No time, no path, no machine.
//
// Normative: archive/FORMAT.md, "provenance.json".

#ifndef EXHIBIT_ARCHIVE_PROVENANCE_H_
#define EXHIBIT_ARCHIVE_PROVENANCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

struct LibraryIdentity {
  std::string name;     // "liblzma"
  std::string version;  // "5.4.1", or "" when it cannot tell.
  std::string sha256;   // Of the file mapped, or "" when linked statically.
  bool operator==(const LibraryIdentity&) const = default;
};

// Who packs: what only the tool knows of itself.
struct Producer {
  ToolIdentity tool;
  std::string source_commit;               // As SourceCommit() returns it.
  std::vector<LibraryIdentity> libraries;  // Sorted by name.
  bool operator==(const Producer&) const = default;
};

struct LeftOut {
  std::string what;
  std::string why;
  bool operator==(const LeftOut&) const = default;
};

struct Provenance {
  std::string content_id;
  std::string manifest_sha256;
  Producer producer;
  std::string compiler;    // "GNU 12.2.0"
  std::string build_type;  // "Release"
  std::string sanitizers;  // "" when none.
  int64_t xz_block_bytes = 0;
  int64_t xz_preset = 0;
  std::string xz_check;
  int64_t gzip_level = 0;
  std::vector<LeftOut> left_out;
  bool operator==(const Provenance&) const = default;
};

// The provenance of a bundle that this build packs.
Provenance DescribePacking(const std::string& content_id,
                           const std::string& manifest_sha256,
                           const Producer& producer);

std::string EncodeProvenance(const Provenance& provenance);

// Accepts exactly what EncodeProvenance writes, and besides it fields whose
// name begins with "x-". Fails with kUnsupported on another schema, else with
// kCorrupt.
Result<Provenance> DecodeProvenance(std::string_view bytes,
                                    std::string_view where);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_PROVENANCE_H_
