"""Array files and libraries whose headers do not say the truth."""

import struct

from bundle_maker import sha256
from corpus import CANNOT_VERIFY, VERIFIED, add, changed_run
from forger import array_path

# ---- .npy: magic, version, length of the header, header, data.


def key_array(change):
    """The input `key` of the case is another file, named as its digest asks."""
    def forge(forged):
        array = next(a for a in forged.edit(forged.case_path())["arrays"] if a["name"] == "key")
        data = forged.files[array_path(array["sha256"])]
        changed = change(data)
        assert changed != data
        array["sha256"] = sha256(changed)
        forged.files[array_path(array["sha256"])] = changed
    return changed_run(forge)


def in_header(old, new):
    """Another text in the header, padded as NumPy pads it."""
    def change(data):
        text = data[10:128].rstrip(b" \n").replace(old, new)
        assert old in data[:128]
        return data[:10] + text.ljust(117) + b"\n" + data[128:]
    return change


def header_bytes(count):
    return lambda d: d[:8] + struct.pack("<H", count) + d[10:]


def version(major, minor):
    """The same header in a later version of the format, whose length has four bytes."""
    return lambda d: d[:6] + bytes([major, minor]) + struct.pack("<I", 116) + d[10:126] + b"\n\n"[:1] + d[128:]


PICKLE = b"cposix\nsystem\n(S'touch /tmp/exhibit-was-here'\ntR."

NPY = {
    "no byte": (lambda d: b"", "array-malformed"),
    "the magic alone": (lambda d: d[:6], "array-malformed"),
    "another magic": (lambda d: b"\x93NUMPX" + d[6:], "array-malformed"),
    "cut in the header": (lambda d: d[:40], "array-malformed"),
    "the header alone": (lambda d: d[:128], "array-malformed"),
    "a byte less": (lambda d: d[:-1], "array-malformed"),
    "a byte more": (lambda d: d + b"\0", "array-malformed"),
    "an element more": (lambda d: d + b"\0" * 4, "array-malformed"),
    "the array twice": (lambda d: d + d, "array-malformed"),
    "header of no byte": (header_bytes(0), "array-malformed"),
    "header longer than the file": (header_bytes(65535), "array-malformed"),
    "header that ends in the data": (header_bytes(120), "array-malformed"),
    "header that is too short": (header_bytes(50), "array-malformed"),
    "version 2": (version(2, 0), CANNOT_VERIFY),
    "version 3": (version(3, 0), CANNOT_VERIFY),
    "version 0": (lambda d: d[:6] + b"\0\0" + d[8:], CANNOT_VERIFY),
    "Fortran order": (in_header(b"False", b"True"), CANNOT_VERIFY),
    "neither order": (in_header(b"False", b"None"), "array-malformed"),
    "big-endian": (in_header(b"<f4", b">f4"), CANNOT_VERIFY),
    "native order": (in_header(b"<f4", b"=f4"), CANNOT_VERIFY),
    "half": (in_header(b"<f4", b"<f2"), CANNOT_VERIFY),
    "complex": (in_header(b"<f4", b"<c8"), CANNOT_VERIFY),
    "objects": (lambda d: in_header(b"<f4", b"|O")(d)[:128] + PICKLE, CANNOT_VERIFY),
    "structure": (in_header(b"'<f4'", b"[('a', '<f4')]"), CANNOT_VERIFY),
    "text": (in_header(b"<f4", b"<U4"), CANNOT_VERIFY),
    "empty type": (in_header(b"<f4", b""), CANNOT_VERIFY),
    "type that does not end": (in_header(b"'<f4'", b"'<f4"), CANNOT_VERIFY),
    "shape of more data": (in_header(b"(1, 1, 3, 4)", b"(1, 1, 3, 5)"), "array-malformed"),
    "shape of less data": (in_header(b"(1, 1, 3, 4)", b"(1, 1, 3, 3)"), "array-malformed"),
    "shape whose product wraps": (in_header(b"(1, 1, 3, 4)", b"(4294967296, 4294967296, 3, 4)"), "array-malformed"),
    "shape beyond 64 bits": (in_header(b"(1, 1, 3, 4)", b"(99999999999999999999, 4)"), "array-malformed"),
    "shape of terabytes": (in_header(b"(1, 1, 3, 4)", b"(1099511627776,)"), "array-malformed"),
    "negative shape": (in_header(b"(1, 1, 3, 4)", b"(1, 1, -3, -4)"), "array-malformed"),
    "shape of a name": (in_header(b"(1, 1, 3, 4)", b"(n,)"), "array-malformed"),
    "shape of a double": (in_header(b"(1, 1, 3, 4)", b"(1, 1, 3, 4.0)"), "array-malformed"),
    "shape of a hundred axes": (in_header(b"(1, 1, 3, 4)", b"(" + b"1," * 30 + b")"), "array-malformed"),
    "shape without blanks": (in_header(b"(1, 1, 3, 4)", b"(1,1,3,4)"), "array-malformed"),
    "keys in another order": (in_header(b"'descr': '<f4', 'fortran_order': False",
                                        b"'fortran_order': False, 'descr': '<f4'"), "array-malformed"),
    "key too many": (in_header(b"(1, 1, 3, 4), ", b"(1, 1, 3, 4), 'x': 1, "), "array-malformed"),
    "code in the header": (in_header(b"False", b"exit(7)"), "array-malformed"),
    "padding of tabulators": (lambda d: d[:127].replace(b" " * 8, b"\t" * 8, 1) + d[127:], "array-malformed"),
    "no line end": (lambda d: d[:127] + b" " + d[128:], "array-malformed"),
    "padding of bytes": (lambda d: d[:126] + b"x\n" + d[128:], "array-malformed"),
    "carriage returns": (lambda d: d[:126] + b"\r\n" + d[128:], "array-malformed"),
    "another type": (lambda d: in_header(b"<f4", b"<f8")(d) + d[128:], "arrays-differ"),
    "another shape": (in_header(b"(1, 1, 3, 4)", b"(1, 3, 1, 4)"), "arrays-differ"),
    "numbers that are none": (lambda d: d[:128] + b"\xff\xff\xff\x7f" * 12, "input-differs"),
    "subnormal numbers": (lambda d: d[:128] + b"\x01\x00\x00\x00" * 12, "input-differs"),
}
for name, (change, code) in NPY.items():
    add("array", name, key_array(change), code, "arrays/")

