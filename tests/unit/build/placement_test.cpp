// Code placed further on in the library is the same code, and the audit's model
// of the link knows where it stands.

#include <gtest/gtest.h>

#include "audit/identity/elf.h"
#include "audit/identity/linked.h"
#include "compiler/build/compile.h"
#include "compiler/tile/attention.h"

namespace exhibit {
namespace {

CompiledKernel Kernel(const TileOptions& options) {
  const auto program = tile::BuildAttention(
      {.shape = {1, 4, 2, 8, 21, 12, 20}, .query_block = 2, .key_block = 8});
  EXPECT_TRUE(program.ok());
  auto kernel = CompileKernel(*program, options, {"x86-64-v2"});
  EXPECT_TRUE(kernel.ok());
  return std::move(*kernel);
}

std::string Link(const CompiledKernel& kernel, int64_t placement_bytes) {
  auto library = LinkSharedLibrary(kernel.object, placement_bytes);
  EXPECT_TRUE(library.ok()) << library.error().message;
  return std::move(*library);
}

uint64_t EntryAddress(const std::string& library, const std::string& symbol) {
  const auto file = elf::File::Read(library);
  EXPECT_TRUE(file.ok());
  const elf::Section* dynsym = file->Find(".dynsym");
  const auto symbols = file->Symbols(*dynsym);
  EXPECT_TRUE(symbols.ok());
  for (const elf::Symbol& s : *symbols) {
    if (s.name == symbol) return s.value;
  }
  ADD_FAILURE() << symbol;
  return 0;
}

TEST(Placement, MovesTheEntryByAsMuchAsAsked) {
  const CompiledKernel kernel = Kernel({.full_packet = true});
  const uint64_t by_itself = EntryAddress(Link(kernel, 0), kernel.symbol);
  for (const int64_t placement : {16, 32, 48, 64, 1024, 4080}) {
    EXPECT_EQ(EntryAddress(Link(kernel, placement), kernel.symbol),
              by_itself + static_cast<uint64_t>(placement));
  }
}

TEST(Placement, ZeroIsTheDeclaredLinkItself) {
  const CompiledKernel kernel = Kernel({});
  EXPECT_TRUE(Link(kernel, 0) == *LinkSharedLibrary(kernel.object));
}

TEST(Placement, TheAuditRelinksEveryPlacementAndNoOther) {
  for (const bool full_packet : {false, true}) {
    const CompiledKernel kernel = Kernel({.full_packet = full_packet});
    for (const uint64_t placement : {0, 16, 32, 64, 2048, 4080}) {
      const std::string library = Link(kernel, static_cast<int64_t>(placement));
      const auto same =
          CheckLinked({kernel.object, library, kernel.symbol, placement});
      EXPECT_TRUE(same.empty()) << placement << ": " << same.front();
      EXPECT_FALSE(
          CheckLinked({kernel.object, library, kernel.symbol, placement + 16})
              .empty());
    }
  }
}

TEST(Placement, ACodeByteChangedIsFoundThereToo) {
  const CompiledKernel kernel = Kernel({});
  std::string library = Link(kernel, 48);
  const auto file = elf::File::Read(library);
  ASSERT_TRUE(file.ok());
  const elf::Section* text = file->Find(".text");
  ASSERT_NE(text, nullptr);
  const uint64_t offset = text->offset;
  for (const uint64_t at : {offset, offset + 47, offset + 48}) {
    library[at] = static_cast<char>(library[at] ^ 1);
    EXPECT_FALSE(
        CheckLinked({kernel.object, library, kernel.symbol, 48}).empty())
        << at - offset;
    library[at] = static_cast<char>(library[at] ^ 1);
  }
}

}  // namespace
}  // namespace exhibit
