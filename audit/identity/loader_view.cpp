#include "audit/identity/loader_view.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace exhibit {
namespace {

using elf::File;
using elf::Section;
using elf::Segment;

constexpr uint64_t kPageBytes = 4096;

Error Corrupt(const std::string& what) {
  return Error{ErrorKind::kCorrupt, "ELF " + what, ""};
}

Status CheckSegments(const File& file) {
  uint64_t end = 0;  // Of the pages that are taken so far.
  for (const Segment& segment : file.segments()) {
    if (segment.type != elf::PT_LOAD) continue;
    const uint64_t last = segment.address + segment.memory_size;
    if (segment.file_size > segment.memory_size || last < segment.address ||
        last > ~uint64_t{0} - kPageBytes ||
        segment.offset % kPageBytes != segment.address % kPageBytes) {
      return Corrupt("segment cannot be loaded where it says");
    }
    if (segment.address / kPageBytes * kPageBytes < end) {
      return Corrupt("segments are loaded upon each other");
    }
    end = (last + kPageBytes - 1) / kPageBytes * kPageBytes;
  }
  return Ok();
}

class LoaderView {
 public:
  LoaderView(const File& file, const Section& table,
             const std::vector<elf::DynamicEntry>& dynamic)
      : file_(file), table_(table), dynamic_(dynamic) {}

  Status Check() const {
    EXHIBIT_RETURN_IF_ERROR(CheckSegments(file_));
    EXHIBIT_RETURN_IF_ERROR(CheckTable());
    EXHIBIT_ASSIGN_OR_RETURN(const uint64_t symbols, CheckSymbols());
    EXHIBIT_RETURN_IF_ERROR(CheckHash(symbols));
    EXHIBIT_RETURN_IF_ERROR(CheckGnuHash(symbols));
    EXHIBIT_RETURN_IF_ERROR(CheckVersions(symbols));
    EXHIBIT_RETURN_IF_ERROR(
        CheckRelocations(elf::DT_RELA, elf::DT_RELASZ, symbols));
    return CheckRelocations(elf::DT_JMPREL, elf::DT_PLTRELSZ, symbols);
  }

 private:
  std::optional<uint64_t> Value(uint64_t tag) const {
    for (const elf::DynamicEntry& entry : dynamic_) {
      if (entry.tag == tag) return entry.value;
    }
    return std::nullopt;
  }

  // The segment that holds it, or null. Segments share no page, so that at most
  // one does.
  const Segment* HolderOf(const Section& section) const {
    for (const Segment& segment : file_.segments()) {
      if (segment.type != elf::PT_LOAD) continue;
      const uint64_t into = section.address - segment.address;
      if (section.address >= segment.address && into <= segment.file_size &&
          section.size <= segment.file_size - into &&
          section.offset - segment.offset == into) {
        return &segment;
      }
    }
    return nullptr;
  }

  Status CheckLoaded(const Section& section) const {
    if (HolderOf(section) != nullptr && (section.flags & elf::SHF_ALLOC) != 0) {
      return Ok();
    }
    return Corrupt("section is not loaded where it says: " +
                   std::string(section.name));
  }

  // The loaded section of this type that begins where `tag` says.
  Result<const Section*> SectionAt(uint64_t tag, uint32_t type) const {
    for (const Section& section : file_.sections()) {
      if (section.type != type || section.address != Value(tag)) continue;
      EXHIBIT_RETURN_IF_ERROR(CheckLoaded(section));
      if ((HolderOf(section)->flags & elf::PF_W) != 0) {
        return Corrupt("section can be written when it is loaded: " +
                       std::string(section.name));
      }
      return &section;
    }
    return Corrupt("dynamic tag names no section: " + std::to_string(tag));
  }

  Status CheckTable() const {
    int seen = 0;
    for (const Segment& segment : file_.segments()) {
      if (segment.type != elf::PT_DYNAMIC) continue;
      ++seen;
      if (segment.offset != table_.offset ||
          segment.address != table_.address ||
          segment.file_size != table_.size) {
        return Corrupt("dynamic segment is not the dynamic section");
      }
    }
    if (seen != 1) {
      return Corrupt("dynamic segments: " + std::to_string(seen));
    }
    EXHIBIT_RETURN_IF_ERROR(CheckLoaded(table_));
    std::set<uint64_t> tags;
    for (const elf::DynamicEntry& entry : dynamic_) {
      // The loader takes the last of them, others may take the first.
      if (!entry.NamesLibrary() && !tags.insert(entry.tag).second) {
        return Corrupt("dynamic tag stands twice: " +
                       std::to_string(entry.tag));
      }
    }
    return Ok();
  }

