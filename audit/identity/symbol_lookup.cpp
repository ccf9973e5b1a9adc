#include "audit/identity/symbol_lookup.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace exhibit {
namespace {

using elf::File;
using elf::Load32;
using elf::Section;
using elf::Symbol;

constexpr uint64_t kHashStepsMax = uint64_t{1} << 22;

// Null without such a tag.
const Section* SectionAt(const File& file,
                         const std::vector<elf::DynamicEntry>& dynamic,
                         uint64_t tag, uint32_t type) {
  for (const elf::DynamicEntry& entry : dynamic) {
    if (entry.tag != tag) continue;
    for (const Section& section : file.sections()) {
      if (section.type == type && section.address == entry.value) {
        return &section;
      }
    }
  }
  return nullptr;
}

uint32_t GnuHash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

uint32_t SystemVHash(std::string_view name) {
  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const uint32_t high = hash & 0xf0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

// `table`: four counts, the filter, the buckets, a word of each symbol from the
// first on, of which the lowest bit ends a chain and the others are its hash.
std::vector<bool> FoundByGnuHash(std::string_view table,
                                 const std::vector<Symbol>& symbols) {
  std::vector<bool> found(symbols.size(), false);
  if (table.size() < 16) return found;
  const uint64_t buckets = Load32(table, 0);
  const uint64_t first = Load32(table, 4);
  const uint64_t filters = Load32(table, 8);
  const uint32_t shift = Load32(table, 12);
  const uint64_t buckets_at = 16 + 8 * filters;
  const uint64_t words_at = buckets_at + 4 * buckets;
  if (buckets == 0 || !std::has_single_bit(filters) || shift >= 32 ||
      words_at > table.size()) {
    return found;
  }
  uint64_t chain_start = first;  // Of the chain that symbol i stands in.
  for (uint64_t i = first; i < symbols.size(); ++i) {
    const uint64_t at = words_at + 4 * (i - first);
    if (at + 4 > table.size()) break;
    const uint32_t word = Load32(table, at);
    const uint32_t hash = GnuHash(symbols[i].name);
    const uint64_t filter =
        elf::Load64(table, 16 + 8 * ((hash / 64) & (filters - 1)));
    const uint64_t entry = Load32(table, buckets_at + 4 * (hash % buckets));
    found[i] = ((word ^ hash) >> 1) == 0 &&
               ((filter >> (hash % 64)) & 1) != 0 &&
               ((filter >> ((hash >> shift) % 64)) & 1) != 0 &&
               entry >= chain_start && entry <= i && entry != 0;
    if ((word & 1) != 0) chain_start = i + 1;
  }
  return found;
}

// `table`: the number of buckets and of symbols, the first symbol of each
// bucket, and for each symbol the next one of its bucket, 0 at the end.
Result<std::vector<bool>> FoundBySystemVHash(
    std::string_view table, const std::vector<Symbol>& symbols) {
  std::vector<bool> found(symbols.size(), false);
  if (table.size() < 8) return found;
  const uint64_t buckets = Load32(table, 0);
  const uint64_t chains = Load32(table, 4);
  if (8 + 4 * (buckets + chains) > table.size()) return found;
  uint64_t steps = 0;
  for (uint64_t bucket = 0; bucket < buckets; ++bucket) {
    uint64_t i = Load32(table, 8 + 4 * bucket);
    while (i != 0 && i < chains && i < symbols.size()) {
      if (++steps > kHashStepsMax) {
        return Error{ErrorKind::kLimitExceeded,
                     "ELF hash table has chains of more than " +
                         std::to_string(kHashStepsMax) + " steps",
                     ""};
      }
      if (SystemVHash(symbols[i].name) % buckets == bucket) found[i] = true;
      i = Load32(table, 8 + 4 * (buckets + i));
    }
  }
  return found;
}

// Of each symbol two bytes: the number of its version, of which 0 and 1 are
// none, and whether it is hidden from a lookup without a version.
void TakeOutHidden(std::string_view versions, std::vector<bool>& found) {
  constexpr uint16_t kHidden = 0x8000;
  for (size_t i = 0; i < found.size() && 2 * i + 2 <= versions.size(); ++i) {
    const uint16_t version = elf::Load16(versions, 2 * i);
    if ((version & kHidden) != 0 && (version & ~kHidden) > 1) found[i] = false;
  }
}

}  // namespace

Result<std::vector<bool>> FoundByName(
    const File& file, const std::vector<elf::DynamicEntry>& dynamic,
    const std::vector<Symbol>& symbols) {
  std::vector<bool> found(symbols.size(), false);
  // A loader that knows the first kind does not look at the second.
  if (const Section* table =
          SectionAt(file, dynamic, elf::DT_GNU_HASH, elf::SHT_GNU_HASH)) {
    found = FoundByGnuHash(file.Contents(*table), symbols);
  } else if (const Section* older =
                 SectionAt(file, dynamic, elf::DT_HASH, elf::SHT_HASH)) {
    EXHIBIT_ASSIGN_OR_RETURN(
        found, FoundBySystemVHash(file.Contents(*older), symbols));
  }
  if (const Section* versions =
          SectionAt(file, dynamic, elf::DT_VERSYM, elf::SHT_GNU_versym)) {
    TakeOutHidden(file.Contents(*versions), found);
  }
  return found;
}

}  // namespace exhibit
