// What is read from shared libraries; needs the linker that makes them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "audit/identity/elf.h"
#include "audit/identity/inspect.h"
#include "audit/identity/linked.h"
#include "tests/unit/identity/objects.h"

namespace exhibit {
namespace {

using Names = std::vector<std::string>;

TEST(InspectLibrary, NamesImportsExportsAndNothingPeculiar) {
  const auto facts = InspectLibrary(ReadBuilt("kernel_O2.so"));
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(facts->imports, (Names{"memcpy", "memset"}));
  EXPECT_EQ(facts->exported_functions, (Names{"kernel_batch", "kernel_blocks",
                                              "kernel_count", "kernel_name"}));
  EXPECT_EQ(facts->exports, facts->exported_functions);
  EXPECT_TRUE(facts->needed.empty());
  EXPECT_TRUE(facts->peculiarities.empty());
  EXPECT_EQ(facts->build_id, "");
  EXPECT_GT(facts->code_bytes, 0u);
}

TEST(InspectLibrary, BuildIdIsReadInHexadecimal) {
  const std::string bytes = ReadBuilt("other_id.so");
  const auto id = ReadBuildId(bytes);
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(id->size(), 40u);
  EXPECT_EQ(id->find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(InspectLibrary(bytes)->build_id, *id);
}

TEST(InspectLibrary, ConstructorIsPeculiar) {
  const auto facts = InspectLibrary(ReadBuilt("constructor.so"));
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->peculiarities, Names{"init-array"});
}

TEST(InspectLibrary, DynamicTableElsewhereThanItsSectionIsRejected) {
  std::string bytes = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(bytes);
  ASSERT_TRUE(file.ok());
  for (size_t i = 0; i < file->segments().size(); ++i) {
    if (file->segments()[i].type != elf::PT_DYNAMIC) continue;
    const uint64_t at = elf::kHeaderBytes + i * elf::kSegmentBytes + 8;
    elf::Store64(bytes, at, elf::Load64(bytes, at) + 16);
  }
  const auto facts = InspectLibrary(bytes);
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(facts.error().kind, ErrorKind::kCorrupt);
}

TEST(InspectLibrary, SymbolsElsewhereThanTheirSectionAreRejected) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  ASSERT_TRUE(file.ok());
  const uint64_t dynamic = file->Find(".dynamic")->offset;
  const auto entries = *file->Dynamic(*file->Find(".dynamic"));
  int changed = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint64_t tag = entries[i].tag;
    if (tag != elf::DT_SYMTAB && tag != elf::DT_STRTAB &&
        tag != elf::DT_STRSZ && tag != elf::DT_RELA && tag != elf::DT_JMPREL) {
      continue;
    }
    std::string bytes = good;
    elf::Store64(bytes, dynamic + i * 16 + 8, entries[i].value + 8);
    EXPECT_FALSE(InspectLibrary(bytes).ok()) << tag;
    ++changed;
  }
  EXPECT_EQ(changed, 5);
}

void ExpectCorrupt(const std::string& bytes, const std::string& message) {
  const auto facts = InspectLibrary(bytes);
  ASSERT_FALSE(facts.ok()) << message;
  EXPECT_EQ(facts.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(facts.error().message.find(message), std::string::npos)
      << facts.error().message;
}

// The library with the entry `from` of its dynamic table made another one.
std::string WithEntry(uint64_t from, uint64_t tag, uint64_t value) {
  std::string bytes = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(bytes);
  EXPECT_TRUE(file.ok());
  const uint64_t at = file->Find(".dynamic")->offset;
  const auto entries = *file->Dynamic(*file->Find(".dynamic"));
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].tag != from) continue;
    elf::Store64(bytes, at + 16 * i, tag);
    elf::Store64(bytes, at + 16 * i + 8, value);
    return bytes;
  }
  ADD_FAILURE() << "no entry " << from;
  return bytes;
}

// The loader goes by the last, a reader perhaps by the first.
TEST(InspectLibrary, ATagThatStandsTwiceIsRejected) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  const uint64_t symbols = file->Find(".dynsym")->address;
  ExpectCorrupt(WithEntry(elf::DT_RELACOUNT, elf::DT_SYMTAB, symbols),
                "stands twice: 6");
}

