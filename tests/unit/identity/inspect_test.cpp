#include "audit/identity/inspect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "audit/identity/elf.h"
#include "tests/unit/identity/objects.h"

namespace exhibit {
namespace {

using Names = std::vector<std::string>;

TEST(InspectObject, NamesImportsExportsAndSizes) {
  const auto facts = InspectObject(ReadBuilt("kernel_O2.o"));
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(facts->imports, (Names{"memcpy", "memset"}));
  EXPECT_EQ(facts->exports, (Names{"kernel_batch", "kernel_blocks",
                                   "kernel_count", "kernel_name"}));
  uint64_t code = 0;
  for (const SectionSize& section : facts->sections) {
    if (section.name.starts_with(".text")) code += section.bytes;
  }
  EXPECT_EQ(facts->code_bytes, code);
  EXPECT_GE(facts->constant_bytes, 64u);  // The table of sixteen floats.
  const auto batch =
      std::find_if(facts->functions.begin(), facts->functions.end(),
                   [](const auto& f) { return f.name == "kernel_batch"; });
  ASSERT_NE(batch, facts->functions.end());
  EXPECT_GT(batch->bytes, 0u);
}

TEST(InspectObject, HiddenSymbolIsNoExport) {
  const auto facts = InspectObject(ReadBuilt("symbols_O2.o"));
  ASSERT_TRUE(facts.ok());
  const Names& names = facts->exports;
  EXPECT_FALSE(std::count(names.begin(), names.end(), "hidden"));
  EXPECT_TRUE(std::count(names.begin(), names.end(), "protects"));
}

TEST(Clone, IsFoundWithItsCalls) {
  for (const char* name : {"kernel_O1.o", "kernel_O2.o", "kernel_O3.o"}) {
    const auto facts = FindClone(ReadBuilt(name), "kernel.packet.full");
    ASSERT_TRUE(facts.ok());
    EXPECT_TRUE(facts->defined) << name;
    EXPECT_GT(facts->bytes, 0u) << name;
    EXPECT_EQ(facts->call_count, 1u) << name;
  }
}

// A word in what nobody loads, or a clone that calls itself, runs nothing.
TEST(Clone, OnlyCallsOfLoadedCodeOutsideOfItCount) {
  const std::string good = ReadBuilt("kernel_O2.o");
  const auto file = elf::File::Read(good);
  ASSERT_TRUE(file.ok());
  std::string data = good;
  for (size_t i = 0; i < file->sections().size(); ++i) {
    const uint64_t at = elf::Load64(good, 40) + i * elf::kSectionBytes + 8;
    elf::Store64(data, at,
                 elf::Load64(good, at) & ~uint64_t{elf::SHF_EXECINSTR});
  }
  const auto facts = FindClone(data, "kernel.packet.full");
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_TRUE(facts->defined);
  EXPECT_EQ(facts->call_count, 0u);
}

TEST(Clone, ThatIsNotThereIsReportedAsSuch) {
  const auto facts = FindClone(ReadBuilt("kernel_O2.o"), "other.packet.full");
  ASSERT_TRUE(facts.ok());
  EXPECT_FALSE(facts->defined);
  EXPECT_EQ(facts->call_count, 0u);
}

TEST(Clone, GlobalFunctionIsNoClone) {
  const auto facts = FindClone(ReadBuilt("kernel_O2.o"), "kernel_batch");
  ASSERT_TRUE(facts.ok());
  EXPECT_FALSE(facts->defined);
}

TEST(Inspect, ObjectIsNoLibrary) {
  EXPECT_EQ(InspectLibrary(ReadBuilt("small.o")).error().kind,
            ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace exhibit
