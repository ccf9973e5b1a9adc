#include "audit/identity/link_layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace exhibit {
namespace {

constexpr uint64_t kPageBytes = 4096;

// Which segment a section is loaded by.
enum Load {
  kReadOnly,
  kExecutable,
  kReadOnlyAfterRelocation,
  kWritable,
  kNone
};
constexpr std::array<uint32_t, 4> kLoadFlags = {4, 5, 6, 6};  // PF_R, _W, _X.

struct Kind {
  std::string_view name;
  Load load;
  uint32_t type;
  uint64_t flags;
  uint64_t alignment;
  uint64_t entry_size;
};
constexpr uint64_t kA = elf::SHF_ALLOC;
constexpr uint64_t kW = elf::SHF_WRITE;
constexpr uint64_t kX = elf::SHF_EXECINSTR;

constexpr std::array<Kind, 19> kOutputOrder = {{
    {".dynsym", kReadOnly, elf::SHT_DYNSYM, kA, 8, elf::kSymbolBytes},
    {".gnu.hash", kReadOnly, elf::SHT_GNU_HASH, kA, 8, 0},
    {".dynstr", kReadOnly, elf::SHT_STRTAB, kA, 1, 0},
    {".rela.dyn", kReadOnly, elf::SHT_RELA, kA, 8, elf::kRelocationBytes},
    {".rela.plt", kReadOnly, elf::SHT_RELA, kA | elf::SHF_INFO_LINK, 8,
     elf::kRelocationBytes},
    {".rodata", kReadOnly, elf::SHT_PROGBITS, kA, 1, 0},
    {".text", kExecutable, elf::SHT_PROGBITS, kA | kX, 1, 0},
    {".plt", kExecutable, elf::SHT_PROGBITS, kA | kX, 16, 0},
    {".data.rel.ro", kReadOnlyAfterRelocation, elf::SHT_PROGBITS, kA | kW, 1,
     0},
    {".dynamic", kReadOnlyAfterRelocation, elf::SHT_DYNAMIC, kA | kW, 8,
     elf::kDynamicBytes},
    {".got", kReadOnlyAfterRelocation, elf::SHT_PROGBITS, kA | kW, 8, 0},
    {".relro_padding", kReadOnlyAfterRelocation, elf::SHT_NOBITS, kA | kW, 1,
     0},
    {".data", kWritable, elf::SHT_PROGBITS, kA | kW, 1, 0},
    {".got.plt", kWritable, elf::SHT_PROGBITS, kA | kW, 8, 0},
    {".bss", kWritable, elf::SHT_NOBITS, kA | kW, 1, 0},
    {".comment", kNone, elf::SHT_PROGBITS, elf::SHF_MERGE | elf::SHF_STRINGS, 1,
     1},
    {".symtab", kNone, elf::SHT_SYMTAB, 0, 8, elf::kSymbolBytes},
    {".shstrtab", kNone, elf::SHT_STRTAB, 0, 1, 0},
    {".strtab", kNone, elf::SHT_STRTAB, 0, 1, 0},
}};

// `alignment` is a power of two, or 0 for none.
uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  const uint64_t step = std::max<uint64_t>(alignment, 1);
  return (value + step - 1) & ~(step - 1);
}

// The least value >= `value` that is congruent to `like` modulo a page.
uint64_t AlignLike(uint64_t value, uint64_t like) {
  return value + (like - value) % kPageBytes;
}

class Planner {
 public:
  Planner(const LinkInput& input, const UnloadedContents& unloaded)
      : input_(input), unloaded_(unloaded) {}

  LinkLayout Plan() {
    CountRelocations();
    layout_.sections.emplace_back();
    loads_.push_back(kNone);
    for (const Kind& kind : kOutputOrder) AddSection(kind);
    SetShstrtabSize();
    LinkSections();
    AssignAddresses();
    AssignOffsets();
    DescribeSegments();
    return std::move(layout_);
  }

 private:
  void CountRelocations() {
    auto count = [this](size_t symbol) {
      ++relocation_count_;
      if (!IsPreemptible(input_.symbols[symbol])) ++layout_.relative_count;
    };
    for (const InputSection& section : input_.sections) {
      for (const elf::Relocation& relocation : section.relocations) {
        if (FormOf(relocation.type) == RelocationForm::kAbsolute64) {
          count(relocation.symbol);
        }
      }
    }
    for (size_t symbol : input_.got) count(symbol);
  }

  bool HasGotPlt() const { return !input_.plt.empty() || input_.names_got; }

