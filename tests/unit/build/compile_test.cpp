// What comes out of CompileKernel besides numbers.

#include "compiler/build/compile.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/tile/attention.h"
#include "manifests/json.h"
#include "tests/unit/build/attention_oracle.h"
#include "tests/unit/build/kernel_runner.h"
#include "tests/unit/emit/programs.h"

namespace exhibit {
namespace {

using testing::Bits;

tile::AttentionSpec Small() { return {{1, 4, 2, 8, 21, 12, 20}, 2, 8}; }

CompiledKernel Compile(const tile::AttentionSpec& spec,
                       const TileOptions& options,
                       const std::string& cpu = "native") {
  auto program = tile::BuildAttention(spec);
  EXPECT_TRUE(program.ok());
  auto kernel = CompileKernel(*program, options, {cpu});
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return std::move(*kernel);
}

TileOptions Blocked() {
  TileOptions options;
  options.mma_output_block = 4;
  options.max_unrolled_mma_terms = 8;
  options.full_packet = true;
  return options;
}

struct Section {
  std::string name;
  Elf64_Shdr header;
};

template <typename T>
T At(const std::string& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::vector<Section> SectionsOf(const std::string& object) {
  const auto file = At<Elf64_Ehdr>(object, 0);
  const auto names = At<Elf64_Shdr>(
      object, file.e_shoff + file.e_shstrndx * sizeof(Elf64_Shdr));
  std::vector<Section> sections;
  for (int i = 0; i < file.e_shnum; ++i) {
    const auto header =
        At<Elf64_Shdr>(object, file.e_shoff + i * sizeof(Elf64_Shdr));
    sections.push_back(
        {object.data() + names.sh_offset + header.sh_name, header});
  }
  return sections;
}

TEST(Compile, TheSameInputsGiveTheSameBytes) {
  const CompiledKernel a = Compile(Small(), Blocked());
  const CompiledKernel b = Compile(Small(), Blocked());
  EXPECT_TRUE(a.object == b.object);
  EXPECT_TRUE(a.assembly == b.assembly);
  EXPECT_TRUE(a.ir == b.ir);
  EXPECT_EQ(a.realization, b.realization);
  EXPECT_EQ(a.program_text, b.program_text);
}

TEST(Compile, ObjectsImportNothingButMemoryFunctionsOnEveryLevel) {
  for (const char* cpu : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    for (const auto& contraction :
         {tile::Contraction::kMma, tile::Contraction::kReduce}) {
      tile::AttentionSpec spec{{1, 2, 1, 4, 9, 8, 4}, 2, 4};
      spec.qk = spec.pv = contraction;
      const CompiledKernel kernel = Compile(spec, Blocked(), cpu);
      auto undefined = UndefinedSymbols(kernel.object);
      ASSERT_TRUE(undefined.ok());
      for (const std::string& symbol : *undefined) {
        EXPECT_NE(
            std::find(AllowedImports().begin(), AllowedImports().end(), symbol),
            AllowedImports().end())
            << symbol << " on " << cpu;
      }
    }
  }
}

TEST(Compile, ObjectsHaveNoUnwindTablesAndNoThreadLocals) {
  for (const char* cpu : {"x86-64", "x86-64-v3"}) {
    const CompiledKernel kernel = Compile(Small(), Blocked(), cpu);
    for (const Section& section : SectionsOf(kernel.object)) {
      EXPECT_NE(section.name, ".eh_frame");
      EXPECT_EQ(section.header.sh_flags & SHF_TLS, 0u) << section.name;
      EXPECT_EQ(section.header.sh_flags & (SHF_WRITE | SHF_EXECINSTR),
                section.header.sh_flags & SHF_EXECINSTR)
          << section.name << " can be written";
    }
  }
}

// Symbols of the object by name; section names of where relocations apply to
// and what they refer to.
TEST(Compile, TheCloneAndTheCallOfItStandInTheObject) {
  const CompiledKernel kernel = Compile(Small(), Blocked());
  const std::vector<Section> sections = SectionsOf(kernel.object);
  std::map<std::string, Elf64_Sym> symbols;
  std::vector<Elf64_Sym> by_index;
  for (const Section& section : sections) {
    if (section.header.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr strings = sections[section.header.sh_link].header;
    for (uint64_t at = 0; at < section.header.sh_size;
         at += sizeof(Elf64_Sym)) {
      const auto symbol =
          At<Elf64_Sym>(kernel.object, section.header.sh_offset + at);
      by_index.push_back(symbol);
      symbols[kernel.object.data() + strings.sh_offset + symbol.st_name] =
          symbol;
    }
  }
  ASSERT_EQ(symbols.count("attention.packet.full"), 1u);
  ASSERT_EQ(symbols.count("attention.packet"), 1u);
  ASSERT_EQ(symbols.count("attention.packet_batch"), 1u);
  ASSERT_EQ(symbols.count("attention.packet_batch.blocks"), 1u);
  const auto full = symbols["attention.packet.full"];
  EXPECT_EQ(ELF64_ST_BIND(full.st_info), STB_LOCAL);
  EXPECT_EQ(ELF64_ST_BIND(symbols["attention.packet_batch"].st_info),
            STB_GLOBAL);
  int calls = 0;
  for (const Section& section : sections) {
    if (section.header.sh_type != SHT_RELA) continue;
    for (uint64_t at = 0; at < section.header.sh_size;
         at += sizeof(Elf64_Rela)) {
      const auto relocation =
          At<Elf64_Rela>(kernel.object, section.header.sh_offset + at);
      const Elf64_Sym& target = by_index[ELF64_R_SYM(relocation.r_info)];
      if (target.st_shndx == full.st_shndx) ++calls;
    }
  }
  EXPECT_EQ(calls, 2);  // One from each entry.
}

int64_t ClonesReported(const CompiledKernel& kernel) {
  auto report = ParseJson(kernel.realization, "report");
  EXPECT_TRUE(report.ok());
  return *report->AsObject()->at("full_packet_specializations").AsInteger();
}

// The optimiser may see that a packet of so few instances is never full.
TEST(Compile, TheCloneIsReportedExactlyWhereItStandsInTheObject) {
  TileOptions options;
  options.full_packet = true;
  int removed = 0;
  for (int instances : {1, 2, 7, 8, 9, 17}) {
    const auto program = tile::ParseProgram(
        "exhibit.tile/1\nprogram few\n\naxis n = 1\n\ninput x f32[32]\n"
        "output y f32[32]\n\nparallel i < " +
            std::to_string(instances) +
            " {\n  v: f32[n] = load x[i:n]\n  w: f32[n] = add v, v\n"
            "  store w -> y[i:n]\n}\n",
        "few.tile");
    ASSERT_TRUE(program.ok()) << program.error().message;
    const auto kernel = CompileKernel(*program, options, {"native"});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    const bool stands =
        kernel->object.find("few.packet.full") != std::string::npos;
    EXPECT_EQ(ClonesReported(*kernel), stands ? 1 : 0) << instances;
    EXPECT_EQ(kernel->has_full_packet_clone, stands) << instances;
    EXPECT_TRUE(stands || instances < options.packet_width) << instances;
    removed += !stands;
  }
  EXPECT_GT(removed, 0);
}

TEST(Compile, TheLinkedLibraryGivesTheBytesOfTheJit) {
  const CompiledKernel kernel = Compile(Small(), Blocked());
  auto library = LinkSharedLibrary(kernel.object);
  ASSERT_TRUE(library.ok()) << library.error().message;
  const std::string path =
      ::testing::TempDir() + "/kernel-" + std::to_string(getpid()) + ".so";
  std::ofstream(path, std::ios::binary) << *library;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  std::remove(path.c_str());
  auto* entry =
      reinterpret_cast<exhibit_entry*>(dlsym(handle, kernel.symbol.c_str()));
  ASSERT_NE(entry, nullptr);
  const testing::AttentionArrays in = testing::SineInputs(Small().shape);
  testing::RunSpec run;
  run.instances = 4 * 4;
  run.workspace_bytes = kernel.workspace_bytes;
  const std::vector<std::vector<float>> initial = {
      in.query, in.key, in.value, std::vector<float>(4 * 8 * 20)};
  const testing::RunResult jit = testing::RunEntry(kernel.entry, run, initial);
  const testing::RunResult linked = testing::RunEntry(entry, run, initial);
  EXPECT_TRUE(linked.guards_intact);
  EXPECT_EQ(Bits(linked.buffers[3]), Bits(jit.buffers[3]));
  dlclose(handle);
}

#ifdef EXHIBIT_LLVM_MC

// Text and data that end up in memory, by section.
std::map<std::string, std::string> AllocatedOf(const std::string& object) {
  std::map<std::string, std::string> contents;
  for (const Section& section : SectionsOf(object)) {
    if ((section.header.sh_flags & SHF_ALLOC) == 0) continue;
    contents[section.name] +=
        object.substr(section.header.sh_offset, section.header.sh_size);
  }
  return contents;
}

TEST(Compile, TheAssemblyAssemblesToTheObject) {
  const CompiledKernel kernel = Compile(Small(), Blocked(), "x86-64-v3");
  const std::string stem =
      ::testing::TempDir() + "/assembly-" + std::to_string(getpid());
  std::ofstream(stem + ".s") << kernel.assembly;
  const std::string command = std::string(EXHIBIT_LLVM_MC) +
                              " -triple=x86_64-unknown-linux-gnu"
                              " -mcpu=x86-64-v3 -position-independent"
                              " -filetype=obj -o " +
                              stem + ".o " + stem + ".s";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream file(stem + ".o", std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  std::remove((stem + ".s").c_str());
  std::remove((stem + ".o").c_str());
  const auto expected = AllocatedOf(kernel.object);
  EXPECT_GE(expected.size(), 4u);
  const auto assembled = AllocatedOf(bytes.str());
  EXPECT_EQ(assembled.size(), expected.size());
  for (const auto& [name, contents] : expected) {
    const auto found = assembled.find(name);
    ASSERT_NE(found, assembled.end()) << name;
    EXPECT_TRUE(found->second == contents) << name;
  }
}

#endif  // EXHIBIT_LLVM_MC

TEST(Compile, LinkingTwiceGivesTheSameBytes) {
  const CompiledKernel kernel = Compile(Small(), {});
  auto a = LinkSharedLibrary(kernel.object);
  auto b = LinkSharedLibrary(kernel.object);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(*a == *b);
}

TEST(Compile, TheBlockEntryComputesPacketsOfItsBlock) {
  const CompiledKernel kernel = Compile(Small(), Blocked());
  const testing::AttentionArrays in = testing::SineInputs(Small().shape);
  testing::RunSpec run;
  run.instances = 4 * 4;
  run.workspace_bytes = kernel.workspace_bytes;
  const std::vector<std::vector<float>> initial = {
      in.query, in.key, in.value, std::vector<float>(4 * 8 * 20, 5.0f)};
  const auto whole = testing::RunEntry(kernel.entry, run, initial).buffers[3];
  // RunEntry passes a count of one: one block above, one packet here, which is
  // the first half of sixteen instances.
  auto half = testing::RunEntry(kernel.block_entry, run, initial).buffers[3];
  ASSERT_EQ(half.size(), whole.size());
  const size_t middle = half.size() / 2;
  for (size_t i = 0; i < half.size(); ++i) {
    EXPECT_EQ(half[i], i < middle ? whole[i] : 5.0f) << i;
  }
}

TEST(Compile, ManyBlocksAreTraversedByOneCall) {
  TileOptions options;
  options.workers_per_block = 8;
  auto program = tile::BuildAttention(Small());
  ASSERT_TRUE(program.ok());
  auto kernel = CompileKernel(*program, options);
  ASSERT_TRUE(kernel.ok());
  const testing::AttentionArrays in = testing::SineInputs(Small().shape);
  const std::vector<std::vector<float>> initial = {
      in.query, in.key, in.value, std::vector<float>(4 * 8 * 20, 5.0f)};
  testing::RunSpec run;
  run.instances = 4 * 4;
  run.workers_per_block = 8;
  run.workspace_bytes = kernel->workspace_bytes;
  const CompiledKernel wide = Compile(Small(), {});
  testing::RunSpec one_block;
  one_block.instances = 4 * 4;
  one_block.workspace_bytes = wide.workspace_bytes;
  EXPECT_EQ(Bits(testing::RunEntry(kernel->entry, run, initial).buffers[3]),
            Bits(testing::RunEntry(wide.entry, one_block, initial).buffers[3]));
}

TEST(Compile, WhatIsNoObjectIsRefused) {
  for (const std::string& bytes : {std::string(),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string(4096, '\0')}) {
    auto undefined = UndefinedSymbols(bytes);
    ASSERT_FALSE(undefined.ok());
    EXPECT_EQ(undefined.error().kind, ErrorKind::kCorrupt);
    auto library = LinkSharedLibrary(bytes);
    ASSERT_FALSE(library.ok());
    EXPECT_EQ(library.error().kind, ErrorKind::kInvalidArgument);
  }
  const CompiledKernel kernel = Compile(Small(), {});
  auto library = LinkSharedLibrary(kernel.object);
  ASSERT_TRUE(library.ok());
  EXPECT_FALSE(UndefinedSymbols(*library).ok()) << "a library is no object";
}

TEST(Compile, IllegalOptionsAreRefusedBeforeAnyWork) {
  auto program = tile::BuildAttention(Small());
  ASSERT_TRUE(program.ok());
  TileOptions options;
  options.packet_width = 16;
  options.workers_per_block = 8;
  auto kernel = CompileKernel(*program, options);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind, ErrorKind::kInvalidArgument);
  options = {};
  options.snapshot_budget = 16;
  kernel = CompileKernel(*program, options);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind, ErrorKind::kLimitExceeded);
}

struct Capacity {
  const char* name;
  tile::AttentionSpec spec;
  int64_t cap;
  int64_t bytes, arrays, workspace;
  int64_t rolled;
  int64_t full, tail;
};

TEST(Realization, CapacityIsThatOfTheFirstMeasurements) {
  const Capacity cases[] = {
      {"decode",
       {{1, 8, 2, 1, 2053, 80, 96}, 1, 16},
       0,
       12864,
       8,
       102912,
       1,
       1,
       0},
      {"decode",
       {{1, 8, 2, 1, 2053, 80, 96}, 1, 16},
       8,
       12864,
       8,
       102912,
       2,
       1,
       0},
      {"MHA", {{1, 8, 8, 1, 2048, 64, 64}, 1, 16}, 8, 8576, 5, 68608, 2, 1, 0},
      {"prefill", {{1, 4, 2, 32, 65, 32, 32}, 4, 16}, 8, 6688, 10, 0, 2, 4, 0},
      {"wide prefill",
       {{1, 4, 2, 32, 65, 32, 32}, 8, 16},
       0,
       10160,
       16,
       81280,
       0,
       2,
       0},
      {"tail",
       {{1, 6, 2, 1, 2053, 80, 96}, 1, 16},
       8,
       12864,
       8,
       102912,
       2,
       0,
       1},
  };
  for (const Capacity& c : cases) {
    TileOptions options;
    options.max_unrolled_mma_terms = c.cap;
    options.mma_output_block = 4;
    const CompiledKernel kernel = Compile(c.spec, options);
    auto report = ParseJson(kernel.realization, "report");
    ASSERT_TRUE(report.ok());
    auto number = [&](const char* key) {
      return *report->AsObject()->at(key).AsInteger();
    };
    EXPECT_EQ(number("static_snapshot_bytes_per_worker"), c.bytes) << c.name;
    EXPECT_EQ(number("static_snapshot_allocations"), c.arrays) << c.name;
    EXPECT_EQ(number("private_workspace_bytes"), c.workspace) << c.name;
    EXPECT_EQ(kernel.workspace_bytes, static_cast<uint64_t>(c.workspace));
    EXPECT_EQ(number("blocked_mmas"), 2) << c.name;
    EXPECT_EQ(number("rolled_mmas"), c.rolled) << c.name;
    EXPECT_EQ(number("full_packets_dispatched"), c.full) << c.name;
    EXPECT_EQ(number("tail_packets_dispatched"), c.tail) << c.name;
  }
}

TEST(Realization, EveryFieldIsDocumented) {
  std::ifstream file(EXHIBIT_SOURCE_DIR "/compiler/REALIZATION.md");
  std::ostringstream document;
  document << file.rdbuf();
  auto report = ParseJson(Compile(Small(), Blocked()).realization, "report");
  ASSERT_TRUE(report.ok());
  std::set<std::string> keys;
  for (const auto& [key, value] : *report->AsObject()) {
    keys.insert(key);
    if (value.AsObject() != nullptr && key == "accesses") {
      for (const auto& [inner, unused] : *value.AsObject()) keys.insert(inner);
    }
    if (value.AsArray() == nullptr) continue;
    for (const Json& element : *value.AsArray()) {
      if (element.AsObject() == nullptr) continue;
      for (const auto& [inner, unused] : *element.AsObject()) {
        keys.insert(inner);
      }
    }
  }
  EXPECT_GT(keys.size(), 30u);
  for (const std::string& key : keys) {
    EXPECT_NE(document.str().find("`" + key + "`"), std::string::npos) << key;
  }
}

TEST(Realization, SaysWhatBecameOfTheOptions) {
  TileOptions options = Blocked();
  options.max_full_packet_instructions = 1;
  options.max_unrolled_region_work = 1;
  auto report = ParseJson(Compile(Small(), options).realization, "report");
  ASSERT_TRUE(report.ok());
  const auto& requested = *report->AsObject()->at("requested").AsObject();
  const auto& realized = *report->AsObject()->at("realized").AsObject();
  EXPECT_EQ(requested.at("mma_output_block"), Json(4));
  EXPECT_EQ(realized.at("mma_output_block"), Json(1));
  EXPECT_EQ(requested.at("full_packet"), Json(true));
  EXPECT_EQ(realized.at("full_packet"), Json(false));
  EXPECT_EQ(realized.at("snapshot_budget"), Json(2 * 1024 * 1024));
  EXPECT_EQ(requested.size(), realized.size());
}

}  // namespace
}  // namespace exhibit
