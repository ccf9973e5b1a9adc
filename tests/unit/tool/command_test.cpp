#include "manifests/tool/command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <new>
#include <stdexcept>

#include "manifests/tool/identity.h"
#include "manifests/tool/progress.h"

namespace exhibit {
namespace {

struct Words {
  bool flag = false;
  std::string run;
  std::string out = "unset";
  int64_t count = 7;
  std::vector<std::string> names;
};

struct Ending {
  int exit = -1;  // 128 + n after signal n.
  std::string out, err;
};

using Body = std::function<Exit(const Words&)>;

std::string Drain(int fd) {
  std::string text;
  char chunk[4096];
  ssize_t count = 0;
  while ((count = ::read(fd, chunk, sizeof chunk)) > 0) {
    text.append(chunk, static_cast<size_t>(count));
  }
  ::close(fd);
  return text;
}

// `main` in a process of its own, with its output.
Ending RunProcess(const std::function<int()>& main) {
  int out[2], err[2];
  EXPECT_EQ(::pipe(out), 0);
  EXPECT_EQ(::pipe(err), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
    // GoogleTest must not catch what nobody else does.
    [&]() noexcept { ::_exit(main()); }();
  }
  ::close(out[1]);
  ::close(err[1]);
  Ending ending;
  // What a test prints fits into a pipe, so the order does not matter.
  ending.out = Drain(out[0]);
  ending.err = Drain(err[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ending.exit =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ending;
}

int RunWords(std::vector<std::string> words, const Body& body) {
  words.insert(words.begin(), "exhibit-x");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Words values;
  CommandLine command("exhibit-x", "Does x.", {"exhibit-x RUN --count 3"});
  command.RequiredText("RUN", values.run, "The run");
  command.Flag("--flag", values.flag, "A flag");
  command.Text("--out", values.out, "A folder");
  command.Integer("--count", values.count, 1, 100, "A count");
  command.TextList("--name", values.names, "Names");
  return RunTool(static_cast<int>(words.size()), argv.data(), command,
                 [&] { return body(values); });
}

Ending Tool(const std::vector<std::string>& words, const Body& body) {
  return RunProcess([&] { return RunWords(words, body); });
}

Exit Done(const Words&) { return Exit::kDone; }

TEST(Command, ValuesReachTheirVariables) {
  const Ending ending =
      Tool({"--count", "100", "run", "--flag", "--name", "a", "--name", "[b,c]",
            "--out=x y"},
           [](const Words& w) {
             const bool as_typed =
                 w.flag && w.run == "run" && w.count == 100 && w.out == "x y" &&
                 w.names == std::vector<std::string>{"a", "[b,c]"};
             return as_typed ? Exit::kDone : Exit::kDoesNotHold;
           });
  EXPECT_EQ(ending.exit, 0) << ending.err;
  EXPECT_EQ(ending.out + ending.err, "");
}

TEST(Command, AbsentOptionsKeepTheirValues) {
  const Ending ending = Tool({"run"}, [](const Words& w) {
    const bool kept =
        !w.flag && w.out == "unset" && w.count == 7 && w.names.empty();
    return kept ? Exit::kDone : Exit::kDoesNotHold;
  });
  EXPECT_EQ(ending.exit, 0) << ending.err;
}

TEST(Command, EveryWrongCommandLineExitsTwoWithErrorAndHint) {
  const std::vector<std::vector<std::string>> lines = {
      {},
      {"run", "again"},
      {"run", "--no-such"},
      {"run", "-q"},
      {"run", "--count"},
      {"run", "--count", "0"},
      {"run", "--count", "101"},
      {"run", "--count", "0x10"},
      {"run", "--count", "010"},
      {"run", "--count", "1e1"},
      {"run", "--count", "+3"},
      {"run", "--count", " 3"},
      {"run", "--count", "3.0"},
      {"run", "--count", ""},
      {"run", "--count", "99999999999999999999"},
      {"run", "--count", "3", "--count", "4"},
      {"run", "--out"},
      {"run", "--out", "--flag"},
      {"run", "--out", "a", "--out", "b"},
      {"run", "--flag=false"},
      {"run", "--flag=true"},
      {"run", "--quiet="},
      {"--out=", "run"},
      {"run", "--name"},
  };
  for (const auto& line : lines) {
    const Ending ending = Tool(line, Done);
    const std::string last = line.empty() ? "" : line.back();
    EXPECT_EQ(ending.exit, 2) << last << ": " << ending.err;
    EXPECT_EQ(ending.out, "") << last;
    EXPECT_TRUE(ending.err.starts_with("exhibit-x: error: ")) << ending.err;
    EXPECT_TRUE(ending.err.ends_with("\nhint: see exhibit-x --help\n"))
        << ending.err;
  }
}

TEST(Command, WhatIsWrongIsNamedWithWhatWasRead) {
  const struct {
    std::vector<std::string> words;
    std::string error;
  } kCases[] = {
      {{"run", "--flag=yes"}, "--flag: takes no value, read \"yes\""},
      {{"run", "--quiet=1"}, "--quiet: takes no value, read \"1\""},
      {{"run", "--out"}, "--out: a value is missing after it"},
      {{"run", "--out="}, "--out: the value is empty"},
      {{"--out=", "run"}, "--out: the value is empty"},
      {{"run", "--out", "--flag"}, "--out: a value is missing before --flag"},
      {{"run", "--count", "--flag"},
       "--count: a value is missing before --flag"},
      {{"run", "--out", "a", "--out", "b"},
       "--out: given more than once: \"a\" and \"b\""},
      {{"run", "--count", "3", "--count", "4"},
       "--count: given more than once: \"3\" and \"4\""},
      {{"--no-such", "run", "again"}, "\"--no-such\" is no option"},
      {{"--no-such"}, "\"--no-such\" is no option"},
      {{"run", "--no-such=3"}, "\"--no-such\" is no option"},
      {{"run", "again"}, "the following argument was not expected: again"},
  };
  for (const auto& [words, error] : kCases) {
    EXPECT_EQ(Tool(words, Done).err,
              "exhibit-x: error: " + error + "\nhint: see exhibit-x --help\n");
  }
  EXPECT_EQ(Tool({"--cuont", "3", "run"}, Done).err,
            "exhibit-x: error: \"--cuont\" is no option\n"
            "hint: did you mean --count? see exhibit-x --help\n");
}

TEST(Command, AFlagMayBeRepeated) {
  EXPECT_EQ(Tool({"run", "--flag", "--flag"}, Done).exit, 0);
}

TEST(Command, AfterTwoDashesEveryWordIsAPositional) {
  const Ending ending = Tool({"--", "--flag=yes"}, [](const Words& w) {
    return w.run == "--flag=yes" ? Exit::kDone : Exit::kDoesNotHold;
  });
  EXPECT_EQ(ending.exit, 0) << ending.err;
}

TEST(Command, HelpIsTheProductAndShowsTheExample) {
  const Ending ending =
      Tool({"--help"}, [](const Words&) { return Exit::kBug; });
  EXPECT_EQ(ending.exit, 0);
  EXPECT_EQ(ending.err, "");
  for (const char* text :
       {"Does x.", "--flag", "--count", "--quiet", "--version", "RUN",
        "Example:\n  exhibit-x RUN --count 3"}) {
    EXPECT_NE(ending.out.find(text), std::string::npos) << ending.out;
  }
}

TEST(Command, VersionNamesTheBuildAndNeedsNothingElse) {
  const Ending ending = Tool({"--version"}, Done);
  EXPECT_EQ(ending.exit, 0) << ending.err;
  EXPECT_EQ(ending.err, "");
  EXPECT_TRUE(ending.out.starts_with("exhibit-x " + ToolVersion() + "\n"));
  EXPECT_NE(ending.out.find(SourceTreeDigest()), std::string::npos);
}

TEST(Command, ProductThatNobodyTakesIsAnError) {
  const Ending ending = RunProcess([] {
    ::close(STDOUT_FILENO);
    return RunWords({"--help"}, Done);
  });
  EXPECT_EQ(ending.exit, 3) << ending.err;
  int gone[2];
  ASSERT_EQ(::pipe(gone), 0);
  ::close(gone[0]);
  const Ending piped = RunProcess([&] {
    ::dup2(gone[1], STDOUT_FILENO);
    return RunWords({"run"}, [](const Words&) {
      const Status printed = PrintProduct("text");
      return printed.ok() ? Exit::kDone : ReportError(printed.error());
    });
  });
  ::close(gone[1]);
  EXPECT_EQ(piped.exit, 3) << piped.err;
}

TEST(Command, ExitsWithWhatTheBodySays) {
  for (const Exit exit : {Exit::kDone, Exit::kDoesNotHold, Exit::kUsage,
                          Exit::kCouldNot, Exit::kUnsupported}) {
    EXPECT_EQ(Tool({"run"}, [exit](const Words&) { return exit; }).exit,
              static_cast<int>(exit));
  }
}

TEST(Command, ExceptionsAreReportedAsBugs) {
  const Ending thrown = Tool({"run"}, [](const Words&) -> Exit {
    throw std::logic_error("two is three");
  });
  EXPECT_EQ(thrown.exit, 70);
  EXPECT_NE(thrown.err.find("two is three\nhint: this is a bug"),
            std::string::npos)
      << thrown.err;
  EXPECT_EQ(Tool({"run"}, [](const Words&) -> Exit { throw 1; }).exit, 70);
}

TEST(Command, OptionDeclaredTwiceIsABugAndNotACrash) {
  const Ending ending = RunProcess([] {
    CommandLine command("exhibit-x", "Does x.", {});
    bool value = false;
    command.Flag("--flag", value, "");
    command.Flag("--flag", value, "");
    return 0;
  });
  EXPECT_EQ(ending.exit, 70) << ending.err;
}

TEST(Command, NoMemoryExitsThree) {
  const Ending ending =
      Tool({"run"}, [](const Words&) -> Exit { throw std::bad_alloc(); });
  EXPECT_EQ(ending.exit, 3);
  EXPECT_NE(ending.err.find("out of memory"), std::string::npos);
}

TEST(Command, AnErrorWithoutAHintGetsTheOneOfItsKind) {
  for (const ErrorKind kind :
       {ErrorKind::kInvalidArgument, ErrorKind::kNotFound, ErrorKind::kCorrupt,
        ErrorKind::kUnsupported, ErrorKind::kLimitExceeded, ErrorKind::kIo}) {
    const Ending ending = Tool({"run"}, [kind](const Words&) {
      return ReportError({kind, "x", ""});
    });
    EXPECT_TRUE(ending.err.starts_with("exhibit-x: error: x\nhint: "))
        << ending.err;
    EXPECT_GT(ending.err.size(), 40U) << ending.err;
  }
}

TEST(Command, ErrorsHaveTheirStatusAndShape) {
  const Ending io = Tool({"run"}, [](const Words&) {
    return ReportError({ErrorKind::kIo, "cannot read\r\033[2Jx", "look"});
  });
  EXPECT_EQ(io.exit, 3);
  EXPECT_EQ(io.err, "exhibit-x: error: cannot read??[2Jx\nhint: look\n");
  EXPECT_EQ(Tool({"run"},
                 [](const Words&) {
                   return ReportError({ErrorKind::kUnsupported, "x", ""});
                 })
                .exit,
            4);
  EXPECT_EQ(Tool({"run"},
                 [](const Words&) {
                   return ReportUsage({ErrorKind::kInvalidArgument, "x", ""});
                 })
                .exit,
            2);
}

TEST(Command, ALineEndInWhatWasReadMakesNoSecondLine) {
  EXPECT_EQ(Tool({"run"},
                 [](const Words&) {
                   return ReportError({ErrorKind::kIo, "a\nb: no", "see a\nb"});
                 })
                .err,
            "exhibit-x: error: a\\nb: no\nhint: see a\\nb\n");
  EXPECT_EQ(Tool({"run", "a\nb"}, Done).err,
            "exhibit-x: error: the following argument was not expected: "
            "a\\nb\nhint: see exhibit-x --help\n");
}

Exit Talks(const Words&) {
  Warn("careful");
  Progress progress("step", 3);
  for (int done = 0; done <= 3; ++done) progress.Update(done, "x");
  return ReportError({ErrorKind::kIo, "broken", "mend it"});
}

TEST(Command, QuietSaysNothingButErrors) {
  EXPECT_EQ(Tool({"run"}, Talks).err,
            "exhibit-x: warning: careful\n"
            "exhibit-x: step 0/3 x\nexhibit-x: step 1/3 x\n"
            "exhibit-x: step 2/3 x\nexhibit-x: step 3/3 x\n"
            "exhibit-x: error: broken\nhint: mend it\n");
  EXPECT_EQ(Tool({"run", "--quiet"}, Talks).err,
            "exhibit-x: error: broken\nhint: mend it\n");
}

TEST(Command, LongProgressPrintsALineForEachTenth) {
  const Ending ending = Tool({"run"}, [](const Words&) {
    Progress progress("step", 1000);
    for (int done = 0; done <= 1000; ++done) progress.Update(done, "");
    return Exit::kDone;
  });
  EXPECT_EQ(std::count(ending.err.begin(), ending.err.end(), '\n'), 11);
}

TEST(Command, ProgressCountsWhatWasDoneBefore) {
  const Ending ending = Tool({"run"}, [](const Words&) {
    Progress progress("step", 4);
    for (int done = 3; done <= 4; ++done) progress.Update(done, "");
    return Exit::kDone;
  });
  EXPECT_EQ(ending.err, "exhibit-x: step 3/4\nexhibit-x: step 4/4\n");
}

TEST(Command, SignalsEndTheBodyWithTheirStatus) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Ending ending = Tool({"run"}, [number](const Words&) {
      WatchSignals();
      if (PendingSignal() != 0) return Exit::kBug;
      ::raise(number);
      return PendingSignal() == number ? Exit::kDoesNotHold : Exit::kBug;
    });
    EXPECT_EQ(ending.exit, 128 + number);
  }
}

TEST(Command, FileSizeLimitIsAnErrorAndNotASignal) {
  const Ending ending = Tool({"run"}, [](const Words&) {
    const rlimit limit{0, 0};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return Exit::kBug;
    const int fd =
        ::open(::testing::TempDir().c_str(), O_WRONLY | O_TMPFILE, 0600);
    return ::write(fd, "a", 1) < 0 ? Exit::kCouldNot : Exit::kDone;
  });
  EXPECT_EQ(ending.exit, 3);
}

Ending WithSubcommands(std::vector<std::string> words) {
  return RunProcess([words]() mutable {
    words.insert(words.begin(), "exhibit-x");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    bool pack = false, seal = false;
    std::string run, bundle, key;
    CommandLine command("exhibit-x", "Does x.", {"exhibit-x pack RUN"});
    CommandLine& packing = command.Subcommand("pack", "Packs", pack);
    packing.RequiredText("RUN", run, "The run");
    CommandLine& sealing = command.Subcommand("seal", "Seals", seal);
    sealing.RequiredText("BUNDLE", bundle, "The bundle");
    sealing.Text("-k,--key", key, "The key");
    return RunTool(static_cast<int>(words.size()), argv.data(), command, [&] {
      Warn("careful");
      const Status printed = PrintProduct(std::string(pack ? "pack " : "") +
                                          (seal ? "seal " : "") + run + bundle);
      return printed.ok() ? Exit::kDone : Exit::kCouldNot;
    });
  });
}

TEST(Subcommand, OnlyTheGivenOneIsChosen) {
  EXPECT_EQ(WithSubcommands({"pack", "r"}).out, "pack r");
  EXPECT_EQ(WithSubcommands({"seal", "b"}).out, "seal b");
}

TEST(Subcommand, QuietStandsBeforeOrAfterIt) {
  EXPECT_EQ(WithSubcommands({"pack", "r"}).err,
            "exhibit-x: warning: careful\n");
  EXPECT_EQ(WithSubcommands({"--quiet", "pack", "r"}).err, "");
  EXPECT_EQ(WithSubcommands({"pack", "--quiet", "r"}).err, "");
}

TEST(Subcommand, ItsHelpShowsItsOwnOptionsAndTheExample) {
  const Ending ending = WithSubcommands({"pack", "--help"});
  EXPECT_EQ(ending.exit, 0);
  EXPECT_NE(ending.out.find("RUN"), std::string::npos) << ending.out;
  EXPECT_EQ(ending.out.find("BUNDLE"), std::string::npos) << ending.out;
  EXPECT_NE(ending.out.find("exhibit-x pack RUN"), std::string::npos);
}

TEST(Subcommand, MissingOrUnknownOrSecondOneExitsTwo) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{},
                                             {"no"},
                                             {"pack"},
                                             {"pack", "r", "s"},
                                             {"pack", "r", "seal", "b"},
                                             {"pack", "r", "--version"}}) {
    const Ending ending = WithSubcommands(words);
    EXPECT_EQ(ending.exit, 2) << (words.empty() ? "" : words.back());
    EXPECT_NE(ending.err.find("\nhint: "), std::string::npos) << ending.err;
  }
  EXPECT_EQ(WithSubcommands({"--version"}).exit, 0);
}