  // Sizes of what the link makes itself; 0 where it is left out.
  uint64_t OwnSize(std::string_view name) const {
    const uint64_t plt = input_.plt.size();
    if (name == ".dynsym") return (1 + input_.dynamic.size()) * 24;
    if (name == ".gnu.hash") return HashSize();
    if (name == ".dynstr") return StringsSize();
    if (name == ".rela.dyn") return relocation_count_ * 24;
    if (name == ".rela.plt") return plt * 24;
    if (name == ".plt") return plt == 0 ? 0 : (1 + plt) * 16;
    if (name == ".dynamic") return DynamicSize();
    if (name == ".got") return input_.got.size() * 8;
    if (name == ".got.plt") return HasGotPlt() ? (3 + plt) * 8 : 0;
    if (name == ".comment") return unloaded_.comment.size();
    if (name == ".symtab") return unloaded_.symtab.size();
    if (name == ".strtab") return unloaded_.strtab.size();
    return 0;  // .relro_padding and .shstrtab come later.
  }

  uint64_t HashSize() const {
    uint64_t exported = 0;
    for (size_t i : input_.dynamic) exported += !input_.symbols[i].Undefined();
    return 16 + 8 * HashFilterWordCount(exported) +
           4 * HashBucketCount(exported) + 4 * exported;
  }

  uint64_t StringsSize() const {
    uint64_t size = 1;
    for (size_t i : input_.dynamic) size += input_.symbols[i].name.size() + 1;
    return size;
  }

  uint64_t DynamicSize() const {
    uint64_t entries = 6;  // SYMTAB, SYMENT, STRTAB, STRSZ, GNU_HASH, NULL.
    if (relocation_count_ > 0) entries += 3;
    if (layout_.relative_count > 0) entries += 1;
    if (!input_.plt.empty()) entries += 4;
    return entries * elf::kDynamicBytes;
  }

  void AddSection(const Kind& kind) {
    OutputSection out;
    out.header.name = kind.name;
    out.header.type = kind.type;
    out.header.flags = kind.flags;
    out.header.alignment = kind.alignment;
    out.header.entry_size = kind.entry_size;
    if (kind.name == ".text") out.header.size = input_.placement_bytes;
    for (size_t i = 0; i < input_.sections.size(); ++i) {
      if (input_.sections[i].output != kind.name) continue;
      AddInput(input_.sections[i].header, out);
      out.inputs.push_back(i);
    }
    // Empty input still makes a section; the link's own are made when needed.
    const uint64_t own = OwnSize(kind.name);
    out.header.size += own;
    const bool always = kind.name == ".relro_padding" || kind.load == kNone;
    if (out.inputs.empty() && own == 0 && !always) return;
    layout_.sections.push_back(std::move(out));
    loads_.push_back(kind.load);
  }

  static void AddInput(const elf::Section& section, OutputSection& out) {
    elf::Section& header = out.header;
    header.size = AlignUp(header.size, section.alignment) + section.size;
    header.flags |= section.flags;
    header.alignment = std::max(header.alignment, section.alignment);
    // One entry size for all, or none.
    const bool same =
        out.inputs.empty() || header.entry_size == section.entry_size;
    header.entry_size = same ? section.entry_size : 0;
  }

  void SetShstrtabSize() {
    uint64_t size = 1;
    for (const OutputSection& section : layout_.sections) {
      if (!section.header.name.empty()) size += section.header.name.size() + 1;
    }
    layout_.sections[layout_.IndexOf(".shstrtab")].header.size = size;
  }

  elf::Section& Header(std::string_view name) {
    return layout_.sections[layout_.IndexOf(name)].header;
  }

  void LinkSections() {
    const uint32_t dynsym = layout_.IndexOf(".dynsym");
    const uint32_t dynstr = layout_.IndexOf(".dynstr");
    Header(".dynsym").link = dynstr;
    Header(".dynsym").info = 1;
    Header(".gnu.hash").link = dynsym;
    Header(".dynamic").link = dynstr;
    Header(".symtab").link = layout_.IndexOf(".strtab");
    Header(".symtab").info = unloaded_.symtab_info;
    if (layout_.IndexOf(".rela.dyn") != 0) Header(".rela.dyn").link = dynsym;
    if (layout_.IndexOf(".rela.plt") != 0) {
      Header(".rela.plt").link = dynsym;
      Header(".rela.plt").info = layout_.IndexOf(".got.plt");
    }
  }

  // Room for one header per segment is kept even if one turns out empty.
  uint64_t HeaderBytes() const {
    std::set<Load> used(loads_.begin(), loads_.end());
    used.erase(kNone);
    return elf::kHeaderBytes + elf::kSegmentBytes * (used.size() + 4);
  }

