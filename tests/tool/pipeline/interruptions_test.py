#!/usr/bin/env python3
"""A replay that is killed at any moment leaves whole files, and can be resumed:
what was finished stays byte for byte, and the audit verifies the rest."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import pipeline
from pipeline import VERIFIED, audit, files_below, make_bundle, must, options, read, tool, write_manifest

KILLS = 6


def visits_of(run):
    return {path: read(run, path) for path in files_below(run) if re.search(r"/(visit|calibration)-", path)}


class Interruptions(pipeline.PipelineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.captured = os.path.join(cls.shared, "captured")
        must("capture", os.path.join(cls.shared, "manifest.json"), "-o", cls.captured)

    def start(self, run):
        command = [os.path.join(options.bin, "exhibit-replay"), run]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def replay_until(self, run, visits, wait_s, number):
        """Sends the signal `wait_s` after `visits` records stand in the run."""
        process = self.start(run)
        while process.poll() is None and len(visits_of(run)) < visits:
            time.sleep(0.001)
        time.sleep(wait_s)
        process.send_signal(number)
        return process.wait(timeout=120)

    def resumed(self, run):
        done = tool("replay", run)
        self.assertEqual(0, done.returncode, done.stderr.decode())

    def test_a_killed_replay_is_resumed_and_verified(self):
        draw = random.Random(3)
        for kill in range(KILLS):
            run = os.path.join(self.folder, f"run-{kill}")
            shutil.copytree(self.captured, run)
            after, wait_s = draw.randrange(0, 9), draw.random() * 0.03
            with self.subTest(f"killed {wait_s:.4f} s after {after} records"):
                status = self.replay_until(run, after, wait_s, signal.SIGKILL)
                finished = visits_of(run)
                if status == 0:
                    continue  # It was done before the signal.
                self.resumed(run)
                again = visits_of(run)
                self.assertEqual(finished, {path: again[path] for path in finished})
                bundle = make_bundle(os.path.join(self.folder, f"of-{kill}"), run)
                status, result = audit(bundle)
                self.assertEqual((VERIFIED, []), (status, result["findings"]))
                self.assertEqual(3, result["attempts"]["started"])
                print(f"killed after {len(finished)} of {len(again)} records", file=sys.stderr)

    def test_a_replay_killed_again_and_again_comes_to_its_end(self):
        run = os.path.join(self.folder, "run")
        shutil.copytree(self.captured, run)
        draw = random.Random(4)
        before = {}
        for visits in (0, 2, 3, 5, 6, 8):
            self.replay_until(run, visits, draw.random() * 0.02, signal.SIGKILL)
            now = visits_of(run)
            self.assertEqual(before, {path: now[path] for path in before})
            before = now
        done = tool("replay", run)
        self.assertEqual(0, done.returncode, done.stderr.decode())
        status, result = audit(run)
        self.assertEqual((VERIFIED, []), (status, result["findings"]))
        self.assertTrue(result["cohort_complete"])

    def test_an_interrupt_and_a_termination_end_with_their_status(self):
        for number, expected in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            run = os.path.join(self.folder, f"run-{expected}")
            shutil.copytree(self.captured, run)
            with self.subTest(expected):
                self.assertEqual(expected, self.replay_until(run, 3, 0, number))
                self.resumed(run)
                status, result = audit(run)
                self.assertEqual((VERIFIED, []), (status, result["findings"]))

    def test_an_unfinished_run_is_not_verified(self):
        run = os.path.join(self.folder, "run")
        shutil.copytree(self.captured, run)
        self.replay_until(run, 4, 0, signal.SIGKILL)
        status, result = audit(run)
        self.assertEqual((1, "failed"), (status, result["verdict"]))
        self.assertIn("file-missing", [finding["code"] for finding in result["findings"]])

    def test_a_killed_capture_is_resumed_and_verified(self):
        draw = random.Random(5)
        manifest = write_manifest(self.folder)
        for kill in range(3):
            run = os.path.join(self.folder, f"run-{kill}")
            command = [os.path.join(options.bin, "exhibit-capture"), manifest, "-o", run]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while process.poll() is None and not os.path.exists(os.path.join(run, "attempts.jsonl")):
                time.sleep(0.001)
            time.sleep(draw.random() * 0.3)
            process.kill()
            with self.subTest(f"kill {kill}"):
                if process.wait(timeout=120) == 0:
                    continue
                must("capture", manifest, "-o", run)
                self.resumed(run)
                status, result = audit(run)
                self.assertEqual((VERIFIED, []), (status, result["findings"]))


if __name__ == "__main__":
    pipeline.main()
