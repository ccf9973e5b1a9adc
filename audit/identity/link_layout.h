// Where the declared link puts everything.
//
//   ld.lld -shared -O0 --no-relax --hash-style=gnu --build-id=none
//       -o kernel.so kernel.o
//
// as LLD 22 carries it out for one object of the kind that link_input.h lets
// through: its own small model, written from what that linker does and
// compared with it byte for byte in the tests. Sections stand in the fixed
// order of OutputOrder (link_layout.cpp), input sections one behind another in
// the object's order, each at its alignment; nothing is merged at -O0. A new
// segment starts a page further on in memory and right behind in the file.

#ifndef EXHIBIT_AUDIT_IDENTITY_LINK_LAYOUT_H_
#define EXHIBIT_AUDIT_IDENTITY_LINK_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "audit/identity/elf.h"
#include "audit/identity/link_input.h"

namespace exhibit {

// What the link adds for people and not for the loader: taken over from the
// library instead of being predicted.
struct UnloadedContents {
  std::string_view comment;
  std::string_view symtab;
  std::string_view strtab;
  uint32_t symtab_info = 0;  // Number of its local symbols and one.
};

struct OutputSection {
  elf::Section header;         // `name` views a constant.
  std::vector<size_t> inputs;  // Indices into LinkInput::sections.
};

struct LinkLayout {
  std::vector<OutputSection> sections;  // [0] is the null section.
  std::vector<elf::Segment> segments;
  std::vector<uint64_t> input_addresses;  // By LinkInput::sections.
  uint64_t relative_count = 0;            // Relocations without a symbol.
  uint64_t section_headers_offset = 0;
  uint64_t file_bytes = 0;

  // The index of the section of that name, or 0.
  uint32_t IndexOf(std::string_view name) const;
  // Its address, or 0.
  uint64_t AddressOf(std::string_view name) const;
};

// Buckets and filter words of .gnu.hash for so many exported symbols.
uint64_t HashBucketCount(uint64_t exported);
uint64_t HashFilterWordCount(uint64_t exported);

LinkLayout LayOutLink(const LinkInput& input, const UnloadedContents& unloaded);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_LINK_LAYOUT_H_
