// A disk that gives out: a clear error, and nothing half-written.

#include <gtest/gtest.h>

#include <cstdlib>

#include "manifests/file.h"
#include "replay_process.h"
#include "run_builder.h"

namespace exhibit {
namespace {

// Runs `script` in its own mount namespace: $0 is the tool, "$@" its words.
std::vector<std::string> InNamespace(const std::string& script) {
  return {"unshare", "--user", "--map-root-user", "--mount", "sh",
          "-c",      script};
}

bool NamespacesWork() {
  return system(
             "unshare --user --map-root-user --mount "
             "mount -t tmpfs none /mnt >/dev/null 2>&1") == 0;
}

class ReplayDisk : public testing::Test {
 protected:
  ReplayDisk() : folder_(MakeTemporaryFolder()), run_(folder_ + "/run") {}
  ~ReplayDisk() override { RemoveFolder(folder_); }
  void SetUp() override {
    if (!NamespacesWork()) GTEST_SKIP() << "no user namespaces here";
    BuildRun({.folder = run_, .elements = 2000});
  }
  std::string folder_;
  std::string run_;
};

TEST_F(ReplayDisk, FullDiskIsAnErrorAndLeavesOnlyWholeFiles) {
  // As many pages as the run takes with its folders, which cost none on this
  // file system: it ends among the first records. What is left of the run is
  // copied out for the test to read.
  std::string small = folder_ + "/small";
  std::string left = folder_ + "/left";
  ASSERT_TRUE(CreateFolder(small).ok());
  std::string script = "pages=$(( $(du -s -B4096 '" + run_ +
                       "' | cut -f1) )) && "
                       "mount -t tmpfs -o size=$((pages * 4096)) none '" +
                       small +
                       "' && "
                       "cp -r '" +
                       run_ + "' '" + small +
                       "/' && \"$0\" \"$@\"; status=$?; "
                       "cp -r '" +
                       small + "/run' '" + left + "'; exit $status";
  ToolEnd end =
      ToolProcess(ReplayStart({small + "/run", "--quiet"}, InNamespace(script)))
          .Await();
  EXPECT_EQ(end.status, 3) << end.talk;
  EXPECT_NE(end.talk.find("No space left"), std::string::npos) << end.talk;
  // Every file that is there is whole: arrays are what their names say, and
  // the run goes on when there is room again.
  ToolEnd resumed = RunReplay({left, "--quiet"});
  EXPECT_EQ(resumed.status, 0) << resumed.talk;
  EXPECT_FALSE(ReadTree(left).empty());
}

TEST_F(ReplayDisk, ReadOnlyRunIsAnErrorAndIsNotTouched) {
  std::map<std::string, std::string> before = ReadTree(run_);
  std::string script = "mount --bind '" + run_ + "' '" + run_ +
                       "' && mount -o remount,bind,ro '" + run_ +
                       "' && exec \"$0\" \"$@\"";
  ToolEnd end =
      ToolProcess(ReplayStart({run_, "--quiet"}, InNamespace(script))).Await();
  EXPECT_EQ(end.status, 3) << end.talk;
  EXPECT_NE(end.talk.find("Read-only"), std::string::npos) << end.talk;
  EXPECT_EQ(ReadTree(run_), before);
}

}  // namespace
}  // namespace exhibit
