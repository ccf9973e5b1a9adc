"""The dependency table of the rooms, held against includes, targets, binaries.

The table below is the contract; a room's README says why. Run by ctest.
"""

import argparse
import os
import re
import subprocess
import unittest

# room -> (folder, rooms it may use). The longest folder that holds a file is
# its room.
ROOMS = {
    "manifests": ("manifests", []),
    "host": ("manifests/host", ["manifests"]),
    "tool": ("manifests/tool", ["manifests", "host"]),
    "archive": ("archive", ["manifests"]),
    "tile": ("compiler/tile", ["manifests"]),
    "plan": ("compiler/plan", ["manifests", "tile"]),
    "emit": ("compiler/emit", ["manifests", "tile", "plan"]),
    "build": ("compiler/build", ["manifests", "tile", "plan", "emit"]),
    "statistics": ("audit/statistics", ["manifests"]),
    "reference": ("audit/reference", ["manifests"]),
    "identity": ("audit/identity", ["manifests"]),
    # Not plan and not emit: it judges what they make.
    "interpreter": ("audit/interpreter", ["manifests", "tile", "reference"]),
    "audit": ("audit", ["manifests", "archive", "statistics", "reference", "identity", "interpreter", "tile",
                        "plan"]),
    "call": ("replay/call", ["manifests", "host"]),
    # Statistics to plan a duration, and for nothing else.
    "replay": ("replay", ["manifests", "host", "call", "statistics"]),
    "capture": ("capture", ["manifests", "host", "call", "reference", "interpreter", "tile", "build"]),
}

# Executables: each links one room, the tool library and what that room uses.
MAINS = {
    "archive/tool": ["archive", "manifests", "host", "tool"],
    "audit/tool": ["audit", "archive", "manifests", "host", "tool"],
    "capture/main.cpp": ["capture", "manifests", "host", "tool", "call"],
    "replay/main.cpp": ["replay", "manifests", "host", "tool", "call", "statistics"],
    "compiler/tool": ["build", "emit", "plan", "tile", "manifests", "host", "tool"],
}

# Third-party header -> the only places that may include it.
THIRD_PARTY = {
    r"nlohmann/": ["manifests/json.cpp"],
    r"openssl/": ["manifests/sha256.cpp", "manifests/signature.cpp"],
    r"CLI/": ["manifests/tool/command.cpp"],
    r"mpfr\.h|gmp\.h": ["audit/reference/mpfr_math.cpp"],
    r"lzma\.h": ["archive/"],
    r"zlib\.h": ["archive/"],
    r"archive(_entry)?\.h$": ["archive/"],
    r"llvm/|lld/": ["compiler/emit/", "compiler/build/"],
    r"dlfcn\.h": ["replay/call/"],
}

