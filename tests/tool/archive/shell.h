// A shell script in a scratch folder, with the tool on its path.

#ifndef EXHIBIT_TESTS_TOOL_ARCHIVE_SHELL_H_
#define EXHIBIT_TESTS_TOOL_ARCHIVE_SHELL_H_

#include <gtest/gtest.h>

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

// A test that runs scripts in one folder of its own.
class ShellTest : public testing::Test {
 protected:
  // Runs `script`; it must end with `status` and say `part`.
  void Expect(int status, const std::string& script, const std::string& part) {
    const ShellEnd end = shell_.Run(script);
    EXPECT_EQ(end.status, status) << script << "\n" << end.talk;
    EXPECT_NE(end.talk.find(part), std::string::npos)
        << script << "\nexpected: " << part << "\nread: " << end.talk;
  }
  // Runs `script`, which must succeed.
  void Holds(const std::string& script) { Expect(0, script, ""); }

  const Shell shell_;
};

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_TOOL_ARCHIVE_SHELL_H_
