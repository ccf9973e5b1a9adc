#!/usr/bin/env python3
"""capture -> replay -> pack -> audit -> seal -> audit, with the real tools: the
same bytes from anywhere, and what anybody can check without Exhibit."""

import io
import json
import os
import re
import shutil
import subprocess
import tarfile

import numpy
import pipeline
from pipeline import (COULD_NOT, DOES_NOT_HOLD, USAGE, VERIFIED, audit, content_id, files_below, must, options, read,
                      sha256, tool, write)


def shell(line, folder, **environment):
    """With the system's own programs first: a python3 elsewhere may lack NumPy."""
    environment.setdefault("PATH", "/usr/bin:" + os.environ["PATH"])
    return subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=folder, capture_output=True, timeout=300,
                          check=False, env={**os.environ, **environment})


def environments():
    """Settings that must not reach any byte."""
    available = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    locales = [name for name in ("C.UTF-8", "C.utf8", "de_DE.utf8", "fr_FR.utf8", "tr_TR.utf8") if name in available]
    return [{"LC_ALL": "C", "TZ": "UTC"},
            {"LC_ALL": (locales or ["C"])[-1], "TZ": "Asia/Kathmandu", "HOME": "/nowhere"}]


class Pipeline(pipeline.PipelineTest):
    def test_the_run_holds_what_was_declared(self):
        status, result = audit(self.bundle)
        self.assertEqual((VERIFIED, "verified", []), (status, result["verdict"], result["findings"]))
        self.assertEqual(result["counts"]["declared"]["visits"], result["counts"]["found"]["visits"])
        self.assertEqual((2, 8, 24), tuple(result["counts"]["found"][k] for k in ("captures", "visits", "samples")))
        self.assertEqual("numerically-recomputed", result["cases"][0]["evidence_level"])
        self.assertTrue(result["cohort_complete"])

    def test_the_audit_gives_the_stored_bytes_from_anywhere(self):
        stored, report = read(self.bundle, "audit.json"), read(self.bundle, "report.md")
        moved = os.path.join(self.folder, "else where", "b")
        shutil.copytree(self.bundle, moved)
        for folder, subject in (("/", self.bundle), (moved, "."), (self.folder, "else where/b")):
            for settings in environments():
                with self.subTest(f"{folder} {settings}"):
                    where = {"cwd": folder, "env": {**os.environ, **settings}}
                    self.assertEqual(stored, must("audit", subject, **where))
                    self.assertEqual(report, must("audit", "--report", subject, **where))

    def test_a_run_and_its_bundle_give_the_same_audit(self):
        self.assertEqual(read(self.bundle, "audit.json"), must("audit", self.run_folder))
        unpacked = os.path.join(self.folder, "unpacked")
        must("archive", "unpack", self.bundle, "-o", unpacked)
        self.assertEqual(read(self.bundle, "audit.json"), must("audit", unpacked))
        self.assertEqual(files_below(self.run_folder), files_below(unpacked))

    def test_packing_twice_gives_the_same_bytes(self):
        """Whatever the umask, user settings, times of files and threads."""
        copy = os.path.join(self.folder, "copied run")
        # Written in another order, with other modes and times.
        for i, path in enumerate(reversed(files_below(self.run_folder))):
            write(read(self.run_folder, path), copy, path)
            os.chmod(os.path.join(copy, path), (0o600, 0o755, 0o444)[i % 3])
            os.utime(os.path.join(copy, path), (i * 1000, i * 1000))
        for i, settings in enumerate(environments()):
            bundle = os.path.join(self.folder, f"again-{i}")
            must("archive", "pack", copy, "-o", bundle, "--threads", 1 + 2 * i, env={**os.environ, **settings},
                 preexec_fn=lambda: os.umask(0o077))
            for name in ("evidence.tar.xz", "sources.tar.gz", "provenance.json"):
                self.assertEqual(read(self.bundle, name), read(bundle, name), name)

    def test_the_content_id_is_what_coreutils_print(self):
        expected = content_id(self.run_folder)
        line = "find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum"
        self.assertEqual(expected, shell(line, self.run_folder).stdout.decode().split()[0])
        provenance = json.loads(read(self.bundle, "provenance.json"))
        self.assertEqual(expected, provenance["content_id"])
        for subject in (self.run_folder, self.bundle):
            self.assertEqual(expected, audit(subject)[1]["content_id"])
        packed = must("archive", "pack", self.run_folder, "-o", os.path.join(self.folder, "bundle"))
        self.assertEqual(expected + "\n", packed.decode())

    def test_ordinary_tools_read_the_bundle(self):
        self.assertEqual(0, shell("sha256sum -c SHA256SUMS", self.bundle).returncode)
        listed = shell("tar -tJf evidence.tar.xz && tar -tzf sources.tar.gz", self.bundle)
        self.assertEqual(b"", listed.stderr)
        names = [line.removeprefix("run/") for line in listed.stdout.decode().splitlines()]
        self.assertEqual("index.sha256", names[0])
        self.assertEqual(files_below(self.run_folder), sorted(names[1:], key=str.encode))
        with tarfile.open(os.path.join(self.bundle, "evidence.tar.xz")) as tar:
            arrays = [member for member in tar if member.name.endswith(".npy")]
            for member in arrays:
                values = numpy.load(io.BytesIO(tar.extractfile(member).read()), allow_pickle=False)
                self.assertGreater(values.size, 0)
        self.assertGreater(len(arrays), 3)

    def test_digests_that_a_report_cites_are_compared(self):
        manifest, content = sha256(read(self.run_folder, "manifest.json")), content_id(self.run_folder)
        status, _ = audit(self.bundle, "--expect-manifest", manifest, "--expect-content", content)
        self.assertEqual(VERIFIED, status)
        for word, path in (("--expect-manifest", "manifest.json"), ("--expect-content", "content id")):
            status, result = audit(self.bundle, word, sha256(b""))
            self.assertEqual(DOES_NOT_HOLD, status)
            self.assertEqual([("expectation-not-met", path)], [(f["code"], f["path"]) for f in result["findings"]])
            self.assert_refused(tool("audit", word, "0123", self.bundle), USAGE, ["0123"])

    def test_nothing_of_the_machine_stands_in_a_bundle(self):
        words = [os.uname().nodename, self.shared, options.bin, options.source, os.path.expanduser("~") + "/"]
        words = [word.encode() for word in words if len(word) > 3]
        for path in files_below(self.run_folder):
            if path.startswith("sources/"):
                continue
            for word in words:
                self.assertNotIn(word, read(self.run_folder, path), path)
        for word in words:
            self.assertNotIn(word, read(self.bundle, "audit.json") + read(self.bundle, "provenance.json"))

    def test_a_finished_run_is_neither_captured_nor_replayed_again(self):
        copy = os.path.join(self.folder, "run")
        shutil.copytree(self.run_folder, copy)
        before = content_id(copy)
        done = tool("capture", os.path.join(self.shared, "manifest.json"), "-o", copy)
        self.assert_refused(done, COULD_NOT, [copy])
        done = tool("replay", copy)
        self.assertEqual(VERIFIED, done.returncode)
        self.assertIn(b"nothing to do", done.stdout + done.stderr)
        self.assertEqual(before, content_id(copy))


