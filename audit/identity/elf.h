// A small, suspicious reader of ELF files: 64-bit, little-endian, x86-64,
// relocatable objects and shared libraries.
//
// Every offset, size, count, index and name is checked against the bytes that
// are there before it is used, and every table against a limit before anything
// is allocated. Source: System V ABI, chapters 4 and 5, with the x86-64
// supplement. Numbers are named as there.

#ifndef EXHIBIT_AUDIT_IDENTITY_ELF_H_
#define EXHIBIT_AUDIT_IDENTITY_ELF_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"

namespace exhibit::elf {

inline constexpr uint64_t kHeaderBytes = 64;
inline constexpr uint64_t kSegmentBytes = 56;
inline constexpr uint64_t kSectionBytes = 64;
inline constexpr uint64_t kSymbolBytes = 24;
inline constexpr uint64_t kRelocationBytes = 24;
inline constexpr uint64_t kDynamicBytes = 16;

enum FileType : uint16_t { ET_REL = 1, ET_DYN = 3 };

enum SectionType : uint32_t {
  SHT_NULL = 0,
  SHT_PROGBITS = 1,
  SHT_SYMTAB = 2,
  SHT_STRTAB = 3,
  SHT_RELA = 4,
  SHT_HASH = 5,
  SHT_DYNAMIC = 6,
  SHT_NOTE = 7,
  SHT_NOBITS = 8,
  SHT_REL = 9,
  SHT_DYNSYM = 11,
  SHT_GNU_HASH = 0x6ffffff6,
  SHT_GNU_versym = 0x6fffffff,
};

enum SectionFlag : uint64_t {
  SHF_WRITE = 0x1,
  SHF_ALLOC = 0x2,
  SHF_EXECINSTR = 0x4,
  SHF_MERGE = 0x10,
  SHF_STRINGS = 0x20,
  SHF_INFO_LINK = 0x40,
};

enum SegmentType : uint32_t {
  PT_LOAD = 1,
  PT_DYNAMIC = 2,
  PT_PHDR = 6,
  PT_TLS = 7,
  PT_GNU_STACK = 0x6474e551,
  PT_GNU_RELRO = 0x6474e552,
};

enum SegmentFlag : uint32_t { PF_X = 1, PF_W = 2 };

enum SymbolType : uint8_t {
  STT_NOTYPE = 0,
  STT_OBJECT = 1,
  STT_FUNC = 2,
  STT_SECTION = 3,
  STT_FILE = 4,
  STT_TLS = 6,
  STT_GNU_IFUNC = 10,
};
enum SymbolBinding : uint8_t { STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2 };
enum SymbolVisibility : uint8_t { STV_DEFAULT = 0, STV_PROTECTED = 3 };
enum SectionIndex : uint16_t {
  SHN_UNDEF = 0,
  SHN_LORESERVE = 0xff00,
  SHN_ABS = 0xfff1
};

enum RelocationType : uint32_t {
  R_X86_64_NONE = 0,
  R_X86_64_64 = 1,
  R_X86_64_PC32 = 2,
  R_X86_64_PLT32 = 4,
  R_X86_64_COPY = 5,
  R_X86_64_GLOB_DAT = 6,
  R_X86_64_JUMP_SLOT = 7,
  R_X86_64_RELATIVE = 8,
  R_X86_64_GOTPCREL = 9,
  R_X86_64_PC64 = 24,
  R_X86_64_TLSDESC = 36,
  R_X86_64_IRELATIVE = 37,
  R_X86_64_GOTPCRELX = 41,
  R_X86_64_REX_GOTPCRELX = 42,
};

enum DynamicTag : uint64_t {
  DT_NULL = 0,
  DT_NEEDED = 1,
  DT_PLTRELSZ = 2,
  DT_PLTGOT = 3,
  DT_HASH = 4,
  DT_STRTAB = 5,
  DT_SYMTAB = 6,
  DT_RELA = 7,
  DT_RELASZ = 8,
  DT_RELAENT = 9,
  DT_STRSZ = 10,
  DT_SYMENT = 11,
  DT_INIT = 12,
  DT_FINI = 13,
  DT_RPATH = 15,
  DT_PLTREL = 20,
  DT_TEXTREL = 22,
  DT_JMPREL = 23,
  DT_INIT_ARRAY = 25,
  DT_FINI_ARRAY = 26,
  DT_RUNPATH = 29,
  DT_FLAGS = 30,
  DT_PREINIT_ARRAY = 32,
  DT_GNU_HASH = 0x6ffffef5,
  DT_VERSYM = 0x6ffffff0,
  DT_RELACOUNT = 0x6ffffff9,
  DT_AUXILIARY = 0x7ffffffd,
  DT_FILTER = 0x7fffffff,
};

struct Section {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 0;
  uint64_t entry_size = 0;
};

struct Segment {
  uint32_t type = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t file_size = 0;
  uint64_t memory_size = 0;
  uint64_t alignment = 0;
};

struct Symbol {
  std::string_view name;
  uint64_t value = 0;
  uint64_t size = 0;
  uint8_t type = 0;
  uint8_t binding = 0;
  uint8_t other = 0;  // The byte st_other; Visibility() is its low bits.
  uint16_t section = 0;

