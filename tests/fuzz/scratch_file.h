// A file for decoders that read files: one per process, written anew for every
// input.

#ifndef EXHIBIT_TESTS_FUZZ_SCRATCH_FILE_H_
#define EXHIBIT_TESTS_FUZZ_SCRATCH_FILE_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "tests/fuzz/property.h"

namespace exhibit::fuzz {

// Removed with all that is in it when the process ends; not when it crashes.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_((std::filesystem::temp_directory_path() / "exhibit-fuzz-XXXXXX")
                  .string()) {
    Require(mkdtemp(path_.data()) != nullptr, "there is a scratch folder");
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  // A new file `name` in place of the one before: a file that is cut and
  // written again is one that some file systems bring to the disk at once.
  void Write(const std::string& name, std::string_view bytes) const {
    const std::string path = path_ + "/" + name;
    std::filesystem::remove(path);
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Require(static_cast<bool>(file.flush()), "the scratch file is written");
  }

 private:
  std::string path_;
};

}  // namespace exhibit::fuzz

#endif  // EXHIBIT_TESTS_FUZZ_SCRATCH_FILE_H_