# Tool -> what it may load directly.
BASE = {"libc.so.6", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1", "libcrypto.so.3"}
NEEDED = {
    "exhibit-archive": BASE | {"liblzma.so.5", "libz.so.1"},
    "exhibit-audit": BASE | {"liblzma.so.5", "libz.so.1", "libmpfr.so.6", "libgmp.so.10"},
    "exhibit-replay": BASE,
    "exhibit-capture": BASE | {"libmpfr.so.6", "libgmp.so.10", "libLLVM.so.22.1", "libz.so.1", "libzstd.so.1"},
    "exhibit-compile": BASE | {"libLLVM.so.22.1", "libz.so.1", "libzstd.so.1"},
}

# Symbols that the audit's own objects, and those of the rooms it judges with,
# must not import.
FORBIDDEN = re.compile(
    r"^(dlopen|dlmopen|dlsym|fork|vfork|clone|exec[lv]p?e?|execvpe|fexecve|posix_spawnp?|system|popen|"
    r"socket|connect|bind|listen|accept4?|ptrace)$")
# Reading a machine's clock would make an audit depend on when it runs.
CLOCKS = re.compile(r"^(clock_gettime|gettimeofday|time|clock|times|localtime(_r)?|gmtime(_r)?|"
                    r"_ZNSt6chrono.*now.*)$")
JUDGES = ["audit", "statistics", "reference", "identity", "interpreter"]
CLOCKLESS = JUDGES + ["manifests", "tile", "plan", "archive"]

ARGUMENTS = None


def sources():
    for top in ("manifests", "compiler", "capture", "replay", "archive", "audit"):
        for folder, _, names in os.walk(os.path.join(ARGUMENTS.source, top)):
            for name in sorted(names):
                if name.endswith((".cpp", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), ARGUMENTS.source)


def main_of(path):
    return next((uses for prefix, uses in MAINS.items() if path.startswith(prefix)), None)


def room_of(path):
    holders = [(len(folder), room) for room, (folder, _) in ROOMS.items() if path.startswith(folder + "/")]
    return max(holders)[1] if holders else None


def includes(path):
    with open(os.path.join(ARGUMENTS.source, path), encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', file.read(), re.MULTILINE)


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def library(room):
    for folder, _, names in os.walk(ARGUMENTS.build):
        if f"libexhibit_{room}.a" in names:
            return os.path.join(folder, f"libexhibit_{room}.a")
    return None


class Rooms(unittest.TestCase):
    def test_every_include_of_another_room_is_in_the_table(self):
        seen = 0
        for path in sources():
            uses = main_of(path)
            if uses is None:
                room = room_of(path)
                self.assertIsNotNone(room, path)
                uses = [room] + ROOMS[room][1]
            for name in includes(path):
                if "/" not in name or not os.path.exists(os.path.join(ARGUMENTS.source, name)):
                    continue
                seen += 1
                if main_of(name) is not None and main_of(name) == main_of(path):
                    continue  # A tool's own header.
                self.assertIn(room_of(name), uses, f"{path} includes {name}")
        self.assertGreater(seen, 200, "the scan found the tree")

    def test_every_third_party_header_has_its_place(self):
        seen = set()
        for path in sources():
            for name in includes(path):
                for pattern, places in THIRD_PARTY.items():
                    if re.match(pattern, name):
                        seen.add(pattern)
                        self.assertTrue(any(path.startswith(p) for p in places), f"{path} includes {name}")
        self.assertGreater(len(seen), 6, "the scan found the headers")

    def test_every_target_uses_what_the_table_says(self):
        with open(ARGUMENTS.rooms, encoding="utf-8") as file:
            lines = dict(line.rstrip("\n").split(":", 1) for line in file)
        self.assertIn("audit", lines)
        for room, uses in lines.items():
            self.assertIn(room, set(ROOMS) | {"source_digest"}, "a room that the table does not know")
            for used in uses.split():
                self.assertIn(used, ROOMS.get(room, ("", []))[1], f"target {room} uses {used}")

    def test_every_tool_loads_only_its_closed_list(self):
        checked = 0
        for tool, allowed in NEEDED.items():
            path = os.path.join(ARGUMENTS.build, "bin", tool)
            if not os.path.exists(path):
                continue
            needed = set(re.findall(r"NEEDED.*\[(.*)\]", output_of("readelf", "-dW", path)))
            sanitizers = {n for n in needed if re.match(r"lib(asan|ubsan|tsan)\.so", n)}
            self.assertLessEqual(needed - sanitizers, allowed, tool)
            checked += 1
        self.assertGreaterEqual(checked, 4)

    def undefined(self, room):
        path = library(room)
        self.assertIsNotNone(path, f"no library of room {room}")
        lines = output_of("nm", "-u", "-P", path).splitlines()
        names = {line.split()[0].split("@")[0] for line in lines if " U" in line}
        self.assertGreater(len(names), 3, f"nm listed the imports of {room}")
        return names

    def test_the_judges_import_nothing_that_executes_or_connects(self):
        for room in JUDGES:
            self.assertEqual([n for n in self.undefined(room) if FORBIDDEN.match(n)], [], room)

    def test_clocks_stay_in_host_and_tool(self):
        for room in CLOCKLESS:
            self.assertEqual([n for n in self.undefined(room) if CLOCKS.match(n)], [], room)

    def test_only_the_guarded_call_loads_code(self):
        for room in set(ROOMS) - {"call"}:
            if library(room):
                self.assertEqual([n for n in self.undefined(room) if re.match(r"dlm?open$", n)], [], room)
        self.assertIn("dlopen", self.undefined("call"), "the check can see it")

    def test_the_top_level_is_what_was_agreed(self):
        allowed = {"CMakeLists.txt", "compiler", "capture", "replay", "audit", "archive", "manifests", "tests",
                   "README.md", "exhibit", "LICENSE", "CMakePresets.json"}
        generated = {"build", "out", "build-reviewer", "build-sanitize", "build-fuzz"}
        names = {n for n in os.listdir(ARGUMENTS.source) if not n.startswith(".")}
        self.assertEqual(names - allowed - generated, set())

    def test_every_room_has_a_short_readme(self):
        for room in ("manifests", "compiler", "capture", "replay", "archive", "audit"):
            with open(os.path.join(ARGUMENTS.source, room, "README.md"), encoding="utf-8") as file:
                self.assertLessEqual(len(file.readlines()), 40, room)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rooms", required=True)
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=["rooms_test"] + rest, verbosity=2)
