#!/usr/bin/env python3
"""Whatever is altered in a sealed bundle or in a run is found and named.

A bundle: bytes flipped, files removed, files added. A run, which has no seal:
the same, as far as its records cite one another. What no record cites (the
last record of each chain) is held by the content id alone; the test says which.
"""

import os
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tool/pipeline"))
import pipeline  # noqa: E402
from pipeline import VERIFIED, audit, files_below, read, tool, write  # noqa: E402

# Every byte of a file up to this size is flipped, of larger ones a sample.
WHOLE_FILE_BYTES = 2000
RANDOM_POSITIONS = 12


def positions(data, draw):
    if len(data) <= WHOLE_FILE_BYTES:
        return list(range(len(data)))
    chosen = {0, 1, len(data) // 2, len(data) - 2, len(data) - 1}
    chosen.update(draw.randrange(len(data)) for _ in range(RANDOM_POSITIONS))
    return sorted(chosen)


def flipped(data, position, bit):
    changed = bytearray(data)
    changed[position] ^= 1 << bit
    return bytes(changed)


class Altered:
    """A file that is something else within the block, and itself again after."""

    def __init__(self, folder, path, data):
        self.name = os.path.join(folder, path)
        self.data = data

    def __enter__(self):
        self.was = read(self.name) if os.path.exists(self.name) else None
        os.path.exists(self.name) and os.unlink(self.name)
        if self.data is not None:
            write(self.data, self.name)

    def __exit__(self, *_):
        os.path.exists(self.name) and os.unlink(self.name)
        if self.was is not None:
            write(self.was, self.name)


def names_file(done, path):
    """Whether findings, obstacles or the error name the file."""
    return path.encode() in done.stdout + done.stderr


class AlterationsOfABundle(pipeline.PipelineTest):
    def setUp(self):
        super().setUp()
        self.copy = os.path.join(self.folder, "bundle")
        shutil.copytree(self.bundle, self.copy)
        self.assertEqual(VERIFIED, audit(self.copy)[0])

    def assert_found(self, path, what):
        done = tool("audit", self.copy)
        self.assertIn(done.returncode, (1, 3, 4), f"{what}: {done.stderr.decode()}")
        self.assertTrue(names_file(done, path), f"{what}: {path} is not named\n{done.stdout[:2000]}")

    def test_every_flipped_byte_is_found(self):
        draw = random.Random(1)
        tried = 0
        for path in files_below(self.copy):
            data = read(self.copy, path)
            for position in positions(data, draw):
                bit = draw.randrange(8)
                with Altered(self.copy, path, flipped(data, position, bit)):
                    self.assert_found(path, f"{path}: bit {bit} of byte {position} flipped")
                tried += 1
        print(f"bundle: {tried} flipped bytes found", file=sys.stderr)

    def test_every_truncation_is_found(self):
        for path in files_below(self.copy):
            data = read(self.copy, path)
            for size in (0, 1, len(data) // 2, len(data) - 1):
                with Altered(self.copy, path, data[:size]):
                    self.assert_found(path, f"{path}: cut to {size} bytes")

    def test_every_appended_byte_is_found(self):
        for path in files_below(self.copy):
            for more in (b"\0", b"\n"):
                with Altered(self.copy, path, read(self.copy, path) + more):
                    self.assert_found(path, f"{path}: {more} appended")

    def test_every_removed_file_is_found(self):
        for path in files_below(self.copy):
            if path == "SHA256SUMS":
                continue
            with Altered(self.copy, path, None):
                self.assert_found(path, f"{path}: removed")

    def test_a_removed_seal_is_said(self):
        with Altered(self.copy, "SHA256SUMS", None):
            done = tool("audit", self.copy)
        self.assertIn(b"not sealed", done.stderr)

    def test_every_added_file_is_found(self):
        for path in ("extra.txt", ".hidden", "evidence.tar.xz.bak", "audit.json~", "folder/file"):
            with Altered(self.copy, path, b"more\n"):
                self.assert_found(path.split("/")[0], f"{path}: added")
            shutil.rmtree(os.path.join(self.copy, "folder"), ignore_errors=True)

    def test_a_link_in_place_of_a_file_is_found(self):
        for path in files_below(self.copy):
            name = os.path.join(self.copy, path)
            with Altered(self.copy, path, None):
                os.symlink(os.path.join(self.bundle, path), name)
                self.assert_found(path, f"{path}: a link")

    def test_two_files_that_changed_places_are_found(self):
        for path, other in (("audit.json", "report.md"), ("audit.json", "provenance.json"),
                            ("evidence.tar.xz", "sources.tar.gz")):
            with Altered(self.copy, path, read(self.copy, other)):
                with Altered(self.copy, other, read(self.bundle, path)):
                    self.assert_found(path, f"{path} and {other} exchanged")


class AlterationsOfARun(pipeline.PipelineTest):
    def setUp(self):
        super().setUp()
        self.copy = os.path.join(self.folder, "run")
        shutil.copytree(self.run_folder, self.copy)
        status, result = audit(self.copy)
        self.assertEqual(VERIFIED, status)
        self.content_id = result["content_id"]

    def tips(self):
        """Records at the end of a chain, which no other record cites."""
        visits = [path for path in files_below(self.copy) if "/visit-" in path]
        return {visits[-1], "attempts.jsonl"}

    def check_all(self, alter):
        """Alters every file by alter(path, data) -> bytes or None."""
        tips, tried = self.tips(), 0
        for path in files_below(self.copy):
            changed = alter(path, read(self.copy, path))
            with Altered(self.copy, path, changed):
                done = tool("audit", "--expect-content", self.content_id, self.copy)
                self.assertIn(done.returncode, (1, 3, 4), f"{path}: {done.stderr.decode()}")
                # The content id finds everything; what it was is for the rest to say.
                if path not in tips or changed is None:
                    self.assertTrue(names_file(done, path), f"{path} is not named\n{done.stdout[:2000]}")
                    self.assertGreater(len(pipeline.json.loads(done.stdout)["findings"]), 1, path)
            tried += 1
        return tried

    def test_a_flipped_byte_in_any_file_is_found(self):
        draw = random.Random(2)
        tried = self.check_all(
            lambda _, data: flipped(data, draw.randrange(len(data)), draw.randrange(8)) if data else b"\0")
        print(f"run: {tried} flipped bytes found", file=sys.stderr)

    def test_any_removed_file_is_found(self):
        tried = self.check_all(lambda path, data: None)
        print(f"run: {tried} removed files found", file=sys.stderr)

    def test_any_added_file_is_found(self):
        folders = sorted({os.path.dirname(path) for path in files_below(self.copy)} - {""})
        folders = [f for f in folders if not f.startswith("sources/exhibit/")] + ["", "logs", "more", "cases/other"]
        for folder in folders:
            for name in ("extra.json", ".hidden", "visit-00.json", "a b"):
                path = os.path.join(folder, name)
                with Altered(self.copy, path, b"{}\n"):
                    done = tool("audit", self.copy)
                    self.assertIn(done.returncode, (1, 3, 4), path)
                    self.assertTrue(names_file(done, path), f"{path} is not named\n{done.stdout[:2000]}")

    def test_an_array_that_nothing_names_is_found(self):
        data = read(self.copy, next(p for p in files_below(self.copy) if p.endswith(".npy")))
        more = data[:-1] + bytes([data[-1] ^ 1])
        path = f"arrays/{pipeline.sha256(more)}.npy"
        with Altered(self.copy, path, more):
            status, result = audit(self.copy)
        self.assertEqual((1, ["array-unreferenced"], [path]),
                         (status, [f["code"] for f in result["findings"]], [f["path"] for f in result["findings"]]))


if __name__ == "__main__":
    pipeline.main()
