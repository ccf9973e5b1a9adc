// Files that are whole or absent.
//
// A published file is written to an unnamed file (O_TMPFILE), synced, and then
// linked under its name, so a reader never sees a part of it and nothing that
// exists is ever overwritten. Where a file system has no O_TMPFILE, a hidden
// name and link(2) do the same.

#ifndef EXHIBIT_MANIFESTS_FILE_H_
#define EXHIBIT_MANIFESTS_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

// The whole file. Refuses anything but a regular file, does not follow a
// symbolic link in the last component, and fails with kLimitExceeded before
// reading when the file is larger than `bytes_max`; kNotFound when absent.
Result<std::string> ReadFile(const std::string& path, uint64_t bytes_max);

// Publishes `bytes` at `path`, which must not exist; its folder must. Mode
// 0644 before the umask. Fails with kInvalidArgument when `path` exists.
Status PublishFile(const std::string& path, std::string_view bytes);

// As PublishFile, but an existing file with the same bytes is success: for
// arrays, whose names are their digests.
Status PublishContent(const std::string& path, std::string_view bytes);

// Appends to a file that only grows, creating it if absent, in one write
// followed by fsync.
Status AppendFile(const std::string& path, std::string_view bytes);

// Creates one new folder; kInvalidArgument when something has that name.
Status CreateFolder(const std::string& path);
// Creates a folder and its parents where they are missing.
Status CreateFolders(const std::string& path);

// Flushes a folder's entries to the disk.
Status SyncFolder(const std::string& path);

// Every regular file below `root`, as paths relative to it, sorted bytewise.
// Fails with kCorrupt on anything that is neither a folder nor a regular file
// and with kLimitExceeded past `count_max` files or 32 levels.
Result<std::vector<std::string>> ListFiles(const std::string& root,
                                           uint64_t count_max = 100'000);

bool PathExists(const std::string& path);

// An exclusive lock on a run, so that two tools never write one run at once.
// Released when destroyed or when the process ends in any way.
class RunLock {
 public:
  // Locks the folder itself; leaves no file behind. Fails with
  // kInvalidArgument when another process holds the lock.
  static Result<RunLock> Acquire(const std::string& run);
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();

 private:
  explicit RunLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_FILE_H_
