#include "audit/identity/elf.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace exhibit::elf {
namespace {

Error Corrupt(const std::string& what, uint64_t value) {
  return Error{ErrorKind::kCorrupt, "ELF " + what + " " + std::to_string(value),
               ""};
}

Error Unsupported(const std::string& what, uint64_t value) {
  return Error{ErrorKind::kUnsupported,
               "ELF " + what + " " + std::to_string(value),
               "Only 64-bit little-endian x86-64 objects and shared libraries "
               "are read."};
}

Error TooMany(const std::string& what, uint64_t value) {
  return Error{ErrorKind::kLimitExceeded,
               "ELF file has " + std::to_string(value) + " " + what, ""};
}

// Whether [offset, offset + size) lies in a file of `total` bytes.
bool Inside(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

template <typename T>
T Load(std::string_view bytes, uint64_t offset) {
  if (!Inside(offset, sizeof(T), bytes.size())) {
    throw std::logic_error("ELF read outside its bytes");
  }
  T value = 0;
  for (size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(value << 8 |
                           static_cast<unsigned char>(bytes[offset + i]));
  }
  return value;
}

template <typename T>
void Store(std::string& bytes, uint64_t offset, T value) {
  if (!Inside(offset, sizeof(T), bytes.size())) {
    throw std::logic_error("ELF write outside its bytes");
  }
  for (size_t i = 0; i < sizeof(T); ++i) {
    bytes[offset + i] = static_cast<char>(value >> (8 * i) & 0xff);
  }
}

// Entries of a table section, which must divide evenly.
Result<uint64_t> EntryCount(const Section& section, uint64_t entry_bytes,
                            uint64_t count_max) {
  const bool no_bytes = section.type == SHT_NOBITS || section.type == SHT_NULL;
  if (no_bytes || section.entry_size != entry_bytes ||
      section.size % entry_bytes != 0) {
    return Corrupt("table " + std::string(section.name) + " has a bad size",
                   section.size);
  }
  const uint64_t count = section.size / entry_bytes;
  if (count > count_max)
    return TooMany("entries in " + std::string(section.name), count);
  return count;
}

}  // namespace

uint16_t Load16(std::string_view bytes, uint64_t offset) {
  return Load<uint16_t>(bytes, offset);
}
uint32_t Load32(std::string_view bytes, uint64_t offset) {
  return Load<uint32_t>(bytes, offset);
}
uint64_t Load64(std::string_view bytes, uint64_t offset) {
  return Load<uint64_t>(bytes, offset);
}
void Store16(std::string& bytes, uint64_t offset, uint16_t value) {
  Store(bytes, offset, value);
}
void Store32(std::string& bytes, uint64_t offset, uint32_t value) {
  Store(bytes, offset, value);
}
void Store64(std::string& bytes, uint64_t offset, uint64_t value) {
  Store(bytes, offset, value);
}

Result<File> File::Read(std::string_view bytes, const Limits& limits) {
  File file;
  file.bytes_ = bytes;
  file.limits_ = limits;
  if (bytes.size() > limits.file_bytes_max) {
    return TooMany("bytes", bytes.size());
  }
  EXHIBIT_RETURN_IF_ERROR(file.ReadHeader());
  EXHIBIT_RETURN_IF_ERROR(file.ReadSegments());
  EXHIBIT_RETURN_IF_ERROR(file.ReadSections());
  return file;
}

Status File::ReadHeader() {
  if (bytes_.size() < kHeaderBytes) {
    return Corrupt("file is too short:", bytes_.size());
  }
  if (bytes_.substr(0, 4) !=
      "\x7f"
      "ELF") {
    return Corrupt("magic is wrong:", Load32(bytes_, 0));
  }
  // Class, byte order, version; the OS ABI, System V or GNU, which differ in
  // what symbols may say; ABI version and padding all zero.
  constexpr uint64_t kOsAbi = uint64_t{0xff} << 24;
  constexpr uint64_t kGnu = uint64_t{3} << 24;
  const uint64_t identification = Load64(bytes_, 4);
  const uint64_t os_abi = identification & kOsAbi;
  if ((identification & ~kOsAbi) != 0x010102 || Load32(bytes_, 12) != 0 ||
      (os_abi != 0 && os_abi != kGnu)) {
    return Unsupported("identification", identification);
  }
  const uint16_t type = Load16(bytes_, 16);
  if (type != ET_REL && type != ET_DYN) return Unsupported("type", type);
  type_ = static_cast<FileType>(type);
  const uint16_t machine = Load16(bytes_, 18);
  if (machine != 62) return Unsupported("machine", machine);
  const uint32_t version = Load32(bytes_, 20);
  if (version != 1) return Unsupported("version", version);
  if (Load16(bytes_, 52) != kHeaderBytes) {
    return Corrupt("header size", Load16(bytes_, 52));
  }
  return Ok();
}

Status File::ReadSegments() {
  const uint64_t offset = Load64(bytes_, 32);
  const uint64_t count = Load16(bytes_, 56);
  if (count == 0) return Ok();
  if (Load16(bytes_, 54) != kSegmentBytes) {
    return Corrupt("program header size", Load16(bytes_, 54));
  }
  if (count > limits_.segment_count_max) return TooMany("segments", count);
  if (!Inside(offset, count * kSegmentBytes, bytes_.size())) {
    return Corrupt("program headers lie outside the file, at", offset);
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = offset + i * kSegmentBytes;
    Segment segment;
    segment.type = Load32(bytes_, at);
    segment.flags = Load32(bytes_, at + 4);
    segment.offset = Load64(bytes_, at + 8);
    segment.address = Load64(bytes_, at + 16);
    segment.file_size = Load64(bytes_, at + 32);
    segment.memory_size = Load64(bytes_, at + 40);
    segment.alignment = Load64(bytes_, at + 48);
    if (!Inside(segment.offset, segment.file_size, bytes_.size())) {
      return Corrupt("segment lies outside the file, at", segment.offset);
    }
    segments_.push_back(segment);
  }
  return Ok();
}

Status File::ReadSections() {
  const uint64_t offset = Load64(bytes_, 40);
  const uint64_t count = Load16(bytes_, 60);
  if (Load16(bytes_, 58) != kSectionBytes) {
    return Corrupt("section header size", Load16(bytes_, 58));
  }
  if (count == 0) return Unsupported("section count", count);
  if (count > limits_.section_count_max) return TooMany("sections", count);
  if (!Inside(offset, count * kSectionBytes, bytes_.size())) {
    return Corrupt("section headers lie outside the file, at", offset);
  }
  std::vector<uint32_t> names;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = offset + i * kSectionBytes;
    Section section;
    names.push_back(Load32(bytes_, at));
    section.type = Load32(bytes_, at + 4);
    section.flags = Load64(bytes_, at + 8);
    section.address = Load64(bytes_, at + 16);
    section.offset = Load64(bytes_, at + 24);
    section.size = Load64(bytes_, at + 32);
    section.link = Load32(bytes_, at + 40);
    section.info = Load32(bytes_, at + 44);
    section.alignment = Load64(bytes_, at + 48);
    section.entry_size = Load64(bytes_, at + 56);
    if (section.type != SHT_NOBITS && section.type != SHT_NULL &&
        !Inside(section.offset, section.size, bytes_.size())) {
      return Corrupt("section lies outside the file, at", section.offset);
    }
    if ((section.alignment & (section.alignment - 1)) != 0) {
      return Corrupt("section alignment", section.alignment);
    }
    sections_.push_back(section);
  }
  EXHIBIT_RETURN_IF_ERROR(CheckApart());
  return NameSections(Load16(bytes_, 62), names);
}

