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
