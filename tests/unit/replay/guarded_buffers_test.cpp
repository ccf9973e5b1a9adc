#include "replay/call/guarded_buffers.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "replay/call/call.h"
#include "replay/call/fault_report.h"

namespace exhibit {
namespace {

CallBuffer Input(const std::string& name, const std::vector<float>& values) {
  return {name, "input", DType::kF32, {values.size()}, BytesOf(values)};
}

CallBuffer Output(const std::string& name, uint64_t count) {
  return {name, "output", DType::kF32, {count}, ""};
}

// Declares the output before the input, as a case may.
Result<GuardedBuffers> MakeBuffers(uint64_t count = 5,
                                   uint64_t workspace_bytes = 100) {
  return GuardedBuffers::Create({Output("out", count), Input("in", {1, 2, 3})},
                                {.workspace_bytes = workspace_bytes,
                                 .dispatch = 70,
                                 .workers_per_block = 32});
}

uint8_t* DataOf(const GuardedBuffers& buffers, int index) {
  return static_cast<uint8_t*>(buffers.buffers()[index].data);
}

TEST(GuardedBuffers, StructuresSayWhatTheEntryMayUse) {
  Result<GuardedBuffers> made = MakeBuffers();
  ASSERT_TRUE(made.ok()) << made.error().message;
  GuardedBuffers buffers = std::move(*made);
  EXPECT_EQ(buffers.buffers()[0].bytes, 20u);
  EXPECT_EQ(buffers.buffers()[1].bytes, 12u);
  EXPECT_EQ(buffers.block_count(), 3u);
  const exhibit_launch& launch = *buffers.launch();
  EXPECT_EQ(launch.block_id[0], 0u);
  EXPECT_EQ(launch.dispatch_size[0], 70u);
  EXPECT_EQ(launch.block_size[0], 32u);
  EXPECT_EQ(launch.grid_size[0], 3u);
  for (int axis : {1, 2}) {
    EXPECT_EQ(launch.dispatch_size[axis], 1u);
    EXPECT_EQ(launch.block_size[axis], 1u);
    EXPECT_EQ(launch.grid_size[axis], 1u);
  }
  EXPECT_EQ(launch.thread_index, 0u);
  EXPECT_NE(launch.workspace, nullptr);
}

TEST(GuardedBuffers, EveryBufferIsAlignedWhateverItsLength) {
  for (uint64_t count : {1, 15, 16, 17, 1023, 1024, 1025}) {
    Result<GuardedBuffers> buffers = MakeBuffers(count, count);
    ASSERT_TRUE(buffers.ok());
    for (const void* data :
         {static_cast<const void*>(DataOf(*buffers, 0)),
          static_cast<const void*>(DataOf(*buffers, 1)),
          static_cast<const void*>(buffers->launch()->workspace)}) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u) << count;
    }
  }
}

TEST(GuardedBuffers, NoWorkspaceIsNull) {
  Result<GuardedBuffers> buffers = MakeBuffers(5, 0);
  ASSERT_TRUE(buffers.ok());
  EXPECT_EQ(buffers->launch()->workspace, nullptr);
  EXPECT_EQ(buffers->Guards().size(), 1u);
}

TEST(GuardedBuffers, InputHoldsItsValuesAndOutputAndWorkspaceArePoisoned) {
  Result<GuardedBuffers> buffers = MakeBuffers();
  ASSERT_TRUE(buffers.ok());
  float second = 0;
  std::memcpy(&second, DataOf(*buffers, 1) + 4, 4);
  EXPECT_EQ(second, 2.0f);
  auto* workspace = static_cast<uint8_t*>(buffers->launch()->workspace);
  for (int round = 0; round < 2; ++round) {
    for (float value : buffers->OutputFloats("out")) {
      EXPECT_TRUE(std::isnan(value));
      uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      EXPECT_EQ(bits, kPoisonFloat);
    }
    EXPECT_EQ(workspace[0], kPoisonWorkspace);
    EXPECT_EQ(workspace[99], kPoisonWorkspace);
    std::memset(DataOf(*buffers, 0), 0, 20);
    std::memset(workspace, 0, 100);
    EXPECT_EQ(buffers->OutputFloats("out")[4], 0.0f);
    buffers->Poison();
  }
  EXPECT_TRUE(buffers->GuardsIntact());
}