# ---- ELF: the library of the candidate, and the source that it is.


def library(change):
    def forge(forged):
        path = forged.capture_path("new", "kernel.so")
        data = bytearray(forged.files[path])
        result = change(data)
        changed = bytes(data if result is None else result)
        assert changed != forged.files[path]
        forged.files[path] = forged.files["sources/manifest/new.so"] = changed
    return changed_run(forge)


def put(offset, form, value):
    """A field of the file header."""
    return library(lambda d: struct.pack_into("<" + form, d, offset, value))


def sections(data):
    start, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    return [start + 64 * i for i in range(count)]


def segments(data):
    start, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    return [start + 56 * i for i in range(count)]


def of_type(data, number):
    return next(at for at in sections(data) if struct.unpack_from("<I", data, at + 4)[0] == number)


def put_section(number, offset, form, value):
    """A field of the first section header of a type."""
    return library(lambda d: struct.pack_into("<" + form, d, of_type(d, number) + offset, value))


def put_segment(offset, form, value, which=0):
    return library(lambda d: struct.pack_into("<" + form, d, segments(d)[which] + offset, value))


def put_dynamic(tag, value):
    """The value of an entry of the dynamic section."""
    def change(data):
        at = struct.unpack_from("<Q", data, of_type(data, DYNAMIC) + 24)[0]
        while struct.unpack_from("<q", data, at)[0] != tag:
            at += 16
        struct.pack_into("<Q", data, at + 8, value)
    return library(change)


def endless_dynamic(data):
    header = of_type(data, DYNAMIC)
    at, size = struct.unpack_from("<QQ", data, header + 24)
    for entry in range(at, at + size, 16):
        if struct.unpack_from("<q", data, entry)[0] == 0:
            struct.pack_into("<Q", data, entry, 0x6ffffef5)


def renamed(old, new):
    return library(lambda d: d.replace(old, new))


STRTAB, RELA, DYNAMIC, NOBITS, DYNSYM = 3, 4, 6, 8, 11
HUGE = 2 ** 64 - 1
UNSOUND = "library-unsound"
WHERE = "kernel.so"

