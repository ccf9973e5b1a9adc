"""Tar streams that other readers would take, or take for something else."""

from bundle_maker import BLOCK, END, entry, header, padded, pax
from corpus import VERIFIED, add, changed_bundle

EVIDENCE, SOURCES = "evidence.tar.xz", "sources.tar.gz"
UNSOUND = "archive-unsound"


def added(*blocks):
    """These blocks before the end of evidence.tar."""
    def change(bundle):
        bundle["evidence members"] = bundle["evidence members"] + list(blocks)
    return changed_bundle(change)


def with_tar(change):
    """`change` makes other bytes of evidence.tar."""
    def edit(bundle):
        bundle["evidence.tar"] = change(bundle["evidence.tar"])
    return changed_bundle(edit)


def with_members(change, layer="evidence members"):
    """`change` makes another list of members."""
    def edit(bundle):
        bundle[layer] = change(bundle[layer])
    return changed_bundle(edit)


def first_size(change):
    """The size field of the first member of the run is what `change` says."""
    def edit(tar):
        return tar[:124] + change + tar[136:]
    return with_tar(lambda tar: summed(edit(tar)))


def summed(tar):
    """With the sum of the first header as it has to be."""
    block = bytearray(tar[:BLOCK])
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + tar[BLOCK:]


PATHS = {
    "dot-dot first": b"../run/x",
    "dot-dot inside": b"run/../../etc/passwd",
    "dot-dot last": b"run/arrays/..",
    "one dot": b"run/./x",
    "dot first": b"./run/x",
    "absolute": b"/etc/passwd",
    "two slashes": b"run//x",
    "three slashes first": b"///run/x",
    "slash last": b"run/x/",
    "outside the folder": b"x",
    "the folder itself": b"run",
    "the folder with its slash": b"run/",
    "another case of the folder": b"RUN/x",
    "backslash": b"run\\x",
    "backslash inside": b"run/..\\..\\x",
    "drive": b"C:/run/x",
    "colon": b"run/x:stream",
    "blank": b"run/a b",
    "blank last": b"run/x ",
    "tabulator": b"run/a\tb",
    "line end": b"run/a\nb",
    "control": b"run/a\x01b",
    "escape sequence": b"run/\x1b[2Jx",
    "delete": b"run/a\x7fb",
    "bytes after a NUL": b"run/x\0/../../y",
    "empty": b"",
    "composed letter": "run/\u00e9".encode(),
    "decomposed letter": "run/e\u0301".encode(),
    "letter of another script": "run/m\u0430nifest.json".encode(),
    "right-to-left mark": "run/\u202ex".encode(),
    "latin-1": b"run/\xe9",
    "overlong slash": b"run/\xc0\xaf..",
    "option": b"run/-rf",
    "option as a folder": b"run/--checkpoint-action=exec/x",
    "tilde": b"run/~root",
    "star": b"run/*",
    "percent": b"run/%2e%2e/x",
    "quote": b"run/'x'",
    "one hundred bytes of dots": b"run/" + b"." * 2 + b"/" + b"a" * 93,
}
for name, path in PATHS.items():
    add("path", name, added(entry(path, b"more")), UNSOUND, EVIDENCE, "name")

add("path", "prefix field", added(entry("x", b"more", prefix=b"run")), UNSOUND, EVIDENCE, "prefix")
add("path", "prefix field that climbs", added(entry("run/x", b"more", prefix=b"..")), UNSOUND, EVIDENCE, "prefix")
add("path", "of one hundred bytes, unknown", added(entry("run/" + "z" * 96, b"more")), "file-extra", "zzzz")
add("path", "unknown", added(entry("run/replays/tiny/visit-0012.json.bak", b"{}\n")), "file-extra", "visit-0012")

for name, path in {
        "case of a file": "run/replays/tiny/Visit-0011.json", "case of a folder": "run/replays/Tiny/x",
        "case of the first file": "run/MANIFEST.JSON"}.items():
    add("collision", name, added(entry(path)), UNSOUND, EVIDENCE, "by case only")
