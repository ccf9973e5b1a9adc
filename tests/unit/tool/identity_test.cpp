#include "manifests/tool/identity.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "manifests/content_id.h"
#include "manifests/file.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr uint64_t kBytesMax = uint64_t{256} << 20;

std::string OutputOf(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char chunk[4096];
  while (const size_t count = ::fread(chunk, 1, sizeof chunk, pipe)) {
    text.append(chunk, count);
  }
  return ::pclose(pipe) == 0 ? text : "";
}

TEST(Identity, ToolIsNamedByTheBytesOfItsProgram) {
  const auto tool = ThisTool("exhibit-x");
  ASSERT_TRUE(tool.ok()) << tool.error().message;
  const auto program =
      ReadFile(std::filesystem::read_symlink("/proc/self/exe"), kBytesMax);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(tool->name, "exhibit-x");
  EXPECT_EQ(tool->version, ToolVersion());
  EXPECT_EQ(tool->sha256, Sha256Hex(*program));
  EXPECT_EQ(tool->source_sha256, SourceTreeDigest());
}

TEST(Identity, CommitIsAHashOrUnknown) {
  const std::string commit = SourceCommit();
  const bool is_hash = commit.find_first_not_of("0123456789abcdef") >= 40 &&
                       (commit.size() == 40 || commit.substr(40) == "-dirty");
  EXPECT_TRUE(commit == "unknown" || is_hash) << commit;
}

TEST(SourceSnapshot, DigestIsTheContentIdOfTheFolder) {
  const auto folder = SourceFolder();
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const auto paths = ListFiles(*folder);
  ASSERT_TRUE(paths.ok()) << paths.error().message;
  FileDigests digests;
  for (const std::string& path : *paths) {
    EXPECT_TRUE(IsRunPath("sources/exhibit/" + path)) << path;
    const auto bytes = ReadFile(*folder + "/" + path, kBytesMax);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    digests[path] = Sha256Hex(*bytes);
  }
  EXPECT_EQ(ContentId(digests), SourceTreeDigest());
}

TEST(SourceSnapshot, DigestIsWhatThePlainToolsPrint) {
  const auto folder = SourceFolder();
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(OutputOf("cd '" + *folder +
                     "' && find * -type f | LC_ALL=C sort | xargs sha256sum | "
                     "sha256sum"),
            SourceTreeDigest() + "  -\n");
}

TEST(SourceSnapshot, HoldsTheSourcesAndNothingBuilt) {
  const auto folder = SourceFolder();
  ASSERT_TRUE(folder.ok());
  for (const char* path : {"CMakeLists.txt", "manifests/entry.h",
                           "manifests/tool/source_snapshot.cmake",
                           "tests/unit/tool/identity_test.cpp"}) {
    EXPECT_TRUE(PathExists(*folder + "/" + path)) << path;
  }
  const auto paths = ListFiles(*folder);
  ASSERT_TRUE(paths.ok());
  for (const std::string& path : *paths) {
    EXPECT_EQ(path.find("__pycache__"), std::string::npos) << path;
  }
}

TEST(SourceSnapshot, EntryHeaderLiesWhereItIsInstalled) {
  const auto tool_folder = ToolFolder();
  const auto folder = SourceFolder();
  ASSERT_TRUE(tool_folder.ok() && folder.ok());
  const auto installed =
      ReadFile(*tool_folder + "/../include/exhibit/entry.h", kBytesMax);
  const auto source = ReadFile(*folder + "/manifests/entry.h", kBytesMax);
  ASSERT_TRUE(installed.ok() && source.ok());
  EXPECT_EQ(*installed, *source);
}

}  // namespace
}  // namespace exhibit
