#include "manifests/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

namespace exhibit {
namespace {

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "exhibit-file-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) { return folder_ + "/" + name; }
  // Everything in the folder, hidden names as well.
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  std::string folder_;
};

// The exit status of `body` in a child process.
int ExitOfChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

template <typename T>
ErrorKind KindOf(const T& result) {
  EXPECT_FALSE(result.ok());
  return result.error().kind;
}

TEST_F(FileTest, PublishedBytesReadBack) {
  const std::string bytes("a\0b\xFF", 4);
  ASSERT_TRUE(PublishFile(Path("x"), bytes).ok());
  const Result<std::string> read = ReadFile(Path("x"), 4);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, bytes);
  EXPECT_EQ(Names(), std::vector<std::string>{"x"});
}

TEST_F(FileTest, PublishedFileHasModeSixFourFourBeforeTheUmask) {
  const mode_t old = ::umask(0027);
  const Status published = PublishFile(Path("x"), "a");
  ::umask(old);
  ASSERT_TRUE(published.ok());
  struct stat facts {};
  ASSERT_EQ(::stat(Path("x").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0640u);
}

TEST_F(FileTest, PublishingNeverOverwrites) {
  ASSERT_TRUE(PublishFile(Path("x"), "first").ok());
  EXPECT_EQ(KindOf(PublishFile(Path("x"), "second")),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(*ReadFile(Path("x"), 100), "first");
}

TEST_F(FileTest, PublishingDoesNotFollowADanglingLink) {
  ASSERT_EQ(::symlink("target", Path("x").c_str()), 0);
  EXPECT_EQ(KindOf(PublishFile(Path("x"), "a")), ErrorKind::kInvalidArgument);
  EXPECT_FALSE(PathExists(Path("target")));
}

TEST_F(FileTest, PublishingIntoAMissingFolderIsNotFound) {
  EXPECT_EQ(KindOf(PublishFile(Path("no/x"), "a")), ErrorKind::kNotFound);
}

TEST_F(FileTest, RacingPublishersHaveOneWinner) {
  int winners = 0;
  pid_t children[8];
  for (pid_t& child : children) {
    child = ::fork();
    if (child == 0) {
      ::_exit(PublishFile(Path("x"), std::to_string(::getpid())).ok() ? 0 : 1);
    }
  }
  pid_t winner = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (status == 0) winner = child;
    winners += status == 0 ? 1 : 0;
  }
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(*ReadFile(Path("x"), 100), std::to_string(winner));
}

TEST_F(FileTest, FailedWriteLeavesNothingBehind) {
  const int exit = ExitOfChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    const Status status = PublishFile(Path("x"), std::string(2000, 'a'));
    if (status.ok()) return 11;
    return status.error().kind == ErrorKind::kIo ? 0 : 12;
  });
  EXPECT_EQ(exit, 0);
  EXPECT_TRUE(Names().empty());
}

TEST_F(FileTest, FailedAppendLeavesTheFileAsItWas) {
  ASSERT_TRUE(AppendFile(Path("log"), std::string(900, 'a')).ok());
  const int exit = ExitOfChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    const Status status = AppendFile(Path("log"), std::string(200, 'b'));
    if (status.ok()) return 11;
    return status.error().kind == ErrorKind::kIo ? 0 : 12;
  });
  EXPECT_EQ(exit, 0);
  EXPECT_EQ(*ReadFile(Path("log"), 2000), std::string(900, 'a'));
}

TEST_F(FileTest, SameContentMayBePublishedAgain) {
  ASSERT_TRUE(PublishContent(Path("x"), "abc").ok());
  EXPECT_TRUE(PublishContent(Path("x"), "abc").ok());
  for (const char* other : {"abd", "ab", "abcd", ""}) {
    EXPECT_EQ(KindOf(PublishContent(Path("x"), other)), ErrorKind::kCorrupt)
        << other;
  }
  EXPECT_EQ(*ReadFile(Path("x"), 3), "abc");
}

TEST_F(FileTest, AppendedLinesFollowEachOther) {
  ASSERT_TRUE(AppendFile(Path("log"), "a\n").ok());
  ASSERT_TRUE(AppendFile(Path("log"), "b\n").ok());
  EXPECT_EQ(*ReadFile(Path("log"), 4), "a\nb\n");
}

TEST_F(FileTest, ReadingStopsAtItsLimit) {
  ASSERT_TRUE(PublishFile(Path("x"), "abc").ok());
  EXPECT_TRUE(ReadFile(Path("x"), 3).ok());
  EXPECT_EQ(KindOf(ReadFile(Path("x"), 2)), ErrorKind::kLimitExceeded);
  // The kernel states no size for these.
  EXPECT_TRUE(ReadFile("/proc/self/stat", 4096).ok());
  EXPECT_EQ(KindOf(ReadFile("/proc/self/stat", 1)), ErrorKind::kLimitExceeded);
}