add("collision", "a file as a folder", added(entry("run/replays/tiny/visit-0011.json/x")), UNSOUND, EVIDENCE,
    "both a file and a folder")
add("collision", "a folder as a file", added(entry("run/replays/tiny", b"more")), UNSOUND, EVIDENCE,
    "both a file and a folder")
add("collision", "a member twice, alike", with_members(lambda m: m + m[-1:]), UNSOUND, EVIDENCE, "stands twice")
add("collision", "a member twice, otherwise",
    added(entry("run/replays/tiny/visit-0011.json", b"{}\n")), UNSOUND, EVIDENCE, "stands twice")
add("collision", "the manifest again at the end", added(entry("run/manifest.json", b"{}\n")), UNSOUND, EVIDENCE)
add("collision", "the index again at the end", added(entry("index.sha256", b"")), UNSOUND, EVIDENCE)
add("collision", "a source among the evidence", added(entry("run/sources/x", b"more")), UNSOUND, EVIDENCE,
    "belongs in")
add("collision", "evidence among the sources",
    with_members(lambda m: [entry("run/logs/x", b"")] + m, "sources members"), UNSOUND, SOURCES, "belongs in")
add("collision", "a source twice", with_members(lambda m: m + m[-1:], "sources members"), UNSOUND, SOURCES)

# Kinds of members: what a reader does with the name, the link and the size.
KINDS = {
    "hard link": dict(typeflag=b"1", linkname=b"run/manifest.json"),
    "symbolic link": dict(typeflag=b"2", linkname=b"/etc/passwd"),
    "character device": dict(typeflag=b"3", devmajor=b"0000001", devminor=b"0000003"),
    "block device": dict(typeflag=b"4", devmajor=b"0000010"),
    "folder": dict(typeflag=b"5"),
    "fifo": dict(typeflag=b"6"),
    "contiguous file": dict(typeflag=b"7"),
    "old regular file": dict(typeflag=b"\0"),
    "folder dump": dict(typeflag=b"D"),
    "multi-volume": dict(typeflag=b"M"),
    "volume name": dict(typeflag=b"V"),
    "long link": dict(typeflag=b"K"),
    "inode metadata": dict(typeflag=b"I"),
    "long name, old": dict(typeflag=b"N"),
    "access list": dict(typeflag=b"A"),
    "sun extension": dict(typeflag=b"X"),
    "vendor's own": dict(typeflag=b"Z"),
    "regular file with a link name": dict(linkname=b"run/manifest.json"),
}
for name, fields in KINDS.items():
    add("kind", name, added(entry("run/x", **fields)), UNSOUND, EVIDENCE, "tar header field")
add("kind", "folder by its slash", added(entry("run/replays/tiny/", typeflag=b"5")), UNSOUND, EVIDENCE, "typeflag")
add("kind", "hard link with contents",
    added(entry("run/x", b"hidden", typeflag=b"1", linkname=b"run/manifest.json")), UNSOUND, EVIDENCE, "typeflag")
add("kind", "symbolic link among the sources",
    with_members(lambda m: [entry("run/sources/a", typeflag=b"2", linkname=b"/etc")] + m, "sources members"),
    UNSOUND, SOURCES, "typeflag")

# Records that other readers let speak of the member after them.
VISIT = "run/replays/tiny/visit-0011.json"
add("override", "pax path", with_members(lambda m: m[:-1] + [pax([(b"path", b"run/x")]), m[-1]]), UNSOUND, EVIDENCE,
    "typeflag")
add("override", "pax size", with_members(lambda m: m[:-1] + [pax([(b"size", b"0")]), m[-1]]), UNSOUND, EVIDENCE,
    "typeflag")
add("override", "pax link", with_members(lambda m: m[:-1] + [pax([(b"linkpath", b"/etc")]), m[-1]]), UNSOUND, EVIDENCE)
add("override", "pax global", with_members(lambda m: [pax([(b"path", b"run/x")], b"g")] + m), UNSOUND, EVIDENCE,
    "typeflag")
