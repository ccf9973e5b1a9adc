#!/usr/bin/env python3
"""What small bundles that grow large cost an audit.

    /usr/bin/python3 bombs.py --bin build/bin

Makes bundles of about 400 kB whose contents grow as far as the limits of
archive/FORMAT.md allow, each in another place, and prints of each the seconds
and the memory that exhibit-audit took to refuse it. Those that must be honest
up to some stage are made from the run that ../tests/small_run writes.
"""

import argparse
import json
import lzma
import multiprocessing
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "hostile"))
sys.path.insert(0, os.path.join(HERE, "..", "tool", "pipeline"))

import pipeline  # noqa: E402
from bundle_maker import Bundle, canonical, index_of, sha256, xz  # noqa: E402
import forger  # noqa: E402
from forger import ForgedRun  # noqa: E402

GROWN = 400 << 20
# What cannot be compressed, so that the ratio allows the rest.
NOISE = {"a": os.urandom(330_000)}
QUIET = {"a": b""}  # Where the rest does not compress well.


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

# ---- Manifests that are short and say much.


def many(count, form):
    return [form.format(i) for i in range(count)]


def manifest_with(**changes):
    return {"manifest.json": json.dumps({**json.loads(manifest(cases=1)), **changes}, separators=(",", ":")).encode()}


def null_cases(count, **case):
    """One case that says all of `case`, and null cases of it."""
    return manifest_with(program="tile", cases=[{"name": "a", "text": "a.tile", **case}] + [
        {"name": f"n{i}", "null_of": "a"} for i in range(count)])


def buffer_files(count):
    return {f"{i:x}": "a" for i in range(count)}


def variants(count):
    return manifest_with(variants={**{f"v{i}": {} for i in range(count)}, "a": {}, "b": {}},
                         cases=[{"name": f"c{i}"} for i in range(count)])


# ---- Programs.


def statements(count):
    """A program of the longest names and types; all its loads but the last are for nothing."""
    axes = "abcdefgh"
    shape = ",".join(axes)
    extents = "64,1,1,1,1,1,1,1"
    lines = ["exhibit.tile/1", "program p", "axis a = 64", *(f"axis {a} = 1" for a in axes[1:]),
             f"input x f32[{extents}]", f"output y f32[{extents}]", "parallel i < 1 {"]
    for i in range(count):
        name = f"{i:064d}".replace("0", "w")
        lines.append(f"  {name}: f32[{shape}] = load x[{','.join('0:' + a for a in axes)}]")
    lines += [f"  store {name} -> y[{','.join('0:' + a for a in axes)}]", "}", ""]
    return "\n".join(lines).encode()


def cases_of_one_text(text):
    return {**manifest_with(program="tile", cases=[{"name": f"c{i}", "text": "a.tile"} for i in range(64)]),
            "sources/manifest/a.tile": text}


# ---- Records that are sound each by itself.

TOOL = {"name": "exhibit-capture", "version": "1", "sha256": "0" * 64, "source_sha256": "0" * 64}
END = {"exit_status": 0, "reason": "", "signal": 0, "status": "completed"}


def attempts(count):
    """A sound chain of so many attempts."""
    lines, text = [], b""
    for i in range(count):
        lines.append(canonical({"attempt": i, "event": "start", "message": "", "previous_sha256": sha256(text),
                                "result": "", "schema": "exhibit.attempt/1", "stage": "capture", "time_ns": i,
                                "tool": TOOL}))
        text += lines[-1]
    return {"attempts.jsonl": text}


def capture(**changes):
    return canonical({
        "attempt": 0, "build_ns": {}, "case_name": "c", "case_sha256": "0" * 64, "end": END, "end_ns": 0, "files": [],
        "freeze_sha256": "0" * 64, "kind": "tile", "options": {}, "outputs": [],
        "process": {"command": [], "environment": {}, "mapped_files": []}, "required_cpu_flags": [],
        "schema": "exhibit.capture/1", "start_ns": 0, "symbol": "", "tool": TOOL, "variant": "a",
        "workers_per_block": 1, "workspace_bytes": 0, **changes})


