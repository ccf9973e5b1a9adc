#!/usr/bin/env python3
"""The rule against the truth: kernels that are alike, and kernels slowed by a known amount.

    tests/bench/aa.py --bin build/bin --include build/include --cohorts 200 --cycles 3,6,12

A case is one cohort: a small kernel in C against another one, captured, replayed
and judged by the tools, and by nothing else. Ten cases share a run; each has
libraries of its own, so that no two cohorts share the pages that code lies in.

  alike      a library against a byte copy of itself: every claim is false
  busy       the same, while a neighbour on another processor copies memory
  placement  the same instructions 16 or 32 bytes further on: a claim is true of
             these two libraries and says nothing of their source
  slower     the loop that is measured runs 101, 102 or 105 times and not 100:
             only one byte of the code differs; a claim of `slower` is right

Prints a table with exact (Clopper-Pearson) 95% intervals of the rates, and how
long a cohort took. Times of this machine are in no other output.
"""

import argparse
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ELEMENTS = 1024
CASES_PER_RUN = 10  # A manifest may have 64; a run that is lost should be short.
KERNEL = r"""
/* The measured loop runs REPEATS times over arrays that stay in the first
 * cache; what it computes does not depend on how often. */
#include "exhibit/entry.h"

__asm__(".text\n.p2align 6\n" SKIP);

__attribute__((aligned(16))) void scaled(
    const exhibit_buffer *buffers, void *reserved, const exhibit_launch *launch,
    uint32_t count) {
  (void)reserved;
  (void)launch;
  (void)count;
  const float *x = (const float *)buffers[0].data;
  float *restrict output = (float *)buffers[1].data;
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    for (int i = 0; i < ELEMENTS; ++i) output[i] = 2.5f * x[i] + 1.0f;
    __asm__ volatile("" ::: "memory");
  }
}
"""

# Name, bytes in front and REPEATS of the candidate; the baseline has 0 and 100.
KINDS = [
    ("alike", 0, 100),
    ("busy", 0, 100),
    ("placement +16", 16, 100),
    ("placement +32", 32, 100),
    ("slower 1%", 0, 101),
    ("slower 2%", 0, 102),
    ("slower 5%", 0, 105),
]


def npy(values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(
        "<%df" % len(values), *values)


def build(folder, include, name, skip, repeats):
    source = os.path.join(folder, name + ".c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(KERNEL.replace("SKIP", f'".skip {skip}, 0x90\\n"' if skip else '""').replace("REPEATS", str(repeats)).replace(
            "ELEMENTS", str(ELEMENTS)))
    library = os.path.join(folder, name + ".so")
    subprocess.run(["cc", "-O2", "-march=native", "-ffp-contract=off", "-fno-toplevel-reorder", "-shared", "-fPIC",
                    "-nostdlib", "-I", include, "-o", library, source], check=True)
    return library


def check_placement(library, skip):
    """The entry lies where it is said to lie, or the label of its rows is wrong."""
    symbols = subprocess.run(["nm", library], check=True, capture_output=True, text=True).stdout
    (address,) = [int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" scaled")]
    if address % 64 != skip:
        sys.exit(f"aa.py: error: {library}: the entry lies at {address % 64} mod 64 and not at {skip}")


