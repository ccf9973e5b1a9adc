#!/usr/bin/env python3
"""Whatever byte of a bundle is changed, and wherever one of its files is cut,
the audit does not verify it. With the seal made true again a few changes are
verified, as the same run; each of them is one of those that are admitted here:

- a value of provenance.json that its author alone can vouch for;
- the distance of a copy in sources.tar.gz, to a place where the same bytes stand;
- the spelling of claims.json, which an author writes by hand.

The bundle is the smallest there is. Every byte is tried with
EXHIBIT_MUTATION_STEP=1 (ctest -L slow); otherwise one in fifty.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

from deflate_tokens import tokens

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tool/pipeline"))
import pipeline  # noqa: E402

STEP = int(os.environ.get("EXHIBIT_MUTATION_STEP", "50"))
FILES = ["SHA256SUMS", "audit.json", "claims.json", "content-id.sig", "evidence.tar.xz", "provenance.json",
         "report.md", "sources.tar.gz"]


# Of provenance.json, what says nothing of the run.
VOUCHED_FOR = {"build", "gzip", "left_out", "libraries", "source_commit", "tool", "xz"}


def leaves(value, path=()):
    """The values of a JSON value that hold no others, by their path."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {key: leaf for name, item in items for key, leaf in leaves(item, path + (name,)).items()}
    return {path: value}


def one_vouched_value(before, after):
    """Whether two provenance.json differ in one such value and in nothing else."""
    before, after = leaves(json.loads(before)), leaves(json.loads(after))
    changed = [path for path in before if path in after and before[path] != after[path]]
    return before.keys() == after.keys() and len(changed) == 1 and changed[0][0] in VOUCHED_FOR


def one_distance(before, after):
    """Whether two gzip members, of the same contents, differ in the distance of one copy and in nothing else."""
    same_rest = (before[:10], before[-8:]) == (after[:10], after[-8:])
    before, after = tokens(before[10:-8]), tokens(after[10:-8])
    changed = [(a, b) for a, b in zip(before, after) if a != b]
    return (same_rest and len(before) == len(after) and len(changed) == 1 and
            all(a[:2] == b[:2] and a[0] == "copy" for a, b in changed))


def same_claims(before, after):
    """Whether two claims.json say the same in another spelling: its author writes it by hand."""
    return json.loads(before) == json.loads(after)


ADMITTED = {"claims.json": same_claims, "provenance.json": one_vouched_value, "sources.tar.gz": one_distance}

CLAIMS = b'''{"schema": "exhibit.claims/1",
 "claims": [{"case": "tiny", "quantity": "outcome", "value": "faster"}]}'''
# The first key of RFC 8032.
KEY = b"""-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
"""


def test_program(name):
    return os.path.join(pipeline.options.bin, "../tests", name)


class Mutations(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="exhibit-")
        self.addCleanup(self.temporary.cleanup)
        run = os.path.join(self.temporary.name, "run")
        subprocess.run([test_program("small_run"), run], check=True)
        pipeline.write(CLAIMS, self.temporary.name, "claims.json")
        pipeline.write(KEY, self.temporary.name, "key.pem")
        self.bundle = os.path.join(self.temporary.name, "bundle")
        pipeline.must("archive", "pack", run, "-o", self.bundle, "--claims",
                      os.path.join(self.temporary.name, "claims.json"))
        pipeline.seal(self.bundle, self.temporary.name)
        pipeline.must("archive", "sign", self.bundle, "--key", os.path.join(self.temporary.name, "key.pem"))

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

        self.check_admitted(done.stdout.decode())

    def check_admitted(self, output):
        for name, at, by in re.findall(r"^(\S+): same run with byte (\d+) changed by (\w+)$", output, re.M):
            before = pipeline.read(self.bundle, name)
            after = bytearray(before)
            after[int(at)] ^= int(by, 16)
            with self.subTest(name=name, at=at):
                self.assertIn(name, ADMITTED)
                self.assertTrue(ADMITTED[name](before, bytes(after)))
        same = sum(int(count) for count in re.findall(r"(\d+) passed as the same run", output))
        self.assertEqual(same, output.count("same run with byte"))

    def assert_is_refused(self, sources):
        """The bundle with such a sources.tar.gz, without the seal, which would tell."""
        bundle = os.path.join(self.temporary.name, "unsealed")
        shutil.rmtree(bundle, ignore_errors=True)
        shutil.copytree(self.bundle, bundle)
        os.remove(os.path.join(bundle, "SHA256SUMS"))
        pipeline.write(sources, bundle, "sources.tar.gz")
        self.assertEqual(["archive-unsound"], [f["code"] for f in pipeline.audit(bundle)[1]["findings"]])

    def test_every_bit_of_the_sources_that_may_change_is_of_a_distance(self):
        before = pipeline.read(self.bundle, "sources.tar.gz")
        contents = zlib.decompress(before, 31)
        admitted = 0
        for at in range(10, len(before)):
            for bit in range(8):
                after = bytearray(before)
                after[at] ^= 1 << bit
                try:
                    same = zlib.decompress(after, 31) == contents
                except zlib.error:
                    continue
                if same and tokens(before[10:-8]) == tokens(bytes(after)[10:-8]):
                    # A bit that deflate steps over, and zlib with it.
                    self.assert_is_refused(bytes(after))
                elif same:
                    admitted += 1
                    self.assertTrue(one_distance(before, bytes(after)), (at, bit))
        self.assertGreater(admitted, 0)

    def test_the_bundle_is_itself_again(self):
        before = {name: pipeline.read(self.bundle, name) for name in FILES}
        self.assertEqual(0, self.mutate(2000).returncode)
        self.assertEqual(before, {name: pipeline.read(self.bundle, name) for name in FILES})

    def test_an_unsound_bundle_is_refused(self):
        pipeline.write(b"{}\n", self.bundle, "audit.json")
        self.assertEqual(3, self.mutate(1).returncode)


if __name__ == "__main__":
    pipeline.main()
