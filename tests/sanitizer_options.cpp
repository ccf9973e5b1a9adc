// What every program of a sanitized build asks of the sanitizers; linked into
// each, so that it holds however a test starts them. ASAN_OPTIONS,
// UBSAN_OPTIONS and LSAN_OPTIONS still come after it.
//
// The exit status is one that no tool has: a test that waits for "does not
// hold" (1) or "could not" (3) must not take a report for it.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

// Line "TracerPid:\t0" of /proc/self/status says that nobody traces us.
bool IsTraced() {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  const ssize_t count = read(file, text, sizeof(text) - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = '\0';
  const char* line = std::strstr(text, "TracerPid:");
  return line != nullptr && std::atoi(line + 10) != 0;
}

// The audit's filter refuses this call whatever its arguments are; without the
// filter it fails for want of a file.
bool IsInSandbox() { return fallocate(-1, 0, 0, 1) != 0 && errno == EPERM; }

}  // namespace

extern "C" {

// An allocation that cannot be made returns null, as it does without a
// sanitizer; tests ask for more than there is.
const char* __asan_default_options() {
  return "exitcode=97:allocator_may_return_null=1:"
         "detect_stack_use_after_return=1:check_initialization_order=1";
}

const char* __ubsan_default_options() {
  return "exitcode=97:halt_on_error=1:print_stacktrace=1";
}

const char* __lsan_default_options() { return "exitcode=97"; }

// Looking for leaks at the end takes a second process that traces this one.
// Under a debugger or strace there is already one, and within the audit's
// filter there can be none. The audit's library is searched for leaks in the
// unit tests and in mutate_bundle, which go without the filter.
int __lsan_is_turned_off() { return IsTraced() || IsInSandbox() ? 1 : 0; }
}
