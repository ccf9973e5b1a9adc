#!/usr/bin/env python3
"""audit.json is the same bytes on another machine, big-endian or not.

    foreign_test.py --bin TOOLS --source SOURCES aarch64|s390x FOLDER

Judges the small run of the hostile tests and, where there is a compiler, a run of
the pipeline with claims and a signature, and a damaged bundle, on this machine and
by foreign.sh under qemu. Exit status 77 where
what that needs is missing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tool/pipeline"))
import pipeline  # noqa: E402

SKIPPED = 77


def claims(run):
    """A claim that holds and one that the design does not support."""
    case = json.loads(pipeline.must("audit", "--quiet", run))["cases"][0]
    return {"schema": "exhibit.claims/1", "claims": [
        {"case": case["name"], "quantity": "outcome", "value": case["outcome"]},
        {"case": case["name"], "quantity": "time-ratio", "value": 1.0, "digits": 1}]}


def signed(folder, bundle):
    """Signs the bundle; returns the file of the public key."""
    private, public = os.path.join(folder, "private.pem"), os.path.join(folder, "public.pem")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
    subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
    pipeline.must("archive", "sign", bundle, "--key", private)
    return public


def damaged(bundle, copy):
    """A copy of the bundle with one byte of its evidence changed."""
    shutil.copytree(bundle, copy)
    evidence = bytearray(pipeline.read(copy, "evidence.tar.xz"))
    evidence[len(evidence) // 2] ^= 1
    pipeline.write(bytes(evidence), copy, "evidence.tar.xz")
    return copy


def subjects(folder):
    """Bundles to judge, with the options of the audit: one of libraries; where they can be made, one of tile programs,
    with claims and a signature; and a damaged one."""
    run = os.path.join(folder, "small")
    subprocess.run([os.path.join(pipeline.options.bin, "../tests/small_run"), run], check=True)
    bundle = pipeline.make_bundle(os.path.join(folder, "of-libraries"), run)
    made = [(bundle, [])]
    if os.path.exists(os.path.join(pipeline.options.bin, "exhibit-compile")):
        tile = os.path.join(folder, "of-tiles")
        os.makedirs(tile)
        run = pipeline.make_run(tile)
        pipeline.write(json.dumps(claims(run)).encode(), tile, "claims.json")
        bundle = os.path.join(tile, "bundle")
        pipeline.must("archive", "pack", run, "-o", bundle, "--claims", os.path.join(tile, "claims.json"))
        public = signed(tile, bundle)
        made += [(bundle, []), (bundle, ["--key", public])]
    return made + [(damaged(bundle, os.path.join(folder, "damaged")), [])]


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    parser.add_argument("machine")
    parser.add_argument("folder")
    words = parser.parse_args(namespace=pipeline.options)
    with tempfile.TemporaryDirectory(prefix="exhibit-") as folder:
        for subject, options in subjects(folder):
            done = subprocess.run(["sh", os.path.join(HERE, "foreign.sh"), words.machine, words.source,
                                   os.path.join(words.bin, "exhibit-audit"), subject, words.folder, *options],
                                  check=False)
            if done.returncode != 0:
                return SKIPPED if done.returncode == SKIPPED else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