  void AssignAddresses() {
    layout_.input_addresses.resize(input_.sections.size());
    uint64_t dot = HeaderBytes();
    Load load = kReadOnly;
    for (size_t i = 1; i < layout_.sections.size() && loads_[i] != kNone; ++i) {
      elf::Section& header = layout_.sections[i].header;
      if (loads_[i] != load) {
        dot = AlignUp(dot, kPageBytes) + dot % kPageBytes;
        load = loads_[i];
      }
      dot = AlignUp(dot, header.alignment);
      header.address = dot;
      if (header.name == ".relro_padding") {
        // Fills its page, yet moves nothing behind it.
        header.size = AlignUp(dot, kPageBytes) - dot;
        continue;
      }
      dot += header.size;
      uint64_t place = header.address;
      if (header.name == ".text") place += input_.placement_bytes;
      for (size_t input : layout_.sections[i].inputs) {
        const elf::Section& section = input_.sections[input].header;
        place = AlignUp(place, section.alignment);
        layout_.input_addresses[input] = place;
        place += section.size;
      }
    }
  }

  void AssignOffsets() {
    uint64_t offset = HeaderBytes();
    // The first section of the segment at hand; the headers lead the first.
    uint64_t first_offset = 0, first_address = 0;
    Load load = kReadOnly;
    for (size_t i = 1; i < layout_.sections.size(); ++i) {
      elf::Section& header = layout_.sections[i].header;
      if (loads_[i] == kNone) {
        offset = AlignUp(offset, header.alignment);
      } else if (loads_[i] != load) {
        load = loads_[i];
        offset = AlignLike(offset, header.address);
        first_offset = offset;
        first_address = header.address;
      } else if (header.type != elf::SHT_NOBITS) {
        offset = first_offset + header.address - first_address;
      }
      header.offset = offset;
      if (header.type != elf::SHT_NOBITS) offset += header.size;
    }
    layout_.section_headers_offset = AlignUp(offset, 8);
    layout_.file_bytes = layout_.section_headers_offset +
                         elf::kSectionBytes * layout_.sections.size();
  }

  // The segment from the first to the last section of a load.
  elf::Segment Span(Load load) const {
    elf::Segment segment;
    segment.type = elf::PT_LOAD;
    segment.flags = kLoadFlags[load];
    segment.alignment = kPageBytes;
    // The headers are the first thing that is loaded.
    bool started = load == kReadOnly;
    for (size_t i = 1; i < layout_.sections.size(); ++i) {
      if (loads_[i] != load) continue;
      const elf::Section& header = layout_.sections[i].header;
      if (!started) {
        segment.offset = header.offset;
        segment.address = header.address;
        started = true;
      }
      segment.file_size = header.offset - segment.offset;
      if (header.type != elf::SHT_NOBITS) segment.file_size += header.size;
      segment.memory_size = header.address + header.size - segment.address;
    }
    return segment;
  }

  void DescribeSegments() {
    const uint64_t bytes = HeaderBytes() - elf::kHeaderBytes;
    auto& segments = layout_.segments;
    segments.push_back({elf::PT_PHDR, 4, elf::kHeaderBytes, elf::kHeaderBytes,
                        bytes, bytes, 8});
    for (Load load :
         {kReadOnly, kExecutable, kReadOnlyAfterRelocation, kWritable}) {
      const elf::Segment segment = Span(load);
      if (segment.memory_size > 0) segments.push_back(segment);
    }
    const elf::Section& dynamic = Header(".dynamic");
    segments.push_back({elf::PT_DYNAMIC, 6, dynamic.offset, dynamic.address,
                        dynamic.size, dynamic.size, 8});
    elf::Segment relro = Span(kReadOnlyAfterRelocation);
    relro.type = elf::PT_GNU_RELRO;
    relro.flags = 4;
    relro.alignment = 1;
    segments.push_back(relro);
    segments.push_back({elf::PT_GNU_STACK, 6, 0, 0, 0, 0, 0});
  }

  const LinkInput& input_;
  const UnloadedContents& unloaded_;
  LinkLayout layout_;
  std::vector<Load> loads_;  // By layout_.sections.
  uint64_t relocation_count_ = 0;
};

}  // namespace

uint32_t LinkLayout::IndexOf(std::string_view name) const {
  for (size_t i = 1; i < sections.size(); ++i) {
    if (sections[i].header.name == name) return static_cast<uint32_t>(i);
  }
  return 0;
}

uint64_t LinkLayout::AddressOf(std::string_view name) const {
  return sections[IndexOf(name)].header.address;
}

uint64_t HashBucketCount(uint64_t exported) {
  return std::max<uint64_t>(exported / 4, 1);
}

uint64_t HashFilterWordCount(uint64_t exported) {
  // Twelve bits a symbol, in words of 64, and the next larger power of two.
  if (exported == 0) return 1;
  return std::bit_ceil((exported * 12 - 1) / 64 + 1);
}

LinkLayout LayOutLink(const LinkInput& input,
                      const UnloadedContents& unloaded) {
  return Planner(input, unloaded).Plan();
}

}  // namespace exhibit
