#!/usr/bin/env python3
"""In an archive that the audit accepts, every reader of tar sees the same members.

Some thousands of tar streams are made from an honest one: bytes and blocks changed,
header fields with the checksum made true again, members of any kind put in, and
honest changes, so that some are accepted. What Exhibit accepts must be, name by
name and byte by byte, what GNU tar, Python's tarfile and libarchive find in it.
More: EXHIBIT_TARS=100000.
"""

import io
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tool/pipeline"))
import pipeline  # noqa: E402
from bundle_maker import BLOCK, END, FIELDS, entry, header, index_of, padded, pax, sha256  # noqa: E402

COUNT = int(os.environ.get("EXHIBIT_TARS", "2000"))
BATCH = 500

FILES = {
    "manifest.json": b'{"name":"sample"}\n', "freeze.json": b"{}\n", "arrays/full.npy": b"\1" * 512,
    "arrays/odd.npy": b"\2" * 700, "logs/empty.log": b"", "replays/tiny/visit-0000.json": b'{"index":0}\n'}
PATHS = ["run/a", "run/arrays/x.npy", "run/../x", "/etc/passwd", "run/x/", "run//x", "run/manifest.json", "run\\x",
         "run/z" * 10, "run/" + "y" * 96, "index.sha256", "run/a b", "run/x\0/y", "./run/x"]
VALUES = [b"", b"\0" * 12, b"00000000000", b"77777777777", b"-1", b"\x80" + b"\0" * 7, b"\xff" * 8, b"0000644 ", b"7",
          b"ustar  ", b"run", b"../..", b" 12", b"1 ", b"00000001000", b"g", b"x", b"L", b"5", b"2"]
RECORDS = [(b"path", b"run/other"), (b"size", b"0"), (b"size", b"1024"), (b"linkpath", b"/etc"), (b"comment", b"x"),
           (b"GNU.sparse.major", b"1"), (b"hdrcharset", b"BINARY"), (b"path", b"")]


def summed(block):
    block = bytearray(block)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


