"""Forgeries: functions that change one thing in a ForgedRun, and what meets them.

CAUGHT has the finding for each. What an audit cannot tell stands in ADMITTED:
there it must say so, under `not_verified`, in so many words.
"""

import json

from pipeline import sha256

OUTPUT = 0  # The only output of attention.


def bump(values):
    """The first element, by the smallest step there is."""
    flat = values.reshape(-1).view("u4" if values.dtype.itemsize == 4 else "u8")
    flat[0] += 1


def spoil(values):
    values.reshape(-1)[0] += 1.0


# ---- Code.


def object_of_the_other_variant(f):
    f.files[f.capture_path("r1", "kernel.o")] = f.files[f.capture_path("r4", "kernel.o")]


def library_of_the_other_variant(f):
    f.files[f.capture_path("r1", "kernel.so")] = f.files[f.capture_path("r4", "kernel.so")]


def library_byte(f):
    path = f.capture_path("r4", "kernel.so")
    f.flip(path, f.files[path].rindex(b"\xc3"))  # A return, or what looks like one.


def object_byte(f):
    path = f.capture_path("r4", "kernel.o")
    f.flip(path, f.files[path].index(b"\xc3"))


def swap_arms_with_their_reports(f):
    for name in ("kernel.o", "kernel.so", "kernel.s", "kernel.ll", "realization.json"):
        f.swap(f.capture_path("r1", name), f.capture_path("r4", name))


def swap_arms_but_not_their_reports(f):
    for name in ("kernel.o", "kernel.so", "kernel.s", "kernel.ll"):
        f.swap(f.capture_path("r1", name), f.capture_path("r4", name))


def program_text(f):
    path = f.capture_path("r1", "program.tile")
    f.files[path] = f.files[path].replace(b"8", b"9", 1)


def program_comment(f):
    f.files[f.capture_path("r1", "program.tile")] += b"\n"


def edit_report(f, change):
    path = f.capture_path("r4", "realization.json")
    change(f.edit(path))
    f.store(path)


def realization_count(f):
    def change(report):
        report["blocked_mmas"] += 1
    edit_report(f, change)


def realization_option(f):
    edit_report(f, lambda report: report["realized"].update(mma_output_block=2))


def realization_clone(f):
    def change(report):
        report.update(full_packet_specializations=1, full_packet_cloned_instructions=99)
        report["realized"]["full_packet"] = True
    edit_report(f, change)


def realization_target(f):
    edit_report(f, lambda report: report.update(target_cpu="x86-64", target_features=""))


def edit_reports(f, change):
    for variant in f.manifest["variants"]:
        path = f.capture_path(variant, "realization.json")
        change(f.edit(path))
        f.store(path)


def required_flags_emptied(f):
    edit_reports(f, lambda report: report.update(required_cpu_flags=[]))
    for variant in f.manifest["variants"]:
        f.edit(f.capture_path(variant))["required_cpu_flags"] = []


def realization_features_of_a_level(f):
    """A level of processors, some of whose features are said to be off."""
    edit_reports(f, lambda report: report.update(
        target_cpu="x86-64-v4", target_features="+sse2", required_cpu_flags=["sse2"]))
    for variant in f.manifest["variants"]:
        f.edit(f.capture_path(variant))["required_cpu_flags"] = ["sse2"]


def realization_option_of_nobody(f):
    edit_report(f, lambda report: report["realized"].update(fast=True))


def realization_function_twice(f):
    edit_report(f, lambda report: report["functions"].append(report["functions"][0]))


def shift_of_a_calibration(f):
    f.edit(f.visit_paths("calibration")[0])["shift"]["stack_bytes"] ^= 16


def environment_that_no_writer_records(f):
    for visit in visits(f):
        visit["process"]["environment"] = {"LD_PRELOAD": "evil.so"}


def realization_helper(f):
    edit_report(f, lambda report: report.update(math_helper_sha256=sha256(b"another")))


def realization_spacing(f):
    path = f.capture_path("r4", "realization.json")
    f.files[path] = f.files[path].replace(b":", b": ", 1)


def realization_field_removed(f):
    edit_report(f, lambda report: report.pop("math_helper_sha256"))


