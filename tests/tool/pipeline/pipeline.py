"""What the tests of the whole pipeline share: the tools, a quick manifest, and
a run and a bundle made from it. No test stands here."""

import argparse
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

# Two cycles and a generous alpha: nothing here asks what the numbers say.
MANIFEST = {
    "schema": "exhibit.manifest/1",
    "name": "pipeline",
    "question": "Does the whole pipeline hold together?",
    "program": "attention",
    "controls": {"workers_per_block": 8, "max_unrolled_mma_terms": 4},
    "variants": {"r1": {"mma_output_block": 1}, "r4": {"mma_output_block": 4}},
    "baseline": "r1",
    "candidate": "r4",
    "cases": [{"name": "tiny", "shape": [1, 2, 1, 3, 9, 8, 8], "tile": [1, 4]}],
    "tolerance": {"absolute": 1e-6, "relative": 1e-5},
    "replay": {"cycles": 2, "samples": 3, "warmup_ms": 2, "target_ms": 1, "seed": 1},
    "decision": {"rule": "pairs/1", "alpha": 0.6, "minimum_effect": 0.01},
}

VERIFIED, DOES_NOT_HOLD, USAGE, COULD_NOT, UNSUPPORTED = range(5)

options = argparse.Namespace(bin="", source="")


def main():
    """Takes --bin and --source off the command line and runs the tests."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--source", required=True, help="top of the source tree")
    _, others = parser.parse_known_args(namespace=options)
    options.bin = os.path.abspath(options.bin)
    options.source = os.path.abspath(options.source)
    unittest.main(argv=sys.argv[:1] + others)


@functools.cache
def sanitized():
    """Whether the tools were built with AddressSanitizer, which takes terabytes of address space."""
    return b"__asan_init" in read(options.bin, "exhibit-audit")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def write(data, *path):
    name = os.path.join(*path)
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "wb") as file:
        file.write(data)


def files_below(folder):
    """Paths of all files, relative to the folder, sorted bytewise."""
    found = []
    for at, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(at, name), folder) for name in names]
    return sorted(found, key=str.encode)


def content_id(folder):
    lines = [f"{sha256(read(folder, path))}  {path}\n" for path in files_below(folder)]
    return sha256("".join(lines).encode())


def tool(name, *arguments, **keywords):
    """Runs exhibit-NAME; stdout and stderr are bytes."""
    command = [os.path.join(options.bin, "exhibit-" + name), *map(str, arguments)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False, **keywords)


def must(name, *arguments, **keywords):
    """As tool(), for what has to work; returns stdout."""
    done = tool(name, *arguments, **keywords)
    if done.returncode != 0:
        raise AssertionError(f"exhibit-{name} {arguments}: status {done.returncode}\n{done.stderr.decode()}")
    return done.stdout


def write_manifest(folder, manifest=None, name="manifest.json"):
    path = os.path.join(folder, name)
    write(json.dumps(manifest or MANIFEST, indent=2).encode() + b"\n", path)
    return path


def make_run(folder, manifest=None):
    """Captures and replays; returns the run's folder."""
    run = os.path.join(folder, "run")
    must("capture", write_manifest(folder, manifest), "-o", run)
    must("replay", run)
    return run


def audit(subject, *arguments, **keywords):
    """(exit status, audit.json as read) of a run or a bundle."""
    done = tool("audit", *arguments, subject, **keywords)
    if done.returncode not in (VERIFIED, DOES_NOT_HOLD, UNSUPPORTED):
        raise AssertionError(f"exhibit-audit: status {done.returncode}\n{done.stderr.decode()}")
    return done.returncode, json.loads(done.stdout)


def seal(bundle, folder):
    """Adds what the audit derives, as `exhibit run` does."""
    for name, word in (("audit.json", []), ("report.md", ["--report"])):
        write(tool("audit", *word, bundle).stdout, folder, name)
    must("archive", "seal", bundle, "--audit", os.path.join(folder, "audit.json"),
         "--report", os.path.join(folder, "report.md"))


def make_bundle(folder, run, name="bundle"):
    """Packs and seals; returns the bundle's folder."""
    bundle = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    must("archive", "pack", run, "-o", bundle)
    seal(bundle, folder)
    return bundle


class PipelineTest(unittest.TestCase):
    """One run and its sealed bundle for all tests of a class."""

    manifest = MANIFEST

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="exhibit-")
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.run_folder = make_run(cls.shared, cls.manifest)
        cls.bundle = make_bundle(cls.shared, cls.run_folder)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="exhibit-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def assert_refused(self, done, status, names=()):
        """A clear error: the status, a line `error:`, one `hint:`, and each of `names`."""
        talk = done.stderr.decode()
        self.assertEqual(status, done.returncode, talk)
        self.assertIn("error:", talk)
        self.assertRegex(talk, r"\nhint: \S")
        for name in names:
            self.assertIn(name, talk)