class Maker:
    """Tar streams by a seed."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        run = dict(FILES)
        for _ in range(self.draw.randrange(3)):  # Honest differences.
            path = self.draw.choice(["arrays/more.npy", "logs/x.log", "replays/tiny/visit-0001.json"])
            run[path] = bytes(self.draw.randrange(256) for _ in range(self.draw.choice([0, 1, 511, 512, 513])))
        first = [path for path in ("manifest.json", "freeze.json") if self.draw.random() < 0.95]
        rest = sorted(path for path in run if path not in ("manifest.json", "freeze.json"))
        self.blocks = [entry("index.sha256", index_of(run))] + [entry("run/" + p, run[p]) for p in first + rest]

    def make(self):
        for _ in range(self.draw.choice([0, 1, 1, 1, 2])):
            self.draw.choice([self.byte, self.contents, self.field, self.kind, self.record, self.order, self.size])()
        tar = b"".join(self.blocks)
        ends = [END] * 12 + [b"", END[:BLOCK], END * 2, END + entry("run/z", b"hidden"), END + b"\0", END[:-1]]
        return tar + self.draw.choice(ends)

    def pick(self):
        return self.draw.randrange(len(self.blocks))

    def change(self, which, at, value):
        block = bytearray(self.blocks[which])
        block[at:at + len(value)] = value
        self.blocks[which] = bytes(block)

    def byte(self):
        which = self.pick()
        at = self.draw.randrange(len(self.blocks[which]))
        self.change(which, at, bytes([self.blocks[which][at] ^ (1 << self.draw.randrange(8))]))

    def contents(self):
        which = self.pick()
        size = int(self.blocks[which][124:135].strip(b"\0 ") or b"0", 8)
        if size and which:
            self.change(which, BLOCK + self.draw.randrange(size), b"\xaa")

    def field(self):
        which = self.pick()
        offset, length = FIELDS[self.draw.choice(sorted(FIELDS))]
        value = self.draw.choice(VALUES)[:length]
        if self.draw.random() < 0.5:
            value = value.ljust(length, b"\0")
        self.change(which, offset, value)
        if self.draw.random() < 0.9:
            self.blocks[which] = summed(self.blocks[which][:BLOCK]) + self.blocks[which][BLOCK:]

    def kind(self):
        path = self.draw.choice(PATHS)[:100]
        fields = {"typeflag": self.draw.choice([bytes([c]) for c in b"01234567\0LKSxgDMNVAX"])}
        if self.draw.random() < 0.5:
            fields["linkname"] = b"run/manifest.json"
        self.blocks.insert(self.pick(), entry(path, self.draw.choice([b"", b"x", b"run/long\0"]), **fields))

    def record(self):
        self.blocks.insert(self.pick(), pax([self.draw.choice(RECORDS)], self.draw.choice([b"x", b"g", b"X"])))

    def order(self):
        which, other = self.pick(), self.pick()
        self.draw.choice([
            lambda: self.blocks.insert(which, self.blocks[other]), lambda: self.blocks.pop(which),
            lambda: self.blocks.insert(which, b"\0" * BLOCK),
            lambda: self.blocks.insert(which, self.blocks.pop(other))])()
        self.blocks = self.blocks or [entry("index.sha256", b"")]

    def size(self):
        """Another size, and as many bytes or not."""
        which = self.pick()
        block = self.blocks[which]
        name = block[:100].rstrip(b"\0")
        size = max(0, int(block[124:135], 8) + self.draw.choice([-512, -1, 1, 511, 512]))
        contents = block[BLOCK:] if self.draw.random() < 0.5 else padded(block[BLOCK:][:size].ljust(size, b"."))
        if len(name) <= 100 and which:
            self.blocks[which] = header(name, size) + contents


def by_tarfile(data):
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        return [(m.name, len(tar.extractfile(m).read()), sha256(tar.extractfile(m).read())) if m.isreg()
                else (m.name, m.type) for m in tar]


def by_gnu_tar(path):
    """Names as listed, and what is there once they are extracted."""
    listed = subprocess.run(["tar", "-tf", path], capture_output=True, check=True).stdout.decode().splitlines()
    with tempfile.TemporaryDirectory(prefix="exhibit-") as folder:
        subprocess.run(["tar", "-xf", path, "-C", folder, "--no-same-owner"], capture_output=True, check=True)
        found = {name: pipeline.read(folder, name) for name in pipeline.files_below(folder)}
    return [(name, len(found[name]), sha256(found[name])) for name in listed], len(found)


class TarReaders(unittest.TestCase):
    def read(self, paths):
        """Reader -> path of the file -> members, absent where it refused."""
        program = os.path.join(pipeline.options.bin, "../tests/read_tars")
        done = subprocess.run([program, *paths], capture_output=True, check=True, timeout=600)
        seen = {"exhibit": {}, "libarchive": {}}
        for line in done.stdout.decode(errors="replace").splitlines():
            words = line.split(" ")
            if words[0] == "file":
                path = words[1]
            elif words[0] == "reader":
                reader = words[1]
                if words[2] == "accepted":
                    seen[reader][path] = []
            else:
                match = re.fullmatch(r"member (.*) (\d+) ([0-9a-f]{64})", line)
                if match:
                    seen[reader][path].append((match[1], int(match[2]), match[3]))
        return seen

    def compare(self, path, data, members, by_libarchive):
        index = entry("index.sha256", b"")[:100].rstrip(b"\0").decode()
        self.assertEqual(members, [m for m in by_tarfile(data) if m[0] != index], path)
        self.assertEqual(members, [m for m in by_libarchive if m[0] != index], path)
        listed, count = by_gnu_tar(path)
        self.assertEqual(members, [m for m in listed if m[0] != index], path)
        self.assertEqual(len(members) + 1, count, path)

    def test_what_is_accepted_is_the_same_to_all(self):
        accepted = others = 0
        for first in range(0, COUNT, BATCH):
            with tempfile.TemporaryDirectory(prefix="exhibit-") as folder:
                tars = {os.path.join(folder, f"{i}.tar"): Maker(i).make()
                        for i in range(first, min(first + BATCH, COUNT))}
                for path, data in tars.items():
                    pipeline.write(data, path)
                seen = self.read(list(tars))
                for path, members in seen["exhibit"].items():
                    self.assertIn(path, seen["libarchive"])
                    self.compare(path, tars[path], members, seen["libarchive"][path])
                accepted += len(seen["exhibit"])
                others += len(set(seen["libarchive"]) - set(seen["exhibit"]))
        self.assertGreater(accepted, COUNT // 20)
        self.assertGreater(others, COUNT // 20)
        print(f"{COUNT} tar streams: {accepted} accepted, the same to four readers; "
              f"{others} more accepted by libarchive alone", file=sys.stderr)


if __name__ == "__main__":
    pipeline.main()
