#include "archive/bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace exhibit {
namespace {

Error SystemError(const std::string& what, const std::string& name, int code) {
  const ErrorKind kind =
      code == ENOENT || code == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kIo;
  return Error{kind, name + ": cannot " + what + ": " + strerrordesc_np(code),
               code == ENOSPC || code == EDQUOT
                   ? "make room on the disk and try again"
                   : ""};
}

int OpenRetrying(int folder_fd, const char* path, int flags) {
  int fd;
  do {
    fd = openat(folder_fd, path, flags | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// Opens folder/path component by component: O_NOFOLLOW alone guards only the
// last one. Returns -1 with errno set.
int OpenBeneath(const std::string& folder, const std::string& path) {
  int at = OpenRetrying(AT_FDCWD, folder.c_str(), O_RDONLY | O_DIRECTORY);
  size_t begin = 0;
  while (at >= 0) {
    const size_t slash = path.find('/', begin);
    const bool last = slash == std::string::npos;
    const std::string part =
        path.substr(begin, last ? std::string::npos : slash - begin);
    // O_NONBLOCK: a FIFO must be refused, not waited for.
    const int flags = O_RDONLY | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY);
    const int next = OpenRetrying(at, part.c_str(), flags);
    const int saved = errno;
    close(at);
    errno = saved;
    if (last) return next;
    at = next;
    begin = slash + 1;
  }
  return -1;
}

}  // namespace

Result<size_t> ReadFully(ByteSource& source, char* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                             source.Read(data + done, size - done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

Result<std::string> ReadAll(ByteSource& source, const std::string& name,
                            uint64_t bytes_max) {
  std::string bytes;
  const auto piece = std::make_unique<std::array<char, kPieceBytes>>();
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                             source.Read(piece->data(), piece->size()));
    if (got == 0) return bytes;
    if (got > bytes_max - bytes.size()) {
      return Error{ErrorKind::kLimitExceeded,
                   name + ": more than " + std::to_string(bytes_max) + " bytes",
                   ""};
    }
    bytes.append(piece->data(), got);
  }
}

Result<std::string> ReadSized(ByteSource& source, uint64_t size_bytes) {
  std::string bytes(static_cast<size_t>(size_bytes), '\0');
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                           ReadFully(source, bytes.data(), bytes.size()));
  bytes.resize(got);
  return bytes;
}

Result<uint64_t> Drain(ByteSource& source) {
  const auto piece = std::make_unique<std::array<char, kPieceBytes>>();
  uint64_t total = 0;
  for (;;) {
    EXHIBIT_ASSIGN_OR_RETURN(const size_t got,
                             source.Read(piece->data(), piece->size()));
    if (got == 0) return total;
    total += got;
  }
}

Result<size_t> StringSource::Read(char* data, size_t size) {
  const size_t got = std::min(size, rest_.size());
  std::copy_n(rest_.data(), got, data);
  rest_.remove_prefix(got);
  return got;
}

Status StringSink::Write(std::string_view bytes) {
  bytes_ += bytes;
  return Ok();
}

Result<size_t> HashingSource::Read(char* data, size_t size) {
  EXHIBIT_ASSIGN_OR_RETURN(const size_t got, source_.Read(data, size));
  hash_.Update(std::string_view(data, got));
  size_bytes_ += got;
  return got;
}

Result<FileSource> FileSource::Open(const std::string& folder,
                                    const std::string& path) {
  const int fd = OpenBeneath(folder, path);
  if (fd < 0) {
    if (errno == ELOOP) {
      return Error{ErrorKind::kCorrupt, path + ": is a symbolic link", ""};
    }
    if (errno == ENXIO) {  // A socket cannot even be opened.
      return Error{ErrorKind::kCorrupt, path + ": is not a regular file", ""};
    }
    return SystemError("open", path, errno);
  }
  FileSource source(fd, path, 0);
  struct stat status;
  if (fstat(fd, &status) != 0) return SystemError("stat", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorKind::kCorrupt, path + ": is not a regular file", ""};
  }
  source.size_bytes_ = static_cast<uint64_t>(status.st_size);
  return source;
}

FileSource::FileSource(int fd, std::string name, uint64_t size_bytes)
    : fd_(fd), name_(std::move(name)), size_bytes_(size_bytes) {}

FileSource::FileSource(FileSource&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      size_bytes_(other.size_bytes_) {}

FileSource& FileSource::operator=(FileSource&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

FileSource::~FileSource() {
  if (fd_ >= 0) close(fd_);  // Nothing was written: nothing can be lost.
}

Result<size_t> FileSource::Read(char* data, size_t size) {
  for (;;) {
    const ssize_t got = read(fd_, data, size);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) return SystemError("read", name_, errno);
  }
}

Status FileSource::Seek(uint64_t offset) {
  if (lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) {
    return SystemError("seek in", name_, errno);
  }
  return Ok();
}

Result<FileSink> FileSink::Create(const std::string& path,
                                  const std::string& name) {
  const int fd = open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return SystemError("create", name, errno);
  return FileSink(fd, name);
}

FileSink::FileSink(FileSink&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), name_(std::move(other.name_)) {}

FileSink& FileSink::operator=(FileSink&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  return *this;
}

FileSink::~FileSink() {
  if (fd_ >= 0) close(fd_);  // Abandoned: whoever created it removes it.
}

Status FileSink::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(fd_, bytes.data(), bytes.size());
    if (done < 0) {
      if (errno == EINTR) continue;
      return SystemError("write", name_, errno);
    }
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return Ok();
}

Status FileSink::Finish() {
  if (fsync(fd_) != 0) return SystemError("flush", name_, errno);
  // Not retried on EINTR: Linux has released the descriptor by then.
  if (close(std::exchange(fd_, -1)) != 0) {
    return SystemError("close", name_, errno);
  }
  return Ok();
}

}  // namespace exhibit
