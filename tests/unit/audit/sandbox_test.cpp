// Each refused call is tried from inside, in a child of its own.

#include "audit/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

namespace exhibit {
namespace {

constexpr int kNoSandbox = 99;

// Runs `call` in a child inside the sandbox; returns the child's exit status,
// which is what `call` returned.
int Inside(const std::function<int()>& call) {
  const pid_t child = fork();
  if (child == 0) {
    if (!EnterSandbox().ok()) _exit(kNoSandbox);
    _exit(call());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Refusal {
  const char* name;
  std::function<long()> call;  // -1 and errno when refused.
  int error;
};

char* const kNoWords[] = {nullptr};

const Refusal kRefusals[] = {
    {"execve",
     [] { return syscall(SYS_execve, "/bin/true", kNoWords, kNoWords); },
     EPERM},
    {"execveat",
     [] {
       return syscall(SYS_execveat, AT_FDCWD, "/bin/true", kNoWords, kNoWords,
                      0);
     },
     EPERM},
    {"fork", [] { return syscall(SYS_fork); }, EPERM},
    {"vfork", [] { return syscall(SYS_vfork); }, EPERM},
    {"clone without a thread",
     [] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }, EPERM},
    {"clone3", [] { return syscall(SYS_clone3, 0, 0); }, ENOSYS},
    {"openat2", [] { return syscall(SYS_openat2, AT_FDCWD, "/", 0, 0); },
     ENOSYS},
    {"socket", [] { return long{socket(AF_UNIX, SOCK_STREAM, 0)}; }, EPERM},
    {"socketpair",
     [] {
       int pair[2];
       return long{socketpair(AF_UNIX, SOCK_STREAM, 0, pair)};
     },
     EPERM},
    {"ptrace", [] { return syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0); },
     EPERM},
    {"kill", [] { return long{kill(getpid(), 0)}; }, EPERM},
    {"open for writing", [] { return long{open("/dev/null", O_WRONLY)}; },
     EPERM},
    {"open for both", [] { return long{open("/dev/null", O_RDWR)}; }, EPERM},
    {"open to create",
     [] { return long{open("/tmp/audit-no", O_RDONLY | O_CREAT, 0600)}; },
     EPERM},
    {"open to truncate",
     [] { return long{open("/dev/null", O_RDONLY | O_TRUNC)}; }, EPERM},
    {"open to append",
     [] { return long{open("/dev/null", O_RDONLY | O_APPEND)}; }, EPERM},
    {"the old open", [] { return syscall(SYS_open, "/dev/null", O_WRONLY); },
     EPERM},
    {"creat", [] { return syscall(SYS_creat, "/tmp/audit-no", 0600); }, EPERM},
    {"unlink", [] { return long{unlink("/tmp/audit-no")}; }, EPERM},
    {"rename", [] { return long{rename("/tmp/audit-no", "/tmp/audit-na")}; },
     EPERM},
    {"mkdir", [] { return long{mkdir("/tmp/audit-no", 0700)}; }, EPERM},
    {"rmdir", [] { return long{rmdir("/tmp/audit-no")}; }, EPERM},
    {"link", [] { return long{link("/tmp/audit-no", "/tmp/audit-na")}; },
     EPERM},
    {"symlink", [] { return long{symlink("x", "/tmp/audit-na")}; }, EPERM},
    {"chmod", [] { return long{chmod("/tmp/audit-no", 0600)}; }, EPERM},
    {"truncate", [] { return long{truncate("/tmp/audit-no", 0)}; }, EPERM},
    {"memfd_create", [] { return syscall(SYS_memfd_create, "x", 0); }, EPERM},
    {"io_uring_setup", [] { return syscall(SYS_io_uring_setup, 1, 0); }, EPERM},
    {"bpf", [] { return syscall(SYS_bpf, 0, 0, 0); }, EPERM},
    {"mapping of new code",
     [] {
       void* code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       return code == MAP_FAILED ? -1L : 0L;
     },
     EPERM},
    {"turning data into code with a key",
     [] {
       void* data =
           mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       return syscall(SYS_pkey_mprotect, data, 4096, PROT_READ | PROT_EXEC, -1);
     },
     EPERM},
    {"turning data into code",
     [] {
       void* data =
           mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       return long{mprotect(data, 4096, PROT_READ | PROT_EXEC)};
     },
     EPERM},
};

TEST(Sandbox, EachRefusedCallFails) {
  for (const Refusal& refusal : kRefusals) {
    const int error = Inside([&refusal] {
      errno = 0;
      return refusal.call() == -1 ? errno : 0;
    });
    if (error == kNoSandbox) GTEST_SKIP() << "this kernel has no seccomp";
    EXPECT_EQ(error, refusal.error) << refusal.name;
  }
}

// Without arguments: a filter looks at numbers before the kernel does.
TEST(Sandbox, EachCallOfTheListIsRefused) {
  const auto calls = RefusedCalls();
  const int first_allowed = Inside([&] {
    for (size_t i = 0; i < calls.size(); ++i) {
      errno = 0;
      const bool refused =
          syscall(calls[i], 0, 0, 0, 0, 0, 0) == -1 && errno == EPERM;
      if (!refused) return static_cast<int>(i) + 100;
    }
    return 0;
  });
  if (first_allowed == kNoSandbox) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(first_allowed, 0) << "place in the list, and 100";
  EXPECT_GT(calls.size(), 100U);
  EXPECT_LT(calls.size(), 156U);  // As an exit status is a byte.
}

#if defined(__x86_64__)
TEST(Sandbox, CallsOfOtherArchitecturesAreRefused) {
  constexpr long kX32Bit = 0x40000000;
  const int error = Inside([] {
    errno = 0;
    return syscall(kX32Bit | SYS_getpid) == -1 ? errno : 0;
  });
  if (error == kNoSandbox) GTEST_SKIP() << "this kernel has no seccomp";
  EXPECT_EQ(error, EPERM);
  // getpid of i386; a kernel without it ends the process in its own way.
  const int end = Inside([] {
    long pid = 20;
    asm volatile("int $0x80" : "+a"(pid) : : "memory");
    return 0;
  });
  EXPECT_GT(end, 128) << "the process was not ended";
}
#endif

TEST(Sandbox, ReadingAndThreadsStillWork) {
  const int result = Inside([] {
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    char byte = 0;
    if (file < 0 || read(file, &byte, 1) != 1) return 1;
    int sum = 0;
    std::thread thread([&sum] { sum = 7; });
    thread.join();
    return sum == 7 ? 0 : 2;
  });
  if (result == kNoSandbox) GTEST_SKIP() << "this kernel has no seccomp";
  EXPECT_EQ(result, 0);
}

TEST(Sandbox, CannotBeLeft) {
  const int result = Inside([] {
    // A second filter may only narrow; the first stays.
    if (!EnterSandbox().ok()) return 1;
    return open("/dev/null", O_WRONLY) == -1 && errno == EPERM ? 0 : 2;
  });
  if (result == kNoSandbox) GTEST_SKIP() << "this kernel has no seccomp";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace exhibit
