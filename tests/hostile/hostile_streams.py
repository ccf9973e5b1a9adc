"""Compressed streams: cut, continued, of another kind, or far too long."""

import bz2
import lzma
import struct
import zlib

from bundle_maker import END, GZIP_HEADER, deflate, entry, gzip, gzip_trailer, xz
from corpus import VERIFIED, add, changed_bundle

EVIDENCE, SOURCES = "evidence.tar.xz", "sources.tar.gz"
UNSOUND = "archive-unsound"


def with_layer(layer, change):
    def edit(bundle):
        bundle[layer] = change(bundle[layer])
    return changed_bundle(edit)


def with_xz(change):
    return with_layer(EVIDENCE, change)


def packed_by(pack):
    """The stream that `pack` makes of evidence.tar."""
    def edit(bundle):
        bundle[EVIDENCE] = pack(bundle["evidence.tar"])
    return changed_bundle(edit)


def xz_by(**options):
    return packed_by(lambda tar: xz(tar, **options))


# ---- xz: a stream header, blocks, an index of the blocks, a footer.


def xz_parts(data):
    """Header, blocks, index, footer of a stream."""
    backward = (struct.unpack("<I", data[-8:-4])[0] + 1) * 4
    index = len(data) - 12 - backward
    return data[:12], data[12:index], data[index:-12], data[-12:]


def number(value):
    text = b""
    while value >= 0x80:
        text += bytes([value & 0x7f | 0x80])
        value >>= 7
    return text + bytes([value])


def sizes_in(index):
    """The one record of an index: unpadded and uncompressed size."""
    values, value, shift = [], 0, 0
    for byte in index[1:-4]:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value, shift = 0, 0
    return values[1], values[2]


def make_index(records):
    text = b"\0" + number(len(records)) + b"".join(number(a) + number(b) for a, b in records)
    text += b"\0" * (-len(text) % 4)
    return text + struct.pack("<I", zlib.crc32(text))


