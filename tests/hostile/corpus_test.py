#!/usr/bin/env python3
"""Every hostile subject is met by its finding, in little time and memory.

Each subject of corpus.CASES is written, judged by exhibit-audit under limits of
the system, and removed. The audit must end by itself with status 1 (or 0 or 4
where the case says so), say the code and the place, and print valid JSON of a
sane size. A table of counts is printed at the end.
"""

import collections
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tool/pipeline"))
import pipeline  # noqa: E402
from bundle_maker import Bundle  # noqa: E402
from corpus import CANNOT_VERIFY, CASES, VERIFIED, Case  # noqa: E402
import hostile_arrays  # noqa: E402, F401
import hostile_beside  # noqa: E402
import hostile_folder  # noqa: E402, F401
import hostile_json  # noqa: E402, F401
import hostile_records  # noqa: E402, F401
import hostile_streams  # noqa: E402, F401
import hostile_tar  # noqa: E402, F401
from forger import ForgedRun  # noqa: E402
from forgeries import ADMITTED, CAUGHT  # noqa: E402

CPU_SECONDS = 30
SANITIZED_CPU_SECONDS = 300
MEMORY_BYTES = 1 << 30
OUTPUT_BYTES = 4 << 20
SMALL_RUN = "../tests/small_run"  # From the folder of the tools.

# Codes that no bundle of this corpus and no forgery reaches, each with the test
# in which it is reached.
ELSEWHERE = {}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def sanitized_limit():
    """No limit of memory: a sanitizer reserves far more address space than there is."""
    resource.setrlimit(resource.RLIMIT_CPU, (SANITIZED_CPU_SECONDS, SANITIZED_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Base:
    """The honest run from which every subject is made."""

    def __init__(self, folder):
        self.folder = folder
        self.run = {path: pipeline.read(folder, path) for path in pipeline.files_below(folder)}

    def bundle(self, files=None):
        return Bundle(self.run if files is None else files)

    def forged(self):
        return ForgedRun(self.folder)


def audit(subject, *words):
    command = [os.path.join(pipeline.options.bin, "exhibit-audit"), "--quiet", *words, subject]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
                          preexec_fn=sanitized_limit if pipeline.sanitized() else limit, cwd="/")


def documented_codes():
    text = pipeline.read(pipeline.options.source, "audit/CHECKS.md").decode()
    return set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE))


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="exhibit-")
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        run = os.path.join(cls.shared, "run")
        subprocess.run([os.path.join(pipeline.options.bin, SMALL_RUN), run], check=True)
        cls.base = Base(run)
        cls.key = os.path.join(cls.shared, "key.pem")
        pipeline.write(hostile_beside.PUBLIC_PEM, cls.key)

    def judge(self, case):
        """(status, result, stderr) of the audit of the case's subject."""
        folder = os.path.join(self.shared, "subject")
        shutil.rmtree(folder, ignore_errors=True)
        case.make(self.base).write(folder)
        done = audit(folder, *(self.key if word == "KEY" else word for word in case.words))
        shutil.rmtree(folder)
        self.assertNotIn(self.shared.encode(), done.stdout, "the result says where the subject lay")
        self.assertIn(done.returncode, (0, 1, 4), done.stderr[:2000])
        self.assertLess(len(done.stdout) + len(done.stderr), OUTPUT_BYTES)
        self.assertNotRegex(done.stdout + done.stderr, rb"[\x00-\x09\x0b-\x1f\x7f-\xff]")
        return done.returncode, json.loads(done.stdout)

    def check(self, case):
        status, result = self.judge(case)
        said = result["obstacles"] if case.code == CANNOT_VERIFY else [
            " ".join((f["path"], f["field"], f["message"], f["found"])) for f in result["findings"]
            if f["code"] == case.code]
        if case.code == VERIFIED:
            self.assertEqual((0, VERIFIED, []), (status, result["verdict"], result["findings"]))
            return
        expected = (4, CANNOT_VERIFY) if case.code == CANNOT_VERIFY else (1, "failed")
        self.assertEqual(expected, (status, result["verdict"]), result["findings"][:5])
        self.assertTrue(any(case.where in text and case.message in text for text in said),
                        f"{case.code} at {case.where!r} saying {case.message!r}, found {result['findings'][:5]} "
                        f"{result['obstacles'][:5]}")

    def test_every_hostile_subject_is_met_by_its_finding(self):
        counts = collections.defaultdict(collections.Counter)
        for case in CASES:
            with self.subTest(f"{case.group}: {case.name}"):
                self.check(case)
            counts[case.group][case.code] += 1
        for group, codes in counts.items():
            listed = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
            print(f"{group:12} {sum(codes.values()):4}  {listed}", file=sys.stderr)
        print(f"{'all':12} {len(CASES):4}", file=sys.stderr)

    def test_names_are_told_apart(self):
        names = [(case.group, case.name) for case in CASES]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 100)

    def test_nothing_of_a_subject_was_run(self):
        self.assertFalse(os.path.exists("/tmp/exhibit-was-here"))

    def test_the_document_says_what_cannot_be_told(self):
        section = pipeline.read(pipeline.options.source, "audit/CHECKS.md").decode().split("## Consistent forgeries")[1]
        words = set(re.findall(r"^\| ([a-z ]+) \|", section.split("not verified |")[1], re.MULTILINE))
        self.assertLessEqual({word for _, word, _ in ADMITTED}, words)
        # The honest run of these tests was never executed, and is one of them.
        status, result = self.judge(Case("", "", lambda base: base.bundle(), VERIFIED, "", ""))
        self.assertEqual((0, VERIFIED), (status, result["verdict"]))
        self.assertLessEqual(words, {line.split(":")[0] for line in result["not_verified"]})

    def test_every_code_of_the_document_is_reached(self):
        reached = {case.code for case in CASES} | {code for _, code in CAUGHT}
        reached -= {VERIFIED, CANNOT_VERIFY}
        self.assertEqual(documented_codes(), reached | set(ELSEWHERE))
        self.assertEqual(set(), reached & set(ELSEWHERE))


if __name__ == "__main__":
    pipeline.main()
