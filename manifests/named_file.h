// A file that a manifest names, read where the manifest says it is.
//
// Relative paths in a manifest begin at its own folder and not at the current
// one, which is what whoever sees an error must know. Normative: MANIFEST.md.

#ifndef EXHIBIT_MANIFESTS_NAMED_FILE_H_
#define EXHIBIT_MANIFESTS_NAMED_FILE_H_

#include <cstdint>
#include <string>

#include "manifests/result.h"

namespace exhibit {

struct NamedFile {
  std::string folder;  // Of the manifest; "." where it is the current one.
  std::string field;   // Which names it: "sources[0]", "variants.r1.library".
  std::string path;    // As typed.
};

// As ReadFile (manifests/file.h); an error names the field as well, and of a
// file that is not there the hint says where its path begins.
Result<std::string> ReadNamedFile(const NamedFile& file, uint64_t bytes_max);

// What ReadNamedFile makes of `error`, for who reads the file otherwise.
Error AboutNamedFile(const NamedFile& file, Error error);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_NAMED_FILE_H_
