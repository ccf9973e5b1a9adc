#include "archive/privacy.h"

#include <gtest/gtest.h>

#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

PrivateWords Words() {
  MachineNames names;
  names.homes = {"/home/alexandra/"};
  names.working_folders = {"/srv/bench/today"};
  names.users = {"alexandra"};
  names.hosts = {"clytemnestra.lan", "clytemnestra"};
  return ChoosePrivateWords(names);
}

std::string Found(std::string_view text) {
  const PrivateWords words = Words();
  const auto find = FindPrivateWord(text, words);
  return find ? find->word.text + "@" + std::to_string(find->offset) : "";
}

TEST(Privacy, FoldersAreFoundAsPrefixesOfPaths) {
  EXPECT_EQ(Found("/home/alexandra"), "/home/alexandra@0");
  EXPECT_EQ(Found("cc -I/home/alexandra/include x"), "/home/alexandra@5");
  EXPECT_EQ(Found(std::string("\0/srv/bench/today/a.c\0", 22)),
            "/srv/bench/today@1");
}

TEST(Privacy, NamesAreFoundWhereTheyNameSomebody) {
  EXPECT_EQ(Found("/data/alexandra/x"), "alexandra@6");
  EXPECT_EQ(Found("/data/alexandra"), "alexandra@6");
  EXPECT_EQ(Found("by alexandra@example.org"), "alexandra@3");
  EXPECT_EQ(Found("root@clytemnestra:"), "clytemnestra@5");
  EXPECT_EQ(Found("x@clytemnestra.example"), "clytemnestra@2");
  EXPECT_EQ(Found("{\"host\":\"clytemnestra\"}"), "clytemnestra@9");
  EXPECT_EQ(Found("user='alexandra'"), "alexandra@6");
  EXPECT_EQ(Found("/net/clytemnestra.lan/x"), "clytemnestra.lan@5");
}

TEST(Privacy, ANameBeginsARelativePath) {
  EXPECT_EQ(Found(std::string("\0alexandra/kernel.c\0", 20)), "alexandra@1");
  EXPECT_EQ(Found("\"alexandra/kernel.c\""), "alexandra@1");
  EXPECT_EQ(Found("alexandra/kernel.c"), "alexandra@0");
  EXPECT_EQ(Found("clytemnestra:/x clytemnestra/x"), "clytemnestra@16");
  for (const char* text :
       {"my-alexandra/x", "d.alexandra/x", "2alexandra/x", "alexandra.c/x"}) {
    EXPECT_EQ(Found(text), "") << text;
  }
}

TEST(Privacy, AQuotedNameMayBeEscaped) {
  EXPECT_EQ(Found(R"({"question":"made by \"alexandra\" today"})"),
            "alexandra@23");
  EXPECT_EQ(Found(R"('it\'s \'clytemnestra\'')"), "clytemnestra@9");
  for (const char* text :
       {R"("alexandra\)", R"("alexandra\n")", R"("alexandra\')",
        R"(\alexandra\)", R"("alexandra\\")"}) {
    EXPECT_EQ(Found(text), "") << text;
  }
}

TEST(Privacy, AFolderOfOneComponentIsNotFoundWithinALongerPath) {
  MachineNames names;
  names.homes = {"/root"};
  const PrivateWords words = ChoosePrivateWords(names);
  for (const std::string& text :
       {std::string("/root"), std::string("x=/root/a"),
        std::string("cc -I/root/include -isystem/root"),
        std::string("file:///root/a"), std::string("\x12./root/a"),
        std::string("/mnt /root"),
        std::string("/" + std::string(64, 'a')) + "/root"}) {
    EXPECT_TRUE(FindPrivateWord(text, words)) << text;
  }
  for (const std::string& text :
       {std::string("/proc/1/root"), std::string("/mnt/root/x"),
        std::string("../x/root"), std::string("/rooted"),
        std::string("/" + std::string(63, 'a')) + "/root"}) {
    EXPECT_FALSE(FindPrivateWord(text, words)) << text;
  }
  // One of more is found there as well.
  EXPECT_EQ(Found("/mnt/home/alexandra/x"), "/home/alexandra@4");
}

