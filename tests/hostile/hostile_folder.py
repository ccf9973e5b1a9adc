"""What stands in the folder of a bundle or of a run, and the seal round it."""

import os
import socket

from bundle_maker import sha256
from corpus import VERIFIED, add, changed_bundle

UNSOUND = "archive-unsound"
SEALED = ("evidence.tar.xz", "provenance.json", "sources.tar.gz")

# ---- The seal.


def seal_with(change):
    def edit(bundle):
        assert change(bundle["SHA256SUMS"]) != bundle["SHA256SUMS"]
        bundle["SHA256SUMS"] = change(bundle["SHA256SUMS"])
    return changed_bundle(edit)


def last_line(text):
    return text[text.rindex(b"\n", 0, -1) + 1:]


SEALS = {
    "empty": lambda s: b"",
    "capitals": lambda s: s[:64].upper() + s[64:],
    "binary marker": lambda s: s.replace(b"  ", b" *"),
    "escaped name": lambda s: b"\\" + s,
    "one blank": lambda s: s.replace(b"  ", b" "),
    "a tabulator": lambda s: s.replace(b"  ", b"\t"),
    "BSD form": lambda s: b"SHA256 (evidence.tar.xz) = " + s[:64] + b"\n",
    "no line end": lambda s: s[:-1],
    "carriage returns": lambda s: s.replace(b"\n", b"\r\n"),
    "byte-order mark": lambda s: b"\xef\xbb\xbf" + s,
    "comment": lambda s: b"# sealed\n" + s,
    "empty line": lambda s: s + b"\n",
    "line twice": lambda s: s + last_line(s),
    "line twice, otherwise": lambda s: s + b"0" * 64 + last_line(s)[64:],
    "lines reversed": lambda s: b"".join(s.splitlines(True)[::-1]),
    "line less": lambda s: s[:-len(last_line(s))],
    "itself": lambda s: b"0" * 64 + b"  SHA256SUMS\n" + s,
    "file of the system": lambda s: sha256(b"").encode() + b"  /etc/hostname\n" + s,
    "file above": lambda s: sha256(b"").encode() + b"  ../x\n" + s,
    "file that is not there": lambda s: s + b"0" * 64 + b"  z\n",
    "another digest": lambda s: (b"0" if s[:1] != b"0" else b"1") + s[1:],
    "digest too short": lambda s: s[1:],
    "digest too long": lambda s: b"0" + s,
    "SHA-1": lambda s: b"0" * 40 + s[64:],
    "above the limit": lambda s: s + b"0" * 70000,
    "NUL": lambda s: s.replace(b"  ", b" \0", 1),
}
for name, change in SEALS.items():
    add("seal", name, seal_with(change), "seal-unsound", "SHA256SUMS",
        "carriage return" if name == "carriage returns" else "")
add("seal", "none", changed_bundle(lambda b: b.left_out.add("SHA256SUMS")), VERIFIED)


# ---- Derived files.


def more(name, data):
    return changed_bundle(lambda bundle: bundle.more.__setitem__(name, data))


add("derived", "an audit of nothing", more("audit.json", b"{}\n"), "derived-differs", "audit.json")
add("derived", "an empty audit", more("audit.json", b""), "derived-differs", "audit.json")
add("derived", "another report", more("report.md", b"All is well.\n"), "derived-differs", "report.md")
add("derived", "a report for a terminal", more("report.md", b"\x1b[2J" * 100), "derived-differs", "report.md")
add("derived", "deep lists", more("audit.json", b"[" * 1000000), "derived-differs", "audit.json")

# ---- The folder.


def afterwards(change):
    """`change` is a function of the folder, once all files are written."""
    return changed_bundle(lambda bundle: bundle.afterwards.append(change))


def instead(name, make):
    def change(folder):
        path = os.path.join(folder, name)
        os.unlink(path)
        make(path)
    return afterwards(change)


def socket_at(path):
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    os.close(folder)


def sparse_at(path):
    with open(path, "wb") as file:
        file.truncate(1 << 37)


