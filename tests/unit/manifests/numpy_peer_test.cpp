// NumPy itself reads what we write and writes the same bytes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "manifests/file.h"
#include "manifests/npy.h"

namespace exhibit {
namespace {

// The Python that Debian's NumPy belongs to; another one on the path may lack
// it.
constexpr char kPython[] = "/usr/bin/python3";

bool PythonRuns(const std::string& program, const std::string& folder) {
  const std::string command = "cd '" + folder + "' && " + kPython + " -c \"" +
                              program + "\" >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

TEST(NumPy, ReadsAndWritesTheSameBytes) {
  std::string folder = ::testing::TempDir() + "exhibit-numpy-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  if (!PythonRuns("import numpy", folder)) {
    std::filesystem::remove_all(folder);
    GTEST_SKIP() << kPython << " has no NumPy";
  }
  const std::vector<std::vector<uint64_t>> shapes = {
      {},
      {1},
      {7},
      {0, 3},
      {2, 3, 4},
      {12345},
      {1, 8, 2, 1, 53, 8, 9},
      std::vector<uint64_t>(16, 1),
      // Dictionaries around the length at which the header grows.
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 1},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 10, 10},
      std::vector<uint64_t>(15, 1),
      std::vector<uint64_t>(14, 1)};
  std::vector<std::string> names;
  for (const DType dtype :
       {DType::kF32, DType::kF64, DType::kI64, DType::kU8}) {
    for (const auto& shape : shapes) {
      const uint64_t count = *ElementCount(shape);
      const Array array{dtype, shape,
                        std::string(count * DTypeBytes(dtype), '\x11')};
      names.push_back(std::to_string(names.size()) + ".npy");
      ASSERT_TRUE(
          PublishFile(folder + "/" + names.back(), EncodeNpy(array)).ok());
    }
  }
  EXPECT_TRUE(
      PythonRuns("import numpy, glob\n"
                 "for name in glob.glob('*.npy'):\n"
                 "    numpy.save('numpy-' + name, numpy.load(name))\n",
                 folder));
  for (const std::string& name : names) {
    const auto ours = ReadFile(folder + "/" + name, 1 << 20);
    const auto theirs = ReadFile(folder + "/numpy-" + name, 1 << 20);
    ASSERT_TRUE(ours.ok() && theirs.ok()) << name;
    EXPECT_EQ(*ours, *theirs) << name;
    EXPECT_TRUE(DecodeNpy(*theirs, name).ok()) << name;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace exhibit
