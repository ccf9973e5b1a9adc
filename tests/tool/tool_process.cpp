#include "tests/tool/tool_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "manifests/file.h"

namespace exhibit {
namespace {

std::string Contents(int fd) {
  std::string text;
  char piece[4096];
  off_t at = 0;
  for (ssize_t count; (count = pread(fd, piece, sizeof(piece), at)) > 0;
       at += count) {
    text.append(piece, static_cast<size_t>(count));
  }
  return text;
}

}  // namespace

ToolProcess::ToolProcess(const ToolStart& start) : tool_(start.tool) {
  std::vector<std::string> line = start.wrapper;
  line.push_back(std::string(EXHIBIT_BIN_DIR) + "/" + tool_);
  line.insert(line.end(), start.words.begin(), start.words.end());
  std::vector<char*> argv;
  for (std::string& word : line) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Memory files: whatever a kernel leaves running, nobody waits for it.
  out_ = memfd_create("out", MFD_CLOEXEC);
  talk_ = memfd_create("talk", MFD_CLOEXEC);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(out_, 1);
    dup2(talk_, 2);
    for (const auto& [name, value] : start.environment) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    if (start.file_bytes_max != 0) {
      const rlimit limit = {start.file_bytes_max, start.file_bytes_max};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    execvp(argv[0], argv.data());
    _exit(127);
  }
  if (pid_ < 0 || out_ < 0 || talk_ < 0) {
    throw std::runtime_error("cannot start " + tool_);
  }
}

ToolProcess::~ToolProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
  close(talk_);
}

void ToolProcess::Signal(int number) { kill(pid_, number); }

ToolEnd ToolProcess::Await() {
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) {
    throw std::runtime_error("cannot wait for " + tool_);
  }
  pid_ = -1;
  ToolEnd end;
  end.status =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  end.out = Contents(out_);
  end.talk = Contents(talk_);
  return end;
}

void AwaitFile(const std::string& path) {
  for (int tries = 0; tries < 6000; ++tries) {
    if (PathExists(path)) return;
    usleep(10000);
  }
  FAIL() << path << " did not come";
}

}  // namespace exhibit
