#!/usr/bin/env python3
"""Makes a run of about 2 GiB, to measure what packing and auditing it take.

    /usr/bin/python3 large_run.py --bin build/bin --include build/include --out out/large

Cases of manifests/examples/scale_add.c on random numbers, which no compressor
makes smaller by much; few and short samples, since nobody looks at the times.
Prints the folder of the run. Then, for instance,

    /usr/bin/time -v build/bin/exhibit-archive pack out/large/run -o out/large/bundle
    /usr/bin/time -v build/bin/exhibit-audit out/large/bundle
"""

import argparse
import json
import os
import shutil
import subprocess

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.join(HERE, "..", "..", "manifests", "examples", "scale_add.c")


def write_arrays(folder, case, count):
    random = np.random.default_rng(count + case)
    x = random.random(count, dtype=np.float32) + np.float32(1)
    y = random.random(count, dtype=np.float32) + np.float32(1)
    names = {"x": f"x{case}.npy", "y": f"y{case}.npy", "output": f"expected{case}.npy"}
    np.save(os.path.join(folder, names["x"]), x)
    np.save(os.path.join(folder, names["y"]), y)
    np.save(os.path.join(folder, names["output"]), 2.5 * x.astype(np.float64) + y.astype(np.float64))
    return names


def make_case(folder, case, count):
    def buffer(name, role):
        return {"name": name, "role": role, "dtype": "f32", "shape": [count]}

    return {"name": f"case-{case}",
            "buffers": [buffer("x", "input"), buffer("y", "input"), buffer("output", "output")],
            "dispatch": count // 64,
            "files": write_arrays(folder, case, count)}


def make_manifest(folder, cases, count):
    return {"schema": "exhibit.manifest/1", "name": "large", "question": "How large may a run be?", "exploratory": True,
            "program": "custom",
            "variants": {"scalar": {"library": "scalar.so", "symbol": "scale_add"},
                         "vector": {"library": "vector.so", "symbol": "scale_add"}},
            "baseline": "scalar", "candidate": "vector",
            "cases": [make_case(folder, case, count) for case in range(cases)],
            "tolerance": {"absolute": 1e-6, "relative": 1e-6},
            "expect": {"outputs": "bitwise-equal"},
            "replay": {"cycles": 1, "samples": 3, "warmup_ms": 1, "target_ms": 1, "seed": 1, "timeout_s": 600},
            "decision": {"rule": "pairs/1", "alpha": 0.6, "minimum_effect": 0.01},
            "sources": ["scale_add.c"], "limits": ["Times mean nothing here."], "continues": []}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--elements", type=int, default=1 << 24)
    options = parser.parse_args()
    os.makedirs(options.out)
    shutil.copy(EXAMPLE, options.out)
    for name, flags in (("scalar", ["-O2", "-fno-tree-vectorize"]), ("vector", ["-O3"])):
        subprocess.run(["cc", *flags, "-ffp-contract=off", "-shared", "-fPIC", "-I", options.include, "-o",
                        os.path.join(options.out, name + ".so"), EXAMPLE], check=True)
    path = os.path.join(options.out, "large.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(make_manifest(options.out, options.cases, options.elements), file, indent=2)
    run = os.path.join(options.out, "run")
    subprocess.run([os.path.join(options.bin, "exhibit-capture"), path, "--output", run], check=True)
    subprocess.run([os.path.join(options.bin, "exhibit-replay"), run], check=True)
    print(run)


if __name__ == "__main__":
    main()