def make_footer(index, flags):
    body = struct.pack("<I", len(index) // 4 - 1) + flags
    return struct.pack("<I", zlib.crc32(body)) + body + b"YZ"


def with_xz_index(change):
    """`change` makes other records of the sizes in the index."""
    def edit(data):
        head, blocks, index, _ = xz_parts(data)
        made = make_index(change([sizes_in(index)]))
        return head + blocks + made + make_footer(made, head[6:8])
    return with_xz(edit)


def two_blocks(bundle):
    """One stream of two blocks, as a writer with threads makes it."""
    tar = bundle["evidence.tar"]
    half = len(tar) // 2
    parts = [xz_parts(xz(tar[:half])), xz_parts(xz(tar[half:]))]
    index = make_index([sizes_in(part[2]) for part in parts])
    head = parts[0][0]
    bundle[EVIDENCE] = head + parts[0][1] + parts[1][1] + index + make_footer(index, head[6:8])


def resummed_header(data):
    return data[:8] + struct.pack("<I", zlib.crc32(data[6:8])) + data[12:]


def huge_dictionary(data):
    """The block header asks for 1.5 GiB."""
    head, blocks, index, footer = xz_parts(data)
    size = (blocks[0] + 1) * 4
    block = bytearray(blocks[:size])
    at = block.index(b"\x21\x01")  # LZMA2, one byte of properties.
    block[at + 2] = 37
    block[-4:] = struct.pack("<I", zlib.crc32(bytes(block[:-4])))
    return head + bytes(block) + blocks[size:] + index + footer


XZ = {
    "no byte": lambda d: b"",
    "the magic alone": lambda d: d[:6],
    "cut in the stream header": lambda d: d[:9],
    "cut in the block header": lambda d: d[:16],
    "cut in the middle": lambda d: d[:len(d) // 2],
    "cut before the index": lambda d: b"".join(xz_parts(d)[:2]),
    "cut before the footer": lambda d: d[:-12],
    "a byte less": lambda d: d[:-1],
    "a zero byte after": lambda d: d + b"\0",
    "stream padding after": lambda d: d + b"\0" * 4,
    "a line end after": lambda d: d + b"\n",
    "stream padding before": lambda d: b"\0" * 4 + d,
    "the stream twice": lambda d: d + d,
    "an empty stream after": lambda d: d + xz(b""),
    "an empty stream before": lambda d: xz(b"") + d,
    "footer flags of another check": lambda d: d[:-12] + make_footer(xz_parts(d)[2], b"\0\x01"),
    "footer with a wrong sum": lambda d: d[:-12] + b"\0" * 4 + d[-8:],
    "footer with a wrong size": lambda d: d[:-12] + make_footer(b"\0" * 400, d[6:8]),
    "header with a wrong sum": lambda d: d[:8] + b"\0" * 4 + d[12:],
    "reserved header flag": lambda d: resummed_header(d[:6] + b"\x01\x04" + d[8:]),
    "reserved check": lambda d: resummed_header(d[:7] + b"\x0f" + d[8:]),
    "a block's sum wrong": lambda d: d[:-12 - len(xz_parts(d)[2]) - 1] + b"\xaa" + d[-12 - len(xz_parts(d)[2]):],
    "carriage returns": lambda d: d.replace(b"\n", b"\r\n"),
    "as text": lambda d: d.decode("latin-1").encode("utf-8"),
}
for name, change in XZ.items():
    add("xz", name, with_xz(change), UNSOUND, EVIDENCE)
add("xz", "index that names a block twice", with_xz_index(lambda r: r * 2), UNSOUND, EVIDENCE)
add("xz", "index that names no block", with_xz_index(lambda r: []), UNSOUND, EVIDENCE)
add("xz", "index with another size", with_xz_index(lambda r: [(r[0][0], r[0][1] + 1)]), UNSOUND, EVIDENCE)
add("xz", "index with a huge size", with_xz_index(lambda r: [(r[0][0], 2 ** 62)]), UNSOUND, EVIDENCE)
add("xz", "index of many blocks", with_xz_index(lambda r: r * 100000), UNSOUND, EVIDENCE)
add("xz", "check CRC32", xz_by(check=lzma.CHECK_CRC32), UNSOUND, EVIDENCE, "check type")
add("xz", "check SHA-256", xz_by(check=lzma.CHECK_SHA256), UNSOUND, EVIDENCE, "check type")
add("xz", "no check", xz_by(check=lzma.CHECK_NONE), UNSOUND, EVIDENCE, "check type")
add("xz", "a dictionary of 1.5 GiB", with_xz(huge_dictionary), "over-limit", EVIDENCE, "memory")
add("xz", "lzma alone", packed_by(lambda tar: lzma.compress(tar, format=lzma.FORMAT_ALONE)), UNSOUND, EVIDENCE)
add("xz", "bzip2", packed_by(bz2.compress), UNSOUND, EVIDENCE)
add("xz", "gzip", packed_by(gzip), UNSOUND, EVIDENCE)
add("xz", "not compressed", packed_by(lambda tar: tar), UNSOUND, EVIDENCE)
add("xz", "two blocks", changed_bundle(two_blocks), VERIFIED)
add("xz", "delta filter", xz_by(filters=[{"id": lzma.FILTER_DELTA, "dist": 4},
                                         {"id": lzma.FILTER_LZMA2, "preset": 1}]), VERIFIED)
add("xz", "x86 filter", xz_by(filters=[{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 1}]), VERIFIED)

# ---- gzip.


def with_gzip(change):
    return with_layer(SOURCES, change)


def gzip_by(head, between=b""):
    """Another header, and fields of it."""
    def edit(bundle):
        tar = bundle["sources.tar"]
        bundle[SOURCES] = head + between + deflate(tar) + gzip_trailer(tar)
    return changed_bundle(edit)


def flagged(flags):
    return GZIP_HEADER[:3] + bytes([flags]) + GZIP_HEADER[4:]


GZIP = {
    "no byte": lambda d: b"",
    "cut in the header": lambda d: d[:7],
    "the header alone": lambda d: d[:10],
    "cut in the middle": lambda d: d[:len(d) // 2],
    "cut before the sum": lambda d: d[:-8],
    "a byte less": lambda d: d[:-1],
    "a byte after": lambda d: d + b"\0",
    "a second member": lambda d: d + gzip(b""),
    "the member twice": lambda d: d + d,
    "an empty member before": lambda d: gzip(b"") + d,
    "wrong sum": lambda d: d[:-8] + b"\0" * 4 + d[-4:],
    "wrong length": lambda d: d[:-4] + b"\0" * 4,
    "a time": lambda d: d[:4] + b"\x01\x02\x03\x04" + d[8:],
    "another system": lambda d: d[:9] + b"\x03" + d[10:],
    "another level": lambda d: d[:8] + b"\x00" + d[9:],
    "another method": lambda d: d[:2] + b"\x07" + d[3:],
    "reserved flags": lambda d: d[:3] + b"\xe0" + d[4:],
    "text flag": lambda d: d[:3] + b"\x01" + d[4:],
    "reserved block": lambda d: d[:10] + b"\x07" + d[11:],
    "zlib form": lambda d: zlib.compress(b"sources"),
}
for name, change in GZIP.items():
    add("gzip", name, with_gzip(change), UNSOUND, SOURCES)
add("gzip", "a name", gzip_by(flagged(8), b"../../x\0"), UNSOUND, SOURCES, "header")
add("gzip", "a comment", gzip_by(flagged(16), b"hidden\0"), UNSOUND, SOURCES, "header")
add("gzip", "extra fields", gzip_by(flagged(4), b"\x04\0XX\0\0"), UNSOUND, SOURCES, "header")
add("gzip", "a header sum", gzip_by(flagged(2), b"\0\0"), UNSOUND, SOURCES, "header")
add("gzip", "not compressed", with_gzip(lambda d: zlib.decompress(d, 31)), UNSOUND, SOURCES)
add("gzip", "another level of the writer", with_gzip(lambda d: gzip(zlib.decompress(d, 31), 1)), VERIFIED)
add("gzip", "stored blocks", with_gzip(lambda d: gzip(zlib.decompress(d, 31), 0)), VERIFIED)

# ---- Bombs: little to fetch, much to read.

BOMB_BYTES = 100 << 20


def zeros(layer, path):
    def edit(bundle):
        bundle[layer] = bundle[layer] + [entry(path, bytes(BOMB_BYTES))]
    return changed_bundle(edit)


add("bomb", "xz of zeros in a file", zeros("evidence members", "run/z"), "over-limit", EVIDENCE)
add("bomb", "xz of zeros in the index",
    packed_by(lambda tar: xz(entry("index.sha256", bytes(BOMB_BYTES)) + END)), "over-limit", "index.sha256")
add("bomb", "xz of zeros after the end", packed_by(lambda tar: xz(tar + bytes(BOMB_BYTES))), UNSOUND, EVIDENCE)
add("bomb", "xz of zeros alone", packed_by(lambda tar: xz(bytes(BOMB_BYTES))), UNSOUND, EVIDENCE)
add("bomb", "gzip of zeros in a file", zeros("sources members", "run/sources/z"), "file-extra", "sources/z")
add("bomb", "xz within xz", packed_by(lambda tar: xz(xz(bytes(BOMB_BYTES)))), UNSOUND, EVIDENCE)
