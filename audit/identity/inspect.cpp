#include "audit/identity/inspect.h"

#include <algorithm>
#include <set>

#include "audit/identity/elf.h"
#include "audit/identity/loader_view.h"
#include "audit/identity/symbol_lookup.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

using elf::File;
using elf::Section;
using elf::Symbol;

Error Corrupt(const std::string& what) {
  return Error{ErrorKind::kCorrupt, "ELF " + what, ""};
}

const Section* FindType(const File& file, uint32_t type) {
  for (const Section& section : file.sections()) {
    if (section.type == type) return &section;
  }
  return nullptr;
}

Result<std::vector<Symbol>> ObjectSymbols(const File& object) {
  if (object.type() != elf::ET_REL) {
    return Error{ErrorKind::kUnsupported, "ELF file is not an object", ""};
  }
  const Section* table = FindType(object, elf::SHT_SYMTAB);
  if (table == nullptr) return Corrupt("object has no symbol table");
  return object.Symbols(*table);
}

std::vector<std::string> Sorted(const std::set<std::string_view>& names) {
  return std::vector<std::string>(names.begin(), names.end());
}

bool IsDefined(const Symbol& symbol) {
  return !symbol.Undefined() && symbol.section < elf::SHN_LORESERVE;
}

uint64_t CodeBytes(const File& file) {
  uint64_t bytes = 0;
  for (const Section& section : file.sections()) {
    const bool code = (section.flags & elf::SHF_ALLOC) != 0 &&
                      (section.flags & elf::SHF_EXECINSTR) != 0;
    if (code) bytes += file.Contents(section).size();
  }
  return bytes;
}

// ---- Libraries.

// What is loaded as code, whatever the sections say.
uint64_t LoadedCodeBytes(const File& file) {
  uint64_t bytes = 0;
  for (const elf::Segment& segment : file.segments()) {
    const bool code =
        segment.type == elf::PT_LOAD && (segment.flags & elf::PF_X) != 0;
    if (code) bytes += segment.file_size;
  }
  return bytes;
}

void ReadPeculiarities(const File& file,
                       const std::vector<elf::DynamicEntry>& dynamic,
                       std::set<std::string_view>& found) {
  constexpr uint64_t kTextRelocationFlag = 4;  // DF_TEXTREL
  for (const elf::DynamicEntry& entry : dynamic) {
    if (entry.tag == elf::DT_INIT) found.insert("init");
    if (entry.tag == elf::DT_FINI) found.insert("fini");
    if (entry.tag == elf::DT_INIT_ARRAY) found.insert("init-array");
    if (entry.tag == elf::DT_FINI_ARRAY) found.insert("fini-array");
    if (entry.tag == elf::DT_PREINIT_ARRAY) found.insert("preinit-array");
    if (entry.tag == elf::DT_AUXILIARY || entry.tag == elf::DT_FILTER) {
      found.insert("filter");
    }
    if (entry.tag == elf::DT_RPATH || entry.tag == elf::DT_RUNPATH) {
      found.insert("search-path");
    }
    if (entry.tag == elf::DT_TEXTREL ||
        (entry.tag == elf::DT_FLAGS &&
         (entry.value & kTextRelocationFlag) != 0)) {
      found.insert("text-relocations");
    }
  }
  bool stack_is_data = false;  // As the loader takes it that is told nothing.
  for (const elf::Segment& segment : file.segments()) {
    const bool code = (segment.flags & elf::PF_X) != 0;
    if (segment.type == elf::PT_TLS) found.insert("thread-local");
    if (segment.type == elf::PT_LOAD && code &&
        (segment.flags & elf::PF_W) != 0) {
      found.insert("writable-code");
    }
    if (segment.type == elf::PT_GNU_STACK) stack_is_data = !code;
  }
  if (!stack_is_data) found.insert("executable-stack");
}

Status ReadRelocationPeculiarities(const File& file,
                                   std::set<std::string_view>& found) {
  for (const Section& section : file.sections()) {
    if (section.type != elf::SHT_RELA) continue;
    EXHIBIT_ASSIGN_OR_RETURN(const auto relocations, file.Relocations(section));
    for (const elf::Relocation& relocation : relocations) {
      if (relocation.type == elf::R_X86_64_IRELATIVE) {
        found.insert("indirect-function");
      }
    }
  }
  return Ok();
}

// Whether its first byte is loaded as code.
bool IsCode(const File& file, const Symbol& symbol) {
  if (!IsDefined(symbol)) return false;
  return std::any_of(file.segments().begin(), file.segments().end(),
                     [&](const elf::Segment& segment) {
                       return segment.type == elf::PT_LOAD &&
                              (segment.flags & elf::PF_X) != 0 &&
                              symbol.value >= segment.address &&
                              symbol.value - segment.address <
                                  segment.file_size;
                     });
}

