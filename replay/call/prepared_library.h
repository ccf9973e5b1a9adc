// From the file of a prepared library to its entry.
//
// The bytes are copied into sealed memory while they are hashed, and loaded
// from there: what runs is what was hashed, and every process has its code in
// other physical pages. Those of the file are the same in every visit, so a bad
// set of them would look like a property of the code. Nothing of the library
// runs before digest and CPU flags are checked.

#ifndef EXHIBIT_REPLAY_CALL_PREPARED_LIBRARY_H_
#define EXHIBIT_REPLAY_CALL_PREPARED_LIBRARY_H_

#include <string>
#include <vector>

#include "manifests/entry.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

struct LibraryRequest {
  std::string path;
  std::string sha256;  // Expected of the file.
  std::string symbol;
  std::vector<std::string> required_cpu_flags;  // /proc/cpuinfo spelling.
};

class PreparedLibrary {
 public:
  PreparedLibrary(PreparedLibrary&& other) noexcept;
  PreparedLibrary& operator=(PreparedLibrary&& other) noexcept;
  ~PreparedLibrary();  // Unloads.

  exhibit_entry* entry() const { return entry_; }

 private:
  friend Result<PreparedLibrary> LoadLibrary(const LibraryRequest&);
  PreparedLibrary() = default;
  // Held open while loaded: the loader knows the library by this number.
  int fd_ = -1;
  void* handle_ = nullptr;
  exhibit_entry* entry_ = nullptr;
};

// Loads a library (RTLD_NOW, RTLD_LOCAL) and finds its entry.
//
// Fails with kNotFound when the file or the symbol is absent, kCorrupt when
// the digest is another one or the loader refuses the file, kUnsupported when
// this CPU lacks a required flag, kLimitExceeded when the file is larger than
// kLibraryBytesMax, and kIo.
Result<PreparedLibrary> LoadLibrary(const LibraryRequest& request);

// Adds a library that LoadLibrary compared with `sha256` to what a process had
// mapped, which lists files and so not the copy. Sorted by name, as the rest.
void AddLoadedLibrary(const std::string& sha256,
                      std::vector<MappedFile>& mapped_files);

// The flags of the first CPU in /proc/cpuinfo, sorted. Reads no more of it.
Result<std::vector<std::string>> ReadCpuFlags();

// What of `required` is not in `available` (sorted), in the order given.
std::vector<std::string> MissingFlags(
    const std::vector<std::string>& required,
    const std::vector<std::string>& available);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_CALL_PREPARED_LIBRARY_H_
