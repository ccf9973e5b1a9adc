// The identity of a program or library that is mapped into a process: its
// digest, and a build id that stands in it.

#include <sys/mman.h>
#include <unistd.h>

#include "manifests/host/file_identity.h"
#include "manifests/sha256.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

// A file in memory: a new one for each input, since identities are remembered.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes)
      : fd_(memfd_create("input", MFD_CLOEXEC)) {
    fuzz::Require(fd_ >= 0, "there is a file in memory");
    while (!bytes.empty()) {
      const ssize_t count = write(fd_, bytes.data(), bytes.size());
      fuzz::Require(count > 0, "the file in memory is written");
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

std::string BytesOfHex(std::string_view hex) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes +=
        static_cast<char>(16 * kDigits.find(hex[i]) + kDigits.find(hex[i + 1]));
  }
  return bytes;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const MemoryFile file(bytes);
  const auto identity = IdentifyFile(file.path());
  fuzz::Require(identity.ok() && identity->has_value(),
                "a regular file is identified");
  fuzz::Require((*identity)->sha256 == Sha256Hex(bytes),
                "a file is named by its digest");
  const std::string& build_id = (*identity)->build_id;
  fuzz::Require(
      build_id.size() <= 128 && build_id.size() % 2 == 0 &&
          build_id.find_first_not_of("0123456789abcdef") == std::string::npos,
      "a build id is hexadecimal and short");
  fuzz::Require(bytes.find(BytesOfHex(build_id)) != std::string_view::npos,
                "a build id stands in the file");
  return 0;
}
