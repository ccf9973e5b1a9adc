// Is this library exactly what the declared link makes of that object?
//
// The question is answered by linking the object again, with a linker of our
// own (link_input.h, link_layout.h, link_image.h), and comparing every byte of
// the file. Nothing is executed and nothing in the library is trusted. Only the
// contents of three sections that are never loaded, .comment, .symtab and
// .strtab, are not compared: they name the linker and the symbols for people.
//
// The declared link is
//   ld.lld -shared -O0 --no-relax --hash-style=gnu --build-id=none
//       -o kernel.so kernel.o
// of LLD 22, with an object of trap instructions before kernel.o where the case
// declares a placement; another linker's choices appear as differences.

#ifndef EXHIBIT_AUDIT_IDENTITY_LINKED_H_
#define EXHIBIT_AUDIT_IDENTITY_LINKED_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace exhibit {

// What is compared with what; the bytes of whole files.
struct LinkedSubject {
  std::string_view object;   // kernel.o
  std::string_view library;  // kernel.so
  std::string_view entry;    // The symbol that replay calls.
  // Trap instructions that the declared link puts before the code.
  uint64_t placement_bytes = 0;
};

// Every difference, one sentence each, at most about a hundred; empty when the
// library is the object's. Differing bytes are told by section, with their
// number and the first place. Also reported: an object outside the closed kind
// of link_input.h, and an entry that is not an exported function of it.
std::vector<std::string> CheckLinked(const LinkedSubject& subject);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_LINKED_H_