Status ReadDynamicSymbols(const File& file,
                          const std::vector<elf::DynamicEntry>& dynamic,
                          LibraryFacts& facts,
                          std::set<std::string_view>& peculiar) {
  EXHIBIT_ASSIGN_OR_RETURN(const auto symbols,
                           file.Symbols(*FindType(file, elf::SHT_DYNSYM)));
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<bool> found,
                           FoundByName(file, dynamic, symbols));
  std::set<std::string_view> imports, exports, functions;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    if (symbol.type == elf::STT_GNU_IFUNC) {
      peculiar.insert("indirect-function");
    }
    if (symbol.type == elf::STT_TLS) peculiar.insert("thread-local");
    if (symbol.name.empty()) continue;
    if (symbol.Undefined()) {
      imports.insert(symbol.name);
      continue;
    }
    // The loader finds no other.
    if (!found[i] || symbol.binding == elf::STB_LOCAL ||
        (symbol.Visibility() != elf::STV_DEFAULT &&
         symbol.Visibility() != elf::STV_PROTECTED)) {
      continue;
    }
    exports.insert(symbol.name);
    if (symbol.type == elf::STT_FUNC && IsCode(file, symbol)) {
      functions.insert(symbol.name);
    }
  }
  facts.imports = Sorted(imports);
  facts.exports = Sorted(exports);
  facts.exported_functions = Sorted(functions);
  return Ok();
}

// Notes: name size, description size, type, then both padded to four bytes.
std::string BuildIdIn(std::string_view notes) {
  constexpr uint32_t kBuildId = 3;
  constexpr uint32_t kDescriptionBytesMax = 64;
  auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  while (notes.size() >= 12) {
    const uint64_t name_bytes = elf::Load32(notes, 0);
    const uint64_t bytes = elf::Load32(notes, 4);
    const uint32_t type = elf::Load32(notes, 8);
    const uint64_t total = 12 + padded(name_bytes) + padded(bytes);
    if (total > notes.size()) return "";
    if (type == kBuildId && bytes <= kDescriptionBytesMax &&
        notes.substr(12, name_bytes) == std::string_view("GNU\0", 4)) {
      std::string hex;
      for (char c : notes.substr(12 + padded(name_bytes), bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
      }
      return hex;
    }
    notes.remove_prefix(total);
  }
  return "";
}

std::string BuildIdOf(const File& file) {
  for (const Section& section : file.sections()) {
    if (section.type != elf::SHT_NOTE) continue;
    const std::string id = BuildIdIn(file.Contents(section));
    if (!id.empty()) return id;
  }
  return "";
}

// Whether these relocations are of code that is loaded.
bool IsOfCode(const File& file, const Section& relocations) {
  if (relocations.info >= file.sections().size()) return false;
  constexpr uint64_t kCode = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
  return (file.sections()[relocations.info].flags & kCode) == kCode;
}

}  // namespace

Result<ObjectFacts> InspectObject(std::string_view object) {
  EXHIBIT_ASSIGN_OR_RETURN(const File file, File::Read(object));
  EXHIBIT_ASSIGN_OR_RETURN(const auto symbols, ObjectSymbols(file));
  ObjectFacts facts;
  for (const Section& section : file.sections()) {
    if ((section.flags & elf::SHF_ALLOC) == 0 || section.size == 0) continue;
    facts.sections.push_back({std::string(section.name), section.size});
    const bool constant =
        (section.flags & (elf::SHF_WRITE | elf::SHF_EXECINSTR)) == 0;
    if (constant) facts.constant_bytes += file.Contents(section).size();
  }
  facts.code_bytes = CodeBytes(file);
  std::set<std::string_view> exports, imports;
  for (const Symbol& symbol : symbols) {
    if (symbol.name.empty()) continue;
    if (IsDefined(symbol) && symbol.type == elf::STT_FUNC) {
      facts.functions.push_back({std::string(symbol.name), symbol.size});
    }
    if (symbol.binding == elf::STB_LOCAL) continue;
    if (symbol.Undefined()) {
      imports.insert(symbol.name);
    } else if (symbol.Visibility() == elf::STV_DEFAULT ||
               symbol.Visibility() == elf::STV_PROTECTED) {
      exports.insert(symbol.name);
    }
  }
  facts.exports = Sorted(exports);
  facts.imports = Sorted(imports);
  return facts;
}

