// Which of our folders a user gave: a run, a bundle, or none of them.
//
// For tools that take one and are given the other. It looks for no more than
// the one file that tells; what else is there the tool finds out.

#ifndef EXHIBIT_MANIFESTS_FOLDER_KIND_H_
#define EXHIBIT_MANIFESTS_FOLDER_KIND_H_

#include <string>

#include "manifests/result.h"

namespace exhibit {

// The file that tells a bundle; the other names are in archive/bundle.h.
inline constexpr char kEvidenceName[] = "evidence.tar.xz";

// Fails with kNotFound when there is no folder `path`, or one that is neither,
// and with kInvalidArgument when it is a file or a bundle.
Status CheckIsRun(const std::string& path);

// Fails when there is no folder, and where it is a file or a run. Which file of
// a bundle is missing its reader says.
Status CheckIsBundle(const std::string& path);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_FOLDER_KIND_H_
