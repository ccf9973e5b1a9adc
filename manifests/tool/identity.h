// Who wrote a record: the running tool, named by the bytes of its build.

#ifndef EXHIBIT_MANIFESTS_TOOL_IDENTITY_H_
#define EXHIBIT_MANIFESTS_TOOL_IDENTITY_H_

#include <string>

#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

// Name, version, SHA-256 of this process's own executable and the digest of
// the source tree it was built from.
Result<ToolIdentity> ThisTool(const std::string& name);

// "0.1.0".
std::string ToolVersion();

// Content id (manifests/content_id.h) of the source tree as it was when this
// program was built. Compiled in.
std::string SourceTreeDigest();
// Commit and whether the tree had changes, or "unknown".
std::string SourceCommit();

// The folder where the tools' own sources were put at build time, next to this
// executable: <bin>/../share/exhibit/source. kNotFound when it is missing.
Result<std::string> SourceFolder();

// The folder of this executable.
Result<std::string> ToolFolder();

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_TOOL_IDENTITY_H_
