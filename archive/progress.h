// How long work tells how far it is, and learns that it shall stop.

#ifndef EXHIBIT_ARCHIVE_PROGRESS_H_
#define EXHIBIT_ARCHIVE_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "manifests/result.h"

namespace exhibit {

// Called before each file: `done` of `total` files, over all passes; `total`
// is 0 where it is not known. An error ends the work and is passed on. May be
// empty.
using StepFunction =
    std::function<Status(int64_t done, int64_t total, const std::string& what)>;

class Steps {
 public:
  Steps(const StepFunction& function, int64_t total)
      : function_(function), total_(total) {}

  Status Next(const std::string& what) {
    return function_ ? function_(done_++, total_, what) : Ok();
  }

 private:
  const StepFunction& function_;
  int64_t total_;
  int64_t done_ = 0;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_PROGRESS_H_
