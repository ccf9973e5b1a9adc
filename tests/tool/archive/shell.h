// A shell script in a scratch folder, with the tool on its path.

#ifndef EXHIBIT_TESTS_TOOL_ARCHIVE_SHELL_H_
#define EXHIBIT_TESTS_TOOL_ARCHIVE_SHELL_H_

#include <string>

namespace exhibit {

struct ShellEnd {
  int status = 0;    // Exit status, or 128 + the signal it died of.
  std::string talk;  // Standard output and standard error together.
};

// A scratch folder in which scripts run, removed in the end.
class Shell {
 public:
  Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;
  ~Shell();

  const std::string& folder() const { return folder_; }

  // Runs `script` by `sh -eu` in the folder.
  ShellEnd Run(const std::string& script) const;

 private:
  std::string folder_;
};

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_ARCHIVE_SHELL_H_
