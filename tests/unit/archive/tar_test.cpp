#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "tests/unit/archive/sample_files.h"

namespace exhibit {
namespace {

constexpr size_t kSizeOffset = 124;
constexpr size_t kTypeOffset = 156;

// A header changed by `change`, with its checksum made right again.
TarBlock Bent(const TarMember& member,
              const std::function<void(TarBlock&)>& change) {
  TarBlock block = EncodeTarHeader(member);
  change(block);
  std::fill_n(block.begin() + 148, 8, ' ');
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  for (int i = 5; i >= 0; --i, sum /= 8) {
    block[148 + static_cast<size_t>(i)] = static_cast<char>('0' + sum % 8);
  }
  block[154] = '\0';
  return block;
}

std::string Text(const TarBlock& block) {
  return std::string(block.data(), block.size());
}

TarBlock Named(const std::string& name) {
  return Bent({"run/a", 0}, [&](TarBlock& block) {
    std::fill_n(block.begin(), 100, '\0');
    std::copy(name.begin(), name.end(), block.begin());
  });
}

const std::string& End() {
  static const std::string end(1024, '\0');
  return end;
}

TEST(TarTest, WhatIsWrittenIsReadBack) {
  const Members members = {{"index.sha256", "i"},
                           {"run/empty", ""},
                           {"run/b/block", std::string(512, 'b')},
                           {"run/b/more", std::string(513, 'm')}};
  const Result<Members> read = ReadTar(TarBytes(members));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, members);
}

TEST(TarTest, AStreamWithoutMembersIsTwoZeroBlocks) {
  EXPECT_EQ(TarBytes({}), End());
  const Result<Members> read = ReadTar(End());
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->empty());
}

TEST(TarTest, TheHeaderIsTheOneInTheSpecification) {
  std::string expected(512, '\0');
  const auto put = [&expected](size_t offset, std::string_view text) {
    expected.replace(offset, text.size(), text);
  };
  put(0, "run/manifest.json");
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, "00000001750");
  put(136, "00000000000");
  put(148, "012515");
  put(155, " ");
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  put(329, "0000000");
  put(337, "0000000");
  EXPECT_EQ(Text(EncodeTarHeader({"run/manifest.json", 1000})), expected);
}

TEST(TarTest, APathOfAHundredBytesAndTheLargestSizeFit) {
  const TarMember member = {"run/" + std::string(96, 'x'), kTarMemberBytesMax};
  const auto read = DecodeTarHeader(EncodeTarHeader(member), "here");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, member);
}

TEST(TarTest, WritingWhatCannotBeReadIsABug) {
  EXPECT_THROW(EncodeTarHeader({"run/" + std::string(97, 'x'), 0}),
               std::logic_error);
  EXPECT_THROW(EncodeTarHeader({"run/a", kTarMemberBytesMax + 1}),
               std::logic_error);
  EXPECT_THROW(EncodeTarHeader({"run/../a", 0}), std::logic_error);
  EXPECT_THROW(EncodeTarHeader({"elsewhere", 0}), std::logic_error);
}

TEST(TarTest, AFileThatChangesItsSizeIsAnError) {
  for (const char* contents : {"1234", "123456"}) {
    StringSink sink;
    TarWriter writer(sink);
    StringSource source(contents);
    const Status status = writer.Add({"run/a", 5}, source);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::kIo);
  }
}

TEST(TarTest, TruncationAtEveryLengthIsRejected) {
  const std::string whole =
      TarBytes({{"run/a", std::string(600, 'a')}, {"run/b", ""}});
  for (size_t length = 0; length < whole.size(); ++length) {
    const Result<Members> read = ReadTar(whole.substr(0, length));
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << length;
  }
}

struct Rejection {
  const char* name;
  std::string bytes;
  const char* message;  // A part of it.
};

