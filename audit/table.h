// The result of an audit for a terminal.

#ifndef EXHIBIT_AUDIT_TABLE_H_
#define EXHIBIT_AUDIT_TABLE_H_

#include <string>
#include <vector>

#include "manifests/json.h"

namespace exhibit {

// Made from the JSON value of an audit and from nothing else.
std::string RenderTable(const Json& audit);

// Rows of cells in columns of equal width, two spaces between; the first row
// is underlined. Width is counted in code points.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_TABLE_H_
