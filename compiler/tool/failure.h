// An error of exhibit-compile, and whether the command line itself is at fault.

#ifndef EXHIBIT_COMPILER_TOOL_FAILURE_H_
#define EXHIBIT_COMPILER_TOOL_FAILURE_H_

#include <string>
#include <utility>
#include <variant>

#include "manifests/result.h"

namespace exhibit {

// An error in the command line's own words: exit 2 instead of 3.
struct Failure {
  Error error;
  bool is_usage = false;
};

template <typename T>
using Outcome = std::variant<T, Failure>;

inline Failure UsageFailure(std::string message, std::string hint) {
  return {{ErrorKind::kInvalidArgument, std::move(message), std::move(hint)},
          true};
}

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_TOOL_FAILURE_H_
