"""A careful attacker: changes a run and makes every digest true again.

    forged = ForgedRun(folder)
    forged.edit(path)["field"] = value     # a record, as a dictionary
    forged.files[path] = data              # any other file, as bytes
    forged.make_consistent()
    forged.write(folder)

make_consistent() does what the writers do (manifests/RECORDS.md): it freezes the
manifest and the sources again, lists captured files again, cites each record in
the next, names arrays by their bytes and drops those that nothing names.
"""

import importlib.util
import io
import json
import os
import re

import numpy

from pipeline import files_below, options, read, sha256, write


def load_reviewer():
    path = os.path.join(options.source, "tests/independent/review.py")
    spec = importlib.util.spec_from_file_location("review", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def array_path(digest):
    return f"arrays/{digest}.npy"


class ForgedRun:
    def __init__(self, folder):
        self.canonical = load_reviewer().canonical
        self.files = {path: read(folder, path) for path in files_below(folder)}
        self.records = {}
        self.manifest = json.loads(self.files["manifest.json"])
        self.attempts = [json.loads(line) for line in self.files["attempts.jsonl"].splitlines()]
        self.case = self.manifest["cases"][0]["name"]

    # ---- Where things are.

    def capture_path(self, variant, name="capture.json"):
        return f"captures/{self.case}/{variant}/{name}"

    def case_path(self):
        return f"cases/{self.case}/case.json"

    def plan_path(self):
        return f"replays/{self.case}/plan.json"

    def visit_path(self, index):
        return f"replays/{self.case}/visit-{index:04d}.json"

    def visit_paths(self, kind="visit"):
        return sorted(path for path in self.files if re.fullmatch(rf"replays/{self.case}/{kind}-[0-9]+\.json", path))

    # ---- Changing them.

    def edit(self, path):
        """The record as a dictionary; what is changed in it will be written."""
        if path not in self.records:
            self.records[path] = json.loads(self.files[path])
        return self.records[path]

    def edit_manifest(self, change):
        change(self.manifest)
        self.files["manifest.json"] = json.dumps(self.manifest, indent=2).encode() + b"\n"

    def swap(self, path, other):
        self.files[path], self.files[other] = self.files[other], self.files[path]

    def flip(self, path, position):
        data = bytearray(self.files[path])
        data[position] ^= 1
        self.files[path] = bytes(data)

    def array(self, digest):
        return numpy.load(io.BytesIO(self.files[array_path(digest)]), allow_pickle=False)

    def add_array(self, values):
        """Returns the digest under which the array now stands in the run."""
        file = io.BytesIO()
        numpy.save(file, values, allow_pickle=False)
        self.files[array_path(sha256(file.getvalue()))] = file.getvalue()
        return sha256(file.getvalue())

    def changed_array(self, digest, change):
        values = self.array(digest).copy()
        change(values)
        return self.add_array(values)

    def drop_visits(self, indices):
        """Removes visits and renumbers the others as if there were none."""
        kept = [self.edit(path) for i, path in enumerate(self.visit_paths()) if i not in indices]
        self.set_visits(kept)

    def set_visits(self, visits):
        """Puts these records in the place of all visits, in this order."""
        for path in self.visit_paths():
            del self.files[path]
            self.records.pop(path, None)
        for i, visit in enumerate(visits):
            visit.update(index=i, cycle=i // 4, position=i % 4)
            self.files[self.visit_path(i)] = b""
            self.records[self.visit_path(i)] = visit

    # ---- Making every digest true again.

    def make_consistent(self):
        self.freeze_again()
        self.cite_freeze(self.case_path())
        for variant in self.manifest["variants"]:
            self.list_capture_again(variant)
        self.plan_again()
        self.chain_visits()
        self.chain_attempts()
        self.drop_unnamed_arrays()

    def store(self, path):
        self.files[path] = (self.canonical(self.edit(path)) + "\n").encode()

    def digest(self, path):
        return sha256(self.files[path])

    def freeze_again(self):
        freeze = self.edit("freeze.json")
        freeze["manifest_sha256"] = self.digest("manifest.json")
        for entry in freeze["sources"] + freeze["attachments"]:
            data = self.files[entry["path"]]
            entry.update(sha256=sha256(data), bytes=len(data))
        self.store("freeze.json")

    def cite_freeze(self, path):
        self.edit(path)["freeze_sha256"] = self.digest("freeze.json")
        self.store(path)

    def list_capture_again(self, variant):
        path = self.capture_path(variant)
        capture = self.edit(path)
        capture["case_sha256"] = self.digest(self.case_path())
        folder = self.capture_path(variant, "")
        names = [name for name in self.files if name.startswith(folder) and name != path]
        capture["files"] = [{"path": name, "sha256": self.digest(name), "bytes": len(self.files[name])}
                            for name in sorted(names, key=str.encode)]
        self.cite_freeze(path)

    def plan_again(self):
        plan = self.edit(self.plan_path())
        for arm in ("baseline", "candidate"):
            variant = plan[arm]["variant"]
            plan[arm]["capture_sha256"] = self.digest(self.capture_path(variant))
            plan[arm]["library_sha256"] = self.digest(self.capture_path(variant, "kernel.so"))
        self.cite_freeze(self.plan_path())

    def chain_visits(self):
        plan = self.edit(self.plan_path())
        previous = self.digest(self.plan_path())
        for path in self.visit_paths("calibration") + self.visit_paths():
            visit = self.edit(path)
            visit.update(plan_sha256=self.digest(self.plan_path()), previous_sha256=previous,
                         library_sha256=plan[visit["arm"]]["library_sha256"])
            named = {"kernel.so": visit["library_sha256"], visit["tool"]["name"]: visit["tool"]["sha256"]}
            for file in visit["process"]["mapped_files"]:
                file["sha256"] = named.get(file["name"], file["sha256"])
            self.store(path)
            previous = self.digest(path)

    def chain_attempts(self):
        text = b""
        for line in self.attempts:
            line["previous_sha256"] = sha256(text)
            text += (self.canonical(line) + "\n").encode()
        self.files["attempts.jsonl"] = text

    def drop_unnamed_arrays(self):
        folders = ("cases/", "captures/", "replays/")
        named = b"".join(data for path, data in self.files.items() if path.startswith(folders))
        for path in [p for p in self.files if p.startswith("arrays/")]:
            if path[len("arrays/"):-len(".npy")].encode() not in named:
                del self.files[path]

    def write(self, folder):
        for path, data in self.files.items():
            write(data, folder, path)
