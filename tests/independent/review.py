#!/usr/bin/env python3
"""A second opinion on a bundle: one file, NumPy, and none of Exhibit's code.

    /usr/bin/python3 review.py BUNDLE

Derives again, from the pages that specify them (manifests/RECORDS.md,
archive/FORMAT.md, audit/AUDIT_JSON.md): the seal, the content id, the canonical
form of every record, the chain of digests, the order of visits, the inputs, the
attention oracle, the error of every output, all statistics and the outcome; and
compares them with the bundle's audit.json. Nothing is executed or extracted.
Exit status: 0 everything agrees, 1 something does not, 2 usage.
"""

import decimal
import gzip
import hashlib
import io
import json
import lzma
import math
import os
import sys
import tarfile

import numpy as np

problems = []


def check(holds, what):
    if not holds:
        problems.append(what)
    return holds


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# ---- The bundle -----------------------------------------------------------


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def check_seal(folder):
    """SHA256SUMS names every file but itself and the signature, and each digest is right."""
    if not os.path.exists(os.path.join(folder, "SHA256SUMS")):
        return check(False, "the bundle has no seal (SHA256SUMS)")
    lines = read(folder, "SHA256SUMS").decode().splitlines()
    sealed = dict(reversed(line.split("  ", 1)) for line in lines)
    outside = ("SHA256SUMS", "content-id.sig")
    check(sorted(sealed) == sorted(n for n in os.listdir(folder) if n not in outside), "seal names other files")
    for name, digest in sealed.items():
        check(os.path.exists(os.path.join(folder, name)) and sha256(read(folder, name)) == digest, f"seal: {name}")


