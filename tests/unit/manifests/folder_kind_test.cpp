#include "manifests/folder_kind.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace exhibit {
namespace {

namespace fs = std::filesystem;

class FolderKind : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "exhibit-kind-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    Put("run/manifest.json");
    Put("bundle/evidence.tar.xz");
    Put("other/notes.txt");
    Put("file");
    fs::create_directories(root_ / "strange/manifest.json");
  }
  void TearDown() override { fs::remove_all(root_); }

  void Put(const std::string& path) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "x";
  }
  std::string At(const std::string& name) { return root_ / name; }

  fs::path root_;
};

TEST_F(FolderKind, WhatItIsIsTaken) {
  EXPECT_TRUE(CheckIsRun(At("run")).ok());
  EXPECT_TRUE(CheckIsRun(At("run/")).ok());
  EXPECT_TRUE(CheckIsBundle(At("bundle")).ok());
  fs::create_directory_symlink(At("run"), At("latest"));
  EXPECT_TRUE(CheckIsRun(At("latest")).ok());
}

TEST_F(FolderKind, TheOtherKindIsNamedWithTheCommandThatMakesThisOne) {
  const Error bundle = CheckIsRun(At("bundle")).error();
  EXPECT_EQ(bundle.kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(bundle.message, At("bundle") + ": is a bundle, not a run");
  EXPECT_EQ(bundle.hint, "Unpack it first: exhibit-archive unpack " +
                             At("bundle") + " -o RUN");
  const Error run = CheckIsBundle(At("run")).error();
  EXPECT_EQ(run.message, At("run") + ": is a run, not a bundle");
  EXPECT_EQ(run.hint,
            "Pack it first: exhibit-archive pack " + At("run") + " -o BUNDLE");
}

TEST_F(FolderKind, ABundleThatLostItsEvidenceIsLeftToItsReader) {
  Put("cut/sources.tar.gz");
  EXPECT_TRUE(CheckIsBundle(At("cut")).ok());
}

TEST_F(FolderKind, WhatIsNeitherIsRefusedWithItsPathAndAHint) {
  const auto expect_refused = [this](const std::string& name,
                                     const Status& status) {
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_TRUE(status.error().message.starts_with(At(name) + ": "))
        << status.error().message;
    EXPECT_TRUE(status.error().hint.starts_with("Give the folder that"))
        << status.error().hint;
  };
  for (const char* name : {"other", "file", "absent", "strange", "file/x"}) {
    expect_refused(name, CheckIsRun(At(name)));
  }
  for (const char* name : {"file", "absent", "file/x"}) {
    expect_refused(name, CheckIsBundle(At(name)));
  }
}

}  // namespace
}  // namespace exhibit