TEST(Privacy, WordsOfProseAreNotFound) {
  for (const char* text :
       {"alexandra wrote this on clytemnestra", "alexandra", "alexandra's",
        "\"alexandra wrote\"", "\"for alexandra\"", "/home/alexandra2/x",
        "/home/alexandra-old", "/data/alexandrapolis/x", "/x/dialexandra/y",
        "clytemnestra@example.org", "@alexandra said", "my-alexandra@x",
        "/srv/bench/todays", "/srv/bench", "\"alexandra'", "/alexandra.c"}) {
    EXPECT_EQ(Found(text), "") << text;
  }
}

TEST(Privacy, ShortAndSharedNamesAreExemptAndSaidToBe) {
  MachineNames names;
  names.homes = {"/", "", "/root"};
  names.working_folders = {"/", "/tmp", "relative/folder"};
  names.users = {"root", "bob", "root", ""};
  names.hosts = {"pc"};
  const PrivateWords words = ChoosePrivateWords(names);
  ASSERT_EQ(words.looked_for.size(), 1U);
  EXPECT_EQ(words.looked_for[0].text, "/root");
  ASSERT_EQ(words.exempt.size(), 3U);
  EXPECT_NE(words.exempt[0].find("host name pc"), std::string::npos);
  EXPECT_NE(words.exempt[1].find("user name bob"), std::string::npos);
  EXPECT_NE(words.exempt[2].find("user name root"), std::string::npos);
}

TEST(Privacy, AWordIsFoundWhereverPiecesAreCut) {
  const std::string text = "before /data/alexandra/after, long enough to go on";
  const PrivateWords words = Words();
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    PrivacyScanner scanner(words);
    for (size_t at = 0; at < text.size(); at += piece) {
      scanner.Feed(std::string_view(text).substr(at, piece));
    }
    const auto find = scanner.Finish();
    ASSERT_TRUE(find) << piece;
    EXPECT_EQ(find->offset, 13U) << piece;
  }
}

TEST(Privacy, NothingIsMadeUpWherePiecesAreCut) {
  const std::string text = "alexandra /data/alexandras \"alexandra\t\" x@y";
  const PrivateWords words = Words();
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    PrivacyScanner scanner(words);
    for (size_t at = 0; at < text.size(); at += piece) {
      scanner.Feed(std::string_view(text).substr(at, piece));
    }
    EXPECT_FALSE(scanner.Finish()) << piece;
  }
}

TEST(Privacy, WhatStandsAroundAWordIsKnownWhereverPiecesAreCut) {
  MachineNames names;
  names.homes = {"/root"};
  names.users = {"alexandra"};
  const PrivateWords words = ChoosePrivateWords(names);
  const std::string within = "/" + std::string(63, 'a') + "/root, and so on";
  const std::string beyond = "/" + std::string(64, 'a') + "/root, and so on";
  const std::string quoted = R"(say \"alexandra\", and so on and on)";
  for (size_t piece = 1; piece <= beyond.size(); ++piece) {
    for (const std::string& text : {within, beyond, quoted}) {
      PrivacyScanner scanner(words);
      for (size_t at = 0; at < text.size(); at += piece) {
        scanner.Feed(std::string_view(text).substr(at, piece));
      }
      EXPECT_EQ(scanner.Finish().has_value(), text != within)
          << piece << " " << text;
    }
  }
}