  uint8_t Visibility() const { return other & 3; }
  bool Undefined() const { return section == SHN_UNDEF; }
};

struct Relocation {
  uint64_t offset = 0;
  uint32_t type = 0;
  uint32_t symbol = 0;
  int64_t addend = 0;
};

struct DynamicEntry {
  uint64_t tag = 0;
  uint64_t value = 0;

  // A library that the loader takes in too; such tags may stand often.
  bool NamesLibrary() const {
    return tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER;
  }
};

struct Limits {
  uint64_t file_bytes_max = uint64_t{1} << 28;
  uint64_t section_count_max = 1 << 14;
  uint64_t segment_count_max = 64;
  uint64_t symbol_count_max = 1 << 18;
  uint64_t relocation_count_max = 1 << 20;
  uint64_t name_bytes_max = 1 << 12;
};

// The tables of one file. It and every name view the bytes: they must outlive
// both.
class File {
 public:
  // Fails with kCorrupt where a field points outside the file or a name does
  // not end, with kUnsupported for another class, byte order, machine, type or
  // version, and with kLimitExceeded past `limits`. A NOBITS section has no
  // bytes, whatever its offset says. Two sections that share bytes, and names
  // that share so many that together they are longer than the file, are
  // kCorrupt: no linker writes them, and they cost more than their file.
  static Result<File> Read(std::string_view bytes, const Limits& limits = {});

  FileType type() const { return type_; }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Segment>& segments() const { return segments_; }

  // The bytes of a section of this file; empty for NOBITS.
  std::string_view Contents(const Section& section) const;
  // The first section of that name, or null.
  const Section* Find(std::string_view name) const;

  // A table of symbols; its link names the strings.
  Result<std::vector<Symbol>> Symbols(const Section& section) const;
  // A table of relocations with addends. Offsets and symbols are not checked
  // here: only the caller knows against what.
  Result<std::vector<Relocation>> Relocations(const Section& section) const;
  // The entries up to DT_NULL, which must be there.
  Result<std::vector<DynamicEntry>> Dynamic(const Section& section) const;

  // The string at `offset` of the string table `strings`.
  Result<std::string_view> String(std::string_view strings,
                                  uint64_t offset) const;

  // Whether so many bytes of names may be taken from one table.
  Status CheckNameBytes(uint64_t bytes) const;

 private:
  Status ReadHeader();
  Status ReadSections();
  Status ReadSegments();
  Status CheckApart() const;
  Status NameSections(uint64_t names_index, const std::vector<uint32_t>& names);

  std::string_view bytes_;
  Limits limits_;
  FileType type_ = ET_REL;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
};

// Little-endian access. `offset + sizeof(T)` must lie inside (a bug otherwise).
uint16_t Load16(std::string_view bytes, uint64_t offset);
uint32_t Load32(std::string_view bytes, uint64_t offset);
uint64_t Load64(std::string_view bytes, uint64_t offset);
void Store16(std::string& bytes, uint64_t offset, uint16_t value);
void Store32(std::string& bytes, uint64_t offset, uint32_t value);
void Store64(std::string& bytes, uint64_t offset, uint64_t value);

}  // namespace exhibit::elf

#endif  // EXHIBIT_AUDIT_IDENTITY_ELF_H_
