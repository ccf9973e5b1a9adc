// An open file descriptor that closes itself.

#ifndef EXHIBIT_REPLAY_CALL_DESCRIPTOR_H_
#define EXHIBIT_REPLAY_CALL_DESCRIPTOR_H_

#include <unistd.h>

namespace exhibit {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}  // Negative: none.
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CALL_DESCRIPTOR_H_
