// Which of the known names a misspelt one is most likely meant to be.

#ifndef EXHIBIT_MANIFESTS_NEAR_NAME_H_
#define EXHIBIT_MANIFESTS_NEAR_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace exhibit {

// The name of `among` that differs from `name` by the fewest typing errors (a
// character more, less or other, or two exchanged), the first of equals; ""
// where none is as near as one error for names of up to five characters, and
// two for longer ones.
std::string NearName(std::string_view name,
                     const std::vector<std::string>& among);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_NEAR_NAME_H_
