"""JSON that other readers would take, in a record, a manifest and provenance.json."""

import re

from corpus import CANNOT_VERIFY, VERIFIED, add, changed_bundle, changed_run

VISIT = "replays/tiny/visit-0011.json"  # The last: no record cites it.
DEEP = 20000


def at_field(name, value):
    """A function that gives the field `name` another value, as bytes."""
    return lambda text: re.sub(rb'"%s": ?[^,}\n]+' % name, lambda _: b'"%s":%s' % (name, value), text, count=1)


def of_number(value):
    return at_field(b"cpu", value)


def of_text(value):
    return at_field(b"arm", value)


def first_member(text):
    """As first member of the object."""
    return lambda record: record.replace(b"{", b"{" + text + b",", 1)


# Each makes other bytes of a record that is canonical JSON in one line.
SPELLINGS = {
    "deep lists": of_number(b"[" * DEEP + b"]" * DEEP),
    "deep lists that do not end": of_number(b"[" * DEEP),
    "deep objects": of_number(b'{"a":' * DEEP + b"1" + b"}" * DEEP),
    "repeated key": lambda r: r.replace(b'"cpu":2', b'"cpu":2,"cpu":3'),
    "repeated key, alike": lambda r: r.replace(b'"cpu":2', b'"cpu":2,"cpu":2'),
    "repeated key by escape": lambda r: r.replace(b'"cpu":2', b'"cpu":2,"\\u0063pu":3'),
    "number beyond doubles": of_number(b"1e999"),
    "number of many digits": of_number(b"9" * 5000),
    "2^53 + 1": of_number(b"9007199254740993"),
    "2^63": of_number(b"9223372036854775808"),
    "2^64": of_number(b"18446744073709551616"),
    "-2^63": of_number(b"-9223372036854775808"),
    "beyond -2^63": of_number(b"-9223372036854775809"),
    "negative count": of_number(b"-1"),
    "minus zero": of_number(b"-0"),
    "integer as a double": of_number(b"2.0"),
    "integer with an exponent": of_number(b"2e0"),
    "leading zero": of_number(b"02"),
    "plus": of_number(b"+2"),
    "hexadecimal": of_number(b"0x2"),
    "digit of another script": of_number("\u0662".encode()),
    "point without digits": of_number(b"2."),
    "digits without a whole": of_number(b".2"),
    "NaN": of_number(b"NaN"),
    "Infinity": of_number(b"Infinity"),
    "-Infinity": of_number(b"-Infinity"),
    "number as text": of_number(b'"2"'),
    "number as null": of_number(b"null"),
    "number as a truth": of_number(b"true"),
    "number as a list": of_number(b"[2]"),
    "no value": of_number(b""),
    "text as a number": of_text(b"1"),
    "escape of a letter": of_text(b'"b\\u0061seline"'),
    "escaped slash": of_text(b'"\\/"'),
    "unknown escape": of_text(b'"\\x62"'),
    "lone high surrogate": of_text(b'"\\ud800"'),
    "lone low surrogate": of_text(b'"\\udc00"'),
    "surrogates in UTF-8": of_text(b'"\xed\xa0\x80\xed\xb0\x80"'),
    "byte that is no UTF-8": of_text(b'"\xff"'),
    "overlong UTF-8": of_text(b'"\xc0\x80"'),
    "UTF-8 beyond Unicode": of_text(b'"\xf5\x80\x80\x80"'),
    "cut UTF-8": of_text(b'"\xe2\x82"'),
    "control byte in text": of_text(b'"a\x01"'),
    "line end in text": of_text(b'"a\n"'),
    "escaped NUL": of_text(b'"\\u0000"'),
    "text that does not end": of_text(b'"baseline'),
    "text of a megabyte": of_text(b'"' + b"a" * (1 << 20) + b'"'),
    "single quotes": lambda r: r.replace(b'"', b"'"),
    "key without quotes": lambda r: r.replace(b'"cpu"', b"cpu"),
    "byte-order mark": lambda r: b"\xef\xbb\xbf" + r,
    "UTF-16": lambda r: r.decode().encode("utf-16"),
    "carriage returns": lambda r: r.replace(b"\n", b"\r\n"),
    "carriage return alone": lambda r: r.replace(b"\n", b"\r"),
    "trailing comma": lambda r: r.replace(b"}\n", b",}\n"),
    "comma twice": lambda r: r.replace(b",", b",,", 1),
    "comma missing": lambda r: r.replace(b",", b" ", 1),
    "colon missing": lambda r: r.replace(b":", b" ", 1),
    "blank after a colon": lambda r: r.replace(b":", b": ", 1),
    "blank before all": lambda r: b" " + r,
    "blank after all": lambda r: r[:-1] + b" \n",
    "indented": lambda r: r.replace(b",", b",\n  "),
    "no line end": lambda r: r[:-1],
    "two line ends": lambda r: r + b"\n",
    "line end first": lambda r: b"\n" + r,
    "form feed": lambda r: r.replace(b":", b":\f", 1),
    "no-break space": lambda r: r.replace(b":", b":\xc2\xa0", 1),
    "NUL at the end": lambda r: r + b"\0",
    "NUL within": lambda r: r.replace(b":", b":\0", 1),
    "comment": lambda r: r.replace(b"{", b"{/* no */", 1),
    "comment at the end": lambda r: r + b"// no\n",
    "keys out of order": lambda r: r.replace(b'"cpu":2,', b"", 1).replace(b"{", b'{"cpu":2,', 1),
    "record twice": lambda r: r + r,
    "more after it": lambda r: r + b"{}",
    "a list of it": lambda r: b"[" + r[:-1] + b"]\n",
    "cut": lambda r: r[:len(r) // 2],
    "empty": lambda r: b"",
    "blanks alone": lambda r: b" \n",
    "null": lambda r: b"null\n",
    "text alone": lambda r: b'"record"\n',
    "number alone": lambda r: b"1\n",
    "empty object": lambda r: b"{}\n",
    "not JSON": lambda r: b"\x7fELF",
    "unknown field": first_member(b'"aaa":1'),
    "field missing": lambda r: r.replace(b'"cpu":2,', b""),
    "field of another case": lambda r: r.replace(b'"cpu"', b'"CPU"'),
    "ten thousand unknown fields": first_member(b",".join(b'"a%05d":0' % i for i in range(10000))),
    "unknown status": lambda r: r.replace(b'"status":"completed"', b'"status":"fine"'),
    "digest in capitals": lambda r: re.sub(rb'("plan_sha256":")([0-9a-f]+)', lambda m: m[1] + m[2].upper(), r),
    "digest too short": lambda r: re.sub(rb'("plan_sha256":"[0-9a-f]{63})[0-9a-f]', rb"\1", r),
    "path in a name": lambda r: r.replace(b'"variant":"new"', b'"variant":"../new"').replace(
        b'"variant":"old"', b'"variant":"../old"'),
}


# What the finding must say of it: the cause, where a user would not see it.
CAUSES = {"carriage returns": "carriage returns", "byte-order mark": "byte-order mark", "NUL within": "NUL",
          "deep lists": "nested deeper", "2^53 + 1": "2^53", "repeated key": "repeated key"}


def of_the_last_visit(change):
    def after(files):
        changed = change(files[VISIT])
        assert changed != files[VISIT]
        files[VISIT] = changed
    return changed_run(lambda forged: None, after)


for name, change in SPELLINGS.items():
    add("record", name, of_the_last_visit(change), "record-malformed", "visit-0011", CAUSES.get(name, ""))
add("record", "of a later schema",
    of_the_last_visit(lambda r: r.replace(b"exhibit.visit/1", b"exhibit.visit/2")), CANNOT_VERIFY, "visit-0011")
add("record", "of another kind",
    of_the_last_visit(lambda r: r.replace(b"exhibit.visit/1", b"exhibit.plan/1")), CANNOT_VERIFY, "visit-0011")
add("record", "above the limit",
    of_the_last_visit(lambda r: r[:-1] + b" " * (65 << 20) + b"\n"), "over-limit", "visit-0011")

# ---- A manifest is typed by people: any spelling of JSON, but nothing beyond it.


def manifest_with(change):
    def forge(forged):
        text = forged.files["manifest.json"]
        assert change(text) != text
        forged.files["manifest.json"] = change(text)
    return changed_run(forge)


def replaced(old, new):
    return lambda text: text.replace(old, new, 1)


MANIFESTS = {
    "deep lists": replaced(b'"seed": 7', b'"seed": ' + b"[" * DEEP + b"]" * DEEP),
    "repeated key": replaced(b'"seed": 7', b'"seed": 7, "seed": 8'),
    "number beyond doubles": replaced(b'"alpha": 0.05', b'"alpha": 1e999'),
    "2^64": replaced(b'"seed": 7', b'"seed": 18446744073709551616'),
    "NaN": replaced(b'"alpha": 0.05', b'"alpha": NaN'),
    "byte-order mark": lambda m: b"\xef\xbb\xbf" + m,
    "UTF-16": lambda m: m.decode().encode("utf-16"),
    "trailing comma": replaced(b'"seed": 7', b'"seed": 7,'),
    "comment": replaced(b"{", b"{ // no\n"),
    "byte that is no UTF-8": replaced(b"old?", b"\xff"),
    "NUL": replaced(b"old?", b"\0"),
    "lone surrogate": replaced(b"old?", b"\\ud800"),
    "unknown field": replaced(b'"name"', b'"nmae": 1, "name"'),
    "no field": replaced(b'"name": "fixture",', b""),
    "empty": lambda m: b"",
    "a list": lambda m: b"[" + m + b"]",
    "a case twice": replaced(b"}],", b'}, {"name": "tiny", "shape": [1, 2, 1, 2, 3, 4, 4], "tile": [1, 16]}],'),
    "a case by a path": replaced(b'"name": "tiny"', b'"name": "../tiny"'),
    "a case of another letter case": replaced(
        b"}],", b'}, {"name": "TINY", "shape": [1, 2, 1, 2, 3, 4, 4], "tile": [1, 16]}],'),
    "a shape that overflows": replaced(b"[1, 2, 1, 2, 3, 4, 4]", b"[1, 2, 1, 3037000500, 3037000500, 4, 4]"),
    "a negative shape": replaced(b"[1, 2, 1, 2, 3, 4, 4]", b"[1, 2, 1, -2, 3, 4, 4]"),
    "a shape of none": replaced(b"[1, 2, 1, 2, 3, 4, 4]", b"[]"),
    "cycles without end": replaced(b'"cycles": 3', b'"cycles": 9007199254740991'),
    "a library by a path": replaced(b'"old.so"', b'"../../lib/old.so"'),
    "an absolute library": replaced(b'"old.so"', b'"/lib/old.so"'),
    "an infinite tolerance": replaced(b'"absolute": 1e-6', b'"absolute": Infinity'),
    "a negative tolerance": replaced(b'"absolute": 1e-6', b'"absolute": -1'),
    "an alpha that no pairs reach": replaced(b'"alpha": 0.05', b'"alpha": 1e-9'),
    "one variant against itself": replaced(b'"candidate": "new"', b'"candidate": "old"'),
    "a variant that is not there": replaced(b'"candidate": "new"', b'"candidate": "newer"'),
}
for name, change in MANIFESTS.items():
    add("manifest", name, manifest_with(change), "manifest-malformed", "manifest.json")
add("manifest", "above the limit", manifest_with(lambda m: m + b" " * (1 << 21)), "over-limit", "manifest.json")
add("manifest", "of a later schema", manifest_with(replaced(b"manifest/1", b"manifest/2")), CANNOT_VERIFY,
    "manifest.json")
add("manifest", "another rule", manifest_with(replaced(b"pairs/1", b"pairs/99")), CANNOT_VERIFY, "manifest.json")
add("manifest", "carriage returns", manifest_with(lambda m: m.replace(b"\n", b"\r\n")), VERIFIED)
add("manifest", "an escape of a letter", manifest_with(replaced(b'"fixture"', b'"f\\u0069xture"')), VERIFIED)

# ---- provenance.json: canonical, no field too many, of this run.


def provenance_with(change):
    def edit(bundle):
        text = bundle["provenance.json"]
        assert change(text) != text
        bundle["provenance.json"] = change(text)
    return changed_bundle(edit)


def digest_of(name, value):
    return lambda text: re.sub(rb'("%s":")[0-9a-f]{64}' % name, rb"\g<1>" + value, text, count=1)


PROVENANCES = {
    "empty": lambda p: b"",
    "not JSON": lambda p: b"{",
    "a list": lambda p: b"[" + p[:-1] + b"]\n",
    "indented": lambda p: p.replace(b",", b",\n "),
    "blank after a colon": lambda p: p.replace(b":", b": ", 1),
    "no line end": lambda p: p[:-1],
    "carriage returns": lambda p: p.replace(b"\n", b"\r\n"),
    "byte-order mark": lambda p: b"\xef\xbb\xbf" + p,
    "repeated key": lambda p: p.replace(b'"level":9', b'"level":9,"level":1'),
    "deep lists": lambda p: p.replace(b'"level":9', b'"level":' + b"[" * DEEP + b"]" * DEEP),
    "2^64": lambda p: p.replace(b'"level":9', b'"level":18446744073709551616'),
    "number as text": lambda p: p.replace(b'"level":9', b'"level":"9"'),
    "unknown field": lambda p: p.replace(b'"schema"', b'"rating":5,"schema"'),
    "unknown field below": lambda p: p.replace(b'"level":9', b'"level":9,"x-more":1'),
    "no content id": lambda p: re.sub(rb'"content_id":"[0-9a-f]+",', b"", p),
    "byte that is no UTF-8": lambda p: p.replace(b"unknown", b"\xff"),
    "no schema": lambda p: p.replace(b'"schema":"exhibit.provenance/1",', b""),
    "no commit": lambda p: p.replace(b"unknown", b"/home/someone"),
    "a digest of other digits": digest_of(b"source_sha256", b"g" * 64),
    "an empty digest": digest_of(b"source_sha256", b""),
    "libraries not by name": lambda p: p.replace(b'"libraries":[', b'"libraries":[{"name":"z","sha256":"","version":""},'),
    "a library twice": lambda p: p.replace(b'"libraries":[', b'"libraries":[{"name":"liblzma","sha256":"","version":""},'),
    "negative size of a block": lambda p: p.replace(b'"block_bytes":', b'"block_bytes":-'),
}
for name, change in PROVENANCES.items():
    code = "over-limit" if name == "deep lists" else "provenance-malformed"
    add("provenance", name, provenance_with(change), code, "provenance.json",
        "carriage returns" if name == "carriage returns" else "")
add("provenance", "above the limit", provenance_with(lambda p: p + b" " * (1 << 21)), "over-limit", "provenance.json")
add("provenance", "of a later schema", provenance_with(lambda p: p.replace(b"provenance/1", b"provenance/2")),
    CANNOT_VERIFY, "provenance.json")
add("provenance", "of another run", provenance_with(digest_of(b"content_id", b"0" * 64)), "provenance-differs",
    "content_id")
add("provenance", "of another manifest", provenance_with(digest_of(b"manifest_sha256", b"0" * 64)),
    "provenance-differs", "manifest_sha256")
add("provenance", "with a field of one's own", provenance_with(lambda p: p.replace(b',"xz"', b',"x-note":"hello","xz"')),
    VERIFIED)
