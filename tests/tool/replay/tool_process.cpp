#include "tool_process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

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

ToolProcess::ToolProcess(const std::vector<std::string>& words,
                         const std::vector<std::string>& wrapper) {
  std::vector<std::string> line = wrapper;
  line.push_back(std::string(EXHIBIT_BIN_DIR) + "/exhibit-replay");
  line.insert(line.end(), words.begin(), words.end());
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
    execvp(argv[0], argv.data());
    _exit(127);
  }
  if (pid_ < 0 || out_ < 0 || talk_ < 0) {
    throw std::runtime_error("cannot start exhibit-replay");
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
    throw std::runtime_error("cannot wait for exhibit-replay");
  }
  pid_ = -1;
  ToolEnd end;
  end.status =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  end.out = Contents(out_);
  end.talk = Contents(talk_);
  return end;
}

ToolEnd RunReplay(const std::vector<std::string>& words) {
  return ToolProcess(words).Await();
}

}  // namespace exhibit
