"""Bundles made layer by layer, so that any layer can be made wrong.

    bundle = Bundle(run)                      # path -> bytes
    bundle["evidence.tar"] += b"more"         # each layer is made from the one
    bundle.write(folder)                      # before it, unless it was set

The layers are those of archive/FORMAT.md. Nothing here is Exhibit's code.
"""

import hashlib
import json
import lzma
import os
import struct
import zlib

BLOCK = 512
END = b"\0" * (2 * BLOCK)
GZIP_HEADER = bytes.fromhex("1f8b08000000000002ff")
FIRST = ("manifest.json", "freeze.json", "attempts.jsonl")
FILES = ("evidence.tar.xz", "sources.tar.gz", "provenance.json")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# ---- Tar.

FIELDS = {  # Name -> offset, size.
    "name": (0, 100), "mode": (100, 8), "uid": (108, 8), "gid": (116, 8), "size": (124, 12), "mtime": (136, 12),
    "chksum": (148, 8), "typeflag": (156, 1), "linkname": (157, 100), "magic": (257, 6), "version": (263, 2),
    "uname": (265, 32), "gname": (297, 32), "devmajor": (329, 8), "devminor": (337, 8), "prefix": (345, 155),
    "unused": (500, 12)}


def header(name, size, **fields):
    """The header that FORMAT.md asks for, except for `fields`, given as bytes."""
    values = {"name": name.encode() if isinstance(name, str) else name, "mode": b"0000644", "uid": b"0000000",
              "gid": b"0000000", "size": b"%011o" % size, "mtime": b"0" * 11, "typeflag": b"0", "magic": b"ustar",
              "version": b"00", "devmajor": b"0000000", "devminor": b"0000000", "chksum": b" " * 8, **fields}
    block = bytearray(BLOCK)
    for field, value in values.items():
        offset, length = FIELDS[field]
        assert len(value) <= length, field
        block[offset:offset + len(value)] = value
    if "chksum" not in fields:
        block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def padded(data):
    return data + b"\0" * (-len(data) % BLOCK)


def entry(name, data=b"", **fields):
    """A member: header, contents, padding."""
    return header(name, len(data), **fields) + padded(data)


def pax(records, typeflag=b"x"):
    """A pax header with these records, which speaks of the member after it."""
    text = b""
    for key, value in records:
        line = b" " + key + b"=" + value + b"\n"
        size = len(line)
        while len(str(size)) + len(line) != size:
            size = len(str(size)) + len(line)
        text += str(size).encode() + line
    return entry("run/PaxHeader", text, typeflag=typeflag)


# ---- Compression.


def xz(data, check=lzma.CHECK_CRC64, filters=None):
    return lzma.compress(data, format=lzma.FORMAT_XZ, check=check,
                         **({"filters": filters} if filters else {"preset": 1}))


def deflate(data, level=6):
    encoder = zlib.compressobj(level, zlib.DEFLATED, -15)
    return encoder.compress(data) + encoder.flush()


def gzip_trailer(data):
    return struct.pack("<II", zlib.crc32(data), len(data) & 0xffffffff)


def gzip(data, level=6, head=GZIP_HEADER):
    return head + deflate(data, level) + gzip_trailer(data)


# ---- The whole.


def index_of(run):
    return "".join(f"{sha256(run[path])}  {path}\n" for path in sorted(run, key=str.encode)).encode()


def canonical(value):
    return (json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def provenance_of(bundle):
    tool = {"name": "exhibit-archive", "version": "0.1.0", "sha256": sha256(b"tool"), "source_sha256": sha256(b"source")}
    return canonical({
        "schema": "exhibit.provenance/1", "content_id": sha256(bundle["index"]),
        "manifest_sha256": sha256(bundle.run.get("manifest.json", b"")), "tool": tool, "source_commit": "unknown",
        "libraries": [{"name": "liblzma", "version": "5.4.1", "sha256": sha256(b"liblzma")}],
        "build": {"compiler": "any", "type": "Release", "sanitizers": ""},
        "xz": {"block_bytes": 4194304, "check": "crc64", "preset": 6}, "gzip": {"level": 9},
        "left_out": [{"what": "times", "why": "no evidence"}]})


def seal_of(bundle):
    names = sorted(bundle.files() - {"SHA256SUMS", "content-id.sig"})
    return "".join(f"{sha256(bundle[name])}  {name}\n" for name in names).encode()


def evidence_members(bundle):
    run = bundle.run
    first = [path for path in FIRST if path in run]
    rest = sorted((p for p in run if p not in first and not p.startswith("sources/")), key=str.encode)
    return [entry("index.sha256", bundle["index"])] + [entry("run/" + path, run[path]) for path in first + rest]


def sources_members(bundle):
    paths = sorted((path for path in bundle.run if path.startswith("sources/")), key=str.encode)
    return [entry("run/" + path, bundle.run[path]) for path in paths]


MAKERS = {
    "index": lambda b: index_of(b.run),
    "evidence members": evidence_members,
    "sources members": sources_members,
    "evidence.tar": lambda b: b"".join(b["evidence members"]) + END,
    "sources.tar": lambda b: b"".join(b["sources members"]) + END,
    "evidence.tar.xz": lambda b: xz(b["evidence.tar"]),
    "sources.tar.gz": lambda b: gzip(b["sources.tar"]),
    "provenance.json": provenance_of,
    "SHA256SUMS": seal_of,
}


class Bundle:
    """Layers by name; those that are files of the bundle are written."""

    def __init__(self, run):
        self.run = dict(run)
        self.layers = {}
        self.left_out = set()  # Files that are not written.
        self.more = {}  # Further files of the folder, by name.
        self.afterwards = []  # Functions of the folder, once it is written.

    def __getitem__(self, name):
        if name in self.more:
            return self.more[name]
        if name not in self.layers:
            self.layers[name] = MAKERS[name](self)
        return self.layers[name]

    def __setitem__(self, name, value):
        self.layers[name] = value

    def files(self):
        return (set(FILES) | {"SHA256SUMS"} | set(self.more)) - self.left_out

    def write(self, folder):
        os.makedirs(folder)
        for name in sorted(self.files()):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(self[name])
        for change in self.afterwards:
            change(folder)
