"""Records that lie, of a run whose digests are true; and digests that lie."""

from bundle_maker import sha256
from corpus import add, changed_files, changed_run
from forger import array_path

LAST = "replays/tiny/visit-0011.json"
HUGE = 2 ** 53 - 1


def edit(path, change):
    """`change` edits the record at `path`, a function of the forged run."""
    return changed_run(lambda f: change(f.edit(path(f))))


def visit(change, index=2):
    return edit(lambda f: f.visit_path(index), change)


def calibration(change, index=0):
    return edit(lambda f: f.visit_paths("calibration")[index], change)


def plan(change):
    return edit(lambda f: f.plan_path(), change)


def case(change):
    return edit(lambda f: f.case_path(), change)


def capture(change):
    return edit(lambda f: f.capture_path("new"), change)


def freeze(change):
    return edit(lambda f: "freeze.json", change)


def manifest_text(old, new):
    def forge(f):
        assert old in f.files["manifest.json"]
        f.files["manifest.json"] = f.files["manifest.json"].replace(old, new)
    return changed_run(forge)


def output_off_by_one(f, digest):
    return f.changed_array(digest, lambda values: values.reshape(-1).__setitem__(5, 9.0))


def visit_output(which):
    def forge(f):
        output = f.edit(f.visit_path(3))["outputs"][0]
        output[which] = output_off_by_one(f, output[which])
    return changed_run(forge)


def array_of_the_case(number, change):
    def forge(f):
        array = f.edit(f.case_path())["arrays"][number]
        array["sha256"] = f.changed_array(array["sha256"], change)
    return changed_run(forge)


def guard_overwritten(f):
    guard = f.edit(f.visit_path(3))["guards"][0]
    guard["sha256"] = f.changed_array(guard["sha256"], lambda values: values.__setitem__(7, 0))


def arms_exchanged(f):
    first, second = f.edit(f.visit_path(0)), f.edit(f.visit_path(1))
    for field in ("arm", "variant"):
        first[field], second[field] = second[field], first[field]


def cycle_more(f):
    records = [f.edit(path) for path in f.visit_paths()]
    f.set_visits(records + [dict(record) for record in records[-4:]])


def object_that_is_none(data):
    """The candidate is declared as an object, kernel.o, and links to what is there."""
    def forge(f):
        text = f.files["manifest.json"].replace(b'"new.so"', b'"new.o"')
        f.files["manifest.json"] = text
        f.files["sources/manifest/new.o"] = f.files[f.capture_path("new", "kernel.o")] = data
        del f.files["sources/manifest/new.so"]
        record = f.edit("freeze.json")
        for source in record["sources"]:
            source["path"] = source["path"].replace("new.so", "new.o")
    return changed_run(forge)


def text_of_a_program(text):
    """The case has a text, which is a source like any other."""
    def forge(f):
        manifest = f.files["manifest.json"].replace(b'"program": "attention"', b'"program": "tile"')
        manifest = manifest.replace(b'"shape": [1, 2, 1, 2, 3, 4, 4], "tile": [1, 16]', b'"text": "p.tile"')
        manifest = manifest.replace(b'"new.so"],', b'"new.so", "p.tile"],')
        f.files["manifest.json"] = manifest
        f.files["sources/manifest/p.tile"] = text
        f.edit("freeze.json")["sources"].append({"path": "sources/manifest/p.tile", "sha256": "", "bytes": 0})
    return changed_run(forge)


def first_end(record, **fields):
    record["end"].update(fields)