std::vector<Rejection> Rejections() {
  const auto bend = [](size_t offset, std::string_view text) {
    return Text(Bent({"run/a", 0},
                     [&](TarBlock& block) {
                       std::copy(
                           text.begin(), text.end(),
                           block.begin() + static_cast<std::ptrdiff_t>(offset));
                     })) +
           End();
  };
  const auto name = [](const std::string& text) {
    return Text(Named(text)) + End();
  };
  std::string damaged_sum = Text(EncodeTarHeader({"run/a", 0})) + End();
  damaged_sum[149] ^= 1;
  std::string padded = TarBytes({{"run/a", "x"}});
  padded[512 + 100] = 'y';
  std::string one_zero_block = End();
  one_zero_block[512 + 3] = 'z';
  const std::string good = TarBytes({{"run/a", "x"}});
  return {
      {"dot-dot", name("run/../a"), "field name"},
      {"dot-dot at the start", name("../a"), "field name"},
      {"dot", name("run/./a"), "field name"},
      {"absolute", name("/etc/passwd"), "field name"},
      {"empty part", name("run//a"), "field name"},
      {"trailing slash", name("run/a/"), "field name"},
      {"empty name", name(""), "field name"},
      {"only the prefix", name("run/"), "field name"},
      {"outside run", name("other/a"), "field name"},
      {"backslash", name("run/a\\b"), "field name"},
      {"space", name("run/a b"), "field name"},
      {"control character", name("run/a\nb"), "field name"},
      {"not ASCII", name("run/\xc3\xa9"), "field name"},
      {"bytes after the name's end", name(std::string("run/a\0b", 7)),
       "field name"},
      {"name begins with a dash", name("run/-a"), "field name"},
      {"hard link", bend(kTypeOffset, "1"), "typeflag"},
      {"symbolic link", bend(kTypeOffset, "2"), "typeflag"},
      {"character device", bend(kTypeOffset, "3"), "typeflag"},
      {"block device", bend(kTypeOffset, "4"), "typeflag"},
      {"folder", bend(kTypeOffset, "5"), "typeflag"},
      {"fifo", bend(kTypeOffset, "6"), "typeflag"},
      {"old regular file", bend(kTypeOffset, std::string_view("\0", 1)),
       "typeflag"},
      {"pax header", bend(kTypeOffset, "x"), "typeflag"},
      {"global pax header", bend(kTypeOffset, "g"), "typeflag"},
      {"GNU long name", bend(kTypeOffset, "L"), "typeflag"},
      {"GNU sparse file", bend(kTypeOffset, "S"), "typeflag"},
      {"GNU magic", bend(257, std::string_view("ustar  \0", 8)), "magic"},
      {"no magic", bend(257, std::string_view("\0\0\0\0\0\0\0\0", 8)), "magic"},
      {"base-256 size", bend(kSizeOffset, "\x80"), "size"},
      {"size with a space", bend(kSizeOffset, " 0000000000"), "size"},
      {"size without an end", bend(kSizeOffset, "000000000000"), "size"},
      {"size with digit 8", bend(kSizeOffset, "00000000008"), "size"},
      {"prefix field", bend(345, "home"), "prefix"},
      {"link name", bend(157, "b"), "linkname"},
      {"executable", bend(100, "0000755"), "mode"},
      {"owner", bend(108, "0001750"), "uid"},
      {"group", bend(116, "0001750"), "gid"},
      {"time", bend(136, "14000000000"), "mtime"},
      {"owner's name", bend(265, "root"), "uname"},
      {"group's name", bend(297, "root"), "gname"},
      {"device", bend(329, "0000001"), "devmajor"},
      {"bytes after the fields", bend(500, "x"), "(unused)"},
      {"wrong checksum", damaged_sum, "chksum"},
      {"padding that is not zero", padded, "padding"},
      {"one zero block", one_zero_block, "one zero block"},
      {"a byte after the end", good + std::string(1, '\0'), "follow"},
      {"blocks after the end", good + std::string(8192, '\0'), "follow"},
      {"a second stream", good + good, "follow"},
  };
}

TEST(TarTest, EverythingOutsideTheProfileIsRejected) {
  for (const Rejection& rejection : Rejections()) {
    const Result<Members> read = ReadTar(rejection.bytes);
    ASSERT_FALSE(read.ok()) << rejection.name;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << rejection.name;
    const std::string& message = read.error().message;
    EXPECT_NE(message.find(rejection.message), std::string::npos)
        << rejection.name << ": " << message;
    EXPECT_NE(message.find("test.tar: tar offset "), std::string::npos)
        << message;
  }
}

TEST(TarTest, AnErrorNamesOffsetMemberAndValue) {
  std::string bytes = TarBytes({{"run/a", "x"}, {"run/b", "y"}});
  bytes.replace(1024, 512, Text(Bent({"run/b", 1}, [](TarBlock& block) {
                  block[kTypeOffset] = '2';
                })));
  const Result<Members> read = ReadTar(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message,
            "test.tar: tar offset 1024: tar header field typeflag is \"2\", "
            "expected \"0\"");
  const Result<Members> cut =
      ReadTar(TarBytes({{"run/a", "xyz"}}).substr(0, 514));
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message,
            "test.tar: tar offset 512, member run/a: ends after 2 of 3 bytes "
            "of contents");
}

// libarchive is no part of the reader; here it is a second opinion.
Members ReadWithLibarchive(const std::string& bytes) {
  const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(),
                                                           archive_read_free);
  EXPECT_EQ(archive_read_support_format_tar(reader.get()), ARCHIVE_OK);
  EXPECT_EQ(archive_read_open_memory(reader.get(), bytes.data(), bytes.size()),
            ARCHIVE_OK);
  Members members;
  archive_entry* entry = nullptr;
  int code;
  while ((code = archive_read_next_header(reader.get(), &entry)) ==
         ARCHIVE_OK) {
    EXPECT_EQ(archive_entry_filetype(entry), static_cast<unsigned>(AE_IFREG));
    EXPECT_EQ(archive_entry_perm(entry), 0644u);
    EXPECT_EQ(archive_entry_mtime(entry), 0);
    EXPECT_EQ(archive_entry_uid(entry), 0);
    std::string contents(static_cast<size_t>(archive_entry_size(entry)), '\0');
    EXPECT_EQ(archive_read_data(reader.get(), contents.data(), contents.size()),
              static_cast<la_ssize_t>(contents.size()));
    members.emplace_back(archive_entry_pathname(entry), contents);
  }
  EXPECT_EQ(code, ARCHIVE_EOF);
  return members;
}

TEST(TarTest, LibarchiveSeesTheSameMembers) {
  const Members members = {{"index.sha256", "i"},
                           {"run/empty", ""},
                           {"run/" + std::string(96, 'x'), "long"},
                           {"run/b/block", std::string(512, 'b')},
                           {"run/b/more", std::string(70000, 'm')}};
  EXPECT_EQ(ReadWithLibarchive(TarBytes(members)), members);
}

}  // namespace
}  // namespace exhibit
