#!/usr/bin/env python3
"""What small bundles that grow large cost an audit.

    /usr/bin/python3 bombs.py --bin build/bin

Makes bundles of about 400 kB whose contents grow as far as the limits of
archive/FORMAT.md allow, each in another place, and prints of each the seconds
and the memory that exhibit-audit took to refuse it.
"""

import argparse
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


def array():
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({GROWN},), }}"
    header += " " * (21 - len(str(GROWN)))
    header += " " * (64 - (10 + len(header) + 1) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(GROWN)
    return {f"arrays/{sha256(data)}.npy": data}


def numbers(size):
    return b"[" + b"0," * (size // 2) + b"0]\n"


BOMBS = {
    "one file": lambda: {"z": bytes(GROWN)},
    "one array": array,
    "one library": lambda: {"captures/c/v/kernel.so": bytes(GROWN)},
    "libraries": lambda: {f"captures/c/v{i}/kernel.so": bytes(5 << 20) for i in range(80)},
    "records": lambda: {f"cases/c{i}/case.json": bytes(1 << 20) for i in range(400)},
    "freeze.json of numbers": lambda: {"freeze.json": numbers(60 << 20)},
    "freeze.json of numbers, as many as are read": lambda: {"freeze.json": numbers(1_600_000)},
    "attempts.jsonl of lines": lambda: {"attempts.jsonl": b"{}\n" * 20_000_000},
    "manifest.json of numbers": lambda: {"manifest.json": numbers(1 << 20)},
    "sources": lambda: {"sources/z": bytes(300 << 20)},
}


def write(name, folder):
    Bundle({"manifest.json": b"{}\n", **NOISE, **BOMBS[name]()}).write(folder)


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