def manifest(options, cycles, cases, seed):
    def buffer(name, role):
        return {"name": name, "role": role, "dtype": "f32", "shape": [ELEMENTS]}

    return {"schema": "exhibit.manifest/1", "name": "aa", "question": "Does the rule claim what is not there?",
            "program": "custom",
            "variants": {"a": {"library": "a.so", "symbol": "scaled"},
                         "b": {"library": "b.so", "symbol": "scaled"}},
            "baseline": "a", "candidate": "b",
            "cases": [{"name": f"cohort-{i}", "buffers": [buffer("x", "input"), buffer("output", "output")],
                       "dispatch": 1, "files": {"x": "x.npy", "output": "output.npy"}} for i in range(cases)],
            "tolerance": {"absolute": 1e-6, "relative": 1e-6}, "expect": {"outputs": "bitwise-equal"},
            "replay": {"cycles": cycles, "samples": options.samples, "warmup_ms": options.warmup_ms,
                       "target_ms": options.target_ms, "seed": seed},
            "decision": {"rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0.005},
            "limits": ["A test of the rule and not of a kernel."], "continues": []}


def tool(options, name, *words):
    end = subprocess.run([os.path.join(options.bin, name), "--quiet", *words], capture_output=True, text=True,
                         preexec_fn=lambda: os.sched_setaffinity(0, {options.cpu}) if name == "exhibit-replay" else None)
    if end.returncode not in (0, 1):
        sys.exit(f"aa.py: error: {name} ended with {end.returncode}: {end.stderr.strip()}")
    return end.stdout


def outcomes_of_run(options, libraries, cycles, cases, seed):
    """The outcome and paired ratio of each cohort of one run, and what it took."""
    with tempfile.TemporaryDirectory(prefix="aa-") as folder:
        for arm, library in libraries.items():
            shutil.copyfile(library, os.path.join(folder, arm + ".so"))
        x = [i / 8 for i in range(ELEMENTS)]
        for name, values in (("x", x), ("output", [2.5 * v + 1 for v in x])):
            with open(os.path.join(folder, name + ".npy"), "wb") as file:
                file.write(npy(values))
        path = os.path.join(folder, "aa.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(manifest(options, cycles, cases, seed), file)
        run = os.path.join(folder, "run")
        start = time.monotonic()
        tool(options, "exhibit-capture", path, "--output", run)
        captured = time.monotonic()
        tool(options, "exhibit-replay", run)
        replayed = time.monotonic()
        audit = json.loads(tool(options, "exhibit-audit", run))
        if audit["verdict"] != "verified":
            sys.exit(f"aa.py: error: a run is {audit['verdict']}: {audit['findings'][:3]}")
        found = [(c["outcome"], (c["ratios"] or {}).get("median")) for c in audit["cases"]]
        return found, (captured - start, replayed - captured, time.monotonic() - replayed)


def binomial_tail(k, n, p):
    """P(X >= k)."""
    return sum(math.comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k, n + 1))


def clopper_pearson(k, n, level=0.95):
    def solve(holds):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    tail = (1 - level) / 2
    low = 0.0 if k == 0 else solve(lambda p: binomial_tail(k, n, p) < tail)
    high = 1.0 if k == n else solve(lambda p: 1 - binomial_tail(k + 1, n, p) > tail)
    return low, high


class Neighbour:
    """Copies memory on another processor for as long as it is wanted."""

    def __init__(self, cpu):
        self.cpu = cpu

    def __enter__(self):
        words = ("import os\nos.sched_setaffinity(0, {%d})\na = bytearray(1 << 25)\nb = bytes(1 << 25)\n"
                 "while True: a[:] = b\n" % self.cpu)
        self.process = subprocess.Popen([sys.executable, "-c", words])

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def measure(options, kind, cycles, folder):
    """A row of the table; None where this machine cannot show it."""
    name, skip, repeats = kind
    others = sorted(os.sched_getaffinity(0) - {options.cpu})
    if name == "busy" and not others:
        print("busy: left out, there is no second processor", file=sys.stderr)
        return None
    a = build(folder, options.include, "a", 0, 100)
    b = build(folder, options.include, "b", skip, repeats) if (skip, repeats) != (0, 100) else a
    check_placement(a, 0)
    check_placement(b, skip)
    found, took = [], [0.0, 0.0, 0.0]
    while len(found) < options.cohorts:
        cases = min(CASES_PER_RUN, options.cohorts - len(found))
        words = ({"a": a, "b": b}, cycles, cases, options.seed + len(found))
        if name == "busy":
            with Neighbour(others[0]):
                outcomes, times = outcomes_of_run(options, *words)
        else:
            outcomes, times = outcomes_of_run(options, *words)
        found += outcomes
        took = [t + u for t, u in zip(took, times)]
        print(f"{name}, {cycles} cycles: {len(found)} of {options.cohorts}", file=sys.stderr)
    return found, [t / len(found) for t in took]


def print_row(kind, cycles, found, took):
    count = {o: sum(outcome == o for outcome, _ in found)
             for o in ("faster", "slower", "same", "inconclusive", "not-comparable", "invalid")}
    right = count["slower"] if kind.startswith("slower") else 0
    claims = count["faster"] + count["slower"]
    wrong = claims - right
    shown = wrong if not kind.startswith("slower") else right
    low, high = clopper_pearson(shown, len(found))
    ratios = sorted(r for _, r in found if r is not None)
    middle = f"{ratios[len(ratios) // 2]:.4f}" if ratios else "-"
    print(f"| {kind} | {cycles} | {len(found)} | {count['faster']} | {count['slower']} | "
          f"{100 * shown / len(found):.1f} ({100 * low:.1f}-{100 * high:.1f}) | {count['same']} | "
          f"{count['inconclusive']} | {count['not-comparable'] + count['invalid']} | {middle} | "
          f"{sum(took):.2f} ({took[1]:.2f}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--include", required=True, help="folder that has exhibit/entry.h")
    parser.add_argument("--cohorts", type=int, default=200, help="of each row")
    parser.add_argument("--cycles", default="3,6,12")
    parser.add_argument("--kinds", default=",".join(name for name, _, _ in KINDS))
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--warmup-ms", type=int, default=1)
    parser.add_argument("--target-ms", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="that measures")
    options = parser.parse_args()
    options.bin, options.include = os.path.abspath(options.bin), os.path.abspath(options.include)
    wanted = options.kinds.split(",")
    unknown = set(wanted) - {name for name, _, _ in KINDS}
    if unknown:
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    print("| candidate | cycles | cohorts | faster | slower | false, or found, % (95%) | same | inconclusive | "
          "no ratio | median ratio | s per cohort (replay) |\n" + "|---" * 11 + "|")
    for kind in KINDS:
        if kind[0] not in wanted:
            continue
        for cycles in map(int, options.cycles.split(",")):
            with tempfile.TemporaryDirectory(prefix="aa-") as folder:
                row = measure(options, kind, cycles, folder)
            if row is not None:
                print_row(kind[0], cycles, *row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