  // Returns their number.
  Result<uint64_t> CheckSymbols() const {
    EXHIBIT_ASSIGN_OR_RETURN(const Section* symbols,
                             SectionAt(elf::DT_SYMTAB, elf::SHT_DYNSYM));
    EXHIBIT_ASSIGN_OR_RETURN(const Section* strings,
                             SectionAt(elf::DT_STRTAB, elf::SHT_STRTAB));
    for (const Section& section : file_.sections()) {
      if (section.type == elf::SHT_DYNSYM && &section != symbols) {
        return Corrupt("library has two tables of dynamic symbols");
      }
    }
    const auto index = static_cast<uint64_t>(strings - file_.sections().data());
    if (Value(elf::DT_STRSZ) != strings->size || symbols->link != index ||
        table_.link != index) {
      return Corrupt("dynamic symbols or strings are not their sections");
    }
    return symbols->size / elf::kSymbolBytes;
  }

  Status CheckCount(uint64_t known, uint64_t symbols) const {
    if (known <= symbols) return Ok();
    return Corrupt("hash table knows of more dynamic symbols than there are: " +
                   std::to_string(known));
  }

  // Two counts, of buckets and of symbols, then both.
  Status CheckHash(uint64_t symbols) const {
    if (!Value(elf::DT_HASH)) return Ok();
    EXHIBIT_ASSIGN_OR_RETURN(const Section* section,
                             SectionAt(elf::DT_HASH, elf::SHT_HASH));
    const std::string_view bytes = file_.Contents(*section);
    if (bytes.size() < 8) return Corrupt("hash table is too short");
    return CheckCount(elf::Load32(bytes, 4), symbols);
  }

  // Buckets, first symbol, words of the filter, its shift; the filter, of eight
  // bytes each; the buckets, which name the first symbol of a chain; of each
  // symbol a word, of which the lowest bit ends its chain.
  Status CheckGnuHash(uint64_t symbols) const {
    if (!Value(elf::DT_GNU_HASH)) return Ok();
    EXHIBIT_ASSIGN_OR_RETURN(const Section* section,
                             SectionAt(elf::DT_GNU_HASH, elf::SHT_GNU_HASH));
    const std::string_view bytes = file_.Contents(*section);
    if (bytes.size() < 16) return Corrupt("hash table is too short");
    const uint64_t buckets = elf::Load32(bytes, 0);
    const uint64_t first = elf::Load32(bytes, 4);
    const uint64_t at = 16 + 8 * uint64_t{elf::Load32(bytes, 8)};
    const uint64_t chains = at + 4 * buckets;
    if (chains > bytes.size()) return Corrupt("hash table is too short");
    uint64_t last = 0;
    for (uint64_t i = 0; i < buckets; ++i) {
      last = std::max<uint64_t>(last, elf::Load32(bytes, at + 4 * i));
    }
    if (last == 0) return CheckCount(first, symbols);
    if (last < first) return Corrupt("hash table names no symbol of its own");
    for (uint64_t word = chains + 4 * (last - first);; word += 4, ++last) {
      if (word + 4 > bytes.size()) return Corrupt("hash table does not end");
      if ((elf::Load32(bytes, word) & 1) != 0) break;
    }
    return CheckCount(last + 1, symbols);
  }

  Status CheckVersions(uint64_t symbols) const {
    if (!Value(elf::DT_VERSYM)) return Ok();
    EXHIBIT_ASSIGN_OR_RETURN(const Section* section,
                             SectionAt(elf::DT_VERSYM, elf::SHT_GNU_versym));
    if (section->size == 2 * symbols) return Ok();
    return Corrupt("versions are not one for each dynamic symbol");
  }

  Status CheckRelocations(uint64_t address_tag, uint64_t size_tag,
                          uint64_t symbols) const {
    if (!Value(address_tag)) return Ok();
    EXHIBIT_ASSIGN_OR_RETURN(const Section* section,
                             SectionAt(address_tag, elf::SHT_RELA));
    if (Value(size_tag) != section->size) {
      return Corrupt("dynamic relocations are not a section");
    }
    EXHIBIT_ASSIGN_OR_RETURN(const auto relocations,
                             file_.Relocations(*section));
    for (const elf::Relocation& relocation : relocations) {
      if (relocation.symbol >= symbols) {
        return Corrupt("dynamic relocation names no symbol: " +
                       std::to_string(relocation.symbol));
      }
      if (relocation.type == elf::R_X86_64_COPY) {
        return Corrupt("dynamic relocation copies into the library");
      }
      const uint64_t width = relocation.type == elf::R_X86_64_TLSDESC ? 16 : 8;
      if (relocation.offset < table_.address + table_.size &&
          relocation.offset + width > table_.address) {
        return Corrupt("dynamic relocation writes to the dynamic table");
      }
    }
    return Ok();
  }

  const File& file_;
  const Section& table_;
  const std::vector<elf::DynamicEntry>& dynamic_;
};

}  // namespace

Status CheckLoaderView(const File& file, const Section& table,
                       const std::vector<elf::DynamicEntry>& dynamic) {
  return LoaderView(file, table, dynamic).Check();
}

}  // namespace exhibit