def members(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            check(member.isreg(), f"{member.name} is not a regular file")
            yield member.name, tar.extractfile(member).read()


def read_run(folder):
    """Path -> bytes of the run, and the index that came with it."""
    found = {}
    for name, unpack in (("evidence.tar.xz", lzma.decompress), ("sources.tar.gz", gzip.decompress)):
        for path, data in members(unpack(read(folder, name))):
            check(path not in found, f"{path} stands twice")
            found[path] = data
    index = found.pop("index.sha256").decode()
    run = {path.removeprefix("run/"): data for path, data in found.items()}
    own = "".join(f"{sha256(run[path])}  {path}\n" for path in sorted(run, key=str.encode))
    check(own == index, "index.sha256 differs from the members")
    return run, sha256(own.encode())


# ---- Records --------------------------------------------------------------


def shortest(value):
    """A double as C++ std::to_chars writes it, ".0" added where it looks whole."""
    text = repr(value)
    digits, _, exponent = text.partition("e")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    power = int(exponent or 0) + len(whole)
    significant = (whole + fraction).lstrip("0")
    power -= len(whole + fraction) - len(significant)
    significant = significant.rstrip("0")
    if not significant:
        return sign + "0.0"
    if power <= 0:
        fixed = "0." + "0" * -power + significant
    elif power >= len(significant):
        fixed = significant + "0" * (power - len(significant))
    else:
        fixed = significant[:power] + "." + significant[power:]
    scientific = significant[0] + ("." + significant[1:] if significant[1:] else "") + "e%+03d" % (power - 1)
    best = fixed if len(fixed) <= len(scientific) else scientific
    return sign + (best if "." in best or "e" in best else best + ".0")


def canonical(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(k)}:{canonical(value[k])}" for k in sorted(value, key=str.encode)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return shortest(value)
    return json.dumps(value, ensure_ascii=False)


def record(run, path):
    value = json.loads(run[path])
    check(canonical(value) + "\n" == run[path].decode(), f"{path} is not canonical")
    return value


def array(run, digest):
    data = run[f"arrays/{digest}.npy"]
    check(sha256(data) == digest, f"array {digest}")
    return np.load(io.BytesIO(data), allow_pickle=False)


# ---- Correctly rounded functions ------------------------------------------

EXTENDED = np.finfo(np.longdouble).nmant >= 63
decimal.getcontext().prec = 80


def exact_pi():
    """Machin's formula."""
    def arctan_inverse(n):
        total, term, k = decimal.Decimal(0), decimal.Decimal(1) / n, 1
        while abs(term) > decimal.Decimal(10) ** -78:
            total += term / k if k % 4 == 1 else -term / k
            term /= n * n
            k += 2
        return total
    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


PI = exact_pi()


def exact_sin(x):
    x = decimal.Decimal(float(x)) % (2 * PI)
    total, term, k = decimal.Decimal(0), x, 1
    while abs(term) > decimal.Decimal(10) ** -60:
        total += term
        term *= -x * x / ((k + 1) * (k + 2))
        k += 2
    return total


def rounded(values, exact, arguments, dtype):
    """`values` (extended precision) to dtype; `exact` decides what is close."""
    wide = np.longdouble(1) + np.longdouble(2) ** (-60 if EXTENDED else -49)
    narrow = np.longdouble(2) - wide
    low, high = (values * narrow).astype(dtype), (values * wide).astype(dtype)
    result = values.astype(dtype)
    for i in np.argwhere(low != high):
        i = tuple(i)
        if dtype == np.float64:
            result[i] = float(exact(arguments[i]))
        else:
            # Round once, not by way of double: pick the nearer neighbour.
            target = exact(arguments[i])
            candidates = {float(low[i]), float(high[i])}
            result[i] = min(candidates, key=lambda c: abs(decimal.Decimal(c) - target))
    return result


def sine_input(j, count):
    f = np.float32
    w = f(f(0.117) + f(f(0.031) * f(j)))
    c = f(f(0.3) * f(j))
    argument = (np.arange(count).astype(f) * w + c).astype(f)
    return rounded(np.sin(argument.astype(np.longdouble)), exact_sin, argument, f)


def exp64(x):
    return rounded(np.exp(x.astype(np.longdouble)), lambda v: decimal.Decimal(float(v)).exp(), x, np.float64)


def attention(shape, query, key, value):
    """Dense FP64 attention, ascending sums, bottom-right causal."""
    batch, hq, hkv, queries, keys, depth, _ = shape
    q, k, v = (a.astype(np.float64) for a in (query, key, value))
    scale = np.float64(np.float32(1) / np.sqrt(np.float32(depth)))
    out = np.empty(query.shape[:3] + (value.shape[3],))
    for b in range(batch):
        for h in range(hq):
            kv = h // (hq // hkv)
            dot = np.zeros((queries, keys))
            for d in range(depth):
                dot += q[b, h, :, d, None] * k[b, kv, None, :, d]
            for m in range(queries):
                visible = m + keys - queries + 1
                score = dot[m, :visible] * scale
                p = exp64(score - score.max())
                total, acc = 0.0, np.zeros(value.shape[3])
                for n in range(visible):
                    total += p[n]
                    acc += p[n] * v[b, kv, n]
                out[b, h, m] = acc / total
    return out


# ---- Numbers --------------------------------------------------------------


def review_arrays(run, case):
    """Inputs and expectations; returns the output buffers as (name, expected)."""
    inputs, outputs = {}, []
    for j, entry in enumerate(case["arrays"]):
        data = array(run, entry["sha256"])
        check(list(data.shape) == entry["shape"], f"{case['case_name']} {entry['name']}: shape")
        if entry["origin"] == "sine":
            again = sine_input(j, data.size).reshape(data.shape)
            check(again.tobytes() == data.tobytes(), f"{case['case_name']} {entry['name']}: sine input differs")
        if entry["role"] == "input":
            inputs[entry["name"]] = data
        else:
            outputs.append((entry["name"], entry["origin"], data))
    for name, origin, data in outputs:
        # The text of a tile program is not evaluated here.
        if origin == "oracle" and case["program"] == "attention":
            again = attention(case["shape"], inputs["query"], inputs["key"], inputs["value"])
            check(again.tobytes() == data.tobytes(), f"{case['case_name']} {name}: oracle differs")
    return [(name, data.astype(np.float64)) for name, _, data in outputs]


def errors(actual, expected, tolerance):
    """(failed elements, largest error or None)."""
    with np.errstate(invalid="ignore"):
        actual = actual.astype(np.float64)
        error = np.abs(actual - expected)
        bound = tolerance["absolute"] + tolerance["relative"] * np.abs(expected)
        failed = int(np.sum(~(error <= bound) | ~np.isfinite(actual)))
    return failed, float(error.max()) if np.isfinite(error).all() else None


def review_captures(run, case, expected, manifest):
    """Whether the case's captures hold; arm -> digest of its outputs."""
    name, sound, seen = case["case_name"], True, {}
    for arm in ("baseline", "candidate"):
        variant = manifest[arm]
        path = f"captures/{name}/{variant}/capture.json"
        capture = record(run, path)
        check(capture["case_sha256"] == sha256(run[f"cases/{name}/case.json"]), f"{path}: chain")
        for entry in capture["files"]:
            check(sha256(run[entry["path"]]) == entry["sha256"], f"{path}: {entry['path']}")
        if capture["end"]["status"] != "completed":
            sound = False
            continue
        for output, (_, values) in zip(capture["outputs"], expected):
            if output["jit_sha256"]:
                check(output["jit_sha256"] == output["prepared_sha256"], f"{path}: jit and prepared differ")
            failed, _ = errors(array(run, output["prepared_sha256"]), values, manifest["tolerance"])
            check(failed == 0, f"{path}: {failed} elements outside tolerance")
        seen[arm] = [output["prepared_sha256"] for output in capture["outputs"]]
    if sound and manifest.get("expect", {}).get("outputs") == "bitwise-equal":
        sound = seen["baseline"] == seen["candidate"]
    return sound


# ---- Order and visits ------------------------------------------------------


def drawn(kind, seed, case, *more):
    return hashlib.sha256("".join(f"{part}\n" for part in (kind, seed, case) + more).encode()).digest()


def visits_needed(cycles, attempts):
    cycle = 0
    while cycle < cycles and 4 * cycle < len(attempts):
        pairs = [attempts[i:i + 2] for i in (4 * cycle, 4 * cycle + 2)]
        cycles += any(len(pair) == 2 and pair[0] != pair[1] for pair in pairs)
        cycle += 1
    return 4 * cycles


def review_visits(run, case, expected, manifest):
    """The timed visits of a case, each checked; and whether all completed."""
    name = case["case_name"]
    folder = f"replays/{name}/"
    if folder + "plan.json" not in run:
        return [], False
    plan = record(run, folder + "plan.json")
    for arm in ("baseline", "candidate"):
        capture = f"captures/{name}/{manifest[arm]}/"
        check(plan[arm]["capture_sha256"] == sha256(run[capture + "capture.json"]), f"{name}: plan cites another capture")
        check(plan[arm]["library_sha256"] == sha256(run[capture + "kernel.so"]), f"{name}: plan cites another library")
    start = "baseline" if drawn("exhibit.start/1", plan["seed"], name)[0] % 2 == 0 else "candidate"
    check(plan["starting_arm"] == start, f"{name}: starting arm")
    arms = [start, "candidate" if start == "baseline" else "baseline"]

    paths = [p for kind in ("calibration-", "visit-") for p in sorted(run, key=lambda p: (len(p), p))
             if p.startswith(folder + kind)]
    previous, timed, complete, probes = sha256(run[folder + "plan.json"]), [], True, []
    for path in paths:
        visit = record(run, path)
        check(visit["previous_sha256"] == previous, f"{path}: chain")
        previous = sha256(run[path])
        calibration = visit["kind"] == "calibration"
        position = visit["index"] if calibration else (0, 1, 1, 0)[visit["index"] % 4]
        check(visit["arm"] == arms[position], f"{path}: arm")
        if visit["end"]["status"] != "completed":
            complete = False
            continue
        for output, (_, values) in zip(visit["outputs"], expected):
            again = errors(array(run, output["last_sha256"]), values, manifest["tolerance"])
            check(again == (output["failed_elements"], output["max_error"]), f"{path}: errors of {output['name']}")
            check(again[0] == 0, f"{path}: {output['name']} outside tolerance")
            first = errors(array(run, output["first_sha256"]), values, manifest["tolerance"])
            check(first[0] == 0, f"{path}: first {output['name']} outside tolerance")
        if calibration:
            probes.append(visit["probe_ns"])
            continue
        draw = drawn("exhibit.shift/1", plan["seed"], name, visit["index"] // 2)
        shift = {kind: 16 * (int.from_bytes(draw[i:i + 2], "big") % 257)
                 for kind, i in (("stack_bytes", 0), ("heap_bytes", 2))}
        check(visit["shift"] == shift, f"{path}: shift")
        repetitions = max([1] + [-(-plan["target_ns"] // probe) for probe in probes])
        check(visit["repetitions"] == repetitions, f"{path}: repetitions")
        check(len(visit["samples_ns"]) == plan["samples"] == manifest["replay"]["samples"], f"{path}: samples")
        timed.append(visit)
    if complete:
        needed = visits_needed(manifest["replay"]["cycles"], [v["attempt"] for v in timed])
        complete = len(timed) == needed
    return timed, complete


# ---- Statistics ------------------------------------------------------------


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def quartiles(values):
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return ordered[quarter], ordered[-1 - quarter]


def differ(a, b, share):
    return max(a, b) > (1 + share) * min(a, b)


def marks_of(visit, usual_khz):
    """What disturbed a visit, by the thresholds of audit/DECISION.md."""
    samples, counts, found = visit["samples_ns"], visit["counts"], set()
    if counts["voluntary_switches"] + counts["involuntary_switches"] >= 0.5 * len(samples):
        found.add("context-switches")
    cpu_time = visit["counters"].get("task_clock_ns")
    if cpu_time is not None and cpu_time < (1 - 0.05) * sum(samples):
        found.add("cpu-time-lost")
    before, after = visit["before"]["frequency_khz"], visit["after"]["frequency_khz"]
    if after is not None and any(k is not None and differ(k, after, 0.05) for k in (before, usual_khz)):
        found.add("frequency-changed")
    if counts["major_faults"] > 0:
        found.add("major-faults")
    if counts["minor_faults"] * 1000.0 > 0.01 * sum(samples):
        found.add("minor-faults")
    if counts["migrations"]:
        found.add("migrated")
    if differ(*quartiles(samples), 0.10):
        found.add("unsteady-samples")
    return sorted(found)


def host_changed(timed):
    """A mapped file or the clock is not the same in all visits of an arm."""
    first = {}
    for visit in timed:
        files = {f["name"]: f["sha256"] for f in visit["process"]["mapped_files"] if f["name"] != "kernel.so"}
        seen = (files, visit["clock"]["name"], visit["clock"]["resolution_ns"])
        if first.setdefault(visit["arm"], seen) != seen:
            return True
    return False


def drift_of(arms):
    ratios = []
    for times in arms.values():
        half = len(times) // 2
        ratios += [late / early for early in times[:half] for late in times[len(times) - half:]]
    return median(ratios) if ratios else None


def sign_test(ratios):
    n, below, above = len(ratios), sum(r < 1 for r in ratios), sum(r > 1 for r in ratios)
    minority = n - max(below, above)
    return below, above, min(1.0, 2 * sum(math.comb(n, i) for i in range(minority + 1)) / 2 ** n)


def signed_rank(ratios, alpha):
    n = len(ratios)
    averages = sorted(math.sqrt(ratios[i] * ratios[j]) for i in range(n) for j in range(i, n))
    ways = [1]  # ways[w]: subsets of 1..n with sum w
    for rank in range(1, n + 1):
        ways = [(ways[w] if w < len(ways) else 0) + (ways[w - rank] if 0 <= w - rank < len(ways) else 0)
                for w in range(len(ways) + rank)]
    k, below = 0, 0
    while 2 * (below + ways[k]) / 2 ** n <= alpha:
        below += ways[k]
        k += 1
    if k == 0:
        return median(averages), None
    return median(averages), (averages[k - 1], averages[-k], 1 - 2 * below / 2 ** n)


def statistics(timed, alpha):
    times = [median([s / v["repetitions"] for s in v["samples_ns"]]) for v in timed]
    pairs, selves, split = [], [], 0
    for i in range(len(timed) - 1):
        whole = timed[i]["attempt"] == timed[i + 1]["attempt"]
        if i % 2 == 0:
            split += not whole
            b, c = (i, i + 1) if timed[i]["arm"] == "baseline" else (i + 1, i)
            if whole:
                pairs.append(times[c] / times[b])
        elif whole:
            selves.append(times[i + 1] / times[i])
    n = len(pairs)
    below, above, p = sign_test(pairs)
    estimate, interval = signed_rank(pairs, alpha) if pairs else (None, None)
    floor = 1.48 * median([max(s, 1 / s) - 1 for s in selves]) * 1.25 / math.sqrt(n) if selves and n else None
    arm = {a: [t for t, v in zip(times, timed) if v["arm"] == a] for a in ("baseline", "candidate")}
    after = [v["after"]["frequency_khz"] for v in timed if v["after"]["frequency_khz"] is not None]
    marks = [marks_of(v, median(after) if after else None) for v in timed]
    lost = sum("migrated" in m or {"cpu-time-lost", "context-switches"} <= set(m) for m in marks)
    hidden = host_changed(timed) or 2 * lost > len(timed)
    for a in arm:
        low, high = quartiles([s / v["repetitions"] for v in timed if v["arm"] == a for s in v["samples_ns"]])
        hidden |= high / low >= 10
    return {"times": times, "arm": {a: median(t) for a, t in arm.items()}, "pairs": pairs, "self_pairs": selves,
            "split": split, "below": below, "above": above, "p": p, "estimate": estimate, "interval": interval,
            "floor": floor, "hidden": hidden, "marks": marks, "drift": drift_of(arm), "self_signs": sign_test(selves),
            "null_effect": None, "null_unknown": False, "is_null": False}


def effect_of(ratio):
    return max(ratio, 1 / ratio) - 1


def look_at_null_cases(judged, cases):
    """What the null cases of a case show is the least that it must exceed."""
    for declared in cases:
        null, of = judged[declared["name"]], judged.get(declared.get("null_of"))
        if "null_of" not in declared:
            continue
        if null is not None:
            null["is_null"] = True
        if of is None:
            continue
        if null is None or null["hidden"]:
            of["null_unknown"] = True
            continue
        shown = max(effect_of(null["estimate"]), effect_of(median(null["pairs"])))
        of["null_effect"] = max(of["null_effect"] or 0.0, shown)


def outcome(s, p, decision):
    if s["hidden"]:
        return "not-comparable"
    effect = min(effect_of(e) for e in (s["estimate"], median(s["pairs"])))
    side = s["estimate"] < 1 if s["below"] > s["above"] else s["estimate"] > 1
    controlled = not s["is_null"] and not s["null_unknown"] and (
        s["null_effect"] is None or effect > s["null_effect"])
    if (p < decision["alpha"] and side and effect > decision["minimum_effect"]
            and s["floor"] is not None and effect > s["floor"] and controlled):
        return "faster" if s["estimate"] < 1 else "slower"
    bound = 1 + decision["minimum_effect"]
    if s["interval"] and s["interval"][0] >= 1 / bound and s["interval"][1] <= bound:
        return "same"
    return "inconclusive"


def holm(p_values):
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def agree(what, ours, theirs):
    if ours is None or theirs is None:
        return check(ours is None and theirs is None, f"{what}: {ours} here, {theirs} in audit.json")
    return check(math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-300), f"{what}: {ours} here, {theirs} in audit.json")


def compare(name, s, p, result, theirs):
    check(result == theirs["outcome"], f"{name}: outcome {result} here, {theirs['outcome']} in audit.json")
    for arm in ("baseline", "candidate"):
        agree(f"{name} {arm} time", s["arm"][arm], theirs[arm]["time_ns"])
    check(len(s["times"]) == len(theirs["visit_times_ns"]), f"{name}: visit times")
    for ours, other in zip(s["times"], theirs["visit_times_ns"]):
        agree(f"{name} visit time", ours, other)
    check(s["split"] == theirs["split_pairs"], f"{name}: split pairs")
    marked = {visit["visit"]: visit["marks"] for visit in theirs["marked_visits"]}
    check({i: m for i, m in enumerate(s["marks"]) if m} == marked, f"{name}: marked visits")
    if result == "not-comparable":
        return check(theirs["ratios"] is None, f"{name}: a ratio is shown for what cannot be compared")
    ratios = theirs["ratios"]
    for key in ("pairs", "self_pairs"):
        check(len(s[key]) == len(ratios[key]), f"{name}: number of {key}")
        for ours, other in zip(s[key], ratios[key]):
            agree(f"{name} {key}", ours, other)
    agree(f"{name} median", median(s["pairs"]), ratios["median"])
    agree(f"{name} min", min(s["pairs"]), ratios["min"])
    agree(f"{name} max", max(s["pairs"]), ratios["max"])
    agree(f"{name} sign test", s["p"], ratios["sign_test"]["p_value"])
    agree(f"{name} p-value", p, ratios["p_value"])
    agree(f"{name} estimate", s["estimate"], ratios["estimate"])
    agree(f"{name} noise floor", s["floor"], ratios["noise_floor"])
    agree(f"{name} drift", s["drift"], ratios["drift"])
    agree(f"{name} null effect", s["null_effect"], ratios["null_effect"])
    below, above, self_p = s["self_signs"]
    agree(f"{name} self sign test", self_p, ratios["self_sign_test"]["p_value"])
    check((below, above) == tuple(ratios["self_sign_test"][side] for side in ("below", "above")),
          f"{name}: signs of the self pairs")
    interval = ratios["interval"]
    check((s["interval"] is None) == (interval is None), f"{name}: interval")
    for ours, key in zip(s["interval"] or (), ("low", "high", "coverage")):
        agree(f"{name} interval {key}", ours, interval[key])


# ---- Claims ----------------------------------------------------------------

QUOTED = {"paired-ratio": "median", "ratio-min": "min", "ratio-max": "max", "estimate": "estimate",
          "p-value": "p_value", "noise-floor": "noise_floor"}


def quoted(claim, cases):
    """What a claim file may say of this quantity, or None where this file knows no better."""
    case = cases.get(claim.get("case"))
    if case is None or "cases" in claim:  # Refused.
        return None
    if claim["quantity"] in ("outcome", "evidence-level"):
        return case[claim["quantity"].replace("-", "_")]
    if claim["quantity"] in QUOTED and case["ratios"] is not None:
        return f"{case['ratios'][QUOTED[claim['quantity']]]:.{claim['digits']}f}"
    if claim["quantity"] == "time":
        scale = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}[claim["unit"]]
        arms = {case[arm]["variant"]: case[arm]["time_ns"] for arm in ("baseline", "candidate")}
        return f"{arms[claim['variant']] / scale:.{claim['digits']}f}"
    return None


def review_claims(folder, audit):
    """What claims.json quotes is what audit.json, by now compared, says."""
    if not os.path.exists(os.path.join(folder, "claims.json")):
        return check("claims" not in audit, "audit.json judges claims that are not there")
    claims = json.loads(read(folder, "claims.json"))["claims"]
    cases = {case["name"]: case for case in audit["cases"]}
    check(len(claims) == len(audit["claims"]), "audit.json judges another number of claims")
    for claim, judged in zip(claims, audit["claims"]):
        name = f"claim {claim['quantity']} of {claim.get('case')}"
        check(claim["quantity"] == judged["quantity"], f"{name}: judged as another")
        ours = quoted(claim, cases)
        if ours is None:
            continue
        value = claim["value"] if isinstance(claim["value"], str) else f"{claim['value']:.{claim['digits']}f}"
        check(ours == judged["found"], f"{name}: {ours} here, {judged['found']} in audit.json")
        check((ours == value) == (judged["status"] == "supported"), f"{name}: {judged['status']} in audit.json")


# ---- All of it -------------------------------------------------------------


def review(folder):
    check_seal(folder)
    run, content_id = read_run(folder)
    audit = json.loads(read(folder, "audit.json"))
    check(canonical(audit) + "\n" == read(folder, "audit.json").decode(), "audit.json is not canonical")
    check(audit["content_id"] == content_id, "audit.json names another content id")
    manifest = json.loads(run["manifest.json"])
    check(audit["manifest_sha256"] == sha256(run["manifest.json"]), "audit.json names another manifest")
    freeze = record(run, "freeze.json")
    check(freeze["manifest_sha256"] == sha256(run["manifest.json"]), "freeze.json cites another manifest")
    for source in freeze["sources"]:
        check(sha256(run[source["path"]]) == source["sha256"], f"source {source['path']}")

    decision = manifest["decision"]
    tried = sum("null_of" not in case for case in manifest["cases"])
    check(audit["cases_tried"] == tried, "audit.json tried another number of cases")
    corrected = decision.get("family", "none") == "holm"
    judged = {}
    for declared in manifest["cases"]:
        name = declared["name"]
        case = record(run, f"cases/{name}/case.json")
        check(case["freeze_sha256"] == sha256(run["freeze.json"]), f"{name}: chain")
        expected = review_arrays(run, case)
        sound = review_captures(run, case, expected, manifest)
        timed, complete = review_visits(run, case, expected, manifest)
        usable = sound and complete and timed
        judged[name] = statistics(timed, decision["alpha"] / (tried if corrected else 1)) if usable else None

    look_at_null_cases(judged, manifest["cases"])
    p_values = [s["p"] if s and not s["hidden"] else 1.0 for s in judged.values()]
    if corrected:
        family = [i for i, case in enumerate(manifest["cases"]) if "null_of" not in case]
        for i, p in zip(family, holm([p_values[i] for i in family])):
            p_values[i] = p
    for (name, s), p, theirs in zip(judged.items(), p_values, audit["cases"]):
        check(theirs["name"] == name, f"audit.json has case {theirs['name']} where {name} is declared")
        if s is None:
            check(theirs["outcome"] == "invalid", f"{name}: invalid here, {theirs['outcome']} in audit.json")
            continue
        compare(name, s, p, outcome(s, p, decision), theirs)
        shown = "" if s["hidden"] else f", ratio {median(s['pairs']):.4f}, p {p:.4f}"
        print(f"{name}: {outcome(s, p, decision)}{shown}")
    review_claims(folder, audit)
    check(audit["verdict"] == "verified", f"the audit's verdict is {audit['verdict']}")
    print(f"content id {content_id}")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    needed = ("evidence.tar.xz", "sources.tar.gz", "audit.json")
    missing = [name for name in needed if not os.path.isfile(os.path.join(sys.argv[1], name))]
    if missing:
        print(f"{sys.argv[1]} is not an audited bundle: it has no {', '.join(missing)}", file=sys.stderr)
        return 2
    review(sys.argv[1])
    for problem in problems:
        print(f"differs: {problem}")
    print("everything agrees" if not problems else f"{len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
