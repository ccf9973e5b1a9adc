#include "manifests/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace exhibit {
namespace {

Array SomeArray() { return {DType::kF32, {2, 3}, std::string(24, '\x7F')}; }

// A file with any header text, padded as the format asks.
std::string FileWith(std::string header, const std::string& data) {
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

// As NumPy writes the shape (2,): room for 21 digits of the first extent.
const char kGoodHeader[] =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
    "                    ";

TEST(Npy, HeaderIsSpelledAsNumPySpellsIt) {
  const Array array{DType::kF32, {2}, std::string(8, '\0')};
  EXPECT_EQ(EncodeNpy(array), FileWith(kGoodHeader, std::string(8, '\0')));
}

TEST(Npy, ReadsBackWhatItWrote) {
  const Array arrays[] = {
      SomeArray(),
      {DType::kF64, {}, std::string(8, 'd')},
      {DType::kI64, {0, 7}, ""},
      {DType::kU8, {5}, "abcde"},
      {DType::kF32, std::vector<uint64_t>(16, 1), "1234"},
      {DType::kU8, {1, 8, 2, 1, 205, 8, 9}, std::string(236160, 'b')},
  };
  for (const Array& array : arrays) {
    const std::string bytes = EncodeNpy(array);
    EXPECT_EQ((bytes.size() - array.bytes.size()) % 64, 0u);
    const Result<Array> read = DecodeNpy(bytes, "x.npy");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, array);
  }
}

TEST(Npy, TruncationAtEveryLengthIsCorrupt) {
  const std::string whole = EncodeNpy(SomeArray());
  for (size_t length = 0; length < whole.size(); ++length) {
    const Result<Array> read = DecodeNpy(whole.substr(0, length), "x.npy");
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << length;
    EXPECT_NE(read.error().message.find("x.npy"), std::string::npos);
  }
}

TEST(Npy, TrailingBytesAreCorrupt) {
  const Result<Array> read = DecodeNpy(EncodeNpy(SomeArray()) + '\0', "x.npy");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(
      read.error().message.find("takes 24 bytes of data, the file has 25"),
      std::string::npos)
      << read.error().message;
}

TEST(Npy, AnyChangedByteBeforeTheDataIsNoticed) {
  const std::string whole = EncodeNpy(SomeArray());
  for (size_t at = 0; at < whole.size() - 24; ++at) {
    for (const int flip : {1, 2, 16, 128}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      const Result<Array> read = DecodeNpy(bytes, "x.npy");
      // A changed digit or type may only be seen as another, smaller array.
      if (!read.ok()) continue;
      EXPECT_EQ(EncodeNpy(*read), bytes) << at;
      EXPECT_NE(*read, SomeArray()) << at;
    }
  }
}

TEST(Npy, OtherFilesAreRejected) {
  const std::string data(8, '\0');
  const std::string good = FileWith(kGoodHeader, data);
  ASSERT_TRUE(DecodeNpy(good, "x").ok());
  const auto with = [&](const char* header) { return FileWith(header, data); };
  std::string version_2 = good;
  version_2[6] = 2;
  std::string version_1_1 = good;
  version_1_1[7] = 1;
  std::string tab = good;
  tab[100] = '\t';
  std::string unpadded("\x93NUMPY\x01\x00\x4E\x00", 10);
  unpadded += std::string(kGoodHeader) + "\n" + data;
  const struct {
    const char* what;
    std::string bytes;
    ErrorKind kind;
  } rows[] = {
      {"empty", "", ErrorKind::kCorrupt},
      {"other magic", "\x89NUMPY" + good.substr(6), ErrorKind::kCorrupt},
      {"version 2.0", version_2, ErrorKind::kUnsupported},
      {"version 1.1", version_1_1, ErrorKind::kUnsupported},
      {"Fortran order",
       with("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }"),
       ErrorKind::kUnsupported},
      {"big-endian",
       with("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }"),
       ErrorKind::kUnsupported},
      {"native-endian",
       with("{'descr': '=f4', 'fortran_order': False, 'shape': (2,), }"),
       ErrorKind::kUnsupported},
      {"pickled objects",
       with("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"),
       ErrorKind::kUnsupported},
      {"structured",
       with("{'descr': [('a', '<f4')], 'fortran_order': False, "
            "'shape': (2,), }"),
       ErrorKind::kUnsupported},
      {"no dictionary", with("import os"), ErrorKind::kCorrupt},
      {"other quotes",
       with("{\"descr\": '<f4', 'fortran_order': False, 'shape': (2,), }"),
       ErrorKind::kCorrupt},
      {"other order of keys",
       with("{'fortran_order': False, 'descr': '<f4', 'shape': (2,), }"),
       ErrorKind::kCorrupt},
      {"a key too many",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'a': 1}"),
       ErrorKind::kCorrupt},
      {"repeated key",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), "
            "'shape': (1,), }"),
       ErrorKind::kCorrupt},
      {"order 0", with("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }"),
       ErrorKind::kCorrupt},
      {"no final comma",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"),
       ErrorKind::kCorrupt},
      {"shape without comma",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': (2), }"),
       ErrorKind::kCorrupt},
      {"shape as list",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': [2], }"),
       ErrorKind::kCorrupt},
      {"long integer",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }"),
       ErrorKind::kCorrupt},
      {"negative extent",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }"),
       ErrorKind::kCorrupt},
      {"leading zero",
       with("{'descr': '<f4', 'fortran_order': False, 'shape': (02,), }"),
       ErrorKind::kCorrupt},
      {"extent beyond 64 bits",
       with("{'descr': '<f4', 'fortran_order': False, "
            "'shape': (18446744073709551616,), }"),
       ErrorKind::kCorrupt},
      {"padding of tabs", tab, ErrorKind::kCorrupt},
      {"no padding", unpadded, ErrorKind::kCorrupt},
      {"a unit of padding too many",
       with((std::string(kGoodHeader) + std::string(64, ' ')).c_str()),
       ErrorKind::kCorrupt},
      {"shape that wraps to 2 elements",
       with("{'descr': '<f4', 'fortran_order': False, "
            "'shape': (9223372036854775809, 2), }  "),
       ErrorKind::kLimitExceeded},
  };
  for (const auto& row : rows) {
    const Result<Array> read = DecodeNpy(row.bytes, "x");
    ASSERT_FALSE(read.ok()) << row.what;
    EXPECT_EQ(read.error().kind, row.kind)
        << row.what << ": " << read.error().message;
  }
}

