#!/usr/bin/env python3
"""Whatever byte of a bundle is changed, and wherever one of its files is cut,
the audit does not verify it.

The bundle is the smallest there is. Every byte is tried with
EXHIBIT_MUTATION_STEP=1 (ctest -L slow); otherwise one in fifty.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tool/pipeline"))
import pipeline  # noqa: E402

STEP = int(os.environ.get("EXHIBIT_MUTATION_STEP", "50"))
FILES = ["SHA256SUMS", "audit.json", "evidence.tar.xz", "provenance.json", "report.md", "sources.tar.gz"]


def test_program(name):
    return os.path.join(pipeline.options.bin, "../tests", name)


class Mutations(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="exhibit-")
        self.addCleanup(self.temporary.cleanup)
        run = os.path.join(self.temporary.name, "run")
        subprocess.run([test_program("small_run"), run], check=True)
        self.bundle = pipeline.make_bundle(self.temporary.name, run)

    def mutate(self, step):
        return subprocess.run([test_program("mutate_bundle"), self.bundle, str(step)], capture_output=True, check=False,
                              timeout=3 * 3600)

    def test_no_changed_byte_and_no_cut_file_is_verified(self):
        self.assertEqual(FILES, pipeline.files_below(self.bundle))
        sizes = {name: len(pipeline.read(self.bundle, name)) for name in FILES}
        done = self.mutate(STEP)
        sys.stderr.write(done.stdout.decode())
        self.assertEqual(0, done.returncode, done.stderr)
        found = re.findall(r"^(\S+): (bytes changed|lengths cut): (\d+) tried, 0 passed;", done.stdout.decode(), re.M)
        tried = {name: (len(range(0, size, STEP)),) * 2 for name, size in sizes.items()}
        self.assertEqual(tried, {name: tuple(int(count) for other, _, count in found if other == name)
                                 for name in FILES})

    def test_the_bundle_is_itself_again(self):
        before = {name: pipeline.read(self.bundle, name) for name in FILES}
        self.assertEqual(0, self.mutate(2000).returncode)
        self.assertEqual(before, {name: pipeline.read(self.bundle, name) for name in FILES})

    def test_an_unsound_bundle_is_refused(self):
        pipeline.write(b"{}\n", self.bundle, "audit.json")
        self.assertEqual(3, self.mutate(1).returncode)


if __name__ == "__main__":
    pipeline.main()