TEST(InspectLibrary, LibrariesThatAreTakenInOtherwiseAreNamed) {
  for (const uint64_t tag : {elf::DT_AUXILIARY, elf::DT_FILTER}) {
    const auto facts = InspectLibrary(WithEntry(elf::DT_RELACOUNT, tag, 1));
    ASSERT_TRUE(facts.ok()) << facts.error().message;
    EXPECT_EQ(facts->peculiarities, Names{"filter"});
    EXPECT_EQ(facts->needed.size(), 1u);
  }
  for (const uint64_t tag : {elf::DT_RPATH, elf::DT_RUNPATH}) {
    const auto facts = InspectLibrary(WithEntry(elf::DT_RELACOUNT, tag, 1));
    ASSERT_TRUE(facts.ok()) << facts.error().message;
    EXPECT_EQ(facts->peculiarities, Names{"search-path"});
  }
}

// Sets a field of the header of section `name`.
std::string WithSectionField(const std::string& name, uint64_t field,
                             uint64_t value) {
  std::string bytes = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(bytes);
  EXPECT_TRUE(file.ok());
  const uint64_t index =
      static_cast<uint64_t>(file->Find(name) - file->sections().data());
  elf::Store64(bytes,
               elf::Load64(bytes, 40) + index * elf::kSectionBytes + field,
               value);
  return bytes;
}

// They would be read where they stand in the file, and loaded from elsewhere.
TEST(InspectLibrary, TablesThatAreNotLoadedAreRejected) {
  for (const char* name :
       {".dynamic", ".dynsym", ".dynstr", ".gnu.hash", ".rela.plt"}) {
    ExpectCorrupt(WithSectionField(name, 8, 0), "is not loaded where it says");
  }
}

TEST(InspectLibrary, SymbolsBehindTheLastAreRejected) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  const uint64_t size = file->Find(".dynsym")->size;
  ExpectCorrupt(WithSectionField(".dynsym", 32, size - elf::kSymbolBytes),
                "hash table knows of more dynamic symbols");
  // Without a hash table it is the relocations that name them.
  std::string bent = WithEntry(elf::DT_GNU_HASH, 0x6ffffdf0, 0);
  ASSERT_TRUE(InspectLibrary(bent).ok());
  const elf::Section& table = *file->Find(".rela.plt");
  elf::Store32(bent, table.offset + 12, 1000);
  ExpectCorrupt(bent, "names no symbol: 1000");
}

// It would make another table of what was looked at.
TEST(InspectLibrary, TablesThatAreWrittenToAreRejected) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  const elf::Section& table = *file->Find(".rela.plt");
  const elf::Section& dynamic = *file->Find(".dynamic");
  const uint64_t last = dynamic.address + dynamic.size - 1;
  for (const uint64_t at : {dynamic.address - 7, dynamic.address, last}) {
    std::string bent = good;
    elf::Store64(bent, table.offset, at);
    ExpectCorrupt(bent, "writes to the dynamic table");
  }
  std::string bent = good;
  elf::Store64(bent, table.offset, last + 1);
  EXPECT_TRUE(InspectLibrary(bent).ok());
  bent = good;
  elf::Store32(bent, table.offset + 8, elf::R_X86_64_COPY);
  ExpectCorrupt(bent, "copies into the library");
  for (size_t i = 0; i < file->segments().size(); ++i) {
    if (file->segments()[i].type != elf::PT_LOAD) continue;
    bent = good;
    elf::Store32(bent, elf::kHeaderBytes + i * elf::kSegmentBytes + 4,
                 file->segments()[i].flags | elf::PF_W);
    const bool tables = file->segments()[i].flags == 4;
    EXPECT_EQ(InspectLibrary(bent).ok(), !tables) << i;
  }
}