add("override", "pax comment", with_members(lambda m: [m[0], pax([(b"comment", b"")])] + m[1:]), UNSOUND, EVIDENCE)
add("override", "GNU long name",
    with_members(lambda m: m[:-1] + [entry("././@LongLink", b"run/x\0", typeflag=b"L"), m[-1]]), UNSOUND, EVIDENCE)
add("override", "GNU long link",
    with_members(lambda m: m[:-1] + [entry("././@LongLink", b"/etc\0", typeflag=b"K"), m[-1]]), UNSOUND, EVIDENCE)
add("override", "GNU sparse", added(entry("run/x", b"more", typeflag=b"S", unused=b"00000001000")), UNSOUND, EVIDENCE)
add("override", "pax sparse 0.0", added(
    pax([(b"GNU.sparse.size", b"1073741824"), (b"GNU.sparse.numblocks", b"1"), (b"GNU.sparse.offset", b"0"),
         (b"GNU.sparse.numbytes", b"1")]), entry("run/x", b"m")), UNSOUND, EVIDENCE)
add("override", "pax sparse 1.0", added(
    pax([(b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"), (b"GNU.sparse.name", b"run/x"),
         (b"GNU.sparse.realsize", b"1073741824")]), entry("run/GNUSparseFile.0/x", padded(b"1\n0\n1\n") + b"m")),
    UNSOUND, EVIDENCE)
# One reader skips as many bytes as the field says, another as the record says.
add("override", "pax size that desynchronises", added(
    pax([(b"size", b"%d" % (2 * BLOCK))]), header("run/x", 0), header("run/y", BLOCK), header("run/z", 0)),
    UNSOUND, EVIDENCE)

SIZES = {
    "negative": b"-0000000001\0",
    "base-256": b"\x80" + b"\0" * 9 + b"\x08\x00",
    "base-256, negative": b"\xff" * 12,
    "base-256, huge": b"\x80" + b"\xff" * 11,
    "not octal": b"00000000008\0",
    "hexadecimal": b"0x000000100\0",
    "blanks first": b"       4000\0",
    "blank last": b"00000004000 ",
    "twelve digits": b"000000004000",
    "empty": b"\0" * 12,
    "digits after a NUL": b"000000\x00004000"[:12],
    "signed": b"+0000004000\0",
    "longer than the archive": b"00077777777\0",
}
for name, size in SIZES.items():
    add("size", name, first_size(size), UNSOUND, EVIDENCE)
add("size", "above the limit", added(header("run/x", 8 ** 11 - 1)), "over-limit", "run/x"[4:], "bytes")
add("size", "of the index longer than the archive", first_size(b"00300000000\0"), UNSOUND, "index.sha256")
add("size", "one too small",
    with_members(lambda m: m[:-1] + [header(VISIT, len(m[-1]) // BLOCK * BLOCK - BLOCK - 511) + m[-1][BLOCK:]]),
    UNSOUND, EVIDENCE)
add("size", "one too large", with_members(
    lambda m: m[:-1] + [header(VISIT, int(m[-1][124:135], 8) + 1) + m[-1][BLOCK:]]), "index-differs", "visit-0011")

FIELDS = {
    "checksum wrong": dict(chksum=b"000000\0 "),
    "checksum without NUL": dict(chksum=b"0012345 "),
    "mode": dict(mode=b"0000755"),
    "set-uid mode": dict(mode=b"0004755"),
    "mode with blanks": dict(mode=b" 000644"),
    "owner": dict(uid=b"0001750"),
    "group": dict(gid=b"0001750"),
    "time": dict(mtime=b"14000000000"),
    "time in base-256": dict(mtime=b"\x80" + b"\0" * 11),
    "owner's name": dict(uname=b"root"),
    "group's name": dict(gname=b"root"),
    "device": dict(devmajor=b"0000001"),
    "GNU magic": dict(magic=b"ustar ", version=b" \0"),
    "no magic": dict(magic=b"\0" * 6, version=b"\0\0"),
    "version": dict(version=b"01"),
    "bytes that nobody reads": dict(unused=b"hidden"),
}
for name, fields in FIELDS.items():
    add("header", name, added(entry("run/x", b"more", **fields)), UNSOUND, EVIDENCE, "tar header field")

ENDS = {
    "no zero block": lambda tar: tar[:-len(END)],
    "one zero block": lambda tar: tar[:-BLOCK],
    "three zero blocks": lambda tar: tar + b"\0" * BLOCK,
    "a record of GNU tar": lambda tar: tar + b"\0" * (-len(tar) % 10240),
    "a byte after": lambda tar: tar + b"\0",
    "a member after": lambda tar: tar + entry("run/x", b"hidden"),
    "a second archive after": lambda tar: tar + tar,
    "a zero block within": lambda tar: tar[:BLOCK * 8] + b"\0" * BLOCK + tar[BLOCK * 8:],
    "the end first": lambda tar: END + tar,
    "half a block": lambda tar: tar[:-BLOCK // 2],
    "cut in a header": lambda tar: tar[:BLOCK // 3],
    "cut in the contents": lambda tar: tar[:BLOCK + 17],
    "cut in the padding": lambda tar: tar[:-len(END) - 1],
    "cut between members": lambda tar: tar[:tar.rindex(b"run/replays/tiny/visit-0011.json")],
    "no byte": lambda tar: b"",
    "the end alone": lambda tar: END,
    "padding that is not zero": lambda tar: tar[:-len(END) - 1] + b"\x01" + END,
    "not an archive": lambda tar: b"evidence\n" * 200,
}
for name, change in ENDS.items():
    add("end", name, with_tar(change), UNSOUND, EVIDENCE)

ORDERS = {
    "index last": lambda m: m[1:] + m[:1],
    "no index": lambda m: m[1:],
    "manifest before the index": lambda m: [m[1], m[0]] + m[2:],
    "freeze record before the manifest": lambda m: [m[0], m[2], m[1]] + m[3:],
    "attempts last": lambda m: m[:3] + m[4:] + m[3:4],
    "two members exchanged": lambda m: m[:-2] + [m[-1], m[-2]],
    "reversed": lambda m: m[:1] + m[:0:-1],
}
for name, change in ORDERS.items():
    add("order", name, with_members(change), UNSOUND, EVIDENCE)
add("order", "sources reversed", with_members(lambda m: m[::-1], "sources members"), UNSOUND, SOURCES)
add("order", "no sources", with_members(lambda m: [], "sources members"), "file-missing", "sources/")
add("order", "a member less", with_members(lambda m: m[:-1]), "file-missing", "visit-0011")
add("order", "as it should be", with_members(list), VERIFIED)


def with_index(change):
    def edit(bundle):
        bundle["index"] = change(bundle["index"])
    return changed_bundle(edit)


INDEXES = {
    "capitals": (lambda i: i[:64].upper() + i[64:], UNSOUND),
    "one blank": (lambda i: i.replace(b"  ", b" ", 1), UNSOUND),
    "binary marker": (lambda i: i.replace(b"  ", b" *", 1), UNSOUND),
    "escaped name": (lambda i: b"\\" + i, UNSOUND),
    "no line end": (lambda i: i[:-1], UNSOUND),
    "carriage returns": (lambda i: i.replace(b"\n", b"\r\n"), UNSOUND),
    "an empty line": (lambda i: i + b"\n", UNSOUND),
    "a line twice": (lambda i: i + i[i.rindex(b"\n", 0, -1) + 1:], UNSOUND),
    "out of order": (lambda i: b"".join(reversed(i.splitlines(True))), UNSOUND),
    "a path that climbs": (lambda i: b"0" * 64 + b"  ../x\n" + i, UNSOUND),
    "a byte-order mark": (lambda i: b"\xef\xbb\xbf" + i, UNSOUND),
    "another digest": (lambda i: b"0" * 64 + i[64:], "index-differs"),
    "a file that is not there": (lambda i: i + b"0" * 64 + b"  z\n", "file-missing"),
    "a file too few": (lambda i: i[i.index(b"\n") + 1:], "file-extra"),
    "nothing": (lambda i: b"", "file-extra"),
}
for name, (change, code) in INDEXES.items():
    add("index", name, with_index(change), code, "")
