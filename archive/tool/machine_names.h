// What this machine and its user are called, to keep it out of a bundle.

#ifndef EXHIBIT_ARCHIVE_TOOL_MACHINE_NAMES_H_
#define EXHIBIT_ARCHIVE_TOOL_MACHINE_NAMES_H_

#include "archive/privacy.h"

namespace exhibit {

// Asks the environment and the system, which may differ; what neither knows is
// absent.
MachineNames ThisMachinesNames();

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_TOOL_MACHINE_NAMES_H_