Result<CloneFacts> FindClone(std::string_view object, std::string_view name) {
  EXHIBIT_ASSIGN_OR_RETURN(const File file, File::Read(object));
  EXHIBIT_ASSIGN_OR_RETURN(const auto symbols, ObjectSymbols(file));
  CloneFacts facts;
  const Symbol* clone = nullptr;
  for (const Symbol& symbol : symbols) {
    if (symbol.name != name || symbol.type != elf::STT_FUNC ||
        symbol.binding != elf::STB_LOCAL || !IsDefined(symbol)) {
      continue;
    }
    if (clone != nullptr) return Corrupt("two clones: " + std::string(name));
    clone = &symbol;
  }
  if (clone == nullptr) return facts;
  facts.defined = true;
  facts.bytes = clone->size;
  for (const Section& section : file.sections()) {
    if (section.type != elf::SHT_RELA || !IsOfCode(file, section)) continue;
    EXHIBIT_ASSIGN_OR_RETURN(const auto relocations, file.Relocations(section));
    for (const elf::Relocation& relocation : relocations) {
      if ((relocation.type != elf::R_X86_64_PLT32 &&
           relocation.type != elf::R_X86_64_PC32) ||
          relocation.symbol >= symbols.size()) {
        continue;
      }
      const bool from_clone = section.info == clone->section &&
                              relocation.offset >= clone->value &&
                              relocation.offset - clone->value < clone->size;
      // A call's displacement counts from its end, four bytes on.
      const Symbol& target = symbols[relocation.symbol];
      const uint64_t into =
          target.value + static_cast<uint64_t>(relocation.addend) + 4;
      if (!from_clone && target.section == clone->section &&
          into == clone->value) {
        ++facts.call_count;
      }
    }
  }
  return facts;
}

Result<LibraryFacts> InspectLibrary(std::string_view library) {
  EXHIBIT_ASSIGN_OR_RETURN(const File file, File::Read(library));
  if (file.type() != elf::ET_DYN) {
    return Error{ErrorKind::kUnsupported, "ELF file is not a library", ""};
  }
  const Section* table = FindType(file, elf::SHT_DYNAMIC);
  if (table == nullptr) return Corrupt("library has no dynamic section");
  EXHIBIT_ASSIGN_OR_RETURN(const auto dynamic, file.Dynamic(*table));
  EXHIBIT_RETURN_IF_ERROR(CheckLoaderView(file, *table, dynamic));
  LibraryFacts facts;
  const std::string_view strings = file.Contents(file.sections()[table->link]);
  std::set<std::string_view> needed, peculiar;
  uint64_t name_bytes = 0;
  for (const elf::DynamicEntry& entry : dynamic) {
    if (!entry.NamesLibrary()) continue;
    EXHIBIT_ASSIGN_OR_RETURN(const auto name,
                             file.String(strings, entry.value));
    name_bytes += name.size();
    EXHIBIT_RETURN_IF_ERROR(file.CheckNameBytes(name_bytes));
    needed.insert(name);
  }
  ReadPeculiarities(file, dynamic, peculiar);
  EXHIBIT_RETURN_IF_ERROR(ReadRelocationPeculiarities(file, peculiar));
  EXHIBIT_RETURN_IF_ERROR(ReadDynamicSymbols(file, dynamic, facts, peculiar));
  facts.needed = Sorted(needed);
  facts.peculiarities = Sorted(peculiar);
  facts.build_id = BuildIdOf(file);
  facts.code_bytes = LoadedCodeBytes(file);
  return facts;
}

Result<std::string> ReadBuildId(std::string_view bytes) {
  EXHIBIT_ASSIGN_OR_RETURN(const File file, File::Read(bytes));
  return BuildIdOf(file);
}

Result<std::string> LoadedDigest(std::string_view library) {
  EXHIBIT_ASSIGN_OR_RETURN(const File file, File::Read(library));
  Sha256Stream hash;
  for (const elf::Segment& segment : file.segments()) {
    if (segment.type != elf::PT_LOAD) continue;
    for (const uint64_t number :
         {segment.address, segment.memory_size, uint64_t{segment.flags}}) {
      hash.Update(std::to_string(number) + " ");
    }
    const std::string_view bytes =
        library.substr(segment.offset, segment.file_size);
    // The file's header tells where its sections are, which nobody loads.
    const uint64_t header =
        segment.offset < elf::kHeaderBytes
            ? std::min<uint64_t>(elf::kHeaderBytes - segment.offset,
                                 bytes.size())
            : 0;
    hash.Update(bytes.substr(header));
  }
  return hash.FinishHex();
}

}  // namespace exhibit
