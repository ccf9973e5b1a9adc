// What stands in an object or a library, for reports and for rules that do not
// depend on how it was linked.
//
// CheckLinked (linked.h) tells whether a library is an object's. These tell
// what either holds: of a foreign library, which comes without its object,
// nothing more than this can be said.

#ifndef EXHIBIT_AUDIT_IDENTITY_INSPECT_H_
#define EXHIBIT_AUDIT_IDENTITY_INSPECT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit {

struct SectionSize {
  std::string name;
  uint64_t bytes = 0;
};

struct NamedFunction {
  std::string name;
  uint64_t bytes = 0;
};

// An object (kernel.o). Lists in the file's order unless stated.
struct ObjectFacts {
  std::vector<SectionSize> sections;     // Allocated ones that are not empty.
  std::vector<NamedFunction> functions;  // Defined, local and global.
  std::vector<std::string> exports;      // Sorted.
  std::vector<std::string> imports;      // Sorted.
  uint64_t code_bytes = 0;               // Of executable sections.
  uint64_t constant_bytes = 0;  // Allocated, neither writable nor code.
};
Result<ObjectFacts> InspectObject(std::string_view object);

// The clone that a full-packet specialisation leaves behind: a local function
// of that name, in a section of its own, and the calls of it.
struct CloneFacts {
  bool defined = false;
  uint64_t bytes = 0;
  // Relocations of calls (PLT32, PC32) in loaded code outside of it that lead
  // to its first byte, whether they name it or its section.
  uint64_t call_count = 0;
};
// `name` is the whole symbol, such as "attention.packet.full". A clone that is
// not there is no failure.
Result<CloneFacts> FindClone(std::string_view object, std::string_view name);

// A shared library, from its dynamic table. Names sorted.
struct LibraryFacts {
  std::vector<std::string> needed;   // DT_NEEDED, DT_AUXILIARY, DT_FILTER
  std::vector<std::string> imports;  // Undefined dynamic symbols.
  std::vector<std::string> exports;  // Those that others may find.
  std::vector<std::string> exported_functions;  // STT_FUNC, in loaded code.
  // Things that run on loading, or make the library more than code and data:
  // "executable-stack", "filter" (it stands in for another library), "fini",
  // "fini-array", "indirect-function", "init", "init-array", "preinit-array",
  // "search-path", "text-relocations", "thread-local", "writable-code". Sorted.
  std::vector<std::string> peculiarities;
  std::string build_id;     // Hexadecimal, or "".
  uint64_t code_bytes = 0;  // Of segments that are loaded as code.
};
// Fails with kCorrupt when the sections tell another story than the segments
// by which it is loaded (loader_view.h), besides what elf::File::Read fails
// with.
Result<LibraryFacts> InspectLibrary(std::string_view library);

// The digest of what the loader takes from a library: its loaded segments, but
// for the header of the file. Two libraries of one are the same when they run.
Result<std::string> LoadedDigest(std::string_view library);

// The GNU build id of a shared library or position-independent executable, in
// hexadecimal, or "" when it has none.
Result<std::string> ReadBuildId(std::string_view file);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_INSPECT_H_
