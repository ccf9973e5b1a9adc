#include "audit/identity/elf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "audit/identity/inspect.h"
#include "audit/identity/linked.h"
#include "tests/unit/identity/objects.h"

namespace exhibit {
namespace {

// Lets every reader see the bytes; returns whether any accepted them.
bool AnyReaderAccepts(const std::string& bytes) {
  bool accepted = InspectObject(bytes).ok();
  accepted |= FindClone(bytes, "kernel.packet.full").ok();
  accepted |= InspectLibrary(bytes).ok();
  accepted |= ReadBuildId(bytes).ok();
  accepted |= CheckLinked({bytes, bytes, "kernel_batch"}).empty();
  return accepted;
}

TEST(Elf, SectionsSymbolsAndRelocationsAreRead) {
  const std::string bytes = ReadBuilt("kernel_O2.o");
  const auto file = elf::File::Read(bytes);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->type(), elf::ET_REL);
  ASSERT_NE(file->Find(".symtab"), nullptr);
  const auto symbols = file->Symbols(*file->Find(".symtab"));
  ASSERT_TRUE(symbols.ok());
  int found = 0;
  for (const elf::Symbol& symbol : *symbols) {
    found += symbol.name == "kernel_batch" && symbol.type == elf::STT_FUNC;
  }
  EXPECT_EQ(found, 1);
  const elf::Section* table = file->Find(".rela.text.kernel_blocks");
  ASSERT_NE(table, nullptr);
  const auto relocations = file->Relocations(*table);
  ASSERT_TRUE(relocations.ok());
  EXPECT_EQ(relocations->size(), 2u);
  EXPECT_EQ(relocations->front().type, elf::R_X86_64_PLT32);
}

TEST(Elf, TruncationAtEveryLengthIsRejected) {
  const std::string bytes = ReadBuilt("small.o");
  ASSERT_TRUE(InspectObject(bytes).ok());
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(AnyReaderAccepts(bytes.substr(0, length))) << length;
  }
}

struct HeaderDamage {
  const char* what;
  uint64_t offset;
  int bytes;
  uint64_t value;
  ErrorKind kind;
};

TEST(Elf, DamagedHeadersAreRejected) {
  const std::vector<HeaderDamage> damages = {
      {"magic", 0, 1, 0, ErrorKind::kCorrupt},
      {"32-bit class", 4, 1, 1, ErrorKind::kUnsupported},
      {"big-endian", 5, 1, 2, ErrorKind::kUnsupported},
      {"identification version", 6, 1, 0, ErrorKind::kUnsupported},
      {"OS ABI", 7, 1, 9, ErrorKind::kUnsupported},
      {"padding", 15, 1, 1, ErrorKind::kUnsupported},
      {"executable type", 16, 2, 2, ErrorKind::kUnsupported},
      {"machine", 18, 2, 183, ErrorKind::kUnsupported},
      {"version", 20, 4, 2, ErrorKind::kUnsupported},
      {"header size", 52, 2, 63, ErrorKind::kCorrupt},
      {"section header size", 58, 2, 40, ErrorKind::kCorrupt},
      {"no sections", 60, 2, 0, ErrorKind::kUnsupported},
      {"sections beyond the file", 60, 2, 4000, ErrorKind::kCorrupt},
      {"too many sections", 60, 2, 65279, ErrorKind::kLimitExceeded},
      {"section headers beyond the file", 40, 8, uint64_t{1} << 63,
       ErrorKind::kCorrupt},
      {"section headers that wrap", 40, 8, ~uint64_t{0} - 8,
       ErrorKind::kCorrupt},
      {"index of names", 62, 2, 9999, ErrorKind::kCorrupt},
      {"names in no strings", 62, 2, 1, ErrorKind::kCorrupt},
      {"program header size", 56, 2, 1, ErrorKind::kCorrupt},
  };
  for (const HeaderDamage& damage : damages) {
    std::string bytes = ReadBuilt("small.o");
    for (int i = 0; i < damage.bytes; ++i) {
      bytes[damage.offset + i] = static_cast<char>(damage.value >> (8 * i));
    }
    const auto file = elf::File::Read(bytes);
    ASSERT_FALSE(file.ok()) << damage.what;
    EXPECT_EQ(file.error().kind, damage.kind)
        << damage.what << ": " << file.error().message;
  }
}

// What a compiler writes that uses IFUNC or unique symbols.
TEST(Elf, TheAbiOfGnuIsRead) {
  std::string bytes = ReadBuilt("small.o");
  bytes[7] = 3;
  EXPECT_TRUE(elf::File::Read(bytes).ok());
}

TEST(Elf, LimitsHoldAtTheirEdge) {
  const std::string bytes = ReadBuilt("kernel_O2.o");
  const auto file = elf::File::Read(bytes);
  ASSERT_TRUE(file.ok());
  elf::Limits limits;
  limits.file_bytes_max = bytes.size();
  limits.section_count_max = file->sections().size();
  const uint64_t symbols = file->Find(".symtab")->size / elf::kSymbolBytes;
  limits.symbol_count_max = symbols;
  const auto exact = elf::File::Read(bytes, limits);
  ASSERT_TRUE(exact.ok());
  EXPECT_TRUE(exact->Symbols(*exact->Find(".symtab")).ok());
  limits.symbol_count_max = symbols - 1;
  const auto fewer = elf::File::Read(bytes, limits);
  ASSERT_TRUE(fewer.ok());
  EXPECT_EQ(fewer->Symbols(*fewer->Find(".symtab")).error().kind,
            ErrorKind::kLimitExceeded);
  --limits.section_count_max;
  EXPECT_EQ(elf::File::Read(bytes, limits).error().kind,
            ErrorKind::kLimitExceeded);
  limits = {};
  limits.file_bytes_max = bytes.size() - 1;
  EXPECT_EQ(elf::File::Read(bytes, limits).error().kind,
            ErrorKind::kLimitExceeded);
}

