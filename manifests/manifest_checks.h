// What must hold between the fields of a manifest, each being legal by itself.
// Private to this room.

#ifndef EXHIBIT_MANIFESTS_MANIFEST_CHECKS_H_
#define EXHIBIT_MANIFESTS_MANIFEST_CHECKS_H_

#include <string>

#include "manifests/manifest.h"

namespace exhibit {

// Arms that exist, cases that fit their program, every option in one place, an
// alpha that the pairs can reach. `place` names the file.
Status CheckManifest(const Manifest& manifest, const std::string& place);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_MANIFEST_CHECKS_H_
