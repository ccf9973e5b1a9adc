// What every capture of an experiment will hold, before anything is compiled.

#ifndef EXHIBIT_COMPILER_TOOL_CAPACITY_TABLE_H_
#define EXHIBIT_COMPILER_TOOL_CAPACITY_TABLE_H_

#include <string>

#include "compiler/tool/failure.h"
#include "compiler/tool/input.h"

namespace exhibit {

// One line per case and variant of the manifest: bytes per worker, arrays,
// workspace bytes, what was grouped and rolled, packets dispatched, and the
// arrays by name and elements, under a line of headings. A plan that is refused
// has its refusal in its line.
Outcome<std::string> CapacityTable(const CommandManifest& command);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_TOOL_CAPACITY_TABLE_H_
