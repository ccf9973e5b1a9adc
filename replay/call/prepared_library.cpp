#include "replay/call/prepared_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/call/descriptor.h"

namespace exhibit {
namespace {

Error Failed(ErrorKind kind, const std::string& what, const std::string& path) {
  return Error{kind, what + " " + path + ": " + strerror(errno), ""};
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failed(ErrorKind::kIo, "cannot write", "a copy");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return Ok();
}

// What /proc shows of the copy: the file's path, or the end of a long one.
std::string MemoryName(const std::string& path) {
  constexpr size_t kBytesMax = 200;  // The kernel takes 249.
  return path.size() <= kBytesMax ? path : path.substr(path.size() - kBytesMax);
}

// Copies the file to `copy` and returns the digest of what was copied.
Result<std::string> Copy(int fd, const std::string& path, int copy) {
  struct stat facts = {};
  if (fstat(fd, &facts) != 0)
    return Failed(ErrorKind::kIo, "cannot stat", path);
  if (!S_ISREG(facts.st_mode)) {
    return Error{ErrorKind::kInvalidArgument, path + " is no regular file", ""};
  }
  if (static_cast<uint64_t>(facts.st_size) > kLibraryBytesMax) {
    return Error{ErrorKind::kLimitExceeded,
                 path + " has " + std::to_string(facts.st_size) +
                     " bytes, at most " + std::to_string(kLibraryBytesMax),
                 ""};
  }
  Sha256Stream stream;
  // Each page of it is one more fault in every visit.
  std::string piece(size_t{1} << 15, '\0');
  uint64_t read_bytes = 0;
  while (true) {
    ssize_t count = read(fd, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed(ErrorKind::kIo, "cannot read", path);
    if (count == 0) break;
    read_bytes += static_cast<uint64_t>(count);
    if (read_bytes > kLibraryBytesMax) {
      return Error{ErrorKind::kLimitExceeded, path + " grows while read", ""};
    }
    const std::string_view bytes(piece.data(), static_cast<size_t>(count));
    stream.Update(bytes);
    EXHIBIT_RETURN_IF_ERROR(WriteAll(copy, bytes));
  }
  return stream.FinishHex();
}

}  // namespace

PreparedLibrary::PreparedLibrary(PreparedLibrary&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      handle_(std::exchange(other.handle_, nullptr)),
      entry_(std::exchange(other.entry_, nullptr)) {}

PreparedLibrary& PreparedLibrary::operator=(PreparedLibrary&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(handle_, other.handle_);
  std::swap(entry_, other.entry_);
  return *this;
}

PreparedLibrary::~PreparedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
  if (fd_ >= 0) close(fd_);
}

Result<std::vector<std::string>> ReadCpuFlags() {
  int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed(ErrorKind::kIo, "cannot open", "/proc/cpuinfo");
  // The first CPU's entry is far shorter; the file of a large host is not.
  std::string text(size_t{1} << 14, '\0');
  size_t length = 0;
  while (length < text.size()) {
    ssize_t count = read(fd, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    length += static_cast<size_t>(count);
    if (text.find("\n\n") != std::string::npos) break;
  }
  close(fd);
  text.resize(length);
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("flags\t") && !line.starts_with("Features\t")) {
      continue;
    }
    std::istringstream words(line.substr(line.find(':') + 1));
    std::vector<std::string> flags;
    for (std::string word; words >> word;) flags.push_back(word);
    std::sort(flags.begin(), flags.end());
    return flags;
  }
  return Error{ErrorKind::kUnsupported, "no CPU flags in /proc/cpuinfo", ""};
}

std::vector<std::string> MissingFlags(
    const std::vector<std::string>& required,
    const std::vector<std::string>& available) {
  std::vector<std::string> missing;
  for (const std::string& flag : required) {
    if (!std::binary_search(available.begin(), available.end(), flag)) {
      missing.push_back(flag);
    }
  }
  return missing;
}

void AddLoadedLibrary(const std::string& sha256,
                      std::vector<MappedFile>& mapped_files) {
  mapped_files.push_back({"kernel.so", sha256, ""});
  std::sort(
      mapped_files.begin(), mapped_files.end(),
      [](const MappedFile& a, const MappedFile& b) { return a.name < b.name; });
}

Result<PreparedLibrary> LoadLibrary(const LibraryRequest& request) {
  PreparedLibrary library;
  const Descriptor file(open(request.path.c_str(),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) {
    return Failed(errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo,
                  "cannot open", request.path);
  }
  library.fd_ = memfd_create(MemoryName(request.path).c_str(),
                             MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (library.fd_ < 0) {
    return Failed(ErrorKind::kIo, "cannot make memory for", request.path);
  }
  EXHIBIT_ASSIGN_OR_RETURN(std::string digest,
                           Copy(file.get(), request.path, library.fd_));
  if (fcntl(library.fd_, F_ADD_SEALS,
            F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return Failed(ErrorKind::kIo, "cannot seal the copy of", request.path);
  }
  if (digest != request.sha256) {
    return Error{
        ErrorKind::kCorrupt,
        request.path + " has SHA-256 " + digest + ", not " + request.sha256,
        "The library was changed after it was captured."};
  }
  if (!request.required_cpu_flags.empty()) {
    EXHIBIT_ASSIGN_OR_RETURN(std::vector<std::string> flags, ReadCpuFlags());
    std::string text;
    for (const auto& flag : MissingFlags(request.required_cpu_flags, flags)) {
      text += " " + flag;
    }
    if (!text.empty()) {
      return Error{ErrorKind::kUnsupported,
                   "this CPU lacks what " + request.path + " needs:" + text,
                   "Replay on a CPU with these flags."};
    }
  }
  // The copy that was hashed, whatever now becomes of the file.
  std::string name = "/proc/self/fd/" + std::to_string(library.fd_);
  library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_ == nullptr) {
    const char* reason = dlerror();
    return Error{ErrorKind::kCorrupt,
                 "cannot load " + request.path + ": " +
                     (reason != nullptr ? reason : "unknown"),
                 ""};
  }
  void* symbol = dlsym(library.handle_, request.symbol.c_str());
  if (symbol == nullptr) {
    return Error{ErrorKind::kNotFound,
                 request.path + " has no symbol '" + request.symbol + "'", ""};
  }
  static_assert(sizeof(symbol) == sizeof(library.entry_));
  std::memcpy(&library.entry_, &symbol, sizeof(symbol));
  return library;
}

}  // namespace exhibit
