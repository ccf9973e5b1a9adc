"""Experiments on tile programs: each shipped manifest goes through all stages,
and what is no experiment, or is altered afterwards, is found.

The replay policy is cut down; nothing here asks what the numbers say.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pipeline"))
import pipeline  # noqa: E402
from pipeline import COULD_NOT, DOES_NOT_HOLD, UNSUPPORTED, VERIFIED, read, write  # noqa: E402

NAMES = ("matmul", "softmax", "rmsnorm")
QUICK = {"cycles": 2, "samples": 3, "warmup_ms": 2, "target_ms": 1, "seed": 1}


def manifests():
    return os.path.join(pipeline.options.source, "manifests")


def shipped(name):
    return json.loads(read(manifests(), name + ".json"))


def quick(name):
    """The shipped manifest with a short replay."""
    manifest = shipped(name)
    manifest["replay"] = dict(QUICK)
    manifest["decision"]["alpha"] = 0.6
    return manifest


def place(folder, manifest, edit=None):
    """Writes the manifest and its texts, edited, into the folder."""
    for case in manifest["cases"]:
        text = read(manifests(), case["text"])
        write(edit(text) if edit else text, folder, case["text"])
    return pipeline.write_manifest(folder, manifest)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="exhibit-programs-")
        self.addCleanup(shutil.rmtree, self.folder)

    def make_run(self, manifest):
        run = os.path.join(self.folder, "run")
        pipeline.must("capture", place(self.folder, manifest), "-o", run)
        pipeline.must("replay", run)
        return run


class EveryShippedProgram(Scratch):
    def check(self, name):
        run = self.make_run(quick(name))
        bundle = pipeline.make_bundle(self.folder, run)
        status, found = pipeline.audit(bundle)
        self.assertEqual(found["findings"], [])
        self.assertEqual((status, found["verdict"]), (VERIFIED, "verified"))
        self.assertEqual(found["counts"]["declared"], found["counts"]["found"])
        case = found["cases"][0]
        self.assertEqual(case["evidence_level"], "numerically-recomputed")
        self.assertNotIn(case["outcome"], (None, "invalid"))
        self.check_texts(run, name, case["name"])
        review = os.path.join(pipeline.options.source, "tests", "independent", "review.py")
        done = subprocess.run([sys.executable, "-B", review, bundle], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def check_texts(self, run, name, case):
        """Frozen as typed, captured in canonical form, and neither differs."""
        typed = os.path.join(manifests(), "programs", name + ".tile")
        self.assertEqual(read(run, "sources", "manifest", "programs", name + ".tile"), read(typed))
        canonical = pipeline.must("compile", typed, "--emit", "program")
        self.assertNotIn(b"#", canonical)
        for variant in shipped(name)["variants"]:
            self.assertEqual(read(run, "captures", case, variant, "program.tile"), canonical)

    def test_matmul_is_verified(self):
        self.check("matmul")

    def test_softmax_is_verified(self):
        self.check("softmax")

    def test_rmsnorm_is_verified(self):
        self.check("rmsnorm")


class TheOracle(Scratch):
    def test_numpy_agrees_with_the_text_in_fp64(self):
        run = os.path.join(self.folder, "run")
        pipeline.must("capture", place(self.folder, quick("softmax")), "-o", run)
        arrays = json.loads(read(run, "cases/rows/case.json"))["arrays"]
        x, expected = (numpy.load(os.path.join(run, "arrays", a["sha256"] + ".npy")) for a in arrays)
        power = numpy.exp(x.astype(numpy.float64))
        numpy.testing.assert_allclose(expected, power / power.sum(axis=1, keepdims=True), rtol=1e-12)
        self.assertEqual([a["origin"] for a in arrays], ["sine", "oracle"])

    def test_a_supplied_expectation_takes_its_place(self):
        manifest = quick("softmax")
        manifest["cases"][0]["files"] = {"x": "x.npy", "y": "y.npy"}
        x = numpy.linspace(-2, 2, 101 * 75).reshape(101, 75).astype(numpy.float32)
        power = numpy.exp(x.astype(numpy.float64))
        numpy.save(os.path.join(self.folder, "x.npy"), x)
        numpy.save(os.path.join(self.folder, "y.npy"), power / power.sum(axis=1, keepdims=True))
        _, found = pipeline.audit(self.make_run(manifest))
        self.assertEqual(found["verdict"], "verified")
        self.assertEqual(found["cases"][0]["evidence_level"], "compared-with-supplied")


class ALibraryBesideAText(Scratch):
    def test_it_gets_the_buffers_of_the_text(self):
        manifest = quick("softmax")
        made = os.path.join(self.folder, "made")
        pipeline.must("compile", os.path.join(manifests(), "programs", "softmax.tile"), "-o", made)
        shutil.copy(os.path.join(made, "kernel.so"), os.path.join(self.folder, "softmax.so"))
        report = json.loads(read(made, "realization.json"))
        manifest["variants"]["expanded"] = {
            "library": "softmax.so", "symbol": "softmax.packet_batch.blocks",
            "workspace_bytes": report["private_workspace_bytes"]}
        manifest["sources"] = ["softmax.so"]
        _, found = pipeline.audit(self.make_run(manifest))
        self.assertEqual(found["findings"], [])
        self.assertEqual(found["verdict"], "verified")
        self.assertEqual(found["cases"][0]["evidence_level"], "numerically-recomputed")


class WhatIsNoExperiment(Scratch):
    def refused(self, status, words, manifest, edit=None):
        run = os.path.join(self.folder, "run")
        done = pipeline.tool("capture", place(self.folder, manifest, edit), "-o", run)
        self.assertEqual(done.returncode, status, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr.decode())
        self.assertFalse(os.path.exists(run))

    def test_an_inout_buffer_is_refused_by_name(self):
        self.refused(UNSUPPORTED, ['"y" is inout', "programs/rmsnorm.tile"], quick("rmsnorm"),
                     lambda text: text.replace(b"output y", b"inout y"))

    def test_an_option_that_only_attention_reads_is_refused_by_name(self):
        manifest = quick("matmul")
        manifest["controls"]["qk"] = "reduce"
        self.refused(COULD_NOT, ["option qk"], manifest)

    def test_a_syntax_error_names_line_and_token(self):
        self.refused(COULD_NOT, ["programs/softmax.tile:", "case rows"], quick("softmax"),
                     lambda text: text.replace(b"= exp below", b"= expo below"))

    def test_a_file_for_no_buffer_is_refused(self):
        manifest = quick("softmax")
        manifest["cases"][0]["files"] = {"z": "z.npy"}
        self.refused(COULD_NOT, ['"z"'], manifest)


class WhatIsAltered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="exhibit-programs-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.whole = os.path.join(cls.folder, "run")
        pipeline.must("capture", place(cls.folder, quick("rmsnorm")), "-o", cls.whole)
        pipeline.must("replay", cls.whole)

    def codes_after(self, edit):
        """What is held against the run whose frozen text is edit(text)."""
        run = os.path.join(self.folder, self.id())
        shutil.copytree(self.whole, run)
        path = os.path.join(run, "sources/manifest/programs/rmsnorm.tile")
        text = edit(read(path))
        os.remove(path)
        if text is not None:
            write(text, path)
        status, found = pipeline.audit(run)
        self.assertEqual((status, found["verdict"]), (DOES_NOT_HOLD, "failed"))
        self.assertIsNone(found["cases"][0]["outcome"])
        return {finding["code"] for finding in found["findings"]}

    def test_another_frozen_text_is_not_what_was_compiled(self):
        codes = self.codes_after(lambda text: text.replace(b"1e-05", b"2e-05"))
        self.assertEqual(codes, {"digest-differs", "program-differs"})

    def test_a_missing_text_is_missed(self):
        self.assertIn("file-missing", self.codes_after(lambda text: None))

    def test_a_text_that_does_not_parse_is_found_in_decoding(self):
        codes = self.codes_after(lambda text: text.replace(b"sqrt", b"root"))
        self.assertEqual(codes, {"digest-differs", "program-malformed"})

    def test_a_text_that_is_too_long_is_over_a_limit(self):
        codes = self.codes_after(lambda text: text + b"\n" * (1 << 20))
        self.assertEqual(codes, {"digest-differs", "over-limit"})


class ThePage(Scratch):
    def test_its_commands_run_as_typed(self):
        page = read(pipeline.options.source, "compiler", "TILE.md").decode()
        section = page.split("## From a program to an experiment", 1)[1]
        block = re.search(r"```sh\n(.*?)```", section, re.DOTALL).group(1)
        for line in block.splitlines():
            words = line.split()
            if words[0] == "build/bin/exhibit-compile":
                words[1] = os.path.join(pipeline.options.source, words[1])
                self.assertNotEqual(pipeline.must("compile", *words[1:]), b"", line)
            else:
                self.assertIn(words[:2], (["./exhibit", "build"], ["./exhibit", "run"]), line)
                for path in words[2:]:
                    self.assertTrue(os.path.exists(os.path.join(pipeline.options.source, path)), line)


if __name__ == "__main__":
    pipeline.main()
