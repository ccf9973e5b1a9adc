#include "replay/call/prepared_library.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "manifests/file.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/call/call.h"

namespace exhibit {
namespace {

const char kGood[] = EXHIBIT_KERNEL_DIR "/good.so";

LibraryRequest Request() {
  Result<std::string> bytes = ReadFile(kGood, kLibraryBytesMax);
  return {kGood, bytes.ok() ? Sha256Hex(*bytes) : "", "entry", {}};
}

TEST(PreparedLibrary, EntryComputesWhatItShould) {
  Result<PreparedLibrary> library = LoadLibrary(Request());
  ASSERT_TRUE(library.ok()) << library.error().message;
  Result<GuardedBuffers> buffers = GuardedBuffers::Create(
      {{"x", "input", DType::kF32, {3}, BytesOf(std::vector<float>{1, 2, 3})},
       {"output", "output", DType::kF32, {3}, ""}},
      {.workspace_bytes = 64, .dispatch = 3, .workers_per_block = 2});
  ASSERT_TRUE(buffers.ok());
  CallEntry(library->entry(), *buffers);
  EXPECT_EQ(buffers->OutputFloats("output")[2], 7.0f);
  EXPECT_TRUE(buffers->GuardsIntact());
}

TEST(PreparedLibrary, RunsWhatWasHashedWhateverBecomesOfTheFile) {
  std::string copy = testing::TempDir() + "/replay_cut.so";
  std::filesystem::copy_file(kGood, copy,
                             std::filesystem::copy_options::overwrite_existing);
  LibraryRequest request = Request();
  request.path = copy;
  Result<PreparedLibrary> library = LoadLibrary(request);
  ASSERT_TRUE(library.ok()) << library.error().message;
  // Code that was mapped from the file would now fault.
  std::filesystem::resize_file(copy, 0);
  Result<GuardedBuffers> buffers = GuardedBuffers::Create(
      {{"x", "input", DType::kF32, {3}, BytesOf(std::vector<float>{1, 2, 3})},
       {"output", "output", DType::kF32, {3}, ""}},
      {.workspace_bytes = 64, .dispatch = 3, .workers_per_block = 2});
  ASSERT_TRUE(buffers.ok());
  CallEntry(library->entry(), *buffers);
  std::filesystem::remove(copy);
  EXPECT_EQ(buffers->OutputFloats("output")[2], 7.0f);
  Result<std::string> maps = ReadFile("/proc/self/maps", kLibraryBytesMax);
  ASSERT_TRUE(maps.ok());
  EXPECT_NE(maps->find("/memfd:" + copy), std::string::npos);
  EXPECT_EQ(maps->find(" " + copy), std::string::npos);
}

TEST(PreparedLibrary, IsRefusedWhenItsDigestIsAnother) {
  LibraryRequest request = Request();
  request.sha256 = Sha256Hex("another");
  Result<PreparedLibrary> library = LoadLibrary(request);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(library.error().message.find(request.sha256), std::string::npos);
}

TEST(PreparedLibrary, IsRefusedWhenTheCpuLacksAFlag) {
  LibraryRequest request = Request();
  request.required_cpu_flags = {"avx1024", "zzz"};
  Result<PreparedLibrary> library = LoadLibrary(request);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(library.error().message.find("avx1024 zzz"), std::string::npos);
}

TEST(PreparedLibrary, IsRefusedWithoutSymbolOrFileOrFormat) {
  LibraryRequest no_symbol = Request();
  no_symbol.symbol = "absent";
  EXPECT_EQ(LoadLibrary(no_symbol).error().kind, ErrorKind::kNotFound);
  LibraryRequest no_file = Request();
  no_file.path += ".absent";
  EXPECT_EQ(LoadLibrary(no_file).error().kind, ErrorKind::kNotFound);
  LibraryRequest folder = Request();
  folder.path = EXHIBIT_KERNEL_DIR;
  EXPECT_FALSE(LoadLibrary(folder).ok());

  std::string text = testing::TempDir() + "/replay_not_a_library.so";
  std::ofstream(text) << "text";
  Result<PreparedLibrary> library =
      LoadLibrary({text, Sha256Hex("text"), "entry", {}});
  std::filesystem::remove(text);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().kind, ErrorKind::kCorrupt);
}

TEST(PreparedLibrary, TwoLibrariesInOneProcessAreTwo) {
  // The loader knows libraries by name: a descriptor's number used again must
  // not bring back the first one.
  Result<PreparedLibrary> first = LoadLibrary(Request());
  ASSERT_TRUE(first.ok());
  std::string copy = testing::TempDir() + "/replay_copy.so";
  std::filesystem::copy_file(kGood, copy,
                             std::filesystem::copy_options::overwrite_existing);
  LibraryRequest request = Request();
  request.path = copy;
  Result<PreparedLibrary> second = LoadLibrary(request);
  std::filesystem::remove(copy);
  ASSERT_TRUE(second.ok());
  EXPECT_NE(first->entry(), second->entry());
}

TEST(CpuFlags, AreSortedAndMissingOnesAreNamedInOrder) {
  Result<std::vector<std::string>> flags = ReadCpuFlags();
  ASSERT_TRUE(flags.ok());
  EXPECT_FALSE(flags->empty());
  EXPECT_TRUE(std::is_sorted(flags->begin(), flags->end()));
  EXPECT_EQ(MissingFlags({"c", "a", "b"}, {"b"}),
            (std::vector<std::string>{"c", "a"}));
  EXPECT_TRUE(MissingFlags({}, {}).empty());
}

}  // namespace
}  // namespace exhibit
