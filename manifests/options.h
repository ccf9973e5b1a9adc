// The options of a tile program: names, defaults, legal values.
//
// One table for the manifest reader, the compiler's command line, the
// realisation report and the audit. Nothing is silently repaired: an illegal
// value is an error that names the option, the value and the legal set.
// Normative: manifests/MANIFEST.md, "Options".

#ifndef EXHIBIT_MANIFESTS_OPTIONS_H_
#define EXHIBIT_MANIFESTS_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/result.h"

namespace exhibit {

// Every field is the option of the same name.
struct TileOptions {
  int64_t max_unrolled_tile_elements = 64;  // T: 0..2^20
  int64_t max_unrolled_region_work = 4096;  // 0..2^20
  int64_t mma_output_block = 1;             // R: 1, 2, 4
  int64_t max_unrolled_mma_terms = 0;       // cap: 0..2^20
  bool indexable_mma_snapshots = true;
  bool enable_mma_2d_blocking = false;
  bool full_packet = false;                     // P
  int64_t max_full_packet_instructions = 4096;  // 0..2^20
  int64_t packet_width = 8;                     // W: 2, 4, 8, 16
  int64_t workers_per_block = 32;               // multiple of W, up to 1024
  int64_t local_lanes = 1;                      // 1
  int64_t snapshot_budget = 0;   // bytes per worker; 0: 16 MiB / W
  std::string qk = "mma";        // mma, reduce
  std::string pv = "mma";        // mma, reduce
  std::string math = "precise";  // precise
  std::string fusion = "none";   // none

  bool operator==(const TileOptions&) const = default;

  // 16 MiB / W unless snapshot_budget was given.
  int64_t SnapshotBudgetBytes() const;
};

// One line of the table, for `--list-options` and for documents.
struct OptionInfo {
  std::string name;
  std::string default_value;  // As it is typed.
  std::string legal;          // "1, 2, 4" or "0..1048576".
  std::string meaning;
};

const std::vector<OptionInfo>& TileOptionTable();  // Sorted by name.

// Sets the option `name` of `options` from a JSON value.
//
// Fails with kUnsupported for an unknown name and for a value that is
// documented but that this compiler does not have yet, and with
// kInvalidArgument for an illegal value or type.
Status SetTileOption(std::string_view name, const Json& value,
                     TileOptions& options);

// Checks what depends on two options (workers_per_block is a multiple of
// packet_width). Call it once after the last SetTileOption.
Status CheckTileOptions(const TileOptions& options);

// Parses what a command line has after `name=`: true, false, a decimal integer
// or a bare word.
Result<Json> ParseOptionText(std::string_view text);

// All options with their values, for records.
std::map<std::string, Json> TileOptionValues(const TileOptions& options);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_OPTIONS_H_
