// Which dynamic symbols of a library dlsym finds.
//
// The loader reads no list of symbols: it computes the hash of a name and goes
// where the hash table leads, and passes by versions that are not the default.
// A symbol that stands in the list and cannot be found so is exported to
// nobody. Sources: System V ABI, chapter 5, "Hash Table"; the layout of
// .gnu.hash and .gnu.version as GNU ld writes and glibc reads them.

#ifndef EXHIBIT_AUDIT_IDENTITY_SYMBOL_LOOKUP_H_
#define EXHIBIT_AUDIT_IDENTITY_SYMBOL_LOOKUP_H_

#include <vector>

#include "audit/identity/elf.h"
#include "manifests/result.h"

namespace exhibit {

// For each of `symbols`, the entries of the library's .dynsym, whether a lookup
// of its name without a version comes to it; `dynamic` are the entries of its
// dynamic section. CheckLoaderView has accepted the
// library. Fails with kLimitExceeded where the chains of DT_HASH are longer
// than 2^22 steps in all, as no linker makes them.
Result<std::vector<bool>> FoundByName(
    const elf::File& file, const std::vector<elf::DynamicEntry>& dynamic,
    const std::vector<elf::Symbol>& symbols);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_SYMBOL_LOOKUP_H_