RECORDS = [
    ("a sample less", visit(lambda r: r["samples_ns"].pop()), "sample-count-differs", "visit-0002"),
    ("a sample more", visit(lambda r: r["samples_ns"].append(1)), "sample-count-differs", "visit-0002"),
    ("forty thousand samples", visit(lambda r: r.update(samples_ns=[1] * 40000)), "sample-count-differs", ""),
    ("fifty thousand samples", visit(lambda r: r.update(samples_ns=[1] * 50000)), "record-malformed",
     "visit-0002"),
    ("no samples", visit(lambda r: r.update(samples_ns=[])), "sample-count-differs", "visit-0002"),
    ("checks", visit(lambda r: r.update(checks_passed=99)), "sample-count-differs", "checks"),
    ("a sample of nothing", visit(lambda r: r["samples_ns"].__setitem__(0, 0)), "samples-unsound", "position 2"),
    ("repetitions", visit(lambda r: r.update(repetitions=1)), "repetitions-differ", "visit-0002"),
    ("huge repetitions", visit(lambda r: r.update(repetitions=HUGE)), "repetitions-differ", "visit-0002"),
    ("shift", visit(lambda r: r["shift"].update(heap_bytes=HUGE)), "shift-differs", "visit-0002"),
    ("position", visit(lambda r: r.update(position=HUGE)), "order-differs", "visit-0002"),
    ("index", visit(lambda r: r.update(index=HUGE)), "order-differs", "visit-0002"),
    ("arms", changed_run(arms_exchanged), "order-differs", "visit-000"),
    ("processor", visit(lambda r: r.update(cpu=HUGE)), "arm-differs", "cpu"),
    ("symbol", visit(lambda r: r.update(symbol="other")), "arm-differs", "symbol"),
    ("case of a visit", visit(lambda r: r.update(case_name="other")), "names-differ", "visit-0002"),
    ("case of a case", case(lambda r: r.update(case_name="other")), "names-differ", "case.json"),
    ("variant of a capture", capture(lambda r: r.update(variant="other")), "names-differ", "capture.json"),
    ("attempt", visit(lambda r: r.update(attempt=HUGE), 11), "attempt-unknown", "visit-0011"),
    ("attempts forgotten", changed_run(lambda f: f.attempts.clear()), "attempt-unknown", "attempt"),
    ("time of a visit", visit(lambda r: r.update(start_ns=1)), "time-disordered", "visit-0002"),
    ("time without end", visit(lambda r: r.update(end_ns=HUGE)), "time-disordered", "visit-000"),
    ("a visit's build", visit(lambda r: r["tool"].update(sha256="1" * 64)), "cohort-mixed", "visit-0002"),
    ("a visit's source", visit(lambda r: r["tool"].update(source_sha256="1" * 64)), "cohort-mixed", "visit-0002"),
    ("the source of all", freeze(lambda r: r["tool"].update(source_sha256="1" * 64)), "sources-differ", "sources"),
    ("a reason to complete", visit(lambda r: first_end(r, reason="none")), "end-inconsistent", "visit-0002"),
    ("a crash without a signal", visit(lambda r: first_end(r, status="crashed", reason="fell"), 11),
     "end-inconsistent", "visit-0011"),
    ("no outputs", visit(lambda r: r.update(outputs=[])), "end-inconsistent", "visit-0002"),
    ("three thousand outputs", visit(lambda r: r.update(outputs=r["outputs"] * 3000)), "end-inconsistent", ""),
    ("no guards", visit(lambda r: r.update(guards=[])), "end-inconsistent", "visit-0002"),
    ("an unwelcome result", visit(lambda r: first_end(r, status="failed-check", reason="unwelcome"), 11),
     "end-unsupported", "visit-0011"),
    ("largest error", visit(lambda r: r["outputs"][0].update(max_error=0.5)), "check-differs", "visit-0002"),
    ("failed elements", visit(lambda r: r["outputs"][0].update(failed_elements=HUGE)), "check-differs", ""),
    ("first output", visit_output("first_sha256"), "output-wrong", "visit-0003"),
    ("last output", visit_output("last_sha256"), "output-wrong", "visit-0003"),
    ("an output that is not there", visit(lambda r: r["outputs"][0].update(first_sha256="1" * 64)),
     "reference-unresolved", "visit-0002"),
    ("guard", changed_run(guard_overwritten), "guard-damaged", "visit-0003"),
    ("calibrated twice", calibration(lambda r: r.update(arm="baseline", variant="old"), 1), "calibration-differs", ""),
    ("probes", changed_run(lambda f: [f.edit(path).update(probe_ns=HUGE) for path in f.visit_paths("calibration")]),
     "repetitions-differ", ""),
    ("probe of nothing", calibration(lambda r: r.update(probe_ns=0)), "calibration-differs", ""),
    ("a cycle more", changed_run(cycle_more), "visit-count-differs", ""),
    ("a cycle less", changed_run(lambda f: f.drop_visits({8, 9, 10, 11})), "file-missing", "visit-0008"),
    ("a visit less", changed_run(lambda f: f.drop_visits({3})), "file-missing", "visit-0011"),
    ("cycles of the plan", plan(lambda r: r.update(cycles=HUGE)), "plan-differs", "cycles"),
    ("seed of the plan", plan(lambda r: r.update(seed=8)), "plan-differs", "seed"),
    ("six thousand shifts", plan(lambda r: r.update(shifts=r["shifts"] * 1000)), "plan-differs", "shifts"),
    ("no shifts", plan(lambda r: r.update(shifts=[])), "plan-differs", "shifts"),
    ("starting arm", plan(lambda r: r.update(starting_arm="candidate")), "starting-arm-differs", "plan.json"),
    ("shape", case(lambda r: r.update(shape=[HUGE] * 7)), "case-differs", "shape"),
    ("shape of nothing", case(lambda r: r.update(shape=[])), "case-differs", "shape"),
    ("dispatch", case(lambda r: r.update(dispatch=HUGE)), "case-differs", "dispatch"),
    ("program", case(lambda r: r.update(program="custom")), "case-differs", "program"),
    ("no arrays", case(lambda r: r.update(arrays=[])), "case-differs", "arrays"),
    ("a thousand arrays", case(lambda r: r.update(arrays=r["arrays"] * 250)), "case-differs", "arrays"),
    ("shape of an array", case(lambda r: r["arrays"][0].update(shape=[HUGE, HUGE])), "case-differs", "query"),
    ("origin of an array", case(lambda r: r["arrays"][0].update(origin="file")), "case-differs", "origin"),
    ("input", array_of_the_case(1, lambda v: v.fill(0.5)), "input-differs", ""),
    ("oracle", array_of_the_case(3, lambda v: v.__imul__(1 + 1e-15)), "oracle-differs", ""),
    ("options of a library", capture(lambda r: r["options"].update(qk="mma")), "options-differ", "options"),
    ("twenty thousand options", capture(lambda r: r["options"].update({f"a{i}": i for i in range(20000)})),
     "options-differ", "options"),
    ("workers", capture(lambda r: r.update(workers_per_block=HUGE)), "options-differ", "workers"),
    ("workspace", capture(lambda r: r.update(workspace_bytes=HUGE)), "arm-differs", "workspace"),
    ("processor flag", capture(lambda r: r.update(required_cpu_flags=["avx9"])), "cpu-flags-differ", "avx9"),
    ("a flag that writes to the terminal", capture(lambda r: r.update(required_cpu_flags=["\u001b[2J\u0007"])),
     "cpu-flags-differ", "?[2J?"),
    ("kind of a capture", capture(lambda r: r.update(kind="tile")), "names-differ", "kind"),
    ("tolerance", manifest_text(b'"absolute": 1e-6', b'"absolute": 10'), "oracle-vacuous", ""),
    ("program that is none", text_of_a_program(b"program {"), "program-malformed", "p.tile"),
    ("program of brackets", text_of_a_program(b"(" * 100000), "program-malformed", "p.tile"),
    ("program of nothing", text_of_a_program(b""), "program-malformed", "p.tile"),
    ("program of bytes", text_of_a_program(bytes(range(256)) * 100), "program-malformed", "p.tile"),
    ("object of nothing", object_that_is_none(b""), "object-unsound", "kernel.o"),
    ("object of text", object_that_is_none(b"not an object\n"), "object-unsound", "kernel.o"),
]
for name, make, code, where in RECORDS:
    add("lie", name, make, code, where)