TEST(Privacy, NoPlaceInARunIsOverlooked) {
  const std::string folder = "/home/alexandra/k.c";
  const std::string array = std::string("\x93NUMPY\x01\x00\x14\x00", 10) +
                            "{'descr': '<f4'}   \n" + std::string(64, '\x3f');
  const std::string object =
      std::string("\x7f\x45LF\x02\x01\x01\0\0", 9) + std::string(100, '\0');
  const struct {
    const char* path;
    std::string bytes;
  } kPlaces[] = {
      {"sources/manifest/kernel.c", "#line 1 \"" + folder + "\"\n"},
      {"arrays/header.npy", "\x93NUMPY{'x': '" + folder + "'}"},
      {"arrays/data.npy", array + folder},
      // The symbol of type FILE, in the string table.
      {"captures/c/v/kernel.o",
       object + std::string("\0", 1) + folder + std::string("\0", 1)},
      {"replays/c/visit-0000.json",
       R"({"command":["exhibit-replay","/home/alexandra"]})"},
      // A member's name has no slash before it; its parts are looked at.
      {"attachments/inner.tar", folder.substr(1) + std::string(82, '\0')},
  };
  for (const auto& [path, bytes] : kPlaces) {
    const ScratchFolder scratch;
    Files files = SampleFiles();
    files[path] = bytes;
    WriteRun(scratch / "run", files);
    PackOptions options = TestPackOptions();
    options.private_words = Words();
    const auto packed = PackRun(scratch / "run", scratch / "bundle", options);
    ASSERT_FALSE(packed.ok()) << path;
    EXPECT_TRUE(
        packed.error().message.starts_with(std::string(path) + ": holds the "))
        << packed.error().message;
  }
}

TEST(Privacy, PackRefusesAndNamesFileAndWord) {
  const ScratchFolder scratch;
  Files files = SampleFiles();
  files["logs/capture.log"] = "cc -c /home/alexandra/k.c\n";
  files["captures/c/v/kernel.so"] = std::string("\0/tmp\0", 6) +
                                    std::string(100000, '\x7f') +
                                    "/srv/bench/today/k.c";
  files["sources/alexandra/a.c"] = "\n";
  WriteRun(scratch / "run", files);
  PackOptions options = TestPackOptions();
  options.private_words = Words();
  const auto packed = PackRun(scratch / "run", scratch / "bundle", options);
  ASSERT_FALSE(packed.ok());
  EXPECT_EQ(packed.error().kind, ErrorKind::kInvalidArgument);
  for (const char* part :
       {"logs/capture.log: holds the home folder \"/home/alexandra\" at "
        "offset 6",
        "captures/c/v/kernel.so: holds the working folder",
        "the path sources/alexandra/a.c: holds the user name"}) {
    EXPECT_NE(packed.error().message.find(part), std::string::npos)
        << packed.error().message;
  }
  EXPECT_NE(packed.error().hint.find("--allow-private"), std::string::npos);
  EXPECT_EQ(scratch.Names(), std::vector<std::string>{"run"});
  options.private_words = {};
  EXPECT_TRUE(PackRun(scratch / "run", scratch / "bundle", options).ok());
}

TEST(Privacy, ExhibitsOwnSourceIsNotLookedThrough) {
  const ScratchFolder scratch;
  Files files = SampleFiles();
  files["sources/exhibit/tests/a.cpp"] = "\"/home/alexandra\"";
  files["sources/exhibit/alexandra/a.cpp"] = "\n";
  WriteRun(scratch / "run", files);
  PackOptions options = TestPackOptions();
  options.private_words = Words();
  const auto packed = PackRun(scratch / "run", scratch / "bundle", options);
  EXPECT_TRUE(packed.ok()) << packed.error().message;
}

TEST(Privacy, PackRefusesClaimsLikewise) {
  const ScratchFolder scratch;
  WriteRun(scratch / "run", SampleFiles());
  WriteBytes(scratch / "c",
             "{\"schema\":\"exhibit.claims/1\",\"x-by\":\"alexandra\"}");
  PackOptions options = TestPackOptions();
  options.private_words = Words();
  options.claims_file = scratch / "c";
  const auto packed = PackRun(scratch / "run", scratch / "bundle", options);
  ASSERT_FALSE(packed.ok());
  EXPECT_NE(packed.error().message.find("the user name"), std::string::npos);
}

}  // namespace
}  // namespace exhibit
