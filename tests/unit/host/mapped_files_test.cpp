#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "manifests/file.h"
#include "manifests/host/file_identity.h"
#include "manifests/host/host.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

class MappedFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "exhibit-maps-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Line(const std::string& path) {
    return "7f0000000000-7f0000001000 r--p 00000000 08:01 42      " + path +
           "\n";
  }

  std::string folder_;
};

TEST_F(MappedFilesTest, OwnProgramIsNamedByItsBytes) {
  const auto maps = ReadFile("/proc/self/maps", 16 << 20);
  ASSERT_TRUE(maps.ok());
  const auto files = DescribeMappedFiles(*maps);
  ASSERT_TRUE(files.ok()) << files.error().message;
  const auto self =
      std::find_if(files->begin(), files->end(),
                   [](const MappedFile& f) { return f.name == "host_test"; });
  ASSERT_NE(self, files->end());
  const auto program =
      ReadFile(std::filesystem::read_symlink("/proc/self/exe"), 256 << 20);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(self->sha256, Sha256Hex(*program));
  EXPECT_TRUE(std::any_of(files->begin(), files->end(), [](const auto& f) {
    return f.name.starts_with("libc.") && !f.build_id.empty();
  }));
}

TEST_F(MappedFilesTest, EachFileIsListedOnceAndSorted) {
  ASSERT_TRUE(PublishFile(folder_ + "/b", "1").ok());
  ASSERT_TRUE(PublishFile(folder_ + "/a b", "2").ok());
  const std::string maps =
      Line(folder_ + "/b") + Line(folder_ + "/a b") + Line(folder_ + "/b") +
      "7ffc0000-7ffd0000 rw-p 00000000 00:00 0  [stack]\n"
      "7ffc0000-7ffd0000 rw-p 00000000 00:00 0 \n" +
      Line("/memfd:inputs (deleted)") + Line("/dev/zero (deleted)") +
      Line("/dev/null") + "not a line of maps\n";
  const auto files = DescribeMappedFiles(maps);
  ASSERT_TRUE(files.ok()) << files.error().message;
  EXPECT_EQ(*files, (std::vector<MappedFile>{{"a b", Sha256Hex("2"), ""},
                                             {"b", Sha256Hex("1"), ""}}));
}

TEST_F(MappedFilesTest, NameThatIsNotAsciiIsStillARecord) {
  ASSERT_TRUE(PublishFile(folder_ + "/\xFF\n", "1").ok());
  const auto files = DescribeMappedFiles(Line(folder_ + "/\xFF\\012"));
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().name, "??");
}

TEST_F(MappedFilesTest, RemovedFileIsAnError) {
  const auto files = DescribeMappedFiles(Line(folder_ + "/gone (deleted)"));
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(files.error().hint.empty());
}

TEST_F(MappedFilesTest, ReplacedFileIsReadAgain) {
  const std::string path = folder_ + "/x";
  ASSERT_TRUE(PublishFile(path, "first").ok());
  EXPECT_EQ((*IdentifyFile(path))->sha256, Sha256Hex("first"));
  EXPECT_EQ((*IdentifyFile(path))->sha256, Sha256Hex("first"));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_TRUE(PublishFile(path, "second").ok());
  EXPECT_EQ((*IdentifyFile(path))->sha256, Sha256Hex("second"));
}

TEST_F(MappedFilesTest, BrokenProgramHasNoBuildId) {
  const auto libc = ReadFile(
      std::filesystem::canonical("/lib/x86_64-linux-gnu/libc.so.6"), 64 << 20);
  if (!libc.ok()) GTEST_SKIP() << "no libc where Debian has it";
  // Cut within headers and notes: an answer or none, and never a fault.
  for (size_t length = 0; length < 2000; length += 7) {
    const std::string path = folder_ + "/" + std::to_string(length);
    ASSERT_TRUE(PublishFile(path, libc->substr(0, length)).ok());
    const auto identity = IdentifyFile(path);
    ASSERT_TRUE(identity.ok());
    const size_t digits = (*identity)->build_id.size();
    EXPECT_TRUE(digits == 0 || digits == 40) << length;
  }
}

TEST_F(MappedFilesTest, FolderHasNoIdentity) {
  const auto identity = IdentifyFile(folder_);
  ASSERT_TRUE(identity.ok());
  EXPECT_FALSE(identity->has_value());
  EXPECT_EQ(IdentifyFile(folder_ + "/no").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace exhibit
