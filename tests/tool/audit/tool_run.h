// Running a tool as a shell would, in a scratch folder.

#ifndef EXHIBIT_TESTS_TOOL_AUDIT_TOOL_RUN_H_
#define EXHIBIT_TESTS_TOOL_AUDIT_TOOL_RUN_H_

#include <string>

namespace exhibit::testing {

// A folder of its own, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

struct ToolEnd {
  int status = -1;  // Exit status, or 128 + the signal.
  std::string out;  // Standard output.
};

// Runs `words` by the shell with the tools' folder in front of PATH, in
// `folder`.
ToolEnd RunIn(const ScratchFolder& folder, const std::string& words);

std::string ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, const std::string& bytes);

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_TOOL_AUDIT_TOOL_RUN_H_
