// The declared experiment, as its author typed it.
//
// A manifest is strict JSON but not canonical: it is frozen and hashed as
// typed. An option stands in exactly one of controls, case and variant; twice
// is an error. Unknown fields are errors unless they start with "x-".
// Normative: manifests/MANIFEST.md.

#ifndef EXHIBIT_MANIFESTS_MANIFEST_H_
#define EXHIBIT_MANIFESTS_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

struct ManifestLimits {
  static constexpr uint64_t kTextBytesMax = uint64_t{1} << 20;
  static constexpr int64_t kCasesMax = 64;
  static constexpr int64_t kCyclesMax = 1000;
  static constexpr int64_t kSamplesMax = 1000;
  static constexpr int64_t kBuffersMax = 16;
  static constexpr int64_t kElementsMax = int64_t{1} << 28;  // Of one array.
  static constexpr int64_t kDispatchMax = int64_t{1} << 30;
  static constexpr int64_t kPlacementStep = 16;  // Functions are aligned to it.
  static constexpr int64_t kPlacementMax = 4080;
  // Of the text of a tile program.
  static constexpr uint64_t kProgramBytesMax = uint64_t{1} << 20;
};

// A buffer of a case, in declaration order: as typed for a custom program, as
// the text declares it for a tile program.
struct ManifestBuffer {
  std::string name;
  std::string role;   // input, output
  std::string dtype;  // f32
  std::vector<int64_t> shape;
};

struct ManifestVariant {
  std::string name;
  std::string kind;                     // tile, library
  std::map<std::string, Json> options;  // tile: what was typed.
  std::string library;                  // library: relative path, .so or .o
  std::string symbol;                   // library: the entry
  int64_t workspace_bytes = 0;          // library
  // How much further the code stands in the prepared library than the link
  // puts it by itself; only in a null case.
  int64_t placement_bytes = 0;
};

struct ManifestCase {
  std::string name;
  std::vector<int64_t> shape;  // attention: B,Hq,Hkv,Q,K,D,Dv
  std::vector<int64_t> tile;   // attention: bq,bk
  std::map<std::string, Json> options;
  // tile program only: a relative path that ends in ".tile". Buffers, shapes
  // and dispatch stand in the text, which this room does not read.
  std::string text;
  // custom program only:
  std::vector<ManifestBuffer> buffers;
  int64_t dispatch = 0;  // Program instances.
  // Buffer name -> relative .npy path: an input's values or an output's
  // expected values. What is not named comes from the generator or oracle.
  std::map<std::string, std::string> files;

  // A null case: the case `null_of` once more, but with the baseline as both
  // arms, the code of the candidate `placement_bytes` further on. Shape,
  // options and all else are that case's. Empty otherwise.
  std::string null_of;
  int64_t placement_bytes = 0;
  // Manifest::variants as this case builds them, in the same order.
  std::vector<ManifestVariant> variants;

  const ManifestVariant* FindVariant(std::string_view variant) const;
};

struct ManifestAttachment {
  std::string path;  // Relative to the manifest.
  std::string role;
  std::string note;
};

struct Manifest {
  std::string name;  // [a-z][a-z0-9-]{0,31}, as for cases and variants
  std::string question;
  std::string program;  // attention, custom, tile
  std::string cpu;      // native, x86-64, x86-64-v2, -v3, -v4
  std::map<std::string, Json> controls;
  std::vector<ManifestVariant> variants;  // Sorted by name.
  std::string baseline, candidate;
  std::vector<ManifestCase> cases;  // In declared order.
  std::string generator;            // sine
  double absolute_tolerance = 0;
  double relative_tolerance = 0;
  std::string expect_outputs;   // bitwise-equal, within-tolerance
  std::string expect_capacity;  // equal, any
  int64_t cycles = 0, samples = 0;
  int64_t warmup_ms = 0, target_ms = 0, timeout_s = 0;
  std::string isolation;  // process
  int64_t seed = 0;
  std::string rule;  // pairs/1
  double alpha = 0, minimum_effect = 0;
  std::string family;                // none, holm
  std::vector<std::string> sources;  // Relative paths to freeze.
  std::vector<ManifestAttachment> attachments;
  std::vector<std::string> limits;
  std::vector<std::string> continues;  // Content ids.
  bool exploratory = false;

  const ManifestVariant* FindVariant(std::string_view variant) const;
  const ManifestCase* FindCase(std::string_view name) const;
};

// Fails with kCorrupt (not JSON), kUnsupported (unknown schema; an option, a
// value or a variant kind that this build does not have, by name) or
// kInvalidArgument (everything else), naming file, field and value.
Result<Manifest> ParseManifest(std::string_view text, std::string_view where);

// The options of one capture: defaults, then controls, case and variant, which
// is one of the case's.
Result<TileOptions> OptionsFor(const Manifest& manifest, const ManifestCase& c,
                               const ManifestVariant& variant);

// What differs between the two arms, as it is printed:
// "mma_output_block 1 -> 4, as a whole".
std::string WhatIsMeasured(const Manifest& manifest);
// The same of one case; of a null case: "nothing: the baseline against itself,
// its code 16 bytes further on".
std::string WhatIsMeasured(const Manifest& manifest, const ManifestCase& c);

// The files that a run freezes because the manifest names them as source: what
// `sources` lists, then the program texts that it does not list, each once.
std::vector<std::string> FrozenSources(const Manifest& manifest);

// Whether a buffer may have that name: [a-z][a-z0-9_]*, at most 32 long.
bool IsBufferName(std::string_view text);

// Program instances of an attention case: B * Hq * ceil(Q / bq).
int64_t AttentionInstances(const ManifestCase& c);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_MANIFEST_H_
