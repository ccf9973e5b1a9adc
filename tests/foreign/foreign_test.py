#!/usr/bin/env python3
"""audit.json is the same bytes on another machine, big-endian or not.

    foreign_test.py --bin TOOLS --source SOURCES aarch64|s390x FOLDER

Judges the small run of the hostile tests and, where there is a compiler, a run of
the pipeline, on this machine and by foreign.sh under qemu. Exit status 77 where
what that needs is missing.
"""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tool/pipeline"))
import pipeline  # noqa: E402

SKIPPED = 77


def subjects(folder):
    """Bundles to judge: one of libraries, one of tile programs where they can be made."""
    run = os.path.join(folder, "small")
    subprocess.run([os.path.join(pipeline.options.bin, "../tests/small_run"), run], check=True)
    made = [pipeline.make_bundle(os.path.join(folder, "of-libraries"), run)]
    if os.path.exists(os.path.join(pipeline.options.bin, "exhibit-compile")):
        tile = os.path.join(folder, "of-tiles")
        os.makedirs(tile)
        made.append(pipeline.make_bundle(tile, pipeline.make_run(tile)))
    return made


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    parser.add_argument("machine")
    parser.add_argument("folder")
    words = parser.parse_args(namespace=pipeline.options)
    with tempfile.TemporaryDirectory(prefix="exhibit-") as folder:
        for subject in subjects(folder):
            done = subprocess.run(["sh", os.path.join(HERE, "foreign.sh"), words.machine, words.source,
                                   os.path.join(words.bin, "exhibit-audit"), subject, words.folder], check=False)
            if done.returncode != 0:
                return SKIPPED if done.returncode == SKIPPED else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