TEST(InspectLibrary, FunctionsThatTheLoaderDoesNotFindAreNoExports) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  const elf::Section& table = *file->Find(".dynsym");
  const auto symbols = *file->Symbols(table);
  size_t functions = 0;
  for (size_t i = 1; i < symbols.size(); ++i) {
    if (symbols[i].Undefined() || symbols[i].type != elf::STT_FUNC) continue;
    ++functions;
    const std::string name(symbols[i].name);
    const uint64_t at = table.offset + i * elf::kSymbolBytes;
    const auto is_exported = [&](const std::string& bytes) {
      const auto facts = InspectLibrary(bytes);
      EXPECT_TRUE(facts.ok());
      return std::count(facts->exported_functions.begin(),
                        facts->exported_functions.end(), name) > 0;
    };
    EXPECT_TRUE(is_exported(good));
    std::string local = good;
    local[at + 4] = elf::STT_FUNC;  // The binding is above it.
    EXPECT_FALSE(is_exported(local));
    std::string hidden = good;
    hidden[at + 5] = 2;
    EXPECT_FALSE(is_exported(hidden));
    std::string data = good;
    elf::Store64(data, at + 8, file->Find(".dynamic")->address);
    EXPECT_FALSE(is_exported(data));
  }
  EXPECT_GT(functions, 0u);
}

TEST(LoadedDigest, IsOfWhatTheLoaderTakesAndOfNothingElse) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  const std::string digest = *LoadedDigest(good);
  EXPECT_NE(*LoadedDigest(ReadBuilt("kernel_O0.so")), digest);
  // Where its sections are, and what is in one that is not loaded.
  EXPECT_EQ(*LoadedDigest(good + "more"), digest);
  std::string comment = good;
  comment[file->Find(".comment")->offset] ^= 1;
  EXPECT_EQ(*LoadedDigest(comment), digest);
  std::string header = good;
  header[40] ^= 1;
  EXPECT_FALSE(LoadedDigest(header).ok());
  for (const char* name : {".text", ".dynsym", ".dynamic"}) {
    std::string bent = good;
    bent[file->Find(name)->offset] ^= 1;
    EXPECT_NE(*LoadedDigest(bent), digest) << name;
  }
}

TEST(InspectLibrary, AnIndirectFunctionNeedsNoName) {
  std::string bytes = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(bytes);
  const uint64_t at = file->Find(".dynsym")->offset + elf::kSymbolBytes;
  elf::Store32(bytes, at, 0);
  bytes[at + 4] = elf::STT_GNU_IFUNC;
  const auto facts = InspectLibrary(bytes);
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(facts->peculiarities, Names{"indirect-function"});
}

TEST(InspectLibrary, AStackOfCodeIsPeculiar) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  int stacks = 0;
  for (size_t i = 0; i < file->segments().size(); ++i) {
    if (file->segments()[i].type != elf::PT_GNU_STACK) continue;
    ++stacks;
    const uint64_t at = elf::kHeaderBytes + i * elf::kSegmentBytes;
    std::string code = good;
    elf::Store32(code, at + 4, 7);
    EXPECT_EQ(InspectLibrary(code)->peculiarities, Names{"executable-stack"});
    std::string none = good;
    elf::Store32(none, at, 0);
    EXPECT_EQ(InspectLibrary(none)->peculiarities, Names{"executable-stack"});
  }
  EXPECT_EQ(stacks, 1);
}

TEST(InspectLibrary, SegmentsUponEachOtherAreRejected) {
  const std::string good = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(good);
  size_t loads = 0;
  for (size_t i = 0; i < file->segments().size(); ++i) {
    if (file->segments()[i].type != elf::PT_LOAD) continue;
    const uint64_t at = elf::kHeaderBytes + i * elf::kSegmentBytes;
    std::string bytes = good;
    elf::Store64(bytes, at + 16, elf::Load64(bytes, at + 16) + 1);
    ExpectCorrupt(bytes, "cannot be loaded");
    bytes = good;
    elf::Store64(bytes, at + 40, elf::Load64(bytes, at + 32) - 1);
    ExpectCorrupt(bytes, "cannot be loaded");
    if (loads++ == 0) continue;
    bytes = good;
    // The page before, of the segment before.
    elf::Store64(bytes, at + 16, elf::Load64(bytes, at + 16) - 4096);
    ExpectCorrupt(bytes, "upon each other");
  }
  EXPECT_GT(loads, 2u);
}

TEST(InspectLibrary, TruncationAtEveryLengthIsRejected) {
  const std::string bytes = ReadBuilt("small.so");
  ASSERT_TRUE(InspectLibrary(bytes).ok());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string part = bytes.substr(0, length);
    EXPECT_FALSE(InspectLibrary(part).ok()) << length;
    EXPECT_FALSE(
        CheckLinked({ReadBuilt("small.o"), part, "kernel_batch"}).empty());
  }
}

}  // namespace
}  // namespace exhibit
