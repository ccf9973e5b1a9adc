"""Writes x.npy, y.npy and expected.npy of scale-add.json into a folder.

Plain Python, so that the example needs no NumPy; every value is exact.
"""

import struct
import sys

COUNT = 8192


def write(path, code, letter, values):
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    # The data starts at a multiple of 64 bytes.
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "xb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode("ascii"))
        file.write(struct.pack(f"<{len(values)}{letter}", *values))


def main(folder):
    x = [i / 8 - 300 for i in range(COUNT)]
    y = [100 - i / 4 for i in range(COUNT)]
    write(f"{folder}/x.npy", "<f4", "f", x)
    write(f"{folder}/y.npy", "<f4", "f", y)
    write(f"{folder}/expected.npy", "<f8", "d", [2.5 * a + b for a, b in zip(x, y)])


if __name__ == "__main__":
    main(sys.argv[1])
