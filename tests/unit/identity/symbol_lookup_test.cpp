// Which symbols a lookup by name finds, held against the loader of this
// machine.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "audit/identity/elf.h"
#include "audit/identity/inspect.h"
#include "tests/unit/identity/objects.h"

namespace exhibit {
namespace {

using Names = std::vector<std::string>;

const Names kAll = {"kernel_batch", "kernel_blocks", "kernel_count",
                    "kernel_name"};

Names Inspected(const std::string& bytes) {
  const auto facts = InspectLibrary(bytes);
  EXPECT_TRUE(facts.ok()) << facts.error().message;
  return facts.ok() ? facts->exports : Names();
}

// Those of kAll that dlsym finds; none where the library finds not even its own
// functions and is not loaded.
Names Loaded(const std::string& bytes) {
  static int count = 0;
  const std::string path = testing::TempDir() + "/lookup-" +
                           std::to_string(getpid()) + "-" +
                           std::to_string(++count) + ".so";
  std::ofstream(path, std::ios::binary) << bytes;
  const std::unique_ptr<void, int (*)(void*)> library(
      dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose);
  unlink(path.c_str());
  Names found;
  for (const std::string& name : kAll) {
    if (library && dlsym(library.get(), name.c_str()) != nullptr) {
      found.push_back(name);
    }
  }
  return found;
}

// The bytes with those of one section changed.
std::string WithSection(const std::string& library, const std::string& section,
                        const std::function<void(std::string&)>& change) {
  std::string bytes = ReadBuilt(library);
  const auto file = elf::File::Read(bytes);
  EXPECT_TRUE(file.ok());
  const elf::Section& found = *file->Find(section);
  std::string contents(file->Contents(found));
  change(contents);
  return bytes.replace(found.offset, contents.size(), contents);
}

size_t IndexOf(const std::string& library, const std::string& name) {
  const std::string bytes = ReadBuilt(library);
  const auto file = elf::File::Read(bytes);
  const auto symbols = *file->Symbols(*file->Find(".dynsym"));
  const auto symbol =
      std::find_if(symbols.begin(), symbols.end(),
                   [&](const elf::Symbol& s) { return s.name == name; });
  EXPECT_NE(symbol, symbols.end());
  return static_cast<size_t>(symbol - symbols.begin());
}

TEST(SymbolLookup, FindsWhatTheLoaderFindsByEitherKindOfHash) {
  for (const char* library :
       {"kernel_O2.so", "other_hash.so", "only_sysv.so", "versions.so"}) {
    EXPECT_EQ(Inspected(ReadBuilt(library)), kAll) << library;
    EXPECT_EQ(Loaded(ReadBuilt(library)), kAll) << library;
  }
}

TEST(SymbolLookup, ATableThatLeadsNowhereExportsNothing) {
  // The filter, then the buckets, then the hashes themselves.
  const std::string library = "kernel_O2.so";
  for (const auto& [part, change] :
       {std::pair<const char*, std::function<void(std::string&)>>(
            "filter",
            [](std::string& t) {
              t.replace(16, 8 * elf::Load32(t, 8),
                        std::string(8 * elf::Load32(t, 8), '\0'));
            }),
        {"buckets",
         [](std::string& t) {
           const size_t at = 16 + 8 * elf::Load32(t, 8);
           const size_t size = 4 * elf::Load32(t, 0);
           t.replace(at, size, std::string(size, '\0'));
         }},
        {"hashes", [](std::string& t) {
           const size_t at = 16 + 8 * elf::Load32(t, 8) + 4 * elf::Load32(t, 0);
           for (size_t i = at; i < t.size(); i += 4) t[i + 1] ^= 1;
         }}}) {
    const std::string bytes = WithSection(library, ".gnu.hash", change);
    EXPECT_EQ(Inspected(bytes), Names()) << part;
    EXPECT_EQ(Loaded(bytes), Names()) << part;
  }
  const std::string older =
      WithSection("only_sysv.so", ".hash", [](std::string& t) {
        const size_t size = 4 * elf::Load32(t, 0);
        t.replace(8, size, std::string(size, '\0'));
      });
  EXPECT_EQ(Inspected(older), Names());
  EXPECT_EQ(Loaded(older), Names());
}

TEST(SymbolLookup, OneEntryOfTheTableIsOneSymbol) {
  const size_t count = IndexOf("kernel_O2.so", "kernel_count");
  const std::string bytes =
      WithSection("kernel_O2.so", ".gnu.hash", [&](std::string& t) {
        const size_t words = 16 + 8 * elf::Load32(t, 8) + 4 * elf::Load32(t, 0);
        t[words + 4 * (count - elf::Load32(t, 4)) + 2] ^= 1;
      });
  EXPECT_EQ(Inspected(bytes),
            (Names{"kernel_batch", "kernel_blocks", "kernel_name"}));
  EXPECT_EQ(Loaded(bytes), Inspected(bytes));
}

TEST(SymbolLookup, AVersionThatIsNotTheDefaultIsHidden) {
  const size_t batch = IndexOf("versions.so", "kernel_batch");
  const std::string bytes =
      WithSection("versions.so", ".gnu.version", [&](std::string& t) {
        EXPECT_GT(elf::Load16(t, 2 * batch), 1u);
        t[2 * batch + 1] = static_cast<char>(0x80);
      });
  EXPECT_EQ(Inspected(bytes),
            (Names{"kernel_blocks", "kernel_count", "kernel_name"}));
  EXPECT_EQ(Loaded(bytes), Inspected(bytes));
}

TEST(SymbolLookup, ChainsInACircleEnd) {
  // Every bucket leads to the last symbol, which leads to itself.
  const std::string bytes =
      WithSection("only_sysv.so", ".hash", [](std::string& t) {
        const uint32_t buckets = elf::Load32(t, 0);
        const uint32_t last = elf::Load32(t, 4) - 1;
        for (uint32_t i = 0; i < buckets; ++i) {
          elf::Store32(t, 8 + 4 * i, last);
        }
        elf::Store32(t, 8 + 4 * (buckets + last), last);
      });
  const auto facts = InspectLibrary(bytes);
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(facts.error().kind, ErrorKind::kLimitExceeded);
}

}  // namespace
}  // namespace exhibit
