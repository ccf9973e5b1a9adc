// How long work tells how far it is, and learns that it shall stop.

#ifndef EXHIBIT_ARCHIVE_PROGRESS_H_
#define EXHIBIT_ARCHIVE_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "archive/bytes.h"
#include "manifests/result.h"

namespace exhibit {

// What a caller of long work may want; either function may be empty.
struct Watch {
  // Called before each file: `done` of `total` files, over all passes; `total`
  // is 0 where it is not known.
  std::function<void(int64_t done, int64_t total, const std::string& what)>
      on_file;
  // Asked often; once true, the work ends with kIo and cleans up.
  std::function<bool()> is_stopped;
};

class Steps {
 public:
  // `watch` must outlive this.
  Steps(const Watch& watch, int64_t total) : watch_(watch), total_(total) {}

  // Begins with the next file.
  Status Next(const std::string& what) {
    if (watch_.on_file) watch_.on_file(done_, total_, what);
    ++done_;
    return Check();
  }
  Status Check() const {
    if (!watch_.is_stopped || !watch_.is_stopped()) return Ok();
    return Error{ErrorKind::kIo, "stopped before the end",
                 "Nothing was left behind; start it again."};
  }

 private:
  const Watch& watch_;
  const int64_t total_;
  int64_t done_ = 0;
};

// How a step names the file `path` of a run: the sources, which are many, small
// and ours, count but are not told one by one.
std::string StepName(const std::string& path);

// `source`, until the work shall stop: one file can take minutes.
class StoppableSource : public ByteSource {
 public:
  StoppableSource(ByteSource& source, const Steps& steps)
      : source_(source), steps_(steps) {}
  Result<size_t> Read(char* data, size_t size) override {
    EXHIBIT_RETURN_IF_ERROR(steps_.Check());
    return source_.Read(data, size);
  }

 private:
  ByteSource& source_;
  const Steps& steps_;
};

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_PROGRESS_H_