TEST(Npy, NumberDoesNotRunOnIntoTheData) {
  // The header ends inside a shape, and the data goes on with digits.
  std::string file("\x93NUMPY\x01\x00\x36\x00", 10);
  file += "{'descr': '|u1', 'fortran_order': False, 'shape': (1";
  file.resize(64, '1');
  const Result<Array> read = DecodeNpy(file + "11), }", "x");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt);
}

TEST(Npy, LimitsHoldAtTheirEdge) {
  const std::string bytes = EncodeNpy(SomeArray());
  EXPECT_TRUE(DecodeNpy(bytes, "x", {24, 2}).ok());
  for (const NpyLimits& limits : {NpyLimits{23, 2}, NpyLimits{24, 1}}) {
    const Result<Array> read = DecodeNpy(bytes, "x", limits);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().kind, ErrorKind::kLimitExceeded);
  }
}

TEST(Npy, DeclaredSizeIsCheckedBeforeTheDataIsSought) {
  std::string bytes = EncodeNpy({DType::kU8, {1}, "x"});
  const size_t at = bytes.find("(1,), }");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 20, "(4294967296,), }    ");
  const Result<Array> read = DecodeNpy(bytes, "x");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kLimitExceeded)
      << read.error().message;
}

TEST(ElementCount, StopsAtTwoToTheFiftyThird) {
  const uint64_t edge = uint64_t{1} << 53;
  EXPECT_EQ(*ElementCount({}), 1u);
  EXPECT_EQ(*ElementCount({edge}), edge);
  EXPECT_EQ(*ElementCount({edge / 2, 2}), edge);
  EXPECT_EQ(*ElementCount({edge, 0, edge}), 0u);
  EXPECT_FALSE(ElementCount({edge + 1}).ok());
  EXPECT_FALSE(ElementCount({edge / 2, 3}).ok());
  EXPECT_FALSE(ElementCount({uint64_t{1} << 63, 2}).ok());
}

TEST(Npy, ShapeThatDisagreesWithTheBytesIsABug) {
  EXPECT_THROW(EncodeNpy({DType::kF32, {2}, "1234"}), std::logic_error);
  EXPECT_THROW(EncodeNpy({DType::kF32, {uint64_t{1} << 62}, ""}),
               std::logic_error);
}

TEST(DTypes, NamesReadBack) {
  for (const DType dtype :
       {DType::kF32, DType::kF64, DType::kI64, DType::kU8}) {
    const Result<DType> read = ParseDType(DTypeName(dtype));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, dtype);
  }
  ASSERT_FALSE(ParseDType("f16").ok());
  EXPECT_EQ(ParseDType("f16").error().kind, ErrorKind::kUnsupported);
}

TEST(Elements, CopiesKeepEveryBit) {
  const std::vector<float> floats = {1.5f, -0.0f, std::nanf("7"),
                                     std::numeric_limits<float>::denorm_min()};
  const std::string bytes = BytesOf(floats);
  EXPECT_EQ(bytes.substr(0, 4), std::string("\x00\x00\xC0\x3F", 4));
  EXPECT_EQ(BytesOf(FloatsOf({DType::kF32, {4}, bytes})), bytes);
  const std::vector<double> doubles = {1.5, -2.0};
  EXPECT_EQ(DoublesOf({DType::kF64, {2}, BytesOf(doubles)}), doubles);
  EXPECT_TRUE(FloatsOf({DType::kF32, {0}, ""}).empty());
}

TEST(Elements, OtherDTypeIsABug) {
  EXPECT_THROW(FloatsOf({DType::kF64, {1}, std::string(8, '\0')}),
               std::logic_error);
  EXPECT_THROW(DoublesOf({DType::kF32, {1}, std::string(4, '\0')}),
               std::logic_error);
}

}  // namespace
}  // namespace exhibit
