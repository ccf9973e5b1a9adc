#!/usr/bin/env python3
"""Bad input and a disk that is full: a clear error that names the file, the
status of its kind, and nothing half-written left behind."""

import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

import pipeline
from pipeline import (COULD_NOT, MANIFEST, UNSUPPORTED, USAGE, VERIFIED, audit, content_id, files_below, must, read,
                      tool, write, write_manifest)


def changed(**fields):
    return {**MANIFEST, **fields}


def limit_file_size(size_bytes):
    """For preexec_fn: a write past the limit fails, as on a full disk."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))
    return limit


class BadInput(pipeline.PipelineTest):
    def everything(self):
        return sorted(os.listdir(self.folder))

    def assert_nothing_left(self, done, status, names, before):
        self.assert_refused(done, status, names)
        # The digest of a good manifest is printed at once, so that it can be
        # published; nothing else is.
        self.assertRegex(done.stdout, rb"\A(manifest [0-9a-f]{64}\n)?\Z")
        self.assertEqual(before, self.everything())

    def test_a_manifest_that_cannot_be_read_is_refused(self):
        whole = json.dumps(MANIFEST)
        texts = {
            "empty.json": ("", COULD_NOT),
            "cut.json": (whole[:len(whole) // 2], COULD_NOT),
            "twice.json": (whole[:-1] + ', "name": "again"}', COULD_NOT),
            "trailing.json": (whole + "x", COULD_NOT),
            "text.json": ("not a manifest", COULD_NOT),
            "schema.json": (json.dumps(changed(schema="exhibit.manifest/99")), UNSUPPORTED),
            "field.json": (json.dumps(changed(colour="red")), COULD_NOT),
            "cycles.json": (json.dumps(changed(replay={**MANIFEST["replay"], "cycles": 0})), COULD_NOT),
            "alpha.json": (json.dumps(changed(decision={**MANIFEST["decision"], "alpha": 0.01})), COULD_NOT),
            "option.json": (json.dumps(changed(controls={"colour": 1})), UNSUPPORTED),
            "math.json": (json.dumps(changed(controls={"math": "fast"})), COULD_NOT),
            "source.json": (json.dumps(changed(sources=["absent.txt"])), COULD_NOT),
            "outside.json": (json.dumps(changed(sources=["../secret.txt"])), COULD_NOT),
        }
        for name, (text, status) in texts.items():
            write(text.encode(), self.folder, name)
        before = self.everything()
        for name, (_, status) in texts.items():
            with self.subTest(name):
                done = tool("capture", os.path.join(self.folder, name), "-o", os.path.join(self.folder, "run"))
                self.assert_nothing_left(done, status, [name] if name != "source.json" else ["absent.txt"], before)

    def test_a_manifest_that_is_missing_or_a_folder_is_refused(self):
        os.mkdir(os.path.join(self.folder, "folder"))
        before = self.everything()
        for name in ("absent.json", "folder"):
            done = tool("capture", os.path.join(self.folder, name), "-o", os.path.join(self.folder, "run"))
            self.assert_nothing_left(done, COULD_NOT, [name], before)

    @unittest.skipIf(os.geteuid() == 0, "root reads every file")
    def test_a_manifest_without_permission_is_refused(self):
        path = write_manifest(self.folder)
        os.chmod(path, 0)
        before = self.everything()
        done = tool("capture", path, "-o", os.path.join(self.folder, "run"))
        self.assert_nothing_left(done, COULD_NOT, ["manifest.json"], before)

    def test_an_output_that_exists_is_never_touched(self):
        manifest = write_manifest(self.folder)
        write(b"mine\n", self.folder, "taken", "file")
        write(b"mine\n", self.folder, "file")
        commands = (("capture", manifest), ("archive", "pack", self.run_folder), ("archive", "unpack", self.bundle))
        for command in commands:
            for name in ("taken", "file"):
                with self.subTest(f"{command[:2]} {name}"):
                    done = tool(*command, "-o", os.path.join(self.folder, name))
                    self.assert_refused(done, COULD_NOT, [name])
                    self.assertEqual([b"mine\n"] * 2, [read(self.folder, p) for p in ("taken/file", "file")])
                    self.assertEqual(["file", "manifest.json", "taken/file"], files_below(self.folder))

    def test_a_subject_that_is_none_is_refused(self):
        write(b"text\n", self.folder, "file")
        for name in ("absent", "file"):
            path = os.path.join(self.folder, name)
            for command in (("audit", path), ("replay", path), ("archive", "seal", path),
                            ("archive", "pack", path, "-o", path + "-bundle"),
                            ("archive", "unpack", path, "-o", path + "-run")):
                with self.subTest(f"{command[:2]} {name}"):
                    done = tool(*command)
                    self.assert_nothing_left(done, COULD_NOT, [name], ["file"])

    def test_a_folder_of_the_other_kind_is_named_with_the_command_that_helps(self):
        out = os.path.join(self.folder, "out")
        for command, path, hint in (
                (("replay", self.bundle), self.bundle, "exhibit-archive unpack"),
                (("archive", "pack", self.bundle, "-o", out), self.bundle, "exhibit-archive unpack"),
                (("archive", "seal", self.run_folder), self.run_folder, "exhibit-archive pack"),
                (("archive", "unpack", self.run_folder, "-o", out), self.run_folder, "exhibit-archive pack")):
            with self.subTest(command[:2]):
                done = tool(*command)
                self.assert_nothing_left(done, COULD_NOT, [path], [])
                self.assertIn(f"hint: {'Unpack' if 'unpack' in hint else 'Pack'} it first: {hint} {path} -o ",
                              done.stderr.decode())

    def test_a_run_whose_manifest_was_edited_is_not_packed(self):
        run, out = os.path.join(self.folder, "run"), os.path.join(self.folder, "bundle")
        shutil.copytree(self.run_folder, run)
        typed = read(run, "manifest.json")
        for edited in (typed + b"\n", b"{}\n"):
            write(edited, run, "manifest.json")
            done = tool("archive", "pack", run, "-o", out)
            self.assert_refused(done, COULD_NOT, ["manifest.json was edited after the capture", "freeze.json froze"])
            self.assertFalse(os.path.exists(out))
        write(typed, run, "manifest.json")
        must("archive", "pack", run, "-o", out)

    def test_a_run_that_lost_its_manifest_is_no_bundle_for_an_audit_in_it(self):
        run = os.path.join(self.folder, "run")
        shutil.copytree(self.run_folder, run)
        os.remove(os.path.join(run, "manifest.json"))
        write(b"{}\n", run, "audit.json")
        done = tool("audit", "--table", run)
        self.assertEqual(1, done.returncode)
        self.assertIn(b"file-missing  manifest.json", done.stdout)
        self.assertNotIn(b"evidence.tar.xz", done.stdout + done.stderr)
        lone = os.path.join(self.folder, "lone")
        os.mkdir(lone)
        write(b"{}\n", lone, "audit.json")
        self.assert_refused(tool("audit", lone), COULD_NOT, [lone, "neither a run nor a bundle"])

    def test_a_folder_in_the_way_of_an_output_is_refused(self):
        """What a read-only folder is to others, a file in its place is to root."""
        write(b"text\n", self.folder, "file")
        inside = os.path.join(self.folder, "file", "out")
        manifest = os.path.join(self.shared, "manifest.json")
        for command in (("capture", manifest, "-o", inside), ("archive", "pack", self.run_folder, "-o", inside),
                        ("archive", "unpack", self.bundle, "-o", inside)):
            self.assert_nothing_left(tool(*command), COULD_NOT, ["file"], ["file"])

    @unittest.skipIf(os.geteuid() == 0, "root writes everywhere")
    def test_a_read_only_folder_is_refused(self):
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        inside = os.path.join(self.folder, "out")
        manifest = os.path.join(self.shared, "manifest.json")
        for command in (("capture", manifest, "-o", inside), ("archive", "pack", self.run_folder, "-o", inside)):
            self.assert_nothing_left(tool(*command), COULD_NOT, ["out"], [])

    def test_words_that_no_tool_knows_are_usage(self):
        for name in ("capture", "replay", "audit", "archive", "compile"):
            for words in (["--no-such-flag"], []):
                with self.subTest(f"{name} {words}"):
                    done = tool(name, *words)
                    self.assertEqual((USAGE, b""), (done.returncode, done.stdout))
                    self.assertIn(b"error:", done.stderr)
            for words in (["--help"], ["--version"]):
                done = tool(name, *words)
                self.assertEqual(0, done.returncode, done.stderr.decode())
                self.assertNotEqual(b"", done.stdout)

    def test_stdout_that_is_closed_or_full_is_an_error(self):
        with open("/dev/full", "wb") as full:
            command = [os.path.join(pipeline.options.bin, "exhibit-audit"), self.bundle]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=300)
        self.assertEqual(COULD_NOT, done.returncode)
        self.assertIn(b"error:", done.stderr)


class FullDisk(pipeline.PipelineTest):
    """A file system of a size of our choice where root may mount one; a limit
    on the size of a file otherwise."""

    def setUp(self):
        super().setUp()
        self.disk = os.path.join(self.folder, "disk")
        os.mkdir(self.disk)

    def mount(self, size_kib):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_kib}k", "exhibit-test", self.disk],
                              capture_output=True, check=False)
        if done.returncode != 0:
            self.skipTest("no tmpfs may be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.disk], check=False)

    def assert_disk_error(self, done):
        self.assert_refused(done, COULD_NOT)
        self.assertRegex(done.stderr.decode(), "No space left|File too large|full")

    def test_a_capture_leaves_no_half_file(self):
        for size_bytes in (100, 3000, 20000):
            run = os.path.join(self.folder, f"run-{size_bytes}")
            done = tool("capture", os.path.join(self.shared, "manifest.json"), "-o", run,
                        preexec_fn=limit_file_size(size_bytes))
            self.assert_disk_error(done)
            self.assert_only_whole_files(run)

    def test_a_capture_on_a_full_disk_can_be_resumed(self):
        spare_kib = 1024
        self.mount((self.size_below("sources") >> 10) + spare_kib)
        run = os.path.join(self.disk, "run")
        filler = os.path.join(self.disk, "filler")
        # Room for the sources, not for what is built.
        write(bytes((spare_kib - 200) << 10), filler)
        done = tool("capture", os.path.join(self.shared, "manifest.json"), "-o", run)
        self.assert_disk_error(done)
        self.assert_only_whole_files(run)
        os.unlink(filler)
        subprocess.run(["mount", "-o", "remount,size=64m", self.disk], check=True)
        must("capture", os.path.join(self.shared, "manifest.json"), "-o", run)
        must("replay", run)
        self.assertEqual(VERIFIED, audit(run)[0])

    def size_below(self, folder):
        """As a tmpfs counts: whole pages."""
        names = [p for p in files_below(self.run_folder) if p.startswith(folder)]
        return sum(-(-os.path.getsize(os.path.join(self.run_folder, p)) // 4096) * 4096 for p in names)

    def assert_only_whole_files(self, run):
        """What stands in the run is a part of what a whole run has."""
        if not os.path.isdir(run):
            return
        for path in files_below(run):
            if path.startswith("sources/") or path.startswith("arrays/"):
                self.assertEqual(read(self.run_folder, path), read(run, path), path)
            elif path.endswith(".json") and path != "manifest.json":
                json.loads(read(run, path))
        self.assertEqual([], [p for p in files_below(run) if "tmp" in os.path.basename(p)])

    def test_a_replay_leaves_no_half_record_and_can_be_resumed(self):
        run = os.path.join(self.folder, "run")
        must("capture", os.path.join(self.shared, "manifest.json"), "-o", run)
        for size_bytes in (1000, 3000):
            self.assert_disk_error(tool("replay", run, preexec_fn=limit_file_size(size_bytes)))
            for path in files_below(run):
                if path.startswith("replays/"):
                    json.loads(read(run, path))
        done = tool("replay", run)
        self.assertEqual(0, done.returncode, done.stderr.decode())
        status, result = audit(run)
        self.assertEqual((VERIFIED, []), (status, result["findings"]))

    def test_a_pack_leaves_no_bundle(self):
        for size_bytes in (0, 1000, 100_000):
            bundle = os.path.join(self.folder, "bundle")
            done = tool("archive", "pack", self.run_folder, "-o", bundle, preexec_fn=limit_file_size(size_bytes))
            self.assert_disk_error(done)
            self.assertEqual(["disk"], os.listdir(self.folder))

    def test_a_pack_on_a_full_disk_leaves_no_bundle(self):
        self.mount(128)
        done = tool("archive", "pack", self.run_folder, "-o", os.path.join(self.disk, "bundle"))
        self.assert_disk_error(done)
        self.assertEqual([], os.listdir(self.disk))

    def test_an_unpack_on_a_full_disk_leaves_no_run(self):
        self.mount(512)
        done = tool("archive", "unpack", self.bundle, "-o", os.path.join(self.disk, "run"))
        self.assert_disk_error(done)
        self.assertEqual([], os.listdir(self.disk))

    def test_a_seal_leaves_the_bundle_as_it_was(self):
        bundle = os.path.join(self.folder, "bundle")
        must("archive", "pack", self.run_folder, "-o", bundle)
        before = content_id(bundle)
        words = ("--audit", os.path.join(self.shared, "audit.json"), "--report", os.path.join(self.shared, "report.md"))
        for size_bytes in (0, 100, 5000):
            done = tool("archive", "seal", bundle, *words, preexec_fn=limit_file_size(size_bytes))
            self.assert_disk_error(done)
            self.assertEqual(before, content_id(bundle))
            self.assertEqual(["bundle", "disk"], sorted(os.listdir(self.folder)))
        must("archive", "seal", bundle, *words)
        self.assertEqual(content_id(self.bundle), content_id(bundle))

    def test_an_audit_writes_nothing_and_needs_no_disk(self):
        done = tool("audit", self.bundle, preexec_fn=limit_file_size(0))
        self.assertEqual(VERIFIED, done.returncode, done.stderr.decode())
        self.assertEqual(read(self.bundle, "audit.json"), done.stdout)


if __name__ == "__main__":
    pipeline.main()
