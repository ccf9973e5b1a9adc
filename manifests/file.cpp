#include "manifests/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "manifests/json.h"

namespace exhibit {
namespace {

constexpr int kLevelCountMax = 32;
constexpr size_t kReadBytes = size_t{1} << 20;

// The descriptor of an open file; closing it twice or not at all is impossible.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// errno's text without a locale.
Error SystemError(const std::string& what, const std::string& path,
                  int number) {
  const ErrorKind kind = number == ENOENT || number == ENOTDIR
                             ? ErrorKind::kNotFound
                             : ErrorKind::kIo;
  const char* text = strerrordesc_np(number);
  return Error{kind,
               "cannot " + what + " " + path + ": " +
                   (text != nullptr ? text : "error") + " (errno " +
                   std::to_string(number) + ")",
               ""};
}

Error AlreadyExists(const std::string& path) {
  return Error{ErrorKind::kInvalidArgument, path + " already exists",
               "nothing that exists is overwritten; choose another name"};
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int RetryOpen(const char* path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return SystemError("write", path, errno);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Ok();
}

Status WriteAndSync(int fd, std::string_view bytes, const std::string& path) {
  EXHIBIT_RETURN_IF_ERROR(WriteAll(fd, bytes, path));
  if (::fsync(fd) != 0) return SystemError("flush", path, errno);
  return Ok();
}

// For file systems without unnamed files: a hidden name in the same folder,
// removed in every outcome.
Status PublishByHiddenName(const std::string& path, std::string_view bytes) {
  static std::atomic<uint64_t> serial{0};
  const std::string hidden = FolderOf(path) + "/.publish-" +
                             std::to_string(::getpid()) + "-" +
                             std::to_string(serial++);
  Descriptor file(RetryOpen(hidden.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644));
  if (!file.ok()) return SystemError("create", hidden, errno);
  Status status = WriteAndSync(file.get(), bytes, path);
  if (status.ok() && ::link(hidden.c_str(), path.c_str()) != 0) {
    const int number = errno;
    status = number == EEXIST ? AlreadyExists(path)
                              : SystemError("create", path, number);
  }
  if (::unlink(hidden.c_str()) != 0 && status.ok()) {
    status = SystemError("remove", hidden, errno);
  }
  return status;
}

bool HasNoUnnamedFiles(int number) {
  return number == EOPNOTSUPP || number == EISDIR || number == EINVAL;
}

Error NotRegular(const std::string& path, const std::string& what) {
  return Error{ErrorKind::kInvalidArgument,
               path + " is " + what + ", not a regular file",
               "Give the path of the file itself."};
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Collects the regular files below one root.
class Lister {
 public:
  Lister(std::string root, uint64_t count_max)
      : root_(std::move(root)), count_max_(count_max) {}

  // `prefix` is "" or the folder's path relative to the root with a slash.
  Status List(int folder_fd, const std::string& prefix, int level) {
    if (level > kLevelCountMax) {
      return Error{ErrorKind::kLimitExceeded,
                   root_ + ": more than " + std::to_string(kLevelCountMax) +
                       " levels of folders at " + QuoteText(prefix),
                   ""};
    }
    Descriptor owned(folder_fd);
    std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(owned.get()));
    if (!folder) return SystemError("list", root_ + "/" + prefix, errno);
    owned.Release();
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(folder.get());
      if (entry == nullptr) break;
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      EXHIBIT_RETURN_IF_ERROR(
          Visit(::dirfd(folder.get()), name, prefix, level));
    }
    if (errno != 0) return SystemError("list", root_ + "/" + prefix, errno);
    return Ok();
  }

  std::vector<std::string> TakeSorted() {
    std::sort(paths_.begin(), paths_.end());
    return std::move(paths_);
  }

 private:
  Error TooMany(const std::string& path) const {
    return Error{ErrorKind::kLimitExceeded,
                 root_ + ": more than " + std::to_string(count_max_) +
                     " files, at " + QuoteText(path),
                 ""};
  }

  Status Visit(int folder_fd, const std::string& name,
               const std::string& prefix, int level) {
    const std::string path = prefix + name;
    if (++seen_count_ > 2 * count_max_ + kLevelCountMax) return TooMany(path);
    struct stat facts {};
    if (::fstatat(folder_fd, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return SystemError("look at", root_ + "/" + path, errno);
    }
    if (S_ISREG(facts.st_mode)) {
      if (paths_.size() >= count_max_) return TooMany(path);
      paths_.push_back(path);
      return Ok();
    }
    if (!S_ISDIR(facts.st_mode)) {
      return Error{
          ErrorKind::kCorrupt,
          root_ + ": neither a folder nor a regular file: " + QuoteText(path),
          "Put the file itself there, or take it out."};
    }
    const int fd = ::openat(folder_fd, name.c_str(),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return SystemError("open", root_ + "/" + path, errno);
    return List(fd, path + "/", level + 1);
  }

  std::string root_;
  uint64_t count_max_;
  uint64_t seen_count_ = 0;  // Files and folders: empty folders cost as well.
  std::vector<std::string> paths_;
};

}  // namespace

Result<std::string> ReadFile(const std::string& path, uint64_t bytes_max) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  Descriptor file(
      RetryOpen(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file.ok()) {
    if (errno == ELOOP) return NotRegular(path, "a symbolic link");
    return SystemError("open", path, errno);
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) {
    return SystemError("look at", path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return NotRegular(path, S_ISDIR(facts.st_mode) ? "a folder" : "special");
  }
  const uint64_t size = static_cast<uint64_t>(facts.st_size);
  const Error too_large{ErrorKind::kLimitExceeded,
                        path + ": larger than " + std::to_string(bytes_max) +
                            " bytes, has " + std::to_string(size),
                        ""};
  if (size > bytes_max) return too_large;
  // Read to the end and not to the size: files under /proc state none.
  std::string bytes;
  bytes.reserve(size + 1);
  std::string chunk(std::min(kReadBytes, static_cast<size_t>(size) + 4096),
                    '\0');
  while (true) {
    const ssize_t count = ::read(file.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("read", path, errno);
    if (count == 0) return bytes;
    if (static_cast<uint64_t>(count) > bytes_max - bytes.size()) {
      return too_large;
    }
    bytes.append(chunk, 0, static_cast<size_t>(count));
  }
}

Status PublishFile(const std::string& path, std::string_view bytes) {
  // Asked first so that no large file is written only to be refused; linkat
  // below asks again and decides.
  if (PathExists(path)) return AlreadyExists(path);
  Descriptor file(
      RetryOpen(FolderOf(path).c_str(), O_WRONLY | O_TMPFILE, 0644));
  if (!file.ok()) {
    if (HasNoUnnamedFiles(errno)) return PublishByHiddenName(path, bytes);
    return SystemError("create", path, errno);
  }
  EXHIBIT_RETURN_IF_ERROR(WriteAndSync(file.get(), bytes, path));
  const std::string unnamed = "/proc/self/fd/" + std::to_string(file.get());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(),
               AT_SYMLINK_FOLLOW) != 0) {
    if (errno == EEXIST) return AlreadyExists(path);
    return SystemError("create", path, errno);
  }
  if (::close(file.Release()) != 0) return SystemError("close", path, errno);
  return Ok();
}

Status PublishContent(const std::string& path, std::string_view bytes) {
  if (!PathExists(path)) {
    Status status = PublishFile(path, bytes);
    // Another process may have published the same content meanwhile.
    if (status.ok() || status.error().kind != ErrorKind::kInvalidArgument) {
      return status;
    }
  }
  const Result<std::string> found = ReadFile(path, bytes.size());
  if (found.ok() && *found == bytes) return Ok();
  if (!found.ok() && found.error().kind != ErrorKind::kLimitExceeded) {
    return found.error();
  }
  return Error{ErrorKind::kCorrupt,
               path + " exists with other bytes than its name promises", ""};
}

Status AppendFile(const std::string& path, std::string_view bytes) {
  Descriptor file(
      RetryOpen(path.c_str(),
                O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0644));
  if (!file.ok()) {
    if (errno == ELOOP) return NotRegular(path, "a symbolic link");
    return SystemError("open", path, errno);
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) {
    return SystemError("look at", path, errno);
  }
  if (!S_ISREG(facts.st_mode)) return NotRegular(path, "special");
  ssize_t written = 0;
  do {
    written = ::write(file.get(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return SystemError("write", path, errno);
  if (static_cast<size_t>(written) != bytes.size()) {
    // Half a line would make the whole file unreadable.
    const int cut = ::ftruncate(file.get(), facts.st_size);
    return Error{ErrorKind::kIo,
                 "cannot write " + path + ": " + std::to_string(written) +
                     " of " + std::to_string(bytes.size()) + " bytes taken" +
                     (cut == 0 ? "" : " and could not be taken back"),
                 "is the disk full?"};
  }
  if (::fsync(file.get()) != 0) return SystemError("flush", path, errno);
  return Ok();
}

Status CreateFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return Ok();
  if (errno == EEXIST) return AlreadyExists(path);
  return SystemError("create the folder", path, errno);
}

Status CreateFolders(const std::string& path) {
  size_t end = 0;
  while (end != std::string::npos) {
    end = path.find('/', end + 1);
    const std::string folder = path.substr(0, end);
    if (folder.empty()) continue;
    if (::mkdir(folder.c_str(), 0777) == 0) continue;
    const int number = errno;
    struct stat facts {};
    const bool there = ::stat(folder.c_str(), &facts) == 0;
    if (there && S_ISDIR(facts.st_mode)) continue;
    if (number == EEXIST || there) {
      return Error{ErrorKind::kInvalidArgument,
                   folder + " exists and is not a folder", ""};
    }
    return SystemError("create the folder", folder, number);
  }
  return Ok();
}

Status SyncFolder(const std::string& path) {
  Descriptor folder(RetryOpen(path.c_str(), O_RDONLY | O_DIRECTORY));
  if (!folder.ok()) return SystemError("open the folder", path, errno);
  // EINVAL: a file system that cannot flush folders does not need to.
  if (::fsync(folder.get()) != 0 && errno != EINVAL) {
    return SystemError("flush the folder", path, errno);
  }
  return Ok();
}

Result<std::vector<std::string>> ListFiles(const std::string& root,
                                           uint64_t count_max) {
  const int fd = RetryOpen(root.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return SystemError("open the folder", root, errno);
  Lister lister(root, count_max);
  EXHIBIT_RETURN_IF_ERROR(lister.List(fd, "", 1));
  return lister.TakeSorted();
}

bool PathExists(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0;
}

Result<RunLock> RunLock::Acquire(const std::string& run) {
  Descriptor folder(RetryOpen(run.c_str(), O_RDONLY | O_DIRECTORY));
  if (!folder.ok()) return SystemError("open the folder", run, errno);
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return Error{ErrorKind::kInvalidArgument,
                   run + " is in use by another process",
                   "wait until the other tool has finished with this run"};
    }
    return SystemError("lock", run, errno);
  }
  return RunLock(folder.Release());
}

RunLock::RunLock(RunLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

RunLock::~RunLock() {
  // The lock goes with the last descriptor of this opening.
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace exhibit
