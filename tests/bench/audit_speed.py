#!/usr/bin/env python3
"""Times an audit against a review by hand of the same bundle.

    /usr/bin/python3 audit_speed.py --bin build/bin RUN [--rounds 5]

Packs, audits and seals RUN in a scratch folder. Then, in turns (A B B A), times

    A  exhibit-audit
    B  sha256sum -c, tar -xJf and tests/independent/review.py

and prints the median of both in wall and processor seconds, the median of the
ratios of neighbours, and the largest memory that each took.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time

REVIEWER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "independent", "review.py")


def spend(commands):
    """Wall seconds, processor seconds and the largest memory in MiB of commands in a row."""
    wall, processor, memory = 0.0, 0.0, 0.0
    for command in commands:
        start = time.monotonic()
        child = subprocess.Popen(command[0], cwd=command[1], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command[0])} ended with {os.waitstatus_to_exitcode(status)}")
        wall += time.monotonic() - start
        processor += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss / 1024)
    return wall, processor, memory


def make_bundle(tools, run, scratch):
    bundle = os.path.join(scratch, "bundle")
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([f"{tools}/exhibit-archive", "pack", run, "-o", bundle, "--quiet"], **quiet)
    for name, words in (("audit.json", []), ("report.md", ["--report"])):
        with open(os.path.join(scratch, name), "wb") as file:
            subprocess.run([f"{tools}/exhibit-audit", "--unsealed", *words, bundle], check=True, stdout=file)
    subprocess.run([f"{tools}/exhibit-archive", "seal", bundle, "--quiet", "--audit", f"{scratch}/audit.json",
                    "--report", f"{scratch}/report.md"], **quiet)
    return bundle


def by_hand(bundle, scratch):
    folder = tempfile.mkdtemp(dir=scratch)
    spent = spend([(["sha256sum", "--quiet", "-c", "SHA256SUMS"], bundle),
                   (["tar", "-xJf", os.path.join(bundle, "evidence.tar.xz"), "-C", folder], bundle),
                   (["/usr/bin/python3", "-B", REVIEWER, bundle], bundle)])
    shutil.rmtree(folder)
    return spent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tools = os.path.abspath(options.bin)
    audits, reviews = [], []
    with tempfile.TemporaryDirectory() as scratch:
        bundle = make_bundle(tools, options.run, scratch)

        def audit():
            audits.append(spend([([f"{tools}/exhibit-audit", bundle], scratch)]))

        def review():
            reviews.append(by_hand(bundle, scratch))

        for turn in range(options.rounds):
            for step in (audit, review) if turn % 2 == 0 else (review, audit):
                step()
    for i, what in enumerate(("wall s", "processor s")):
        ratios = [a[i] / r[i] for a, r in zip(audits, reviews)]
        print(f"{what}: audit {statistics.median(a[i] for a in audits):.2f}, "
              f"by hand {statistics.median(r[i] for r in reviews):.2f}, "
              f"ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
    print(f"memory MiB: audit {max(a[2] for a in audits):.0f}, by hand {max(r[2] for r in reviews):.0f}")


if __name__ == "__main__":
    main()