// Where the header of section `index` stands in `bytes`.
uint64_t HeaderOf(const std::string& bytes, uint64_t index) {
  return elf::Load64(bytes, 40) + index * elf::kSectionBytes;
}

TEST(Elf, SectionsThatShareBytesAreRejected) {
  std::string bytes = ReadBuilt("kernel_O2.o");
  const auto file = elf::File::Read(bytes);
  ASSERT_TRUE(file.ok());
  uint64_t first = 0;
  size_t tried = 0;
  for (size_t i = 1; i < file->sections().size(); ++i) {
    if (file->Contents(file->sections()[i]).empty()) continue;
    if (first == 0) {
      first = i;
      continue;
    }
    std::string bent = bytes;
    const elf::Section& other = file->sections()[first];
    elf::Store64(bent, HeaderOf(bytes, i) + 24, other.offset + other.size - 1);
    elf::Store64(bent, HeaderOf(bytes, i) + 32, 1);
    const auto read = elf::File::Read(bent);
    ASSERT_FALSE(read.ok()) << i;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
    ++tried;
  }
  EXPECT_GT(tried, 3u);
}

TEST(Elf, NamesTogetherAreNoLongerThanTheFile) {
  std::string bytes = ReadBuilt("kernel_O2.o");
  const auto file = elf::File::Read(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->CheckNameBytes(bytes.size()).ok());
  EXPECT_EQ(file->CheckNameBytes(bytes.size() + 1).error().kind,
            ErrorKind::kCorrupt);
  // All names of symbols in one string of a megabyte that stands at the end.
  const elf::Section& table = *file->Find(".symtab");
  const std::string name(4000, 'n');
  std::string bent = bytes + name + '\0';
  elf::Store64(bent, HeaderOf(bytes, table.link) + 24, bytes.size());
  elf::Store64(bent, HeaderOf(bytes, table.link) + 32, name.size() + 1);
  const uint64_t symbols = table.size / elf::kSymbolBytes;
  ASSERT_GT(symbols * name.size(), bent.size());
  for (uint64_t i = 0; i < symbols; ++i) {
    elf::Store32(bent, table.offset + i * elf::kSymbolBytes, 0);
  }
  // The names of sections may stand there too.
  elf::Store16(bent, 62, static_cast<uint16_t>(table.link));
  for (size_t i = 0; i < file->sections().size(); ++i) {
    elf::Store32(bent, HeaderOf(bytes, i), static_cast<uint32_t>(name.size()));
  }
  const auto read = elf::File::Read(bent);
  ASSERT_TRUE(read.ok()) << read.error().message;
  for (const elf::Section& section : read->sections()) {
    if (section.type != elf::SHT_SYMTAB) continue;
    const auto names = read->Symbols(section);
    ASSERT_FALSE(names.ok());
    EXPECT_NE(names.error().message.find("longer than the file"),
              std::string::npos);
  }
}

TEST(Elf, NameThatDoesNotEndIsRejected) {
  const std::string bytes = ReadBuilt("small.o");
  const auto file = elf::File::Read(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file->String(std::string_view("ab\0", 3), 1), "b");
  EXPECT_EQ(file->String("ab", 0).error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(file->String("ab", 2).error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(file->String("ab", ~uint64_t{0}).error().kind, ErrorKind::kCorrupt);
  const std::string most(4096, 'x');
  EXPECT_TRUE(file->String(most + '\0', 0).ok());
  EXPECT_EQ(file->String(most + "x" + '\0', 0).error().kind,
            ErrorKind::kLimitExceeded);
}

// Every field of every section header in turn takes every value of the table.
TEST(Elf, WildSectionFieldsNeverLeadOutside) {
  for (const char* name : {"kernel_O2.o", "symbols_O2.o"}) {
    const std::string good = ReadBuilt(name);
    const std::vector<uint64_t> wild = {0,
                                        1,
                                        7,
                                        good.size() - 1,
                                        good.size(),
                                        good.size() + 1,
                                        0x7fffffff,
                                        0xffffffff,
                                        uint64_t{1} << 63,
                                        ~uint64_t{0} - 1,
                                        ~uint64_t{0}};
    const uint64_t table = elf::Load64(good, 40);
    for (uint64_t at = table; at < good.size(); at += 4) {
      for (uint64_t value : wild) {
        std::string bytes = good;
        if (at % 8 == 0 && at + 8 <= bytes.size()) {
          elf::Store64(bytes, at, value);
        } else {
          elf::Store32(bytes, at, static_cast<uint32_t>(value));
        }
        AnyReaderAccepts(bytes);
      }
    }
  }
  SUCCEED();  // Nothing crashed, hung or asked for the world's memory.
}

TEST(Elf, RandomDamageNeverCrashes) {
  const std::vector<std::string> good = {ReadBuilt("kernel_O2.o"),
                                         ReadBuilt("symbols_O2.o"),
                                         ReadBuilt("small.o")};
  std::mt19937_64 random(11);
  int rejected = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = good[random() % good.size()];
    const int count = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < count; ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    rejected += !AnyReaderAccepts(bytes);
  }
  EXPECT_GT(rejected, 0);
}

}  // namespace
}  // namespace exhibit
