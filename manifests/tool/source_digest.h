// What the build compiled in about its own sources. Defined in a generated file
// that alone is compiled again when a source changes.

#ifndef EXHIBIT_MANIFESTS_TOOL_SOURCE_DIGEST_H_
#define EXHIBIT_MANIFESTS_TOOL_SOURCE_DIGEST_H_

namespace exhibit {

// Content id of <build>/share/exhibit/source.
extern const char kSourceTreeDigest[];
// "<40 hex>", "<40 hex>-dirty" or "unknown".
extern const char kSourceTreeCommit[];

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_TOOL_SOURCE_DIGEST_H_
