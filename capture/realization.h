// The few facts of a realisation report that capture itself relies on.

#ifndef EXHIBIT_CAPTURE_REALIZATION_H_
#define EXHIBIT_CAPTURE_REALIZATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

struct RealizationFacts {
  std::vector<std::string> required_cpu_flags;  // Sorted.
  int64_t static_snapshot_bytes_per_worker = 0;
  int64_t private_workspace_bytes = 0;
};

// Reads them from realization.json; kCorrupt names the field that is missing
// or of another type. `where` names the file in messages.
Result<RealizationFacts> ReadRealization(std::string_view bytes,
                                         std::string_view where);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_REALIZATION_H_