TEST(GuardedBuffers, OutputArrayHasShapeAndBytes) {
  Result<GuardedBuffers> buffers = GuardedBuffers::Create(
      {{"out", "output", DType::kF32, {2, 3}, ""}}, CallShape{});
  ASSERT_TRUE(buffers.ok());
  std::memset(DataOf(*buffers, 0), 0, 24);
  Array array = buffers->OutputArray("out");
  EXPECT_EQ(array.shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(array.bytes, std::string(24, '\0'));
  EXPECT_THROW(buffers->OutputArray("in"), std::logic_error);
}

TEST(GuardedBuffers, GuardBytesFollowTheStatedRule) {
  Result<GuardedBuffers> buffers = MakeBuffers();
  ASSERT_TRUE(buffers.ok());
  for (const GuardState& guard : buffers->Guards()) {
    EXPECT_TRUE(guard.intact);
    EXPECT_GE(guard.bytes.size(), 2 * kGuardBytesMin);
    for (size_t i = 0; i < guard.bytes.size(); ++i) {
      ASSERT_EQ(static_cast<uint8_t>(guard.bytes[i]), (167 * i + 13) % 256);
    }
  }
}

TEST(GuardedBuffers, OneByteBesideABufferIsFoundOnBothSides) {
  for (bool of_workspace : {false, true}) {
    for (int64_t offset :
         {int64_t{-1}, int64_t{-4096}, int64_t{0}, int64_t{4095}}) {
      Result<GuardedBuffers> buffers = MakeBuffers();
      ASSERT_TRUE(buffers.ok());
      uint8_t* data = of_workspace
                          ? static_cast<uint8_t*>(buffers->launch()->workspace)
                          : DataOf(*buffers, 0);
      int64_t length = of_workspace ? 100 : 20;
      data[offset < 0 ? offset : length + offset] ^= 1;
      EXPECT_FALSE(buffers->GuardsIntact()) << offset;
      std::vector<GuardState> guards = buffers->Guards();
      ASSERT_EQ(guards.size(), 2u);
      EXPECT_EQ(guards[0].intact, of_workspace);
      EXPECT_EQ(guards[1].intact, !of_workspace);
      EXPECT_EQ(guards[1].buffer, "workspace");
    }
  }
}

TEST(GuardedBuffers, OneCallCoversEveryBlock) {
  Result<GuardedBuffers> buffers = MakeBuffers();
  ASSERT_TRUE(buffers.ok());
  CallEntry(
      [](const exhibit_buffer* list, void* reserved, const exhibit_launch*,
         uint32_t count) {
        static_cast<float*>(list[0].data)[0] =
            reserved == nullptr ? static_cast<float>(count) : -1;
      },
      *buffers);
  EXPECT_EQ(buffers->OutputFloats("out")[0], 3.0f);
}

// The sentence of the fault handler goes to standard error here.
void Fault(void (*access)(const GuardedBuffers&)) {
  Result<GuardedBuffers> buffers = MakeBuffers();
  if (!buffers.ok() || dup2(2, 77) != 77) _exit(1);
  // A pipe has no offset: pwrite fails, so the sentence is not looked at here.
  if (!InstallFaultReport(77, 0).ok()) _exit(1);
  access(*buffers);
  _exit(0);
}

TEST(GuardedBuffersDeathTest, StrayAccessesEndInASignal) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(Fault([](const GuardedBuffers& b) { DataOf(b, 1)[0] = 1; }),
              testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(Fault([](const GuardedBuffers& b) {
                volatile uint8_t byte = DataOf(b, 1)[64];
                (void)byte;
              }),
              testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(Fault([](const GuardedBuffers& b) {
                const_cast<exhibit_launch*>(b.launch())->reserved = 1;
              }),
              testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(Fault([](const GuardedBuffers& b) {
                const_cast<exhibit_buffer*>(b.buffers())->bytes = 1;
              }),
              testing::KilledBySignal(SIGSEGV), "");
}

// Large buffers lie in huge pages where there are any: what those reach over
// must stay as closed as the space around small buffers.
TEST(GuardedBuffers, LargeBuffersAreAsWellFencedAsSmallOnes) {
  for (uint64_t count : {uint64_t{1} << 16, uint64_t{1} << 19,
                         (uint64_t{1} << 19) + 1, uint64_t{700'000}}) {
    Result<GuardedBuffers> made = GuardedBuffers::Create(
        {Output("out", count), Input("in", std::vector<float>(count, 2.0f))},
        {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    const uint8_t* in = DataOf(*made, 1);
    const uint8_t* out = DataOf(*made, 0);
    uint64_t bytes = 4 * count;
    uint64_t end = (bytes + 63) / 64 * 64;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(in) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<const float*>(in)[count - 1], 2.0f);
    auto closed = [](const uint8_t* address) {
      // The system call refuses what the page tables refuse.
      int pipe_fds[2];
      if (pipe(pipe_fds) != 0) return false;
      bool refused = write(pipe_fds[1], address, 1) < 0 && errno == EFAULT;
      close(pipe_fds[0]);
      close(pipe_fds[1]);
      return refused;
    };
    EXPECT_FALSE(closed(in));
    EXPECT_TRUE(closed(in - 4096)) << count;
    EXPECT_TRUE(closed(in - (1 << 20))) << count;
    EXPECT_TRUE(closed(in + end)) << count;
    EXPECT_TRUE(closed(out - 2 * 4096 - 64)) << count;
    EXPECT_TRUE(closed(out + end + 2 * 4096)) << count;
    EXPECT_TRUE(made->GuardsIntact());
    EXPECT_EQ(made->Guards()[0].bytes.size() % 64, (64 - bytes % 64) % 64);
  }
}

TEST(GuardedBuffers, HugePagesAreCountedWhereTheSystemGivesThem) {
  uint64_t count = uint64_t{1} << 20;  // Two of them.
  Result<GuardedBuffers> made = GuardedBuffers::Create(
      {Input("in", std::vector<float>(count, 1.0f)), Output("out", 1)}, {});
  ASSERT_TRUE(made.ok());
  std::optional<int64_t> bytes = made->HugePageBytes();
  if (!bytes) GTEST_SKIP() << "this system does not say";
  EXPECT_GE(*bytes, 0);
  EXPECT_LE(*bytes, static_cast<int64_t>(4 * count));
  Result<GuardedBuffers> small = MakeBuffers();
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->HugePageBytes(), std::optional<int64_t>(0));
}

TEST(GuardedBuffers, InputThatEndsEarlyInItsFileIsCorrupt) {
  int fd = memfd_create("values", MFD_CLOEXEC);
  std::string values = BytesOf(std::vector<float>{1, 2, 3});
  ASSERT_EQ(pwrite(fd, values.data(), values.size(), 64), 12);
  CallBuffer input = Input("in", {});
  input.shape = {3};
  input.fd = fd;
  input.offset = 64;
  Result<GuardedBuffers> whole =
      GuardedBuffers::Create({input, Output("out", 1)}, {});
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(std::memcmp(DataOf(*whole, 0), values.data(), values.size()), 0);
  input.offset = 68;
  Result<GuardedBuffers> cut =
      GuardedBuffers::Create({input, Output("out", 1)}, {});
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(cut.error().message.find("after 8 of 12 bytes"), std::string::npos);
  close(fd);
}

TEST(GuardedBuffers, FaultsAreNamedByBuffer) {
  Result<GuardedBuffers> buffers = MakeBuffers();
  ASSERT_TRUE(buffers.ok());
  uint8_t* in = DataOf(*buffers, 1);
  uint8_t* out = DataOf(*buffers, 0);
  EXPECT_EQ(DescribeFault(SIGSEGV, "writing", in),
            "signal 11 while writing input buffer 'in'");
  EXPECT_EQ(DescribeFault(SIGSEGV, "reading", in + 64),
            "signal 11 while reading past the end of input buffer 'in'");
  EXPECT_EQ(DescribeFault(SIGSEGV, "reading", in - 4096),
            "signal 11 while reading before the start of input buffer 'in'");
  EXPECT_EQ(DescribeFault(SIGBUS, "writing", out + 20 + 4160),
            "signal 7 while writing past the end of buffer 'out'");
  EXPECT_EQ(DescribeFault(SIGSEGV, "writing", buffers->launch()),
            "signal 11 while writing the launch structures");
  EXPECT_EQ(DescribeFault(SIGSEGV, "reading", nullptr),
            "signal 11 while reading through a null pointer");
  EXPECT_EQ(DescribeFault(SIGSEGV, "reading",
                          reinterpret_cast<void*>(uintptr_t{1} << 20)),
            "signal 11 while reading memory outside every buffer");
  EXPECT_EQ(DescribeFault(SIGILL, "reading", nullptr),
            "signal 4 at an illegal instruction");
}

TEST(GuardedBuffers, DestroyedBuffersAreForgotten) {
  const uint8_t* in = nullptr;
  {
    Result<GuardedBuffers> buffers = MakeBuffers();
    ASSERT_TRUE(buffers.ok());
    in = DataOf(*buffers, 1);
  }
  EXPECT_EQ(DescribeFault(SIGSEGV, "writing", in),
            "signal 11 while writing memory outside every buffer");
}

TEST(GuardedBuffers, IllegalListsAreRejected) {
  struct Row {
    std::vector<CallBuffer> list;
    CallShape shape;
    ErrorKind kind;
  };
  CallBuffer doubles = Output("out", 2);
  doubles.dtype = DType::kF64;
  CallBuffer huge = Output("out", uint64_t{1} << 40);
  CallBuffer overflow = Output("out", 1);
  overflow.shape = {uint64_t{1} << 40, uint64_t{1} << 40};
  CallBuffer short_input = Input("in", {1, 2});
  short_input.shape = {3};
  CallBuffer role = Output("out", 2);
  role.role = "scratch";
  const std::vector<Row> rows = {
      {{Output("", 1)}, {}, ErrorKind::kInvalidArgument},
      {{Output("a", 1), Output("a", 1)}, {}, ErrorKind::kInvalidArgument},
      {{role}, {}, ErrorKind::kInvalidArgument},
      {{short_input}, {}, ErrorKind::kInvalidArgument},
      {{Output("a", 1)}, {.dispatch = 0}, ErrorKind::kInvalidArgument},
      {{Output("a", 1)}, {.workers_per_block = 0}, ErrorKind::kInvalidArgument},
      {{doubles}, {}, ErrorKind::kUnsupported},
      {{huge}, {}, ErrorKind::kLimitExceeded},
      {{overflow}, {}, ErrorKind::kLimitExceeded},
      {{Output("a", 1)},
       {.workspace_bytes = kCallBytesMax},
       ErrorKind::kLimitExceeded},
      {std::vector<CallBuffer>(kBufferCountMax + 1, Output("a", 1)),
       {},
       ErrorKind::kLimitExceeded},
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    Result<GuardedBuffers> made =
        GuardedBuffers::Create(rows[i].list, rows[i].shape);
    ASSERT_FALSE(made.ok()) << i;
    EXPECT_EQ(made.error().kind, rows[i].kind) << i;
  }
}

}  // namespace
}  // namespace exhibit
