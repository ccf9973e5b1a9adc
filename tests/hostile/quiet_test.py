#!/usr/bin/env python3
"""What the audit asks of the system while it judges: nothing but to read.

Runs the audit under `strace -f` and, with `unshare -n`, without a network. Skips
what the machine has no tool for, or does not allow.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tool/pipeline"))
import pipeline  # noqa: E402

# Calls that start or touch another process, reach a network or change a file.
FORBIDDEN = re.compile(
    r"^(execve|execveat|fork|vfork|clone|clone3|ptrace|kill|tkill|process_vm_\w+|pidfd_\w+"
    r"|socket|socketpair|connect|bind|listen|accept4?|send\w*|recv\w*"
    r"|creat|unlink(at)?|rename(at2?)?|mkdir(at)?|rmdir|link(at)?|symlink(at)?|mknod(at)?|truncate|ftruncate"
    r"|f?chmod(at)?|[fl]?chown(at)?|utime\w*|setxattr|mount|umount2|memfd_create|io_uring\w*|bpf|perf_event_open"
    r"|init_module|finit_module|unshare|setns|chroot|pivot_root)$")
OPENED_TO_WRITE = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")


def allowed(command):
    """Whether the machine lets this command run."""
    return shutil.which(command[0]) and subprocess.run(command + ["true"], capture_output=True, check=False,
                                                       stdin=subprocess.DEVNULL).returncode == 0


def calls_in(trace):
    """(name, rest) of every call; with -f a line may begin with a process id."""
    found = []
    for line in trace.splitlines():
        call = re.match(r"^(?:\d+\s+)?(\w+)\((.*)$", line)
        if call:
            found.append(call.groups())
    return found


class Quiet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="exhibit-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = temporary.name
        run = os.path.join(cls.folder, "run")
        subprocess.run([os.path.join(pipeline.options.bin, "../tests/small_run"), run], check=True)
        cls.bundle = pipeline.make_bundle(cls.folder, run)
        cls.tool = os.path.join(pipeline.options.bin, "exhibit-audit")
        cls.expected = pipeline.read(cls.bundle, "audit.json")

    def run_under(self, command):
        done = subprocess.run(command + [self.tool, "--quiet", self.bundle], capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=600)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(self.expected, done.stdout)

    def test_it_starts_nothing_reaches_nothing_and_writes_no_file(self):
        strace = ["strace", "-f", "-o", os.path.join(self.folder, "trace")]
        if not allowed(strace):
            self.skipTest("strace is missing or not allowed here")
        self.run_under(strace)
        calls = calls_in(pipeline.read(self.folder, "trace").decode(errors="replace"))
        self.assertGreater(len(calls), 50)
        self.assertEqual("execve", calls[0][0])
        self.assertEqual([], [call for call in calls[1:] if FORBIDDEN.match(call[0])])
        opened = [call for call in calls if call[0] in ("open", "openat", "openat2")]
        self.assertTrue(any("evidence.tar.xz" in rest for _, rest in opened))
        self.assertEqual([], [call for call in opened if OPENED_TO_WRITE.search(call[1])])
        written = {rest.split(",")[0] for name, rest in calls if name in ("write", "writev", "pwrite64")}
        self.assertLessEqual(written, {"1", "2"})
        kinds = sorted({name for name, _ in calls})
        print(f"{len(calls)} calls of {len(kinds)} kinds: {' '.join(kinds)}", file=sys.stderr)

    def test_the_door_is_closed_before_the_subject_is_opened(self):
        strace = ["strace", "-f", "-o", os.path.join(self.folder, "trace")]
        if not allowed(strace):
            self.skipTest("strace is missing or not allowed here")
        self.run_under(strace)
        calls = calls_in(pipeline.read(self.folder, "trace").decode(errors="replace"))
        closed = [i for i, (name, _) in enumerate(calls) if name == "seccomp"]
        if not closed or not calls[closed[0]][1].rstrip().endswith("= 0"):
            self.skipTest("no system call filter on this machine")
        touched = [i for i, (_, rest) in enumerate(calls[1:], 1) if self.bundle in rest]
        self.assertLess(closed[0], touched[0])

    def test_the_same_look_sees_what_a_writing_tool_does(self):
        trace = os.path.join(self.folder, "trace")
        strace = ["strace", "-f", "-o", trace]
        if not allowed(strace):
            self.skipTest("strace is missing or not allowed here")
        packed = os.path.join(self.folder, "packed")
        subprocess.run(strace + [os.path.join(pipeline.options.bin, "exhibit-archive"), "pack", "--quiet",
                                 os.path.join(self.folder, "run"), "-o", packed], check=True, capture_output=True)
        calls = calls_in(pipeline.read(trace).decode(errors="replace"))
        self.assertTrue(any(FORBIDDEN.match(name) for name, _ in calls[1:]))
        self.assertTrue(any(OPENED_TO_WRITE.search(rest) for name, rest in calls if name == "openat"))

    def test_it_needs_no_network(self):
        for command in (["unshare", "-n"], ["unshare", "-rn"]):
            if allowed(command):
                self.run_under(command)
                return
        self.skipTest("unshare is missing or not allowed here")

    def test_it_needs_nothing_but_the_bundle(self):
        """No home, no environment, an unwritable working folder."""
        done = subprocess.run([self.tool, "--quiet", self.bundle], env={}, cwd="/proc", capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=600)
        self.assertEqual((0, self.expected), (done.returncode, done.stdout))


if __name__ == "__main__":
    pipeline.main()