Status File::CheckApart() const {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const Section& section : sections_) {
    if (Contents(section).empty()) continue;
    ranges.emplace_back(section.offset, section.offset + section.size);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first >= ranges[i - 1].second) continue;
    return Corrupt("sections share bytes, at", ranges[i].first);
  }
  return Ok();
}

Status File::CheckNameBytes(uint64_t bytes) const {
  if (bytes <= bytes_.size()) return Ok();
  return Corrupt("names together are longer than the file:", bytes);
}

Status File::NameSections(uint64_t names_index,
                          const std::vector<uint32_t>& names) {
  if (names_index >= sections_.size() ||
      sections_[names_index].type != SHT_STRTAB) {
    return Corrupt("index of section names", names_index);
  }
  const std::string_view strings = Contents(sections_[names_index]);
  uint64_t name_bytes = 0;
  for (size_t i = 0; i < sections_.size(); ++i) {
    EXHIBIT_ASSIGN_OR_RETURN(sections_[i].name, String(strings, names[i]));
    name_bytes += sections_[i].name.size();
    EXHIBIT_RETURN_IF_ERROR(CheckNameBytes(name_bytes));
  }
  return Ok();
}

std::string_view File::Contents(const Section& section) const {
  if (section.type == SHT_NOBITS || section.type == SHT_NULL) return {};
  if (!Inside(section.offset, section.size, bytes_.size())) {
    throw std::logic_error("section of another file");
  }
  return bytes_.substr(section.offset, section.size);
}

