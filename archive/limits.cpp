#include "archive/limits.h"

namespace exhibit {

Status CheckExpansion(const std::string& name, const Expansion& expansion,
                      const ArchiveLimits& limits) {
  if (expansion.out_bytes <= limits.expansion_free_bytes) return Ok();
  const uint64_t beyond = expansion.out_bytes - limits.expansion_free_bytes;
  // Divided rather than multiplied: the product could overflow.
  if (limits.expansion_ratio_max > 0 &&
      (beyond - 1) / limits.expansion_ratio_max < expansion.in_bytes) {
    return Ok();
  }
  return Error{ErrorKind::kLimitExceeded,
               name + ": expands to more than " +
                   std::to_string(limits.expansion_ratio_max) +
                   " times its size: " + std::to_string(expansion.out_bytes) +
                   " bytes from " + std::to_string(expansion.in_bytes),
               "this is how a decompression bomb looks; do not trust the file"};
}

}  // namespace exhibit
