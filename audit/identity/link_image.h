// The bytes the declared link makes: the second half of the model that
// link_layout.h begins.

#ifndef EXHIBIT_AUDIT_IDENTITY_LINK_IMAGE_H_
#define EXHIBIT_AUDIT_IDENTITY_LINK_IMAGE_H_

#include <string>
#include <vector>

#include "audit/identity/link_input.h"
#include "audit/identity/link_layout.h"

namespace exhibit {

// The whole file, `layout.file_bytes` long; bound that before calling. The
// unloaded sections are copied from `unloaded`. A relocation whose result does
// not fit is reported to `problems`.
std::string WriteLink(const LinkInput& input, const LinkLayout& layout,
                      const UnloadedContents& unloaded,
                      std::vector<std::string>& problems);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_LINK_IMAGE_H_