def captures(record, count):
    return {"manifest.json": manifest(), **{
        f"captures/c{i // 2}/{'ab'[i % 2]}/capture.json": record for i in range(count)}}


def visit(**changes):
    state = {"frequency_khz": None, "load_15m": None, "load_1m": None, "load_5m": None}
    return canonical({
        "after": state, "arm": "baseline", "attempt": 0, "before": state, "case_name": "c", "checks_passed": 0,
        "clock": {"name": "", "overhead_ns": 0, "resolution_ns": 0}, "counters": {}, "counts": {
            "involuntary_switches": 0, "major_faults": 0, "migrations": None, "minor_faults": 0,
            "voluntary_switches": 0},
        "cpu": 0, "cycle": 0, "end": END, "end_ns": 0, "first_call_ns": 0, "guards": [], "index": 0, "kind": "timed",
        "library_sha256": "0" * 64, "outputs": [], "plan_sha256": "0" * 64, "position": 0, "previous_sha256": "0" * 64,
        "probe_ns": 0, "process": {"command": [], "environment": {}, "mapped_files": []}, "repetitions": 0,
        "samples_ns": [], "schema": "exhibit.visit/1", "shift": {"heap_bytes": 0, "stack_bytes": 0}, "start_ns": 0,
        "symbol": "", "tool": TOOL, "variant": "a", "warmup_calls": 0, "warmup_ns": 0, **changes})


def with_visits(record, count):
    return {"manifest.json": manifest(), **{f"replays/c0/visit-{i:04d}.json": record for i in range(count)}}


# ---- ELF files, section by section; addresses are offsets.

OBJECT, LIBRARY = 1, 3
PROGBITS, SYMTAB, STRTAB, RELA, DYNAMIC, NOTE, DYNSYM = 1, 2, 3, 4, 6, 7, 11
ALLOC, CODE = 2, 6
FUNCTION = 0x12


class Elf:
    def __init__(self, kind):
        self.kind = kind
        self.data = bytearray(64 + 2 * 56)
        self.sections = [bytes(64)]
        self.names = b"\0"
        self.segments = []

    def place(self, data):
        """Offset and size of the data, which several sections may have."""
        self.data += bytes(-len(self.data) % 16)
        self.data += data
        return len(self.data) - len(data), len(data)

    def section(self, name, number, extent, flags=0, link=0, info=0, entry=0):
        self.sections.append(struct.pack("<IIQQQQIIQQ", len(self.names), number, flags, extent[0] if flags else 0,
                                         *extent, link, info, 1, entry))
        self.names += name + b"\0"
        return len(self.sections) - 1

    def segment(self, number, extent):
        self.segments.append(struct.pack("<IIQQQQQQ", number, 4, extent[0], extent[0], extent[0], extent[1],
                                         extent[1], 1))

    def finish(self):
        self.section(b".shstrtab", STRTAB, self.place(self.names + b".shstrtab\0"))
        table, _ = self.place(b"".join(self.sections))
        count = len(self.sections)
        self.data[:64] = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
            "<HHIQQQIHHHHHH", self.kind, 62, 1, 0, 64, table, 0, 64, 56, len(self.segments), 64, count, count - 1)
        for i, segment in enumerate(self.segments):
            self.data[64 + 56 * i:120 + 56 * i] = segment
        return bytes(self.data)


def symbol(name, section, info=FUNCTION):
    return struct.pack("<IBBHQQ", name, info, 0, section, 0, 0)


def library(more=lambda elf: None, needed=(), names=b""):
    """A sound library with what `more` adds; it needs the names at `needed`."""
    elf = Elf(LIBRARY)
    strings = elf.place(b"\0fixture_entry\0" + names)
    symbols = elf.place(symbol(0, 0, 0) + symbol(1, 1))
    tags = [(1, at + 15) for at in needed] + [(5, strings[0]), (10, strings[1]), (6, symbols[0]), (0, 0)]
    dynamic = elf.place(b"".join(struct.pack("<QQ", *tag) for tag in tags))
    elf.segment(1, (0, len(elf.data)))
    elf.segment(2, dynamic)
    at = elf.section(b".dynstr", STRTAB, strings, ALLOC)
    elf.section(b".dynsym", DYNSYM, symbols, ALLOC, link=at, entry=24)
    elf.section(b".dynamic", DYNAMIC, dynamic, ALLOC, link=at, entry=16)
    more(elf)
    return elf.finish()