const Section* File::Find(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

Result<std::string_view> File::String(std::string_view strings,
                                      uint64_t offset) const {
  if (offset >= strings.size()) return Corrupt("string offset", offset);
  // One more than is allowed, to tell an end from a limit.
  const std::string_view tail =
      strings.substr(offset, limits_.name_bytes_max + 1);
  const size_t end = tail.find('\0');
  if (end != std::string_view::npos) return tail.substr(0, end);
  if (tail.size() > limits_.name_bytes_max) {
    return TooMany("bytes in a name, at least", tail.size());
  }
  return Corrupt("string does not end, from", offset);
}

Result<std::vector<Symbol>> File::Symbols(const Section& section) const {
  EXHIBIT_ASSIGN_OR_RETURN(
      const uint64_t count,
      EntryCount(section, kSymbolBytes, limits_.symbol_count_max));
  if (section.link >= sections_.size() ||
      sections_[section.link].type != SHT_STRTAB) {
    return Corrupt("symbol table names no strings but section", section.link);
  }
  const std::string_view strings = Contents(sections_[section.link]);
  const std::string_view table = Contents(section);
  std::vector<Symbol> symbols;
  uint64_t name_bytes = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = i * kSymbolBytes;
    Symbol symbol;
    EXHIBIT_ASSIGN_OR_RETURN(symbol.name, String(strings, Load32(table, at)));
    name_bytes += symbol.name.size();
    EXHIBIT_RETURN_IF_ERROR(CheckNameBytes(name_bytes));
    const auto info = static_cast<uint8_t>(table[at + 4]);
    symbol.type = info & 0xf;
    symbol.binding = info >> 4;
    symbol.other = static_cast<uint8_t>(table[at + 5]);
    symbol.section = Load16(table, at + 6);
    symbol.value = Load64(table, at + 8);
    symbol.size = Load64(table, at + 16);
    if (symbol.section >= sections_.size() && symbol.section < SHN_LORESERVE) {
      return Corrupt("symbol " + std::string(symbol.name) + " is in section",
                     symbol.section);
    }
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

Result<std::vector<Relocation>> File::Relocations(
    const Section& section) const {
  EXHIBIT_ASSIGN_OR_RETURN(
      const uint64_t count,
      EntryCount(section, kRelocationBytes, limits_.relocation_count_max));
  const std::string_view table = Contents(section);
  std::vector<Relocation> relocations;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = i * kRelocationBytes;
    relocations.push_back({Load64(table, at), Load32(table, at + 8),
                           Load32(table, at + 12),
                           static_cast<int64_t>(Load64(table, at + 16))});
  }
  return relocations;
}

Result<std::vector<DynamicEntry>> File::Dynamic(const Section& section) const {
  EXHIBIT_ASSIGN_OR_RETURN(
      const uint64_t count,
      EntryCount(section, kDynamicBytes, limits_.symbol_count_max));
  const std::string_view table = Contents(section);
  std::vector<DynamicEntry> entries;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t tag = Load64(table, i * kDynamicBytes);
    if (tag == DT_NULL) return entries;
    entries.push_back({tag, Load64(table, i * kDynamicBytes + 8)});
  }
  return Corrupt("dynamic table does not end, entries:", count);
}

}  // namespace exhibit::elf