TEST_F(FileTest, OnlyRegularFilesAreRead) {
  ASSERT_TRUE(PublishFile(Path("x"), "abc").ok());
  ASSERT_EQ(::symlink("x", Path("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(KindOf(ReadFile(Path("no"), 9)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(ReadFile(Path("x/y"), 9)), ErrorKind::kNotFound);
  EXPECT_EQ(KindOf(ReadFile(Path("link"), 9)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(ReadFile(Path("pipe"), 9)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(ReadFile(folder_, 9)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(ReadFile("/dev/null", 9)), ErrorKind::kInvalidArgument);
}

TEST_F(FileTest, FoldersAreCreatedOnce) {
  ASSERT_TRUE(CreateFolder(Path("a")).ok());
  EXPECT_EQ(KindOf(CreateFolder(Path("a"))), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(CreateFolder(Path("b/c"))), ErrorKind::kNotFound);
  EXPECT_TRUE(CreateFolders(Path("b/c//d/")).ok());
  EXPECT_TRUE(CreateFolders(Path("b/c/d")).ok());
  EXPECT_TRUE(SyncFolder(Path("b/c/d")).ok());
  ASSERT_TRUE(PublishFile(Path("x"), "").ok());
  EXPECT_EQ(KindOf(CreateFolders(Path("x"))), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf(CreateFolders(Path("x/y"))), ErrorKind::kInvalidArgument);
}

TEST_F(FileTest, FilesAreListedBytewise) {
  ASSERT_TRUE(CreateFolders(Path("a/empty")).ok());
  for (const char* name : {"a/b", "a-b", "B", "a.b", ".h"}) {
    ASSERT_TRUE(PublishFile(Path(name), "").ok());
  }
  const auto files = ListFiles(folder_);
  ASSERT_TRUE(files.ok()) << files.error().message;
  EXPECT_EQ(*files, (std::vector<std::string>{".h", "B", "a-b", "a.b", "a/b"}));
}

TEST_F(FileTest, ListingRefusesLinksAndPipes) {
  ASSERT_EQ(::symlink(".", Path("loop").c_str()), 0);
  EXPECT_EQ(KindOf(ListFiles(folder_)), ErrorKind::kCorrupt);
  ASSERT_EQ(::unlink(Path("loop").c_str()), 0);
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(KindOf(ListFiles(folder_)), ErrorKind::kCorrupt);
}

TEST_F(FileTest, ListingStopsAtItsLimits) {
  EXPECT_EQ(KindOf(ListFiles(Path("no"))), ErrorKind::kNotFound);
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(PublishFile(Path(name), "").ok());
  }
  ASSERT_TRUE(CreateFolder(Path("d")).ok());
  EXPECT_TRUE(ListFiles(folder_, 3).ok());
  EXPECT_EQ(KindOf(ListFiles(folder_, 2)), ErrorKind::kLimitExceeded);
  std::string deep = folder_;
  for (int level = 2; level <= 32; ++level) deep += "/d";
  ASSERT_TRUE(CreateFolders(deep).ok());
  EXPECT_TRUE(ListFiles(folder_, 100).ok());
  ASSERT_TRUE(CreateFolder(deep + "/d").ok());
  EXPECT_EQ(KindOf(ListFiles(folder_, 100)), ErrorKind::kLimitExceeded);
}

TEST_F(FileTest, LockIsExclusiveAcrossProcesses) {
  const auto child_acquires = [&] {
    return ExitOfChild([&] {
      const Result<RunLock> lock = RunLock::Acquire(folder_);
      if (lock.ok()) return 0;
      return lock.error().kind == ErrorKind::kInvalidArgument ? 1 : 2;
    });
  };
  {
    Result<RunLock> lock = RunLock::Acquire(folder_);
    ASSERT_TRUE(lock.ok()) << lock.error().message;
    EXPECT_EQ(child_acquires(), 1);
    const RunLock moved = std::move(*lock);
    EXPECT_EQ(child_acquires(), 1);
  }
  EXPECT_EQ(child_acquires(), 0);
  EXPECT_TRUE(Names().empty());
}

TEST_F(FileTest, KilledProcessReleasesItsLock) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<RunLock> lock = RunLock::Acquire(folder_);
    if (::write(ready[1], lock.ok() ? "y" : "n", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(1);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(KindOf(RunLock::Acquire(folder_)), ErrorKind::kInvalidArgument);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(RunLock::Acquire(folder_).ok());
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace exhibit