ELF = {
    "no byte": (library(lambda d: b""), UNSOUND),
    "the magic alone": (library(lambda d: d[:4]), UNSOUND),
    "cut in the header": (library(lambda d: d[:63]), UNSOUND),
    "the header alone": (library(lambda d: d[:64]), UNSOUND),
    "cut in the middle": (library(lambda d: d[:len(d) // 2]), UNSOUND),
    "a script": (library(lambda d: b"#!/bin/sh\ntouch /tmp/exhibit-was-here\n"), UNSOUND),
    "an archive": (library(lambda d: b"!<arch>\n" + d), UNSOUND),
    "another magic": (put(0, "I", 0x464c4500), UNSOUND),
    "32 bits": (put(4, "B", 1), CANNOT_VERIFY),
    "no class": (put(4, "B", 0), CANNOT_VERIFY),
    "big-endian": (put(5, "B", 2), CANNOT_VERIFY),
    "ELF version 2": (put(6, "B", 2), CANNOT_VERIFY),
    "another ABI": (put(7, "B", 9), CANNOT_VERIFY),
    "the ABI of GNU": (put(7, "B", 3), VERIFIED),
    "padding": (put(9, "B", 1), CANNOT_VERIFY),
    "an executable": (put(16, "H", 2), CANNOT_VERIFY),
    "an object": (put(16, "H", 1), CANNOT_VERIFY),
    "a core": (put(16, "H", 4), CANNOT_VERIFY),
    "aarch64": (put(18, "H", 183), CANNOT_VERIFY),
    "file version": (put(20, "I", 9), CANNOT_VERIFY),
    "header size": (put(52, "H", 52), UNSOUND),
    "program header size": (put(54, "H", 1), UNSOUND),
    "program headers far away": (put(32, "Q", HUGE), UNSOUND),
    "program headers at the end": (put(32, "Q", 13559), UNSOUND),
    "65535 program headers": (put(56, "H", 65535), UNSOUND),
    "no program headers": (put(56, "H", 0), UNSOUND),
    "section header size": (put(58, "H", 40), UNSOUND),
    "section headers far away": (put(40, "Q", HUGE), UNSOUND),
    "section headers that wrap": (put(40, "Q", 2 ** 64 - 64), UNSOUND),
    "section headers at the end": (put(40, "Q", 13500), UNSOUND),
    "65535 sections": (put(60, "H", 65535), UNSOUND),
    "count of sections elsewhere": (put(60, "H", 0), CANNOT_VERIFY),
    "names in no section": (put(62, "H", 65535), UNSOUND),
    "names in the null section": (put(62, "H", 0), UNSOUND),
    "section far away": (put_section(STRTAB, 24, "Q", HUGE), UNSOUND),
    "section that wraps": (put_section(STRTAB, 24, "Q", 2 ** 64 - 16), UNSOUND),
    "section of all memory": (put_section(STRTAB, 32, "Q", HUGE), UNSOUND),
    "section name outside": (put_section(STRTAB, 0, "I", 2 ** 32 - 1), UNSOUND),
    "alignment": (put_section(STRTAB, 48, "Q", 3), UNSOUND),
    "symbols without strings": (put_section(DYNSYM, 40, "I", 2 ** 32 - 1), UNSOUND),
    "symbols of no size": (put_section(DYNSYM, 56, "Q", 0), UNSOUND),
    "symbols of odd size": (put_section(DYNSYM, 32, "Q", 25), UNSOUND),
    "symbols upon the header": (put_section(DYNSYM, 24, "Q", 0), UNSOUND),
    "symbols upon the strings": (library(lambda d: d.__setitem__(
        slice(of_type(d, DYNSYM) + 24, of_type(d, DYNSYM) + 32), d[of_type(d, STRTAB) + 24:of_type(d, STRTAB) + 32])),
        UNSOUND),
    "symbols of no bits": (put_section(DYNSYM, 4, "I", NOBITS), UNSOUND),
    "strings of no bits": (put_section(STRTAB, 4, "I", NOBITS), UNSOUND),
    "no dynamic section": (put_section(DYNAMIC, 4, "I", 1), UNSOUND),
    "dynamic section of no size": (put_section(DYNAMIC, 32, "Q", 0), UNSOUND),
    "dynamic section elsewhere": (put_section(DYNAMIC, 24, "Q", 0), UNSOUND),
    "dynamic section that does not end": (library(endless_dynamic), UNSOUND),
    "dynamic symbols elsewhere": (put_dynamic(6, 0x1000), UNSOUND),
    "dynamic strings elsewhere": (put_dynamic(5, 0x1000), UNSOUND),
    "dynamic strings longer": (put_dynamic(10, 2 ** 40), UNSOUND),
    "segment far away": (put_segment(8, "Q", HUGE), UNSOUND),
    "segment of all memory": (put_segment(32, "Q", HUGE), UNSOUND),
    "segment that is not loaded where it says": (put_segment(16, "Q", 0x400000), UNSOUND),
    "another entry": (renamed(b"fixture_entry", b"fixture_exits"), UNSOUND),
    "entry with a line end": (renamed(b"fixture_entry", b"fixture\nentry"), UNSOUND),
}
for name, (make, code) in ELF.items():
    add("elf", name, make, code, WHERE)
add("elf", "bytes after it", library(lambda d: d + b"more"), VERIFIED)
