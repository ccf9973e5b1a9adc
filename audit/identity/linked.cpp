#include "audit/identity/linked.h"

#include <algorithm>
#include <cstdint>

#include "audit/identity/elf.h"
#include "audit/identity/link_image.h"
#include "audit/identity/link_input.h"
#include "audit/identity/link_layout.h"

namespace exhibit {
namespace {

// A stretch of the file, as it is named in a difference.
struct Stretch {
  std::string name;
  uint64_t begin;
  uint64_t end;
};

std::vector<Stretch> StretchesOf(const LinkLayout& layout) {
  const uint64_t segments =
      elf::kHeaderBytes + elf::kSegmentBytes * layout.segments.size();
  std::vector<Stretch> stretches = {
      {"the ELF header", 0, elf::kHeaderBytes},
      {"the program headers", elf::kHeaderBytes, segments},
      {"the section headers", layout.section_headers_offset,
       layout.file_bytes}};
  for (const OutputSection& section : layout.sections) {
    const elf::Section& header = section.header;
    if (header.type == elf::SHT_NOBITS || header.size == 0) continue;
    stretches.push_back(
        {std::string(header.name), header.offset, header.offset + header.size});
  }
  std::sort(
      stretches.begin(), stretches.end(),
      [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  return stretches;
}

// Compares one stretch and says how it differs.
void CompareStretch(std::string_view expected, std::string_view found,
                    const Stretch& stretch,
                    std::vector<std::string>& differences) {
  uint64_t count = 0;
  uint64_t first = 0;
  for (uint64_t i = stretch.begin; i < stretch.end; ++i) {
    if (expected[i] == found[i]) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  differences.push_back("library: " + std::to_string(count) +
                        " bytes differ in " + stretch.name +
                        ", the first at file offset " + std::to_string(first));
}

// The two files have one size. Every byte belongs to one stretch or to the
// padding before it.
void Compare(std::string_view expected, std::string_view found,
             const LinkLayout& layout, std::vector<std::string>& differences) {
  uint64_t done = 0;
  for (const Stretch& stretch : StretchesOf(layout)) {
    CompareStretch(expected, found,
                   {"the padding before " + stretch.name, done, stretch.begin},
                   differences);
    CompareStretch(expected, found, stretch, differences);
    done = stretch.end;
  }
}

// Symbols up to the first that is not local, which is what the table's header
// must say.
Result<uint32_t> LocalCount(const elf::File& library,
                            const elf::Section& symtab) {
  EXHIBIT_ASSIGN_OR_RETURN(const auto symbols, library.Symbols(symtab));
  uint32_t count = 0;
  while (count < symbols.size() && symbols[count].binding == elf::STB_LOCAL) {
    ++count;
  }
  return count;
}

// Strings fill their section: one end and nothing behind it, so that its size
// cannot take in padding.
bool EndsInOneNul(std::string_view strings) {
  return strings.size() >= 2 && strings.back() == '\0' &&
         strings[strings.size() - 2] != '\0';
}

// Takes the three unloaded sections from the library.
UnloadedContents TakeUnloaded(const elf::File& library,
                              std::vector<std::string>& differences) {
  auto take = [&](std::string_view name) -> std::string_view {
    const elf::Section* section = library.Find(name);
    if (section == nullptr || (section->flags & elf::SHF_ALLOC) != 0) {
      differences.push_back("library: no unloaded section " +
                            std::string(name));
      return {};
    }
    return library.Contents(*section);
  };
  UnloadedContents taken;
  taken.comment = take(".comment");
  taken.symtab = take(".symtab");
  taken.strtab = take(".strtab");
  if (!differences.empty()) return taken;
  if (!EndsInOneNul(taken.comment) || !EndsInOneNul(taken.strtab)) {
    differences.push_back("library: .comment or .strtab ends oddly");
  }
  const auto locals = LocalCount(library, *library.Find(".symtab"));
  if (locals.ok()) {
    taken.symtab_info = *locals;
  } else {
    differences.push_back("library: " + locals.error().message);
  }
  return taken;
}

void CheckEntry(const LinkInput& input, std::string_view entry,
                std::vector<std::string>& differences) {
  for (size_t i : input.dynamic) {
    const elf::Symbol& symbol = input.symbols[i];
    if (symbol.name != entry || symbol.Undefined()) continue;
    const size_t home = *input.section_places[symbol.section];
    if (symbol.type == elf::STT_FUNC &&
        input.sections[home].output == ".text") {
      return;
    }
  }
  differences.push_back("object: exports no function " + std::string(entry));
}

void CompareFiles(const LinkInput& input, std::string_view library_bytes,
                  std::vector<std::string>& differences) {
  auto library = elf::File::Read(library_bytes);
  if (!library.ok()) {
    differences.push_back("library: " + library.error().message);
    return;
  }
  const UnloadedContents unloaded = TakeUnloaded(*library, differences);
  if (!differences.empty()) return;
  const LinkLayout layout = LayOutLink(input, unloaded);
  if (layout.file_bytes != library_bytes.size()) {
    differences.push_back(
        "library: has " + std::to_string(library_bytes.size()) +
        " bytes where the link makes " + std::to_string(layout.file_bytes));
    return;
  }
  const std::string expected = WriteLink(input, layout, unloaded, differences);
  Compare(expected, library_bytes, layout, differences);
}

}  // namespace

std::vector<std::string> CheckLinked(const LinkedSubject& subject) {
  std::vector<std::string> differences;
  auto object = elf::File::Read(subject.object);
  if (!object.ok()) return {"object: " + object.error().message};
  LinkInput input = ReadLinkInput(*object, differences);
  input.placement_bytes = subject.placement_bytes;
  if (!differences.empty()) return differences;
  CheckEntry(input, subject.entry, differences);
  CompareFiles(input, subject.library, differences);
  return differences;
}

}  // namespace exhibit
