// Whether the loader sees of a library what its sections say.
//
// The loader goes by segments, addresses and the dynamic table; who inspects a
// library reads sections. A library in which the two differ looks like another
// one than runs.

#ifndef EXHIBIT_AUDIT_IDENTITY_LOADER_VIEW_H_
#define EXHIBIT_AUDIT_IDENTITY_LOADER_VIEW_H_

#include <vector>

#include "audit/identity/elf.h"
#include "manifests/result.h"

namespace exhibit {

// `table` is the dynamic section of `file` and `dynamic` its entries. Fails
// with kCorrupt unless
// - loaded segments ascend, share no page and lie in the file as in memory;
// - the one dynamic segment is `table`, and no tag stands twice but those that
//   may name several libraries;
// - dynamic symbols, their strings, hash tables, versions and the relocations are
//   the sections that the tags name, loaded where these say and not written to:
//   a relocation must not make another table of them or of `table`, nor copy
//   more than its own few bytes;
// - neither a hash table nor a relocation knows of a symbol behind the last.
Status CheckLoaderView(const elf::File& file, const elf::Section& table,
                       const std::vector<elf::DynamicEntry>& dynamic);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_IDENTITY_LOADER_VIEW_H_
