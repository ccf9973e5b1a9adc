// An attention case of a manifest, in the compiler's words. Needs no LLVM.

#ifndef EXHIBIT_CAPTURE_ATTENTION_CASE_H_
#define EXHIBIT_CAPTURE_ATTENTION_CASE_H_

#include "compiler/tile/attention.h"
#include "manifests/manifest.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

// The case as BuildAttention takes it. A shape without seven extents or a tile
// without two is a bug: the manifest reader refuses both.
tile::AttentionSpec AttentionSpecOf(const ManifestCase& manifest_case,
                                    const TileOptions& options);

// Whether the case is an attention program at all, so that an illegal shape
// ends a capture before anything is written.
Status CheckAttentionCase(const ManifestCase& manifest_case);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_ATTENTION_CASE_H_
