// What the declared link has to work with, screened.
//
// Only a small, closed kind of object is linked: code, constants, data and
// zeroed data under their usual names, six relocations, and memcpy, memmove
// and memset as the only imports. Thread-local storage, indirect functions,
// unwinding, constructors, common symbols, section groups and notes are not in
// it, and an object that has them is reported, not skipped.

#ifndef EXHIBIT_AUDIT_IDENTITY_LINK_INPUT_H_
#define EXHIBIT_AUDIT_IDENTITY_LINK_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/identity/elf.h"

namespace exhibit {

// memcpy, memmove, memset.
bool IsAllowedImport(std::string_view name);

// One allocated section of the object.
struct InputSection {
  size_t index = 0;         // In the object.
  std::string_view output;  // The section of the library it goes to.
  elf::Section header;
  std::string_view contents;
  std::vector<elf::Relocation> relocations;
};

// How a relocation computes what it stores, S the symbol's address, A the
// addend, P the place, L the symbol's entry of .plt, G its slot of .got.
enum class RelocationForm {
  kNone,
  kAbsolute64,  // S + A, left to the loader.
  kPc32,        // S + A - P
  kPc64,        // S + A - P
  kPlt32,       // L + A - P for a preemptible symbol, else S + A - P.
  kGot32,       // G + A - P
};
std::optional<RelocationForm> FormOf(uint32_t relocation_type);

// Whether another library could take the symbol's place at run time.
bool IsPreemptible(const elf::Symbol& symbol);

struct LinkInput {
  std::vector<InputSection> sections;  // In the object's order.
  std::vector<elf::Symbol> symbols;    // The object's, by its indices.
  // By object section index: the place in `sections`, if any.
  std::vector<std::optional<size_t>> section_places;
  // Object symbol indices, each in the order in which the link numbers them:
  std::vector<size_t> dynamic;  // The dynamic symbols.
  std::vector<size_t> plt;      // Entries of .plt.
  std::vector<size_t> got;      // Slots of .got.
  // _GLOBAL_OFFSET_TABLE_ is mentioned, which alone makes .got.plt exist.
  bool names_got = false;
  // Bytes before the first input of .text: what the declared placement asks
  // for. Not read from the object.
  uint64_t placement_bytes = 0;
};

// Everything the object has that the declared link must not meet goes to
// `problems`, one sentence each; the result is meant to be used only when
// there are none.
LinkInput ReadLinkInput(const elf::File& object,
                        std::vector<std::string>& problems);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_LINK_INPUT_H_
