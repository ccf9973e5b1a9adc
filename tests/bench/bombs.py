#!/usr/bin/env python3
"""What small bundles that grow large cost an audit.

    /usr/bin/python3 bombs.py --bin build/bin

Makes bundles of about 400 kB whose contents grow as far as the limits of
archive/FORMAT.md allow, each in another place, and prints of each the seconds
and the memory that exhibit-audit took to refuse it.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "hostile"))

from bundle_maker import Bundle, sha256  # noqa: E402

GROWN = 400 << 20
# What cannot be compressed, so that the ratio allows the rest.
NOISE = {"a": os.urandom(330_000)}


def zeros(count):
    """Name and bytes of an array of so many zeros."""
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (21 - len(str(count)))
    header += " " * (64 - (10 + len(header) + 1) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(count)
    return f"arrays/{sha256(data)}.npy", data


def array():
    return dict([zeros(GROWN)])


def numbers(size):
    return b"[" + b"0," * (size // 2) + b"0]\n"


def short_paths(count):
    """Files of nothing, in one folder."""
    return {f"logs/{i:x}": b"" for i in range(count)}


def deep_paths(count):
    """Files of nothing, each in as many folders of its own as a path can name."""
    return {f"{i:06x}" + "/a" * 45: b"" for i in range(count)}


def manifest(cases=64, cycles=1000, samples=1000):
    """One that asks for very many visits."""
    return json.dumps({
        "schema": "exhibit.manifest/1", "name": "bomb", "question": "How long?", "program": "attention",
        "variants": {"a": {}, "b": {"mma_output_block": 4}}, "baseline": "a", "candidate": "b",
        "cases": [{"name": f"c{i}", "shape": [1, 1, 1, 1, 8, 4, 4], "tile": [1, 8]} for i in range(cases)],
        "inputs": {"generator": "sine"}, "tolerance": {"absolute": 1e-6, "relative": 1e-5},
        "replay": {"cycles": cycles, "samples": samples, "warmup_ms": 1, "target_ms": 1, "seed": 1},
        "decision": {"rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0.01}, "limits": ["none"],
        "continues": []}).encode()


def with_cases(text, files):
    return {"manifest.json": text, **{path: data for i in range(64) for path, data in files(f"c{i}").items()}}


# A list of about as many bytes as one record may have beside 400 kB.
LIST = numbers(1_600_000)
DEEP = b"[" * 31 + b"0," * 800_000 + b"0" + b"]" * 31 + b"\n"

BOMBS = {
    "one file": lambda: {"z": bytes(GROWN)},
    "one array": array,
    "arrays that are kept": lambda: dict(zeros((4 << 20) - 32 - i) for i in range(24)),
    "arrays, very many": lambda: dict(zeros(i) for i in range(9_000)),
    "one library": lambda: {"captures/c/v/kernel.so": bytes(GROWN)},
    "libraries": lambda: {f"captures/c/v{i}/kernel.so": bytes(5 << 20) for i in range(80)},
    "records": lambda: {f"cases/c{i}/case.json": bytes(1 << 20) for i in range(400)},
    "freeze.json of numbers": lambda: {"freeze.json": numbers(60 << 20)},
    "freeze.json of numbers, as many as are read": lambda: {"freeze.json": LIST},
    "freeze.json, as deep as is read": lambda: {"freeze.json": DEEP},
    "attempts.jsonl of lines": lambda: {"attempts.jsonl": b"{}\n" * 20_000_000},
    "attempts.jsonl of lines, as many as are read": lambda: {"attempts.jsonl": b"{}\n" * 550_000},
    "manifest.json of numbers": lambda: {"manifest.json": numbers(1 << 20)},
    "sources": lambda: {"sources/z": bytes(300 << 20)},
    "sources, very many": lambda: {f"sources/{i:x}": b"" for i in range(40_000)},
    "files of nothing": lambda: short_paths(60_000),
    "folders": lambda: deep_paths(40_000),
    "visits that are declared": lambda: {"manifest.json": manifest()},
    "visits of the highest number": lambda: with_cases(
        manifest(), lambda c: {f"replays/{c}/visit-{i}.json": b"{}\n" for i in (9999, 19999)}),
    "records of numbers, as many as are read": lambda: with_cases(
        manifest(), lambda c: {f"cases/{c}/case.json": LIST, f"captures/{c}/a/capture.json": LIST}),
    "a library of sections": lambda: {"captures/c0/a/kernel.so": b"\x7fELF" + bytes(5 << 20)},
}


def write(name, folder):
    run = {"manifest.json": b"{}\n", **BOMBS[name]()}
    # Many names need the room that noise would take.
    Bundle({**run, **({} if len(run) > 5000 else NOISE)}).write(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    options = parser.parse_args()
    tool = os.path.abspath(os.path.join(options.bin, "exhibit-audit"))
    for name in BOMBS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(scratch, "bundle")
            # Elsewhere: a child's memory is counted from that of its parent.
            child = multiprocessing.Process(target=write, args=(name, folder))
            child.start()
            child.join()
            size = sum(entry.stat().st_size for entry in os.scandir(folder))
            start = time.monotonic()
            child = subprocess.Popen([tool, "--table", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            print(f"{name}: {size // 1000} kB, exit {os.waitstatus_to_exitcode(status)}, "
                  f"{time.monotonic() - start:.1f} s, processor {usage.ru_utime + usage.ru_stime:.1f} s, "
                  f"{usage.ru_maxrss / 1024:.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