def upon_each_other(name, number, data, count, **fields):
    """So many sections, all with the same contents."""
    def more(elf):
        extent = elf.place(data)
        for _ in range(count):
            elf.section(name, number, extent, **fields)
    return more


def suffixes(lines, length):
    """Names no two of which are alike, in little text: each line of it, and each suffix of it."""
    names = b"".join(f"{i:05d}".encode().rjust(length, b"a") + b"\0" for i in range(lines))
    return {"names": names, "needed": [i * (length + 1) + at for i in range(lines) for at in range(length - 5)]}


def object_file(symbols, strings, more=lambda elf: None):
    elf = Elf(OBJECT)
    at = elf.section(b".strtab", STRTAB, elf.place(strings))
    elf.section(b".symtab", SYMTAB, elf.place(symbols), link=at, info=1, entry=24)
    more(elf)
    return elf.finish()


def functions_of_one_name(count):
    """Functions that share the longest name that is read."""
    text = object_file(symbol(0, 0, 0) + symbol(1, 3) * count, b"\0" + b"a" * 4096 + b"\0",
                       lambda elf: elf.section(b".text", PROGBITS, elf.place(bytes(16)), CODE))
    return text


def texts_of_one_table(count, relocations):
    """Sections of code whose relocations are the same bytes."""
    def more(elf):
        code, table = elf.place(bytes(16)), elf.place(bytes(24 * relocations))
        for _ in range(count):
            elf.section(b".rela", RELA, table, link=2, info=elf.section(b".text.a", PROGBITS, code, CODE), entry=24)
    return object_file(symbol(0, 0, 0), b"\0", more)


def many_relocations(count):
    def more(elf):
        text = elf.section(b".text." + b"a" * 4000, PROGBITS, elf.place(bytes(16)), CODE)
        elf.section(b".rela", RELA, elf.place(bytes(24 * count)), link=2, info=text, entry=24)
    return object_file(symbol(0, 0, 0), b"\0", more)


# ---- Honest runs in which one thing is large.


def honest():
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "run")
        subprocess.run([os.path.join(pipeline.options.bin, "..", "tests", "small_run"), folder], check=True)
        return ForgedRun(folder)


def forged(change):
    run = honest()
    change(run)
    run.make_consistent()
    return run.files


def with_library(data):
    """The candidate's library is another one."""
    def change(run):
        run.files[run.capture_path("new", "kernel.so")] = run.files["sources/manifest/new.so"] = data
    return forged(change)


def with_object(data):
    """The candidate comes as an object."""
    def to_object(manifest):
        manifest["variants"]["new"]["library"] = "new.o"
        manifest["sources"] = ["old.so", "new.o"]

    def change(run):
        run.edit_manifest(to_object)
        del run.files["sources/manifest/new.so"]
        run.files[run.capture_path("new", "kernel.o")] = run.files["sources/manifest/new.o"] = data
        next(s for s in run.edit("freeze.json")["sources"] if s["path"].endswith("new.so"))["path"] = (
            "sources/manifest/new.o")
    return forged(change)


def flags(of_host, of_capture):
    def change(run):
        run.edit("freeze.json")["host"]["cpu_flags"] = ["a"] * of_host + ["b"]
        for variant in ("old", "new"):
            run.edit(run.capture_path(variant))["required_cpu_flags"] = ["b"] * of_capture
    return forged(change)


