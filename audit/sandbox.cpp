#include "audit/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace exhibit {
namespace {

#if defined(__x86_64__)

using Program = std::vector<sock_filter>;

// Numbers that the headers of an older C library lack.
constexpr uint32_t kFchmodat2 = 452;
constexpr uint32_t kSetxattrat = 463;
constexpr uint32_t kRemovexattrat = 466;
constexpr uint32_t kOpenTreeAttr = 467;
constexpr uint32_t kFileSetattr = 469;

constexpr uint32_t kRefused[] = {
    // Running a program or making a process.
    SYS_execve, SYS_execveat, SYS_fork, SYS_vfork,
    // Networks and other processes.
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept,
    SYS_accept4, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_ptrace,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_getfd,
    SYS_pidfd_send_signal, SYS_process_madvise, SYS_kcmp, SYS_migrate_pages,
    SYS_move_pages,
    // What processes share, in memory or by messages.
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgctl,
    SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl, SYS_mq_open,
    SYS_mq_unlink, SYS_mq_timedsend,
    // Names, contents and properties of files.
    SYS_creat, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat,
    SYS_renameat2, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_link, SYS_linkat,
    SYS_symlink, SYS_symlinkat, SYS_mknod, SYS_mknodat, SYS_truncate,
    SYS_ftruncate, SYS_fallocate, SYS_chmod, SYS_fchmod, SYS_fchmodat,
    SYS_chown, SYS_fchown, SYS_lchown, SYS_fchownat, SYS_utime, SYS_utimes,
    SYS_utimensat, SYS_futimesat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_open_by_handle_at,
    kFchmodat2, kSetxattrat, kRemovexattrat, kFileSetattr,
    // Ways round a filter, or into the kernel.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_memfd_create, SYS_io_setup,
    SYS_io_submit, SYS_personality, SYS_modify_ldt, SYS_mount, SYS_umount2,
    SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_open_tree, SYS_move_mount,
    kOpenTreeAttr, SYS_mount_setattr, SYS_swapon, SYS_swapoff, SYS_quotactl,
    SYS_acct, SYS_fanotify_init, SYS_ioperm, SYS_iopl,
    // Who this is, and the machine's state.
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid,
    SYS_setresgid, SYS_setfsuid, SYS_setfsgid, SYS_setgroups, SYS_capset,
    SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
    SYS_sethostname, SYS_setdomainname, SYS_reboot, SYS_syslog, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
    SYS_keyctl, SYS_add_key, SYS_request_key};

constexpr uint32_t kWritingFlags =
    O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

void Load(Program& program, size_t offset) {
  program.push_back(
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
}

void Return(Program& program, uint32_t action) {
  program.push_back(BPF_STMT(BPF_RET | BPF_K, action));
}

void Refuse(Program& program, uint32_t call, uint32_t error) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
  Return(program, SECCOMP_RET_ERRNO | error);
}

// The low half of argument `index`; flags never stand in the high half.
size_t ArgumentOffset(size_t index) {
  return offsetof(seccomp_data, args) + 8 * index;
}

// Refuses `call` when argument `index` has any of `bits`, and allows it when
// it has none; ends the path either way.
void RefuseWithBits(Program& program, uint32_t call, size_t index,
                    uint32_t bits) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
  Load(program, ArgumentOffset(index));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
  Return(program, SECCOMP_RET_ERRNO | EPERM);
  Return(program, SECCOMP_RET_ALLOW);
}

Program Filter() {
  constexpr uint32_t kX32Bit = 0x40000000;
  Program program;
  Load(program, offsetof(seccomp_data, arch));
  program.push_back(
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  Return(program, SECCOMP_RET_KILL_PROCESS);
  Load(program, offsetof(seccomp_data, nr));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1));
  Return(program, SECCOMP_RET_ERRNO | EPERM);
  for (const uint32_t call : kRefused) Refuse(program, call, EPERM);
  Refuse(program, SYS_clone3, ENOSYS);
  Refuse(program, SYS_openat2, ENOSYS);
  RefuseWithBits(program, SYS_open, 1, kWritingFlags);
  RefuseWithBits(program, SYS_openat, 2, kWritingFlags);
  RefuseWithBits(program, SYS_mmap, 2, PROT_EXEC);
  RefuseWithBits(program, SYS_mprotect, 2, PROT_EXEC);
  RefuseWithBits(program, SYS_pkey_mprotect, 2, PROT_EXEC);
  // A new thread is no new process.
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
  Load(program, ArgumentOffset(0));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
  Return(program, SECCOMP_RET_ERRNO | EPERM);
  Return(program, SECCOMP_RET_ALLOW);
  return program;
}

Error Unavailable(const char* what) {
  return Error{ErrorKind::kUnsupported,
               std::string("the audit runs without its system call filter: ") +
                   what + ": " + std::strerror(errno),
               "Audit a bundle you do not trust on a kernel with seccomp."};
}

#endif

}  // namespace

#if defined(__x86_64__)

std::span<const uint32_t> RefusedCalls() { return kRefused; }

Status EnterSandbox() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return Unavailable("no_new_privs");
  }
  Program filter = Filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           filter.data()};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
              &program) != 0) {
    return Unavailable("seccomp");
  }
  return Ok();
}

#else

std::span<const uint32_t> RefusedCalls() { return {}; }

Status EnterSandbox() {
  return Error{ErrorKind::kUnsupported,
               "the audit runs without its system call filter: it is written "
               "for x86-64 only",
               "Audit a bundle you do not trust on an x86-64 machine."};
}

#endif

}  // namespace exhibit
