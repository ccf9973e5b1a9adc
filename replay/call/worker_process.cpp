#include "replay/call/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "manifests/sha256.h"
#include "replay/call/descriptor.h"
#include "replay/call/fault_report.h"

namespace exhibit {
namespace {

// The worker's descriptors.
constexpr int kTaskFd = 3;
constexpr int kResultFd = 4;
static_assert(kWorkerFileFd == kResultFd + 1);

// The result file: a sentence about how it ended, then the header, then the
// payload. The header is written last.
constexpr int64_t kNoteOffset = 0;
constexpr uint64_t kNoteBytes = 1024;
constexpr int64_t kHeaderOffset = 1024;
constexpr int64_t kPayloadOffset = 4096;
constexpr char kMagic[8] = {'E', 'X', 'H', 'W', 'O', 'R', 'K', '1'};

struct ResultHeader {
  char magic[8] = {};
  uint64_t refused = 0;  // 1: the payload is the reason.
  uint64_t payload_bytes = 0;
  char sha256[64] = {};
};

// How often a parent that can be interrupted looks up without being told.
constexpr int kLookUpMs = 250;

Error Failed(const std::string& what) {
  return Error{ErrorKind::kIo, what + ": " + strerror(errno), ""};
}

Status WriteAt(int fd, std::string_view bytes, int64_t offset) {
  while (!bytes.empty()) {
    ssize_t count = pwrite(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failed("cannot write to a worker's memory file");
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += count;
  }
  return Ok();
}

// Exactly `length` bytes.
Result<std::string> ReadAt(int fd, uint64_t length, int64_t offset) {
  std::string bytes(length, '\0');
  uint64_t done = 0;
  while (done < length) {
    ssize_t count = pread(fd, bytes.data() + done, length - done,
                          offset + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("cannot read a worker's memory file");
    if (count == 0) {
      return Error{ErrorKind::kCorrupt, "a worker's memory file is short", ""};
    }
    done += static_cast<uint64_t>(count);
  }
  return bytes;
}

Result<uint64_t> SizeOf(int fd) {
  struct stat facts = {};
  if (fstat(fd, &facts) != 0) return Failed("cannot stat a memory file");
  return static_cast<uint64_t>(facts.st_size);
}

int64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// ---- Worker.

void WriteNote(std::string_view text) {
  std::string note(text.substr(0, kNoteBytes - 1));
  note.push_back('\0');
  // Without the note the parent still knows the exit status.
  (void)WriteAt(kResultFd, note, kNoteOffset).ok();
}

Status WriteResult(uint64_t refused, std::string_view payload) {
  ResultHeader header;
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.refused = refused;
  header.payload_bytes = payload.size();
  std::memcpy(header.sha256, Sha256Hex(payload).data(), sizeof(header.sha256));
  EXHIBIT_RETURN_IF_ERROR(WriteAt(kResultFd, payload, kPayloadOffset));
  return WriteAt(
      kResultFd,
      std::string_view(reinterpret_cast<const char*>(&header), sizeof(header)),
      kHeaderOffset);
}

Result<std::string> RunFunction(const WorkerFunction& function) {
  EXHIBIT_RETURN_IF_ERROR(InstallFaultReport(kResultFd, kNoteOffset));
  EXHIBIT_ASSIGN_OR_RETURN(uint64_t task_bytes, SizeOf(kTaskFd));
  EXHIBIT_ASSIGN_OR_RETURN(std::string task, ReadAt(kTaskFd, task_bytes, 0));
  return function(task);
}

// ---- Parent.

// Descriptors in the parent.
struct Channel {
  int task = -1;
  int result = -1;
  int file = -1;  // -1: none.
};

// In the child of vfork, where only async-signal-safe calls are allowed and
// nothing of the parent may be changed.
[[noreturn]] void BecomeWorker(pid_t parent, Channel channel,
                               char* const argv[]) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  // A limit of 1 also stops a core pattern that is a pipe; 0 would not.
  rlimit core = {};
  getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = std::min<rlim_t>(1, core.rlim_max);
  core.rlim_max = core.rlim_cur;
  setrlimit(RLIMIT_CORE, &core);
  for (int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Out of the way of the numbers that they are moved to.
  int task = fcntl(channel.task, F_DUPFD, 16);
  int result = fcntl(channel.result, F_DUPFD, 16);
  int file = channel.file < 0 ? -1 : fcntl(channel.file, F_DUPFD, 16);
  int null = open("/dev/null", O_RDWR);
  if (task < 0 || result < 0 || null < 0) _exit(126);
  if (channel.file >= 0 && file < 0) _exit(126);
  for (int fd : {0, 1, 2}) {
    if (null != fd && dup2(null, fd) < 0) _exit(126);
  }
  if (dup2(task, kTaskFd) < 0 || dup2(result, kResultFd) < 0) _exit(126);
  if (file >= 0 && dup2(file, kWorkerFileFd) < 0) _exit(126);
  unsigned first_unused = file >= 0 ? kWorkerFileFd + 1 : kWorkerFileFd;
  close_range(first_unused, ~0U, 0);
  execve("/proc/self/exe", argv, environ);
  constexpr char kNote[] = "cannot execute /proc/self/exe";
  // Without the note the parent still knows the exit status.
  if (pwrite(kResultFd, kNote, sizeof(kNote), kNoteOffset) < 0) _exit(126);
  _exit(126);
}

// Starts a worker; -1 with errno set when there is no process to be had.
//
// Not fork: the tables of a parent that holds a run are long to copy, and each
// of its pages would fault once more afterwards. The child borrows this stack
// until it executes; signals wait, lest a handler run in it.
pid_t StartWorker(Channel channel, char* const argv[]) {
  pid_t parent = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = vfork();
  if (child == 0) BecomeWorker(parent, channel, argv);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child;
}

std::string SignalName(int signal) {
  const char* name = sigdescr_np(signal);
  return "signal " + std::to_string(signal) +
         (name != nullptr ? " (" + std::string(name) + ")" : "");
}

std::string ReadNote(int result_fd) {
  char note[kNoteBytes] = {};
  ssize_t count = pread(result_fd, note, kNoteBytes - 1, kNoteOffset);
  if (count <= 0) return "";
  return std::string(note);
}

// The payload, or an Error when there is no whole result.
Result<std::string> ReadResult(int fd, uint64_t bytes_max, bool* refused) {
  EXHIBIT_ASSIGN_OR_RETURN(std::string raw,
                           ReadAt(fd, sizeof(ResultHeader), kHeaderOffset));
  ResultHeader header;
  std::memcpy(&header, raw.data(), sizeof(header));
  EXHIBIT_ASSIGN_OR_RETURN(uint64_t file_bytes, SizeOf(fd));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 ||
      header.payload_bytes > bytes_max || header.payload_bytes > file_bytes) {
    return Error{ErrorKind::kCorrupt, "no result", ""};
  }
  EXHIBIT_ASSIGN_OR_RETURN(std::string payload,
                           ReadAt(fd, header.payload_bytes, kPayloadOffset));
  if (Sha256Hex(payload) !=
      std::string_view(header.sha256, sizeof(header.sha256))) {
    return Error{ErrorKind::kCorrupt, "damaged result", ""};
  }
  *refused = header.refused != 0;
  return payload;
}

enum class Stop { kEnded, kTimedOut, kInterrupted };

Stop AwaitEnd(int pidfd, const WorkerJob& job) {
  int64_t deadline_ns = NowNs() + job.timeout_ns;
  while (true) {
    if (job.interrupted && job.interrupted()) return Stop::kInterrupted;
    int64_t left_ms = (deadline_ns - NowNs() + 999'999) / 1'000'000;
    if (left_ms <= 0) return Stop::kTimedOut;
    int64_t slice_ms =
        std::min<int64_t>(left_ms, job.interrupted ? kLookUpMs : 60'000);
    pollfd ended = {pidfd, POLLIN, 0};
    int ready = poll(&ended, 1, static_cast<int>(slice_ms));
    if (ready > 0) return Stop::kEnded;
  }
}

WorkerOutcome Classify(int status, Stop stop, int result_fd,
                       const WorkerJob& job) {
  WorkerOutcome outcome;
  if (stop == Stop::kInterrupted) {
    outcome.interrupted = true;
    outcome.end.status = "exited";
    outcome.end.reason = "interrupted";
    return outcome;
  }
  std::string note = ReadNote(result_fd);
  if (stop == Stop::kTimedOut) {
    outcome.end.status = "timed-out";
    outcome.end.signal = SIGKILL;
    outcome.end.reason = "killed after its time limit of " +
                         std::to_string(job.timeout_ns / 1'000'000) + " ms";
    return outcome;
  }
  if (WIFSIGNALED(status)) {
    outcome.end.status = "crashed";
    outcome.end.signal = WTERMSIG(status);
    outcome.end.reason = note.empty() ? SignalName(WTERMSIG(status)) : note;
    return outcome;
  }
  bool refused = false;
  Result<std::string> result =
      ReadResult(result_fd, job.result_bytes_max, &refused);
  outcome.end.exit_status = WEXITSTATUS(status);
  if (WEXITSTATUS(status) != 0 || !result.ok()) {
    outcome.end.status = "exited";
    outcome.end.reason = note.empty()
                             ? "exited with status " +
                                   std::to_string(WEXITSTATUS(status)) +
                                   " without reporting"
                             : note;
  } else if (refused) {
    outcome.end.status = "refused";
    outcome.end.reason = *result;
  } else {
    outcome.end.status = "completed";
    outcome.result = std::move(*result);
  }
  return outcome;
}

}  // namespace

std::optional<int> RunAsWorker(int argc, char** argv,
                               const WorkerFunctions& functions) {
  if (argc != 3 || std::strcmp(argv[1], "--worker") != 0) return std::nullopt;
  auto found = functions.find(argv[2]);
  // Typed by hand, the descriptors are missing: not a worker.
  if (found == functions.end() || fcntl(kTaskFd, F_GET_SEALS) < 0 ||
      fcntl(kResultFd, F_GET_SEALS) < 0) {
    return std::nullopt;
  }
  // What a kernel executes must not inherit the channel.
  fcntl(kTaskFd, F_SETFD, FD_CLOEXEC);
  fcntl(kResultFd, F_SETFD, FD_CLOEXEC);
  fcntl(kWorkerFileFd, F_SETFD, FD_CLOEXEC);  // Fails when there is none.
  try {
    Result<std::string> result = RunFunction(found->second);
    Status written = result.ok() ? WriteResult(0, *result)
                                 : WriteResult(1, result.error().message);
    if (!written.ok()) {
      WriteNote(written.error().message);
      return 3;
    }
    return 0;
  } catch (const std::bad_alloc&) {
    return WriteResult(1, "out of memory").ok() ? 0 : 3;
  } catch (const std::exception& bug) {
    WriteNote(std::string("bug: ") + bug.what());
    return 70;
  }
}

Result<WorkerOutcome> RunWorker(const WorkerJob& job) {
  if (job.timeout_ns <= 0) throw std::logic_error("worker without time limit");
  Descriptor task(memfd_create("exhibit-task", MFD_CLOEXEC));
  Descriptor result(memfd_create("exhibit-result", MFD_CLOEXEC));
  if (task.get() < 0 || result.get() < 0) {
    return Failed("cannot make a memory file");
  }
  EXHIBIT_RETURN_IF_ERROR(WriteAt(task.get(), job.task, 0));
  // The header's place exists from the start and says that nothing came.
  if (ftruncate(result.get(), kPayloadOffset) != 0) {
    return Failed("cannot size a memory file");
  }
  std::string program = program_invocation_name;
  std::string mode = "--worker";
  std::string function = job.function;
  char* argv[] = {program.data(), mode.data(), function.data(), nullptr};
  pid_t child = StartWorker({task.get(), result.get(), job.file}, argv);
  if (child < 0) return Failed("cannot start a worker");
  // Both sides set it, so that it holds whoever comes first.
  setpgid(child, child);
  // Not <sys/pidfd.h>: glibc 2.36 declares it without C linkage.
  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  Error no_pidfd = Failed("cannot watch a worker");
  Stop stop = pidfd.get() < 0 ? Stop::kTimedOut : AwaitEnd(pidfd.get(), job);
  // The group before the child is reaped, while its number cannot be reused:
  // this also ends what the kernel may have left running.
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Failed("cannot wait for a worker");
  }
  if (pidfd.get() < 0) return no_pidfd;
  return Classify(status, stop, result.get(), job);
}

}  // namespace exhibit
