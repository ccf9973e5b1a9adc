// The model of the declared link against the linker itself.

#include "audit/identity/linked.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "audit/identity/elf.h"
#include "tests/unit/identity/objects.h"

namespace exhibit {
namespace {

std::vector<std::string> Check(const std::string& object,
                               const std::string& library) {
  return CheckLinked({object, library, "kernel_batch"});
}

TEST(Linked, GenuineLibrariesAreTheirObjects) {
  for (const std::string& name : KernelNames()) {
    const auto differences =
        Check(ReadBuilt(name + ".o"), ReadBuilt(name + ".so"));
    EXPECT_TRUE(differences.empty()) << name << ": " << differences[0];
  }
}

TEST(Linked, KernelsCoverWhatTheModelKnows) {
  std::set<std::string> sections;
  bool full_page = false;
  for (const std::string& name : KernelNames()) {
    const std::string bytes = ReadBuilt(name + ".so");
    const auto file = elf::File::Read(bytes);
    ASSERT_TRUE(file.ok());
    for (const elf::Section& section : file->sections()) {
      sections.insert(std::string(section.name));
      full_page |= section.name == ".relro_padding" && section.size == 0;
    }
  }
  EXPECT_EQ(sections.size(), 20u);  // All of the model's, and the null one.
  EXPECT_TRUE(full_page);
}

TEST(Linked, LibraryOfAnotherObjectIsCaught) {
  const std::vector<std::string> names = KernelNames();
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      const std::string object = ReadBuilt(a + ".o");
      if (a == b || object == ReadBuilt(b + ".o")) continue;
      EXPECT_FALSE(Check(object, ReadBuilt(b + ".so")).empty())
          << a << " " << b;
    }
  }
}

TEST(Linked, AnyOtherLinkIsCaught) {
  const std::string object = ReadBuilt("kernel_O2.o");
  ASSERT_TRUE(Check(object, ReadBuilt("kernel_O2.so")).empty());
  for (const char* name : {"other_now", "other_relax", "other_hash", "other_id",
                           "other_name", "other_bind", "other_merge"}) {
    EXPECT_FALSE(Check(object, ReadBuilt(std::string(name) + ".so")).empty())
        << name;
  }
}

TEST(Linked, ExtraBytesAtTheEndAreCaught) {
  EXPECT_FALSE(
      Check(ReadBuilt("small.o"), ReadBuilt("small.so") + '\0').empty());
}

TEST(Linked, WrongEntryIsCaught) {
  const std::string object = ReadBuilt("kernel_O2.o");
  const std::string library = ReadBuilt("kernel_O2.so");
  for (const char* entry :
       {"kernel_missing", "kernel.packet.full", "memcpy", "zeroed", ""}) {
    const auto differences = CheckLinked({object, library, entry});
    ASSERT_EQ(differences.size(), 1u) << entry;
    EXPECT_NE(differences[0].find("exports no function"), std::string::npos);
  }
}

// The bytes of a library that may change unseen: what is never loaded.
std::vector<bool> UnloadedBytes(const std::string& library) {
  std::vector<bool> unloaded(library.size());
  const auto file = elf::File::Read(library);
  for (const char* name : {".comment", ".symtab", ".strtab"}) {
    const elf::Section* section = file->Find(name);
    for (uint64_t i = 0; i < section->size; ++i) {
      unloaded[section->offset + i] = true;
    }
  }
  return unloaded;
}

TEST(Linked, EveryByteOfTheLibraryThatIsLoadedIsCompared) {
  for (const char* name : {"kernel_O2", "symbols_O2", "small", "kernel_avx2"}) {
    const std::string object = ReadBuilt(std::string(name) + ".o");
    const std::string good = ReadBuilt(std::string(name) + ".so");
    const std::vector<bool> unloaded = UnloadedBytes(good);
    int64_t unseen_count = 0;
    for (size_t i = 0; i < good.size(); ++i) {
      for (char flip : {'\x01', '\x80', '\xff'}) {
        std::string bytes = good;
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
        const bool unseen = Check(object, bytes).empty();
        EXPECT_TRUE(!unseen || unloaded[i]) << name << " " << i;
        unseen_count += unseen;
      }
    }
    // The guard above is not passed by reporting everything.
    EXPECT_GT(unseen_count, 0) << name;
  }
}

TEST(Linked, DifferenceNamesSectionCountAndPlace) {
  const std::string object = ReadBuilt("kernel_O2.o");
  std::string library = ReadBuilt("kernel_O2.so");
  const auto file = elf::File::Read(library);
  const uint64_t at = file->Find(".text")->offset + 3;
  library[at] = static_cast<char>(library[at] ^ 1);
  const auto differences = Check(object, library);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0],
            "library: 1 bytes differ in .text, the first at file offset " +
                std::to_string(at));
}

// Where a relocation writes over the object's own bytes.
std::vector<bool> OverwrittenBytes(const std::string& object) {
  std::vector<bool> overwritten(object.size());
  const auto file = elf::File::Read(object);
  for (const elf::Section& section : file->sections()) {
    if (section.type != elf::SHT_RELA) continue;
    const auto relocations = file->Relocations(section);
    const uint64_t base = file->sections()[section.info].offset;
    for (const elf::Relocation& relocation : *relocations) {
      if (relocation.type == elf::R_X86_64_64) continue;
      for (uint64_t i = 0; i < 4; ++i) {
        overwritten[base + relocation.offset + i] = true;
      }
    }
  }
  return overwritten;
}

TEST(Linked, EveryLoadedByteOfTheObjectIsCompared) {
  for (const char* name : {"kernel_O2", "symbols_O2", "kernel_avx2"}) {
    const std::string good = ReadBuilt(std::string(name) + ".o");
    const std::string library = ReadBuilt(std::string(name) + ".so");
    const std::vector<bool> overwritten = OverwrittenBytes(good);
    const auto file = elf::File::Read(good);
    for (const elf::Section& section : file->sections()) {
      const bool loaded = (section.flags & elf::SHF_ALLOC) != 0 &&
                          section.type == elf::SHT_PROGBITS;
      for (uint64_t i = 0; loaded && i < section.size; ++i) {
        std::string bytes = good;
        const uint64_t at = section.offset + i;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
        EXPECT_EQ(Check(bytes, library).empty(), overwritten[at])
            << name << " " << at;
      }
    }
  }
}

TEST(Linked, RandomDamageToEitherFileNeverCrashes) {
  std::mt19937_64 random(13);
  const std::string object = ReadBuilt("symbols_O2.o");
  const std::string library = ReadBuilt("symbols_O2.so");
  int caught = 0;
  for (int round = 0; round < 8000; ++round) {
    std::string o = object, l = library;
    std::string& damaged = round % 2 == 0 ? o : l;
    const int count = 1 + static_cast<int>(random() % 6);
    for (int i = 0; i < count; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    caught += !Check(o, l).empty();
  }
  EXPECT_GT(caught, 4000);
}

}  // namespace
}  // namespace exhibit