def clone_invented(f):
    edit_report(f, lambda report: report.update(full_packet_specializations=1, full_packet_cloned_instructions=99))


def program_cut(f):
    path = f.capture_path("r1", "program.tile")
    f.files[path] = f.files[path][:len(f.files[path]) // 2]


def object_emptied(f):
    f.files[f.capture_path("r4", "kernel.o")] = b""


def object_and_library_of_the_other_variant(f):
    for name in ("kernel.o", "kernel.so"):
        f.files[f.capture_path("r4", name)] = f.files[f.capture_path("r1", name)]


def workspace(f):
    f.edit(f.capture_path("r4"))["workspace_bytes"] += 4096
    for path in f.visit_paths("calibration") + f.visit_paths():
        visit = f.edit(path)
        if visit["variant"] == "r4":
            visit["guards"].append({**visit["guards"][0], "buffer": "workspace"})


def cpu_flag(f):
    f.edit(f.capture_path("r4"))["required_cpu_flags"] += ["zz_none"]


def option_of_a_capture(f):
    f.edit(f.capture_path("r4"))["options"]["mma_output_block"] = 2


# ---- Numbers.


def case_array(f, name):
    return next(array for array in f.edit(f.case_path())["arrays"] if array["name"] == name)


def input_array(f):
    array = case_array(f, "key")
    array["sha256"] = f.changed_array(array["sha256"], bump)


def input_called_a_file(f):
    array = case_array(f, "key")
    array.update(sha256=f.changed_array(array["sha256"], spoil), origin="file")


def oracle(f):
    array = case_array(f, "output")
    array["sha256"] = f.changed_array(array["sha256"], bump)


def oracle_called_supplied(f):
    array = case_array(f, "output")
    array.update(sha256=f.changed_array(array["sha256"], bump), origin="supplied")


def change_visit_output(f, index, which, change):
    output = f.edit(f.visit_path(index))["outputs"][OUTPUT]
    output[which] = f.changed_array(output[which], change)


def last_output_of_a_visit(f):
    change_visit_output(f, 3, "last_sha256", spoil)


def first_output_of_a_visit(f):
    change_visit_output(f, 3, "first_sha256", spoil)


def last_bit_of_the_first_output_of_a_visit(f):
    change_visit_output(f, 3, "first_sha256", bump)


def last_bit_of_the_last_output_of_a_visit(f):
    change_visit_output(f, 3, "last_sha256", bump)


def both_outputs_of_a_capture(f):
    output = f.edit(f.capture_path("r1"))["outputs"][OUTPUT]
    output["jit_sha256"] = output["prepared_sha256"] = f.changed_array(output["jit_sha256"], spoil)


def last_bit_of_both_outputs_of_a_capture(f):
    output = f.edit(f.capture_path("r1"))["outputs"][OUTPUT]
    output["jit_sha256"] = output["prepared_sha256"] = f.changed_array(output["jit_sha256"], bump)


def last_bit_of_all_outputs_of_a_variant(f):
    output = f.edit(f.capture_path("r1"))["outputs"][OUTPUT]
    digest = f.changed_array(output["jit_sha256"], bump)
    output["jit_sha256"] = output["prepared_sha256"] = digest
    for path in f.visit_paths("calibration") + f.visit_paths():
        visit = f.edit(path)
        if visit["variant"] == "r1":
            visit["outputs"][OUTPUT].update(first_sha256=digest, last_sha256=digest)


def wrong_outputs_within_the_tolerance(f):
    """All outputs of both variants are off alike, by no more than is allowed."""
    expected = f.array(case_array(f, "output")["sha256"]).astype("f8")
    changed = {}

    def spoilt(digest):
        if digest not in changed:
            changed[digest] = f.changed_array(digest, lambda values: values.reshape(-1).__iadd__(5e-7))
        return changed[digest]
    for variant in ("r1", "r4"):
        output = f.edit(f.capture_path(variant))["outputs"][OUTPUT]
        output.update(jit_sha256=spoilt(output["jit_sha256"]), prepared_sha256=spoilt(output["prepared_sha256"]))
    for path in f.visit_paths("calibration") + f.visit_paths():
        output = f.edit(path)["outputs"][OUTPUT]
        output.update(first_sha256=spoilt(output["first_sha256"]), last_sha256=spoilt(output["last_sha256"]))
        output["max_error"] = float(abs(f.array(output["last_sha256"]).astype("f8") - expected).max())


def oracle_that_is_the_output(f):
    """What is expected is what came out, so that the error is none."""
    output = f.edit(f.capture_path("r1"))["outputs"][OUTPUT]
    case_array(f, "output")["sha256"] = f.add_array(f.array(output["prepared_sha256"]).astype("f8"))


def one_output_of_a_capture(f):
    output = f.edit(f.capture_path("r1"))["outputs"][OUTPUT]
    output["jit_sha256"] = f.changed_array(output["jit_sha256"], bump)


def error_of_a_visit(f):
    f.edit(f.visit_path(2))["outputs"][OUTPUT]["max_error"] /= 2


def guard_of_a_visit(f):
    guard = f.edit(f.visit_path(2))["guards"][0]
    guard["sha256"] = f.changed_array(guard["sha256"], lambda values: values.__setitem__(5, values[5] ^ 1))


def guard_said_to_be_damaged(f):
    f.edit(f.visit_path(2))["guards"][0]["intact"] = False


# ---- Order, counts, declaration.


def visits(f):
    return [f.edit(path) for path in f.visit_paths()]


def visits_swapped(f):
    order = visits(f)
    order[1], order[2] = order[2], order[1]  # Of one arm.
    f.set_visits(order)


def visits_swapped_with_their_shifts(f):
    first, second = visits(f)[1:3]
    first["shift"], second["shift"] = second["shift"], first["shift"]
    visits_swapped(f)


def visits_swapped_with_their_times(f):
    first, second = visits(f)[:2]  # Of both arms.
    for field in ("start_ns", "end_ns"):
        first[field], second[field] = second[field], first[field]
    f.set_visits([second, first] + visits(f)[2:])


def arms_of_two_visits_exchanged(f):
    first, second = visits(f)[:2]
    for field in ("arm", "variant"):
        first[field], second[field] = second[field], first[field]


def visit_removed_from_the_middle(f):
    f.drop_visits({3})


def last_visit_removed(f):
    f.drop_visits({7})


def cycle_dropped(f):
    f.drop_visits(set(range(4, 8)))


def first_cycle_dropped(f):
    f.drop_visits(set(range(4)))


def cycle_added(f):
    f.set_visits(visits(f) + json.loads(json.dumps(visits(f)[4:])))


def pair_called_split(f):
    f.edit(f.visit_path(1))["attempt"] = 0


def interruption_invented(f):
    start = next(i for i, line in enumerate(f.attempts) if line["stage"] == "replay")
    again = dict(f.attempts[start], attempt=2, time_ns=visits(f)[5]["start_ns"] - 1)
    f.attempts[start + 1]["attempt"] = 2
    f.attempts.insert(start + 1, again)
    for visit in visits(f)[5:]:
        visit["attempt"] = 2


def sample_removed(f):
    f.edit(f.visit_path(5))["samples_ns"].pop()


def sample_removed_everywhere(f):
    for visit in visits(f):
        visit["samples_ns"].pop()
        visit["checks_passed"] -= 1
    f.edit(f.plan_path())["samples"] -= 1


def sample_not_positive(f):
    f.edit(f.visit_path(5))["samples_ns"][0] = 0


def repetitions_of_a_visit(f):
    f.edit(f.visit_path(5))["repetitions"] *= 2


def repetitions_of_one_arm(f):
    for visit in visits(f):
        visit["repetitions"] *= 2 if visit["arm"] == "candidate" else 1


def seed_of_the_plan(f):
    f.edit(f.plan_path())["seed"] = 2


def seed_everywhere(f):
    f.edit_manifest(lambda manifest: manifest["replay"].update(seed=2))
    seed_of_the_plan(f)


def shift_of_a_visit(f):
    f.edit(f.visit_path(2))["shift"]["stack_bytes"] ^= 16


def starting_arm(f):
    plan = f.edit(f.plan_path())
    plan["starting_arm"] = "candidate" if plan["starting_arm"] == "baseline" else "baseline"


def cpu_of_a_visit(f):
    f.edit(f.visit_path(2))["cpu"] += 1


def tool_of_a_visit(f):
    f.edit(f.visit_path(2))["tool"]["sha256"] = sha256(b"another")


def tool_of_the_freeze(f):
    f.edit("freeze.json")["tool"]["source_sha256"] = sha256(b"another")


def visit_called_crashed(f):
    f.edit(f.visit_path(2))["end"] = {"status": "crashed", "reason": "signal 11", "signal": 0, "exit_status": 0}


def visit_called_failed(f):
    f.edit(f.visit_path(2))["end"] = {"status": "failed-check", "reason": "output differs", "signal": 0,
                                      "exit_status": 0}


def attempt_removed(f):
    f.attempts = [line for line in f.attempts if line["stage"] != "replay"]


def attempt_called_interrupted(f):
    next(line for line in f.attempts if line["event"] == "end" and line["stage"] == "capture")["result"] = "error"


def attempts_of_nobody(f):
    f.attempts = []


def start_before_the_capture(f):
    f.edit(f.plan_path())["start_ns"] = f.edit("freeze.json")["end_ns"]


def cycles_of_the_manifest(f):
    f.edit_manifest(lambda manifest: manifest["replay"].update(cycles=3))


def tile_of_the_manifest(f):
    f.edit_manifest(lambda manifest: manifest["cases"][0].update(tile=[1, 8]))
    f.edit(f.case_path())["tile"] = [1, 8]


def arms_of_the_manifest_exchanged(f):
    f.edit_manifest(lambda manifest: manifest.update(baseline="r4", candidate="r1"))


def arms_exchanged_everywhere(f):
    arms_of_the_manifest_exchanged(f)
    plan = f.edit(f.plan_path())
    plan["baseline"], plan["candidate"] = plan["candidate"], plan["baseline"]
    for path in f.visit_paths("calibration") + f.visit_paths():
        visit = f.edit(path)
        visit["arm"] = "candidate" if visit["arm"] == "baseline" else "baseline"


def tolerance_of_everything(f):
    f.edit_manifest(lambda manifest: manifest["tolerance"].update(absolute=10.0))


def case_added_to_the_manifest(f):
    f.edit_manifest(lambda manifest: manifest["cases"].append(
        {"name": "more", "shape": [1, 2, 1, 3, 9, 8, 8], "tile": [1, 4]}))


def own_source(f):
    f.files["sources/exhibit/README.md"] += b"\n"


def own_source_removed(f):
    del f.files["sources/exhibit/README.md"]
    freeze = f.edit("freeze.json")
    freeze["sources"] = [entry for entry in freeze["sources"] if entry["path"] != "sources/exhibit/README.md"]


def unlisted_file(f):
    f.files["logs/more.txt"] = b"more\n"


def unlisted_captured_file(f):
    f.files[f.capture_path("r1", "notes.txt")] = b"more\n"


# Forgery -> a code that must be among the findings.
CAUGHT = [
    (object_of_the_other_variant, "link-differs"),
    (library_of_the_other_variant, "link-differs"),
    (library_byte, "link-differs"),
    (object_byte, "link-differs"),
    (swap_arms_with_their_reports, "realization-differs"),
    (program_text, "program-differs"),
    (program_comment, "program-differs"),
    (realization_count, "realization-differs"),
    (realization_option, "realization-differs"),
    (realization_clone, "realization-differs"),
    (realization_target, "realization-differs"),
    (realization_helper, "realization-differs"),
    (required_flags_emptied, "realization-differs"),
    (realization_features_of_a_level, "realization-differs"),
    (realization_option_of_nobody, "realization-differs"),
    (realization_function_twice, "realization-malformed"),
    (environment_that_no_writer_records, "record-malformed"),
    (realization_spacing, "realization-malformed"),
    (realization_field_removed, "realization-malformed"),
    (clone_invented, "clone-differs"),
    (program_cut, "program-malformed"),
    (object_emptied, "object-unsound"),
    (workspace, "capacity-differs"),
    (cpu_flag, "cpu-flags-differ"),
    (option_of_a_capture, "options-differ"),
    (input_array, "input-differs"),
    (input_called_a_file, "case-differs"),
    (oracle, "oracle-differs"),
    (oracle_called_supplied, "case-differs"),
    (last_output_of_a_visit, "output-wrong"),
    (first_output_of_a_visit, "output-wrong"),
    (both_outputs_of_a_capture, "output-wrong"),
    (one_output_of_a_capture, "jit-differs"),
    (last_bit_of_the_first_output_of_a_visit, "semantics-output-differs"),
    (last_bit_of_the_last_output_of_a_visit, "semantics-output-differs"),
    (last_bit_of_both_outputs_of_a_capture, "semantics-output-differs"),
    (last_bit_of_all_outputs_of_a_variant, "semantics-output-differs"),
    (wrong_outputs_within_the_tolerance, "semantics-output-differs"),
    (oracle_that_is_the_output, "oracle-differs"),
    (error_of_a_visit, "check-differs"),
    (guard_of_a_visit, "guard-damaged"),
    (guard_said_to_be_damaged, "check-differs"),
    (visits_swapped, "shift-differs"),
    (visits_swapped_with_their_shifts, "time-disordered"),
    (visits_swapped_with_their_times, "order-differs"),
    (arms_of_two_visits_exchanged, "order-differs"),
    (visit_removed_from_the_middle, "file-missing"),
    (last_visit_removed, "file-missing"),
    (cycle_dropped, "file-missing"),
    (first_cycle_dropped, "file-missing"),
    (cycle_added, "visit-count-differs"),
    (pair_called_split, "order-differs"),
    (interruption_invented, "visit-count-differs"),
    (sample_removed, "sample-count-differs"),
    (sample_removed_everywhere, "sample-count-differs"),
    (sample_not_positive, "samples-unsound"),
    (repetitions_of_a_visit, "repetitions-differ"),
    (repetitions_of_one_arm, "repetitions-differ"),
    (seed_of_the_plan, "plan-differs"),
    (seed_everywhere, "shift-differs"),
    (shift_of_a_visit, "shift-differs"),
    (shift_of_a_calibration, "shift-differs"),
    (starting_arm, "starting-arm-differs"),
    (cpu_of_a_visit, "arm-differs"),
    (tool_of_a_visit, "cohort-mixed"),
    (tool_of_the_freeze, "sources-differ"),
    (visit_called_crashed, "end-inconsistent"),
    (visit_called_failed, "end-unsupported"),
    (attempt_removed, "attempt-unknown"),
    (attempts_of_nobody, "attempt-unknown"),
    (start_before_the_capture, "time-disordered"),
    (cycles_of_the_manifest, "file-missing"),
    (tile_of_the_manifest, "program-differs"),
    (arms_of_the_manifest_exchanged, "chain-broken"),
    (arms_exchanged_everywhere, "order-differs"),
    (tolerance_of_everything, "oracle-vacuous"),
    (case_added_to_the_manifest, "file-missing"),
    (own_source, "sources-differ"),
    (own_source_removed, "sources-differ"),
    (unlisted_file, "file-extra"),
    (unlisted_captured_file, "file-extra"),
]


# ---- What no audit can tell.


def samples(f):
    for visit in visits(f):
        if visit["arm"] == "candidate":
            visit["samples_ns"] = [ns // 2 for ns in visit["samples_ns"]]


def tolerance_loosened(f):
    f.edit_manifest(lambda manifest: manifest["tolerance"].update(absolute=2e-6))


def question(f):
    f.edit_manifest(lambda manifest: manifest.update(question="Another question?"))


def minimum_effect(f):
    f.edit_manifest(lambda manifest: manifest["decision"].update(minimum_effect=0.5))


def host(f):
    f.edit("freeze.json")["host"]["cpu_model"] = "Another CPU"


def clock(f):
    for visit in visits(f):
        visit["clock"].update(name="CLOCK_OF_NOBODY", resolution_ns=1000)


def mapped_files(f):
    for visit in visits(f):
        visit["process"]["mapped_files"] = []


def environment(f):
    for visit in visits(f):
        visit["process"]["environment"] = {}


def producer(f):
    """Another build of the tools, in every record that names one."""
    for record in [f.edit("freeze.json"), f.edit(f.case_path()), f.edit(f.plan_path())] + f.attempts + [
            f.edit(f.capture_path(variant)) for variant in f.manifest["variants"]] + [
            f.edit(path) for path in f.visit_paths("calibration") + f.visit_paths()]:
        record["tool"]["sha256"] = sha256(record["tool"]["name"].encode())


def features_of_a_detected_processor(f):
    """Of "native": less is asked of a processor than the code may need."""
    def change(report):
        report.update(target_features="+sse2", required_cpu_flags=["sse2"])
    edit_reports(f, change)
    for variant in f.manifest["variants"]:
        f.edit(f.capture_path(variant))["required_cpu_flags"] = ["sse2"]


def moments(f):
    """Everything a second later."""
    def later(value):
        if isinstance(value, dict):
            for name, member in value.items():
                if name in ("start_ns", "end_ns", "time_ns"):
                    value[name] = member + 10**9
                later(member)
        elif isinstance(value, list):
            for member in value:
                later(member)
    later([f.edit("freeze.json"), f.edit(f.case_path()), f.edit(f.plan_path())] + f.attempts +
          [f.edit(f.capture_path(variant)) for variant in f.manifest["variants"]] +
          [f.edit(path) for path in f.visit_paths("calibration") + f.visit_paths()])


def ended(status, reason, signal=0):
    """The last visit, which may be an unfavourable one, is said to have ended badly."""
    def forge(f):
        visit = f.edit(f.visit_paths()[-1])
        visit["end"] = {"status": status, "reason": reason, "signal": signal, "exit_status": 0}
        visit.update(outputs=[], guards=[], samples_ns=[], checks_passed=0)
    forge.__name__ = "visit_said_to_have_" + status.replace("-", "_")
    return forge


def limits_and_what_is_continued(f):
    f.edit_manifest(lambda manifest: manifest.update(limits=["Another limit."], continues=["0" * 64]))


def alpha(f):
    f.edit_manifest(lambda manifest: manifest["decision"].update(alpha=0.2))


def source_of_a_library(f):
    """A text that an author calls the source of something: nothing compiles it."""
    f.edit_manifest(lambda manifest: manifest.setdefault("sources", []).append("kernel.c"))
    f.files["sources/manifest/kernel.c"] = b"int kernel;\n"
    entries = f.edit("freeze.json")["sources"]
    entries.append({"path": "sources/manifest/kernel.c", "sha256": "", "bytes": 0})
    entries.sort(key=lambda entry: entry["path"])


def last_end_of_the_attempts_removed(f):
    f.attempts.pop()


def assembly(f):
    f.files[f.capture_path("r4", "kernel.s")] += b"# more\n"


def intermediate_code(f):
    f.files[f.capture_path("r4", "kernel.ll")] += b"; more\n"


# Forgery -> the word under which the audit says that it cannot tell, and
# whether --expect-manifest would.
ADMITTED = [
    (samples, "samples", False),
    (tolerance_loosened, "declaration", True),
    (question, "declaration", True),
    (minimum_effect, "declaration", True),
    (alpha, "declaration", True),
    (limits_and_what_is_continued, "attachments", True),
    (source_of_a_library, "attachments", True),
    (moments, "moments", False),
    (last_end_of_the_attempts_removed, "moments", False),
    (ended("crashed", "signal 11", 11), "samples", False),
    (ended("disturbed", "the clock went back"), "samples", False),
    (host, "host", False),
    (clock, "clock", False),
    (mapped_files, "loader", False),
    (environment, "loader", False),
    (producer, "producer", False),
    (features_of_a_detected_processor, "source to object", False),
    (assembly, "source to object", False),
    (intermediate_code, "source to object", False),
    (swap_arms_but_not_their_reports, "source to object", False),
    (object_and_library_of_the_other_variant, "source to object", False),
]
