#include "audit/identity/link_image.h"

#include <algorithm>
#include <tuple>

namespace exhibit {
namespace {

using elf::Relocation;
using elf::Symbol;

// What the loader is asked to store.
struct DynamicRelocation {
  uint64_t place;
  uint32_t type;
  uint32_t symbol;  // In .dynsym; 0 for none.
  uint64_t addend;
};

// The hash function of .gnu.hash (Bernstein).
uint32_t GnuHash(std::string_view name) {
  uint32_t hash = 5381;
  for (char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

class Writer {
 public:
  Writer(const LinkInput& input, const LinkLayout& layout,
         const UnloadedContents& unloaded, std::vector<std::string>& problems)
      : input_(input),
        layout_(layout),
        unloaded_(unloaded),
        problems_(problems),
        bytes_(layout.file_bytes, '\0') {}

  std::string Write() {
    NumberSymbols();
    WriteFileHeader();
    WriteSegments();
    WriteSectionHeaders();
    for (const OutputSection& section : layout_.sections) WriteInputs(section);
    for (size_t slot = 0; slot < input_.got.size(); ++slot) {
      BindGot(slot);
    }
    WriteSymbols();
    WriteHash();
    WriteRelocations();
    WritePlt();
    WriteDynamic();
    Copy(".comment", unloaded_.comment);
    Copy(".symtab", unloaded_.symtab);
    Copy(".strtab", unloaded_.strtab);
    return std::move(bytes_);
  }

 private:
  uint64_t OffsetOf(std::string_view name) const {
    return layout_.sections[layout_.IndexOf(name)].header.offset;
  }
  uint64_t AddressOf(std::string_view name) const {
    return layout_.AddressOf(name);
  }

  void Copy(std::string_view name, std::string_view contents) {
    std::copy(contents.begin(), contents.end(),
              bytes_.begin() + static_cast<std::ptrdiff_t>(OffsetOf(name)));
  }

  // Imports first, then exports by hash bucket, each in the link's order.
  void NumberSymbols() {
    for (size_t i : input_.dynamic) {
      if (input_.symbols[i].Undefined()) order_.push_back(i);
    }
    import_count_ = order_.size();
    for (size_t i : input_.dynamic) {
      if (!input_.symbols[i].Undefined()) order_.push_back(i);
    }
    buckets_ = HashBucketCount(order_.size() - import_count_);
    auto bucket = [this](size_t i) {
      return GnuHash(input_.symbols[i].name) % buckets_;
    };
    std::stable_sort(
        order_.begin() + static_cast<std::ptrdiff_t>(import_count_),
        order_.end(),
        [&](size_t a, size_t b) { return bucket(a) < bucket(b); });
    numbers_.resize(input_.symbols.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      numbers_[order_[i]] = static_cast<uint32_t>(i + 1);
    }
    plt_slots_.resize(input_.symbols.size());
    for (size_t i = 0; i < input_.plt.size(); ++i) {
      plt_slots_[input_.plt[i]] = i;
    }
    got_slots_.resize(input_.symbols.size());
    for (size_t i = 0; i < input_.got.size(); ++i) {
      got_slots_[input_.got[i]] = i;
    }
  }

  void WriteFileHeader() {
    bytes_.replace(0, 7,
                   std::string_view("\x7f"
                                    "ELF\2\1\1"));
    elf::Store16(bytes_, 16, elf::ET_DYN);
    elf::Store16(bytes_, 18, 62);
    elf::Store32(bytes_, 20, 1);
    elf::Store64(bytes_, 32, elf::kHeaderBytes);
    elf::Store64(bytes_, 40, layout_.section_headers_offset);
    elf::Store16(bytes_, 52, elf::kHeaderBytes);
    elf::Store16(bytes_, 54, elf::kSegmentBytes);
    elf::Store16(bytes_, 56, static_cast<uint16_t>(layout_.segments.size()));
    elf::Store16(bytes_, 58, elf::kSectionBytes);
    elf::Store16(bytes_, 60, static_cast<uint16_t>(layout_.sections.size()));
    elf::Store16(bytes_, 62,
                 static_cast<uint16_t>(layout_.IndexOf(".shstrtab")));
  }

  void WriteSegments() {
    uint64_t at = elf::kHeaderBytes;
    for (const elf::Segment& segment : layout_.segments) {
      elf::Store32(bytes_, at, segment.type);
      elf::Store32(bytes_, at + 4, segment.flags);
      elf::Store64(bytes_, at + 8, segment.offset);
      elf::Store64(bytes_, at + 16, segment.address);
      elf::Store64(bytes_, at + 24, segment.address);
      elf::Store64(bytes_, at + 32, segment.file_size);
      elf::Store64(bytes_, at + 40, segment.memory_size);
      elf::Store64(bytes_, at + 48, segment.alignment);
      at += elf::kSegmentBytes;
    }
  }

  void WriteSectionHeaders() {
    const uint64_t names = OffsetOf(".shstrtab");
    uint64_t name = 1;
    uint64_t at = layout_.section_headers_offset;
    for (const OutputSection& section : layout_.sections) {
      const elf::Section& header = section.header;
      if (!header.name.empty()) {
        std::copy(header.name.begin(), header.name.end(),
                  bytes_.begin() + static_cast<std::ptrdiff_t>(names + name));
        elf::Store32(bytes_, at, static_cast<uint32_t>(name));
        name += header.name.size() + 1;
      }
      elf::Store32(bytes_, at + 4, header.type);
      elf::Store64(bytes_, at + 8, header.flags);
      elf::Store64(bytes_, at + 16, header.address);
      elf::Store64(bytes_, at + 24, header.offset);
      elf::Store64(bytes_, at + 32, header.size);
      elf::Store32(bytes_, at + 40, header.link);
      elf::Store32(bytes_, at + 44, header.info);
      elf::Store64(bytes_, at + 48, header.alignment);
      elf::Store64(bytes_, at + 56, header.entry_size);
      at += elf::kSectionBytes;
    }
  }

  void WriteInputs(const OutputSection& section) {
    if (section.inputs.empty() || section.header.type == elf::SHT_NOBITS) {
      return;
    }
    // Between functions stands the trap instruction.
    if ((section.header.flags & elf::SHF_EXECINSTR) != 0) {
      std::fill_n(
          bytes_.begin() + static_cast<std::ptrdiff_t>(section.header.offset),
          section.header.size, '\xcc');
    }
    for (size_t i : section.inputs) {
      const InputSection& input = input_.sections[i];
      const uint64_t offset = section.header.offset +
                              layout_.input_addresses[i] -
                              section.header.address;
      std::copy(input.contents.begin(), input.contents.end(),
                bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
      for (const Relocation& relocation : input.relocations) {
        Apply(relocation, layout_.input_addresses[i], offset);
      }
    }
  }

  uint64_t AddressOfSymbol(const Symbol& symbol) const {
    if (symbol.Undefined()) return 0;
    const size_t section = *input_.section_places[symbol.section];
    return layout_.input_addresses[section] + symbol.value;
  }

  void Apply(const Relocation& relocation, uint64_t section_address,
             uint64_t section_offset) {
    const RelocationForm form = *FormOf(relocation.type);
    if (form == RelocationForm::kNone) return;
    const Symbol& symbol = input_.symbols[relocation.symbol];
    const uint64_t place = section_address + relocation.offset;
    const auto addend = static_cast<uint64_t>(relocation.addend);
    uint64_t target = AddressOfSymbol(symbol);
    if (form == RelocationForm::kAbsolute64) {
      return Bind(place, relocation.symbol, elf::R_X86_64_64, addend);
    }
    if (form == RelocationForm::kGot32) {
      target = AddressOf(".got") + 8 * got_slots_[relocation.symbol];
    } else if (form == RelocationForm::kPlt32 && IsPreemptible(symbol)) {
      target = AddressOf(".plt") + 16 * (1 + plt_slots_[relocation.symbol]);
    }
    const uint64_t offset = section_offset + relocation.offset;
    if (form == RelocationForm::kPc64) {
      elf::Store64(bytes_, offset, target + addend - place);
    } else {
      StoreRelative(offset, target + addend - place);
    }
  }

  void StoreRelative(uint64_t offset, uint64_t distance) {
    const auto wide = static_cast<int64_t>(distance);
    if (wide != static_cast<int32_t>(wide) && problems_.empty()) {
      problems_.push_back("object: a relocation does not fit in 32 bits");
    }
    elf::Store32(bytes_, offset, static_cast<uint32_t>(distance));
  }

  // Leaves `place` to the loader: the symbol where it can be preempted, the
  // distance from the library's base where not.
  void Bind(uint64_t place, size_t symbol_index, uint32_t type,
            uint64_t addend) {
    const Symbol& symbol = input_.symbols[symbol_index];
    if (IsPreemptible(symbol)) {
      relocations_.push_back({place, type, numbers_[symbol_index], addend});
    } else {
      relocations_.push_back(
          {place, elf::R_X86_64_RELATIVE, 0, AddressOfSymbol(symbol) + addend});
    }
  }

  void BindGot(size_t slot) {
    Bind(AddressOf(".got") + 8 * slot, input_.got[slot], elf::R_X86_64_GLOB_DAT,
         0);
  }

  void WriteSymbols() {
    const uint64_t strings = OffsetOf(".dynstr");
    std::vector<uint32_t> names(input_.symbols.size());
    uint64_t next = 1;
    for (size_t i : input_.dynamic) {
      const std::string_view name = input_.symbols[i].name;
      names[i] = static_cast<uint32_t>(next);
      std::copy(name.begin(), name.end(),
                bytes_.begin() + static_cast<std::ptrdiff_t>(strings + next));
      next += name.size() + 1;
    }
    uint64_t at = OffsetOf(".dynsym") + elf::kSymbolBytes;
    for (size_t i : order_) {
      const Symbol& symbol = input_.symbols[i];
      elf::Store32(bytes_, at, names[i]);
      bytes_[at + 4] = static_cast<char>(symbol.binding << 4 | symbol.type);
      bytes_[at + 5] = static_cast<char>(symbol.other);
      if (!symbol.Undefined()) {
        const size_t section = *input_.section_places[symbol.section];
        const uint32_t home = layout_.IndexOf(input_.sections[section].output);
        elf::Store16(bytes_, at + 6, static_cast<uint16_t>(home));
        elf::Store64(bytes_, at + 8, AddressOfSymbol(symbol));
      }
      elf::Store64(bytes_, at + 16, symbol.size);
      at += elf::kSymbolBytes;
    }
  }

  // Header, filter, buckets, then one hash per export, its low bit set at the
  // end of a bucket.
  void WriteHash() {
    constexpr uint32_t kShift = 26;
    const uint64_t exported = order_.size() - import_count_;
    const uint64_t words = HashFilterWordCount(exported);
    const uint64_t at = OffsetOf(".gnu.hash");
    elf::Store32(bytes_, at, static_cast<uint32_t>(buckets_));
    elf::Store32(bytes_, at + 4, static_cast<uint32_t>(import_count_ + 1));
    elf::Store32(bytes_, at + 8, static_cast<uint32_t>(words));
    elf::Store32(bytes_, at + 12, kShift);
    const uint64_t filter = at + 16;
    const uint64_t buckets = filter + 8 * words;
    const uint64_t chains = buckets + 4 * buckets_;
    for (uint64_t i = 0; i < exported; ++i) {
      const uint32_t hash = HashOfExport(i);
      const uint64_t word = filter + 8 * ((hash / 64) & (words - 1));
      const uint64_t bits =
          uint64_t{1} << (hash % 64) | uint64_t{1} << ((hash >> kShift) % 64);
      elf::Store64(bytes_, word, elf::Load64(bytes_, word) | bits);
      const uint64_t bucket = hash % buckets_;
      if (i == 0 || HashOfExport(i - 1) % buckets_ != bucket) {
        elf::Store32(bytes_, buckets + 4 * bucket,
                     static_cast<uint32_t>(import_count_ + 1 + i));
      }
      const bool last =
          i + 1 == exported || HashOfExport(i + 1) % buckets_ != bucket;
      elf::Store32(bytes_, chains + 4 * i, last ? hash | 1 : hash & ~1u);
    }
  }

  uint32_t HashOfExport(uint64_t i) const {
    return GnuHash(input_.symbols[order_[import_count_ + i]].name);
  }

  void StoreRelocation(uint64_t offset, const DynamicRelocation& r) {
    elf::Store64(bytes_, offset, r.place);
    elf::Store32(bytes_, offset + 8, r.type);
    elf::Store32(bytes_, offset + 12, r.symbol);
    elf::Store64(bytes_, offset + 16, r.addend);
  }

  // Those without a symbol by place, then the others by symbol and place.
  void WriteRelocations() {
    std::stable_sort(
        relocations_.begin(), relocations_.end(),
        [](const DynamicRelocation& a, const DynamicRelocation& b) {
          return std::tie(a.symbol, a.place) < std::tie(b.symbol, b.place);
        });
    uint64_t at = OffsetOf(".rela.dyn");
    for (const DynamicRelocation& relocation : relocations_) {
      StoreRelocation(at, relocation);
      at += elf::kRelocationBytes;
    }
  }

  // Entry 0 calls the loader; entry i jumps through its slot, which at first
  // points behind that jump. The slots follow three words of the loader's.
  void WritePlt() {
    if (layout_.IndexOf(".got.plt") == 0) return;
    const uint64_t got = OffsetOf(".got.plt");
    elf::Store64(bytes_, got, AddressOf(".dynamic"));
    if (input_.plt.empty()) return;
    const uint64_t plt = OffsetOf(".plt");
    const uint64_t plt_address = AddressOf(".plt");
    const uint64_t got_address = AddressOf(".got.plt");
    Copy(".plt", std::string_view("\xff\x35\0\0\0\0\xff\x25\0\0\0\0"
                                  "\x0f\x1f\x40\0",
                                  16));
    StoreRelative(plt + 2, got_address + 8 - (plt_address + 6));
    StoreRelative(plt + 8, got_address + 16 - (plt_address + 12));
    for (size_t i = 0; i < input_.plt.size(); ++i) {
      const uint64_t at = plt + 16 * (1 + i);
      const uint64_t address = plt_address + 16 * (1 + i);
      const uint64_t slot = 8 * (3 + i);
      Store8(at, 0xff, 0x25);
      StoreRelative(at + 2, got_address + slot - (address + 6));
      Store8(at + 6, 0x68);
      elf::Store32(bytes_, at + 7, static_cast<uint32_t>(i));
      Store8(at + 11, 0xe9);
      StoreRelative(at + 12, plt_address - (address + 16));
      elf::Store64(bytes_, got + slot, address + 6);
      StoreRelocation(OffsetOf(".rela.plt") + elf::kRelocationBytes * i,
                      {got_address + slot, elf::R_X86_64_JUMP_SLOT,
                       numbers_[input_.plt[i]], 0});
    }
  }

  void Store8(uint64_t offset, uint8_t first) {
    bytes_[offset] = static_cast<char>(first);
  }
  void Store8(uint64_t offset, uint8_t first, uint8_t second) {
    Store8(offset, first);
    Store8(offset + 1, second);
  }

  void WriteDynamic() {
    uint64_t at = OffsetOf(".dynamic");
    auto add = [&](uint64_t tag, uint64_t value) {
      elf::Store64(bytes_, at, tag);
      elf::Store64(bytes_, at + 8, value);
      at += elf::kDynamicBytes;
    };
    if (!relocations_.empty()) {
      add(elf::DT_RELA, AddressOf(".rela.dyn"));
      add(elf::DT_RELASZ, relocations_.size() * elf::kRelocationBytes);
      add(elf::DT_RELAENT, elf::kRelocationBytes);
      if (layout_.relative_count > 0) {
        add(elf::DT_RELACOUNT, layout_.relative_count);
      }
    }
    if (!input_.plt.empty()) {
      add(elf::DT_JMPREL, AddressOf(".rela.plt"));
      add(elf::DT_PLTRELSZ, input_.plt.size() * elf::kRelocationBytes);
      add(elf::DT_PLTGOT, AddressOf(".got.plt"));
      add(elf::DT_PLTREL, elf::DT_RELA);
    }
    add(elf::DT_SYMTAB, AddressOf(".dynsym"));
    add(elf::DT_SYMENT, elf::kSymbolBytes);
    add(elf::DT_STRTAB, AddressOf(".dynstr"));
    add(elf::DT_STRSZ,
        layout_.sections[layout_.IndexOf(".dynstr")].header.size);
    add(elf::DT_GNU_HASH, AddressOf(".gnu.hash"));
    add(elf::DT_NULL, 0);
  }

  const LinkInput& input_;
  const LinkLayout& layout_;
  const UnloadedContents& unloaded_;
  std::vector<std::string>& problems_;
  std::string bytes_;

  std::vector<size_t> order_;  // Object symbols in .dynsym's order, from 1.
  size_t import_count_ = 0;
  uint64_t buckets_ = 1;
  // By object symbol: its number in .dynsym, its slots.
  std::vector<uint32_t> numbers_;
  std::vector<size_t> plt_slots_;
  std::vector<size_t> got_slots_;
  std::vector<DynamicRelocation> relocations_;
};

}  // namespace

std::string WriteLink(const LinkInput& input, const LinkLayout& layout,
                      const UnloadedContents& unloaded,
                      std::vector<std::string>& problems) {
  return Writer(input, layout, unloaded, problems).Write();
}

}  // namespace exhibit
