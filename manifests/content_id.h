// The name of a run.
//
// Content id = SHA-256 of the index: one line "<hex>  <path>\n" per file of the
// run, sorted bytewise by path. In a run's folder,
//   find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum
// prints it. It survives repacking.

#ifndef EXHIBIT_MANIFESTS_CONTENT_ID_H_
#define EXHIBIT_MANIFESTS_CONTENT_ID_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "manifests/result.h"

namespace exhibit {

// Path relative to the run -> 64 hex digits.
using FileDigests = std::map<std::string, std::string>;

std::string EncodeIndex(const FileDigests& digests);

// Accepts exactly what EncodeIndex writes; kCorrupt names line and text.
Result<FileDigests> DecodeIndex(std::string_view text, std::string_view where);

std::string ContentId(const FileDigests& digests);

// A path that may stand in a run: at most 100 bytes of [A-Za-z0-9._/-] (minus
// the "run/" that an archive puts before it: at most 96), relative, no empty,
// "." or ".." component, no component starting with "-".
bool IsRunPath(std::string_view path);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_CONTENT_ID_H_
