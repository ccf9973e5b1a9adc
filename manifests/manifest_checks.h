// What must hold between the fields of a manifest, each being legal by itself.
// Private to this room.

#ifndef EXHIBIT_MANIFESTS_MANIFEST_CHECKS_H_
#define EXHIBIT_MANIFESTS_MANIFEST_CHECKS_H_

#include <string>

#include "manifests/manifest.h"

namespace exhibit {

// Numbers of cases and variants, and of what each case lists: a null case is
// filled with all of it, so these are checked before.
Status CheckCounts(const Manifest& manifest, const std::string& place);

// Arms that exist, cases that fit their program, every option in one place, an
// alpha that the pairs can reach. `place` names the file.
Status CheckManifest(const Manifest& manifest, const std::string& place);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_MANIFEST_CHECKS_H_