for file in SEALED:
    add("folder", f"no {file}", changed_bundle(lambda b, f=file: b.left_out.add(f)), UNSOUND, file)
    add("folder", f"a link as {file}", instead(file, lambda p: os.symlink("/etc/passwd", p)), UNSOUND, file)
    add("folder", f"an endless device as {file}", instead(file, lambda p: os.symlink("/dev/zero", p)), UNSOUND, file)
    add("folder", f"a fifo as {file}", instead(file, os.mkfifo), UNSOUND, file)
    add("folder", f"a folder as {file}", instead(file, os.mkdir), UNSOUND, file)
    add("folder", f"a socket as {file}", instead(file, socket_at), UNSOUND, file)
add("folder", "128 GiB of zeros as evidence", instead("evidence.tar.xz", sparse_at), UNSOUND, "evidence.tar.xz")
add("folder", "128 GiB of zeros as an audit", afterwards(
    lambda folder: sparse_at(os.path.join(folder, "audit.json"))), "over-limit", "audit.json")
for name, make in {
        "audit.json": os.mkfifo, "report.md": os.mkdir, "SHA256SUMS": None, "evidence.tar": sparse_at,
        ".hidden": os.mkdir, "line\nend": os.mkdir, "\u00e9vidence": os.mkfifo, "a" * 255: os.mkdir}.items():
    if make is None:
        add("folder", "a fifo as the seal", instead(name, os.mkfifo), UNSOUND, name)
    else:
        add("folder", f"more: {name[:20]!a}", afterwards(
            lambda folder, n=name, m=make: m(os.path.join(folder, n))), UNSOUND, "")
add("folder", "manifest.json beside", more("manifest.json", b"{}\n"), "file-missing", "freeze.json")


# ---- A run, which is read in place.


class RunFolder:
    """The files of the run; then `change` of the folder."""

    def __init__(self, files, change):
        self.files, self.change = files, change

    def write(self, folder):
        for path, data in self.files.items():
            name = os.path.join(folder, path)
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "wb") as file:
                file.write(data)
        self.change(folder)


def run_with(change):
    return lambda base: RunFolder(base.run, change)


def at(path, make):
    """`make` makes something at the path, in the place of what is there."""
    def change(folder):
        name = os.path.join(folder, path)
        if os.path.lexists(name):
            os.unlink(name)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        make(name)
    return run_with(change)


def file_at(name):
    with open(name, "wb"):
        pass


def deep(name):
    for _ in range(200):
        name = os.path.join(name, "d")
    os.makedirs(name)
    file_at(os.path.join(name, "f"))


PLAN = "replays/tiny/plan.json"
RUNS = {
    "a fifo as a record": (PLAN, os.mkfifo),
    "a link as a record": (PLAN, lambda p: os.symlink("/etc/passwd", p)),
    "a link to nothing": (PLAN, lambda p: os.symlink("nowhere", p)),
    "an endless device as a record": (PLAN, lambda p: os.symlink("/dev/zero", p)),
    "a socket as a record": (PLAN, socket_at),
    "a link to the folder above": ("logs/up", lambda p: os.symlink("..", p)),
    "a link to itself": ("logs/x", lambda p: os.symlink("x", p)),
    "a blank in a name": ("logs/a b", file_at),
    "a line end in a name": ("logs/a\nb", file_at),
    "an option as a name": ("logs/-rf", file_at),
    "a name of 200 bytes": ("logs/" + "a" * 200, file_at),
    "a name of another script": ("logs/\u00e9", file_at),
    "a name that is no UTF-8": ("logs/\udcff", file_at),
    "names that differ by case": ("logs/Case", lambda p: (file_at(p), file_at(p.replace("Case", "case")))),
    "folders that differ by case": ("logs/A/x", lambda p: (file_at(p), os.mkdir(p[:-3] + "a"), file_at(
        p[:-3] + "a/x"))),
}
for name, (path, make) in RUNS.items():
    add("run", name, at(path, make), UNSOUND, "")
add("run", "two hundred folders", at("logs/deep", deep), "over-limit", "levels of folders")
add("run", "a record of 128 GiB", at(PLAN, sparse_at), "over-limit", "plan.json")
add("run", "a log of its own", at("logs/more.txt", file_at), "file-extra", "logs/more.txt")
add("run", "an empty folder", at("logs/empty", os.mkdir), VERIFIED)
add("run", "as it is", run_with(lambda folder: None), VERIFIED)