# ---- Digests.


def changed(path, change):
    return changed_files(lambda files: files.__setitem__(path, change(files[path])))


def removed(path):
    return changed_files(lambda files: files.pop(path))


def array_renamed(files):
    path = next(path for path in files if path.startswith("arrays/"))
    files[array_path("0" * 64)] = files.pop(path)


def array_of_nobody(files):
    files[array_path(sha256(b"nobody"))] = b"nobody"


def digit(name):
    """The first digit of a digest in a record is another."""
    def change(data):
        at = data.index(b'"' + name + b'":"') + len(name) + 4
        return data[:at] + (b"0" if data[at:at + 1] != b"0" else b"1") + data[at + 1:]
    return change


DIGESTS = [
    ("array under another name", changed_files(array_renamed), "array-misnamed", "arrays/0000"),
    ("array that nobody names", changed_files(array_of_nobody), "array-unreferenced", "arrays/"),
    ("array that is no array", changed_files(lambda f: f.__setitem__("arrays/x.npy", b"")), "file-extra", "arrays/x"),
    ("manifest edited later", changed("manifest.json", lambda m: m + b"\n"), "manifest-changed", "manifest.json"),
    ("library edited later", changed("captures/tiny/new/kernel.so", lambda d: d + b"\0"), "digest-differs",
     "kernel.so"),
    ("source edited later", changed("sources/exhibit/README", lambda d: d + b"\0"), "digest-differs", "README"),
    ("source lost", removed("sources/exhibit/README"), "reference-unresolved", "README"),
    ("freeze record lost", removed("freeze.json"), "file-missing", "freeze.json"),
    ("plan lost", removed("replays/tiny/plan.json"), "file-missing", "plan.json"),
    ("attempts lost", removed("attempts.jsonl"), "file-missing", "attempts.jsonl"),
    ("attempts cut", changed("attempts.jsonl", lambda d: d[:-20]), "record-malformed", "attempts.jsonl"),
    ("attempts reversed", changed("attempts.jsonl", lambda d: b"".join(d.splitlines(True)[::-1])),
     "record-malformed", "attempts.jsonl"),
    ("attempts with a line between", changed("attempts.jsonl", lambda d: d.replace(b"\n", b"\n\n", 1)),
     "record-malformed", "attempts.jsonl"),
    ("freeze record of a case", changed("cases/tiny/case.json", digit(b"freeze_sha256")), "chain-broken", "case.json"),
    ("case of a capture", changed("captures/tiny/new/capture.json", digit(b"case_sha256")), "chain-broken",
     "capture.json"),
    ("plan of a visit", changed(LAST, digit(b"plan_sha256")), "chain-broken", "visit-0011"),
    ("visit before a visit", changed(LAST, digit(b"previous_sha256")), "chain-broken", "visit-0011"),
    ("library of a visit", changed(LAST, digit(b"library_sha256")), "arm-differs", "visit-0011"),
    ("file of a capture", changed("captures/tiny/new/capture.json", digit(b"sha256")), "digest-differs", ""),
    ("library that is not the source", changed_run(lambda f: f.files.__setitem__(
        f.capture_path("new", "kernel.so"), f.files[f.capture_path("old", "kernel.so")])), "library-differs",
     "kernel.so"),
    ("note in a capture's folder", changed_files(lambda f: f.__setitem__("captures/tiny/new/note", b"")),
     "file-extra", "note"),
    ("folder of another case", changed_files(lambda f: f.__setitem__("cases/other/case.json", b"{}\n")),
     "file-extra", "cases/other"),
    ("visit with a number too long", changed_files(lambda f: f.__setitem__("replays/tiny/visit-00012.json", b"")),
     "file-extra", "visit-00012"),
    ("visit with a huge number", changed_files(
        lambda f: f.__setitem__("replays/tiny/visit-99999999999999999999.json", b"")), "file-extra", "visit-9999"),
    ("visit 19999", changed_files(lambda f: f.__setitem__("replays/tiny/visit-19999.json", b"")), "file-extra",
     "visit-19999"),
    ("visit 20", changed_files(lambda f: f.__setitem__("replays/tiny/visit-0020.json", b"")), "file-missing",
     "visit-0012"),
    ("nothing but a manifest", changed_files(
        lambda f: [f.pop(path) for path in list(f) if path != "manifest.json"]), "file-missing", "freeze.json"),
]
for name, make, code, where in DIGESTS:
    add("digest", name, make, code, where)
