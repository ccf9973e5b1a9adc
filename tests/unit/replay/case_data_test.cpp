#include "replay/case_data.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "manifests/file.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

class CaseDataTest : public testing::Test {
 protected:
  CaseDataTest() {
    std::string pattern = testing::TempDir() + "/case-data-XXXXXX";
    run_ = mkdtemp(pattern.data());
    record_.case_name = "n3";
    record_.arrays = {
        Publish("x", "input",
                {DType::kF32, {3}, BytesOf(std::vector<float>{1, 2, 3})}),
        Publish("output", "output",
                {DType::kF64, {2}, BytesOf(std::vector<double>{0.5, -0.25})})};
  }
  ~CaseDataTest() override { std::filesystem::remove_all(run_); }

  CaseArray Publish(const std::string& name, const std::string& role,
                    const Array& array) {
    std::string bytes = EncodeNpy(array);
    CaseArray entry;
    entry.name = name;
    entry.role = role;
    entry.dtype = "f32";
    entry.shape = {array.shape.begin(), array.shape.end()};
    entry.sha256 = Sha256Hex(bytes);
    EXPECT_TRUE(CreateFolders(run_ + "/arrays").ok());
    EXPECT_TRUE(
        PublishContent(run_ + "/" + ArrayPath(entry.sha256), bytes).ok());
    return entry;
  }

  std::string run_;
  CaseRecord record_;
};

TEST_F(CaseDataTest, VisitFindsInputsAndExpectedOutputsInDeclaredOrder) {
  Result<CaseData> data = CaseData::Load(run_, record_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  Result<CaseContents> contents = ReadCaseContents(data->fd(), record_);
  ASSERT_TRUE(contents.ok()) << contents.error().message;
  ASSERT_EQ(contents->buffers.size(), 2u);
  EXPECT_EQ(contents->buffers[0].name, "x");
  EXPECT_EQ(contents->buffers[1].role, "output");
  ASSERT_EQ(contents->expected.size(), 1u);
  EXPECT_EQ(contents->expected[0].values, (std::vector<double>{0.5, -0.25}));
  Result<GuardedBuffers> buffers =
      GuardedBuffers::Create(contents->buffers, {});
  ASSERT_TRUE(buffers.ok()) << buffers.error().message;
  float values[3];
  std::memcpy(values, buffers->buffers()[0].data, sizeof(values));
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[2], 3.0f);
}

TEST_F(CaseDataTest, NothingCanChangeWhatWasVerified) {
  Result<CaseData> data = CaseData::Load(run_, record_);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(pwrite(data->fd(), "x", 1, 0), -1);
  EXPECT_EQ(ftruncate(data->fd(), 1), -1);
  EXPECT_EQ(ftruncate(data->fd(), 4096), -1);
  EXPECT_EQ(
      mmap(nullptr, 12, PROT_READ | PROT_WRITE, MAP_SHARED, data->fd(), 0),
      MAP_FAILED);
  EXPECT_EQ(fcntl(data->fd(), F_ADD_SEALS, F_SEAL_WRITE), -1);
}

TEST_F(CaseDataTest, ExpectedSinglesAreWidened) {
  record_.arrays[1] =
      Publish("output", "output",
              {DType::kF32, {2}, BytesOf(std::vector<float>{0.5f, -0.25f})});
  Result<CaseData> data = CaseData::Load(run_, record_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  Result<CaseContents> contents = ReadCaseContents(data->fd(), record_);
  ASSERT_TRUE(contents.ok());
  EXPECT_EQ(contents->expected[0].values, (std::vector<double>{0.5, -0.25}));
}

TEST_F(CaseDataTest, ArraysThatAreNotWhatTheCaseSaysAreCorrupt) {
  const CaseRecord good = record_;
  std::vector<CaseRecord> bad(4, good);
  bad[0].arrays[0].shape = {1, 3};
  bad[1].arrays[0].dtype = "f64";
  bad[2].arrays[1] =
      Publish("output", "output", {DType::kI64, {1}, std::string(8, '\0')});
  bad[3].arrays[1] = Publish("output", "output", {DType::kF64, {0}, ""});
  for (size_t i = 0; i < bad.size(); ++i) {
    Result<CaseData> data = CaseData::Load(run_, bad[i]);
    ASSERT_FALSE(data.ok()) << i;
    EXPECT_EQ(data.error().kind, ErrorKind::kCorrupt) << i;
  }
}

TEST_F(CaseDataTest, ChangedArrayIsCorrupt) {
  ASSERT_TRUE(
      AppendFile(run_ + "/" + ArrayPath(record_.arrays[0].sha256), "x").ok());
  Result<CaseData> data = CaseData::Load(run_, record_);
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().kind, ErrorKind::kCorrupt);
}

TEST_F(CaseDataTest, FileThatCouldChangeOrIsOfAnotherSizeIsRefused) {
  Result<CaseData> data = CaseData::Load(run_, record_);
  ASSERT_TRUE(data.ok());
  int open = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(open, static_cast<off_t>(data->bytes())), 0);
  EXPECT_FALSE(ReadCaseContents(open, record_).ok());
  close(open);
  CaseRecord longer = record_;
  longer.arrays[0].shape = {100};
  EXPECT_FALSE(ReadCaseContents(data->fd(), longer).ok());
  EXPECT_FALSE(ReadCaseContents(-1, record_).ok());
}

}  // namespace
}  // namespace exhibit