def visits(cycles, change=lambda run, visits: None):
    """An honest run of so many cycles, but for `change`."""
    def declare(manifest):
        manifest["replay"]["cycles"] = cycles

    def repeat(run):
        run.edit_manifest(declare)
        plan = run.edit(run.plan_path())
        first = [run.edit(path) for path in run.visit_paths()[:4]]
        start = first[0]["start_ns"]
        shifts = [shift_of(plan["seed"], run.case, pair) for pair in range(2 * cycles)]
        plan.update(cycles=cycles, shifts=shifts)
        made = [{**first[i % 4], "shift": shifts[i // 2], "start_ns": start + 2 * i, "end_ns": start + 2 * i + 1}
                for i in range(4 * cycles)]
        change(run, made)
        run.set_visits(made)
    return forged(repeat)


def shift_of(seed, case, pair):
    draw = forger.load_reviewer().drawn("exhibit.shift/1", seed, case, pair)
    return {kind: 16 * (int.from_bytes(draw[i:i + 2], "big") % 257) for kind, i in (("stack_bytes", 0), ("heap_bytes", 2))}


def files_of_one_name(run, visits):
    """What was mapped says one name very often, so that the visits agree."""
    file = {"build_id": "", "name": "a", "sha256": "0" * 64}
    for i, visit in enumerate(visits):
        visit["process"] = {**visit["process"], "mapped_files": [file] * (1 if i > 1 else 16_000)}


def many_samples(run, visits):
    run.edit_manifest(lambda manifest: manifest["replay"].update(samples=1000))
    run.edit(run.plan_path())["samples"] = 1000
    for visit in visits:
        visit.update(samples_ns=[visit["samples_ns"][0] + i for i in range(1000)], checks_passed=1002)


# ---- A run of a tile program, as the tools make it, and copies of its case.

CAPTURED = ("kernel.ll", "kernel.o", "kernel.s", "kernel.so", "program.tile", "realization.json")


def tile_run(text):
    """The files of a run of that text; its one case is `c`."""
    return tool_run({"name": "c", "text": "a.tile"}, {"a.tile": text}, program="tile")


def tool_run(case, files, **changes):
    """The files of a run of one case."""
    with tempfile.TemporaryDirectory() as scratch:
        declared = json.loads(manifest(cases=1, cycles=3, samples=1))
        declared.update(cases=[case], **changes)
        for name, text in files.items():
            pipeline.write(text, scratch, name)
        pipeline.write(json.dumps(declared).encode(), scratch, "manifest.json")
        run = os.path.join(scratch, "run")
        for words in (["exhibit-capture", os.path.join(scratch, "manifest.json"), "-o", run], ["exhibit-replay", run]):
            subprocess.run([os.path.join(pipeline.options.bin, words[0]), "--quiet", *words[1:]], check=True,
                           stdout=subprocess.DEVNULL)
        return {path: pipeline.read(run, path) for path in pipeline.files_below(run)}


def many_trips(trips):
    """Small arrays, multiplied again and again."""
    return f"""exhibit.tile/1
program long

axis m = 4
axis n = 16
axis k = 16

input a f32[4, 16]
input b f32[16, 16]
output c f32[4, 16]

parallel i < 1 {{
  origin: i64 = constant 0
  columns: i64 = constant 16
  zero: f32[m, n] = constant 0
  pipeline step < {trips} {{
    carry sum: f32[m, n] = zero
    k0: i64 = mul step, columns
    left: f32[m, k] = load a[origin:m, k0:k]
    right: f32[k, n] = load b[origin:k, origin:n]
    next: f32[m, n] = mma strict left, right, sum
    yield next
  }}
  store sum -> c[origin:m, origin:n]
}}
""".encode()


class Copies:
    """Runs that hold the one case of a run under many names, sealed again."""

    def __init__(self, files):
        self.reviewer = forger.load_reviewer()
        # The tree that the tools say they were built from is another, of one small file.
        tree = {"README": b"Exhibit\n"}
        stated = json.loads(files["freeze.json"])["tool"]["source_sha256"].encode()
        now = sha256(index_of(tree)).encode()
        self.old = {path: data.replace(stated, now) if ".json" in path else data for path, data in files.items()}
        self.new = {path: data for path, data in files.items() if path.startswith(("arrays/", "sources/manifest/"))}
        self.new.update({"sources/exhibit/" + path: data for path, data in tree.items()})
        self.time = 0

    def record(self, path, new_path, **changes):
        record = {**json.loads(self.old[path]), **changes}
        self.new[new_path] = (self.reviewer.canonical(record) + "\n").encode()
        return sha256(self.new[new_path])

    def make(self, count):
        declared = json.loads(self.old["manifest.json"])
        self.seed = declared["replay"]["seed"]
        names = [name for name in many(4 * count, "k{}") if self.starts(name) == self.starts("c")][:count]
        declared["cases"] = [{**declared["cases"][0], "name": name} for name in names]
        self.new["manifest.json"] = json.dumps(declared).encode()
        self.chain_attempts()
        sources = [{"path": path, "sha256": sha256(data), "bytes": len(data)}
                   for path, data in self.new.items() if path.startswith("sources/")]
        self.freeze = self.record("freeze.json", "freeze.json", manifest_sha256=sha256(self.new["manifest.json"]),
                                  sources=sorted(sources, key=lambda source: source["path"]))
        for name in names:
            self.copy(name)
        return self.new

    def chain_attempts(self):
        text = b""
        for line in self.old["attempts.jsonl"].splitlines():
            text += canonical({**json.loads(line), "previous_sha256": sha256(text)})
        self.new["attempts.jsonl"] = text

    def starts(self, name):
        return self.reviewer.drawn("exhibit.start/1", self.seed, name)[0] % 2

    def copy(self, name):
        place = {"case_name": name, "freeze_sha256": self.freeze}
        case = self.record("cases/c/case.json", f"cases/{name}/case.json", **place)
        plan = json.loads(self.old["replays/c/plan.json"])
        for arm in ("baseline", "candidate"):
            folder = f"captures/{name}/{plan[arm]['variant']}/"
            old = folder.replace(name, "c", 1)
            files = {folder + file: b";\n" if file == "kernel.ll" else self.old[old + file] for file in CAPTURED}
            self.new.update(files)
            plan[arm]["capture_sha256"] = self.record(
                old + "capture.json", folder + "capture.json", **place, case_sha256=case,
                files=[{"path": path, "sha256": sha256(data), "bytes": len(data)} for path, data in files.items()])
        shifts = [shift_of(self.seed, name, pair) for pair in range(len(plan["shifts"]))]
        self.replay(name, {**plan, **place, "shifts": shifts})

    def replay(self, name, plan):
        folder, old = f"replays/{name}/", "replays/c/"
        before = first = self.record(old + "plan.json", folder + "plan.json", **plan)
        for kind in ("calibration", "visit"):
            for path in sorted(path for path in self.old if path.startswith(old + kind)):
                visit = json.loads(self.old[path])
                self.time = max(self.time, visit["start_ns"]) + 2
                if kind == "visit":
                    visit["shift"] = plan["shifts"][visit["index"] // 2]
                before = self.record(path, folder + path[len(old):], **visit | {
                    "case_name": name, "plan_sha256": first, "previous_sha256": before, "start_ns": self.time,
                    "end_ns": self.time + 1})


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
    "limits of no letters": lambda: manifest_with(limits=[""] * 340_000),
    "null cases of a large case": lambda: null_cases(63, files=buffer_files(60_000)),
    "null cases, very many": lambda: null_cases(10_000, files=buffer_files(30_000)),
    "variants": lambda: variants(12_000),
    "cases of one long text": lambda: cases_of_one_text(statements(4_000)),
    "attempts of a sound chain": lambda: {**attempts(4_000), "a": os.urandom(200_000)},
    "options of captures": lambda: captures(capture(options={f"{i:x}": 0 for i in range(99_900)}), 34),
    "environments of captures": lambda: captures(capture(process={
        "command": [], "environment": {f"{i:x}": "" for i in range(99_900)}, "mapped_files": []}), 30),
    "commands of captures": lambda: captures(capture(process={
        "command": [""] * 99_900, "environment": {}, "mapped_files": []}), 100),
    "files of captures": lambda: captures(capture(files=[
        {"bytes": 0, "path": "a", "sha256": "0" * 64}] * 15_000), 20),
    "samples of visits": lambda: with_visits(visit(samples_ns=[0] * 99_800), 150),
    "what is kept, behind a large dictionary": lambda: {
        "z": bytes(300 << 20), **{f"captures/c/v{i}/kernel.so": bytes(5 << 20) for i in range(6)},
        **dict(zeros((4 << 20) - 32 - i) for i in range(6))},
    "freeze.json of numbers beside all that is kept": lambda: {
        "freeze.json": LIST, **{f"captures/c/v{i}/kernel.so": bytes(5 << 20) for i in range(5)},
        **dict(zeros((4 << 20) - 32 - i) for i in range(5))},
    "one file behind four filters": lambda: {"z": bytes(GROWN)},
    "CPU flags": lambda: flags(400_000, 99_900),
    "relocations of a library upon each other": lambda: with_library(
        library(upon_each_other(b".r", RELA, bytes(24 << 18), 16_000, entry=24))),
    "notes of a library upon each other": lambda: with_library(
        library(upon_each_other(b".n", NOTE, bytes(12 << 20), 16_000))),
    "what a library needs": lambda: {**with_library(library(**suffixes(50, 4000))), **QUIET},
    "functions of one name": lambda: with_object(functions_of_one_name((1 << 18) - 1)),
    "visits, as many as are counted": lambda: visits(500),
    "visits beside files of one name": lambda: visits(500, files_of_one_name),
    "visits of many samples": lambda: visits(500, many_samples),
    "long texts of tile programs": lambda: Copies(tile_run(statements(4_000))).make(24),
    "trips of a loop, as many as are executed": lambda: tile_run(many_trips(500_000)),
    "exps of an oracle, as many as are computed": lambda: tool_run(
        {"name": "c", "shape": [1, 1, 1, 2500, 2500, 1, 1], "tile": [4, 16]}, {}),
    "exps of an oracle, more than are computed": lambda: tool_run(
        {"name": "c", "shape": [1, 1, 1, 4000, 4000, 1, 1], "tile": [4, 16]}, {}),
    "relocations of an object, as many as are read": lambda: with_object(many_relocations(1 << 20)),
    "relocations of an object upon each other": lambda: with_object(texts_of_one_table(8_000, 1 << 17)),
}

# Of the xz stream, where its preset is not what grows.
FILTERS = {
    "what is kept, behind a large dictionary": [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 24 << 20}],
    "one file behind four filters": [{"id": lzma.FILTER_X86}] * 3 + [{"id": lzma.FILTER_LZMA2, "preset": 1}],
}


def write(name, folder):
    run = {"manifest.json": b"{}\n", **BOMBS[name]()}
    # Many names need the room that noise would take.
    bundle = Bundle({**({} if len(run) > 2500 else NOISE), **run})
    if name in FILTERS:
        bundle["evidence.tar.xz"] = xz(bundle["evidence.tar"], filters=FILTERS[name])
    bundle.write(folder)


def spare_the_machine():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", help="names that have this in them")
    options = parser.parse_args()
    pipeline.options.bin = os.path.abspath(options.bin)
    pipeline.options.source = os.path.join(HERE, "..", "..")
    tool = os.path.abspath(os.path.join(options.bin, "exhibit-audit"))
    for name in BOMBS:
        if options.only and options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(scratch, "bundle")
            # Elsewhere: a child's memory is counted from that of its parent.
            child = multiprocessing.Process(target=write, args=(name, folder))
            child.start()
            child.join()
            if child.exitcode != 0:
                print(f"{name}: these tools cannot make it", flush=True)
                continue
            size = sum(entry.stat().st_size for entry in os.scandir(folder))
            start = time.monotonic()
            child = subprocess.Popen([tool, "--table", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     preexec_fn=spare_the_machine)
            _, status, usage = os.wait4(child.pid, 0)
            print(f"{name}: {size // 1000} kB, exit {os.waitstatus_to_exitcode(status)}, "
                  f"{time.monotonic() - start:.1f} s, processor {usage.ru_utime + usage.ru_stime:.1f} s, "
                  f"{usage.ru_maxrss / 1024:.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