TEST(Subcommand, WhatIsWrongOfItIsHintedAtItsOwnHelp) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"pack"}, {"pack", "--no"}, {"pack", "r", "s"}}) {
    const Ending ending = WithSubcommands(words);
    EXPECT_TRUE(ending.err.ends_with("hint: see exhibit-x pack --help\n"))
        << ending.err;
  }
}

TEST(Subcommand, UnknownOneIsNamedAndTheKnownOnesAreListed) {
  const std::string hint =
      "hint: the commands are pack, seal; see exhibit-x --help\n";
  EXPECT_EQ(WithSubcommands({"foo", "r"}).err,
            "exhibit-x: error: \"foo\" is no command\n" + hint);
  EXPECT_EQ(WithSubcommands({}).err,
            "exhibit-x: error: a subcommand is required\n" + hint);
}

TEST(Subcommand, AnUnknownOptionIsNamedAndNotTheWordBehindIt) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> kCases = {
      {{"--pack", "k", "b"},
       "\"--pack\" is no option\nhint: pack is a command, without dashes; see "
       "exhibit-x pack --help\n"},
      {{"--key", "k", "seal", "b"},
       "\"--key\" is no option\nhint: it is an option of seal, after that "
       "word; "
       "see exhibit-x seal --help\n"},
      {{"seal", "--kye", "k", "b"},
       "\"--kye\" is no option\nhint: did you mean --key? see exhibit-x seal "
       "--help\n"},
      {{"--no"}, "\"--no\" is no option\nhint: see exhibit-x --help\n"},
      {{"pack", "r", "--no=1", "s"},
       "\"--no\" is no option\nhint: see exhibit-x pack --help\n"},
      {{"seal", "b", "-k"},
       "-k: a value is missing after it\nhint: see exhibit-x seal --help\n"},
      {{"seal", "b", "-k", "1", "--key=2"},
       "--key: given more than once: \"1\" and \"2\"\n"
       "hint: see exhibit-x seal --help\n"},
      {{"seal", "b", "--quiet=no"},
       "--quiet: takes no value, read \"no\"\n"
       "hint: see exhibit-x seal --help\n"},
      {{"seal"}, "BUNDLE is required\nhint: see exhibit-x seal --help\n"}};
  for (const auto& [words, error] : kCases) {
    const Ending ending = WithSubcommands(words);
    EXPECT_EQ(ending.exit, 2) << error;
    EXPECT_EQ(ending.err, "exhibit-x: error: " + error);
  }
}

}  // namespace
}  // namespace exhibit
