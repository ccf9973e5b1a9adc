#include "capture/frozen_files.h"

#include <gtest/gtest.h>

#include "manifests/content_id.h"
#include "manifests/sha256.h"
#include "tests/unit/capture/capture_fixture.h"

namespace exhibit {
namespace {

// A folder that stands for Exhibit's own source.
OwnSource WriteOwnSource(const std::string& folder) {
  MustWrite(folder + "/README.md", "own\n");
  return {folder, ContentId({{"README.md", Sha256Hex("own\n")}})};
}

TEST(FrozenFiles, SourcesAndAttachmentsStandUnderTheirOwnFolders) {
  const Scratch scratch;
  const OwnSource own = WriteOwnSource(scratch / "own");
  MustWrite(scratch / "m/kernels/fast.c", "code\n");
  MustWrite(scratch / "m/build.log", "log\n");
  Manifest manifest;
  manifest.sources = {"kernels/fast.c"};
  manifest.attachments = {{"build.log", "build log", "as printed"}};
  const auto files = GatherFrozenFiles(manifest, scratch / "m", own);
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_EQ(files->sources.size(), 2u);
  EXPECT_EQ(files->sources[0].path, "sources/exhibit/README.md");
  EXPECT_EQ(files->sources[1].path, "sources/manifest/kernels/fast.c");
  EXPECT_EQ(files->sources[1].sha256, Sha256Hex("code\n"));
  EXPECT_EQ(files->sources[1].bytes, 5);
  ASSERT_EQ(files->attachments.size(), 1u);
  EXPECT_EQ(files->attachments[0].path, "attachments/build.log");
  EXPECT_EQ(files->attachments[0].role, "build log");
  EXPECT_EQ(files->attachments[0].note, "as printed");
  EXPECT_EQ(files->bytes.at("attachments/build.log"), "log\n");
}

TEST(FrozenFiles, AMissingSourceIsNotFoundByName) {
  const Scratch scratch;
  const OwnSource own = WriteOwnSource(scratch / "own");
  Manifest manifest;
  manifest.sources = {"gone.c"};
  const auto files = GatherFrozenFiles(manifest, scratch.path(), own);
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(files.error().message.find(
                "field \"sources[0]\" of the manifest: cannot open " +
                scratch.path() + "/gone.c"),
            std::string::npos)
      << files.error().message;
  EXPECT_EQ(files.error().hint,
            "a path in a manifest begins at the manifest's own folder: " +
                scratch.path());
}

TEST(FrozenFiles, AMissingAttachmentIsNamedByItsField) {
  const Scratch scratch;
  const OwnSource own = WriteOwnSource(scratch / "own");
  MustWrite(scratch / "build.log", "log\n");
  Manifest manifest;
  manifest.attachments = {{"build.log", "log", ""}, {"gone.log", "log", ""}};
  const auto files = GatherFrozenFiles(manifest, scratch.path(), own);
  ASSERT_FALSE(files.ok());
  EXPECT_NE(files.error().message.find("field \"attachments[1].path\""),
            std::string::npos)
      << files.error().message;
}

TEST(FrozenFiles, OwnSourceThatTheToolWasNotBuiltFromIsCorrupt) {
  const Scratch scratch;
  OwnSource own = WriteOwnSource(scratch / "own");
  MustWrite(scratch / "own/added.cpp", "later\n");
  const auto files = GatherFrozenFiles(Manifest(), scratch.path(), own);
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(files.error().message.find(own.content_id), std::string::npos);
}

TEST(FrozenFiles, ASourceNamedTwiceIsRejected) {
  const Scratch scratch;
  const OwnSource own = WriteOwnSource(scratch / "own");
  MustWrite(scratch / "one.c", "code\n");
  Manifest manifest;
  manifest.sources = {"one.c", "one.c"};
  const auto files = GatherFrozenFiles(manifest, scratch.path(), own);
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().kind, ErrorKind::kInvalidArgument);
}

TEST(FrozenFiles, APathTooLongForARunIsRejected) {
  const Scratch scratch;
  const OwnSource own = WriteOwnSource(scratch / "own");
  Manifest manifest;
  // "sources/manifest/" takes 17 of the 96 bytes.
  manifest.sources = {std::string(79, 's')};
  MustWrite(scratch / std::string(79, 's'), "fits\n");
  EXPECT_TRUE(GatherFrozenFiles(manifest, scratch.path(), own).ok());
  manifest.sources = {std::string(80, 's')};
  const auto files = GatherFrozenFiles(manifest, scratch.path(), own);
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().kind, ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace exhibit