class Reviewer(pipeline.PipelineTest):
    """The reviewer without Exhibit."""

    def review(self, bundle):
        script = os.path.join(options.source, "tests/independent/review.py")
        return subprocess.run(["/usr/bin/python3", script, bundle], capture_output=True, text=True, check=False,
                              timeout=300)

    def test_the_independent_reviewer_agrees(self):
        done = self.review(self.bundle)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("everything agrees", done.stdout)

    def test_the_independent_reviewer_sees_every_edited_figure(self):
        copy = os.path.join(self.folder, "bundle")
        shutil.copytree(self.bundle, copy)
        result = json.loads(read(copy, "audit.json"))
        case = result["cases"][0]
        edits = {"outcome": "faster" if case["outcome"] != "faster" else "slower"}
        for name, value in edits.items():
            case[name] = value
        write(json.dumps(result, sort_keys=True, separators=(",", ":")).encode() + b"\n", copy, "audit.json")
        names = [name for name in files_below(copy) if name != "SHA256SUMS"]
        write("".join(f"{sha256(read(copy, n))}  {n}\n" for n in names).encode(), copy, "SHA256SUMS")
        done = self.review(copy)
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertIn("outcome", done.stdout)

    def test_the_commands_of_the_readme_work_as_typed(self):
        folder = os.path.join(self.folder, "as typed")
        shutil.copytree(self.bundle, os.path.join(folder, "bundle"))
        done = shell(readme_block("Reviewing without Exhibit", "cd bundle"), folder)
        self.assertEqual(0, done.returncode, done.stderr.decode())
        self.assertIn(content_id(self.run_folder).encode(), done.stdout)

    def test_the_stages_of_the_readme_work_as_typed(self):
        pipeline.write_manifest(self.folder, name="my-experiment.json")
        lines = readme_block("Your own experiment", "exhibit-capture")
        done = shell(lines, self.folder, PATH=f"{options.bin}:{os.environ['PATH']}")
        self.assertEqual(0, done.returncode, done.stderr.decode())
        self.assertEqual(VERIFIED, audit(os.path.join(self.folder, "bundle"))[0])
        self.assertEqual(6, len(files_below(os.path.join(self.folder, "bundle"))))

    def test_the_front_script_runs_the_stages_of_the_readme(self):
        """./exhibit run and the page name the same tools in the same order."""
        script = read(options.source, "exhibit").decode()
        body = script[script.index("run_manifest() {"):]
        lines = readme_block("Your own experiment", "exhibit-capture")
        typed = re.findall(r"^exhibit-(\w+)(?: (pack|seal|--report))?", lines, re.MULTILINE)
        called = re.findall(r"/exhibit-(\w+)\"(?: (pack|seal|--report))?", body[:body.index("\n}\n")])
        self.assertEqual(typed, called[:len(typed)])


def readme_block(section, first):
    """The indented lines of a section, from the block that starts with `first`."""
    text = read(options.source, "README.md").decode()
    part = text[text.index(f"## {section}\n"):].split("\n## ")[0]
    blocks = re.findall(r"(?:^    .*\n)+", part, re.MULTILINE)
    block = next(b for b in blocks if b.strip().startswith(first))
    return re.sub(r"^    ", "", block, flags=re.MULTILINE)


if __name__ == "__main__":
    pipeline.main()
