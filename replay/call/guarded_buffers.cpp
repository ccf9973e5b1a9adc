#include "replay/call/guarded_buffers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "replay/call/fault_report.h"

namespace exhibit {
namespace {

// Address space without access on each side of every region. Costs nothing,
// and a stride that is wrong by a row still lands in it.
constexpr uint64_t kInaccessibleBytes = uint64_t{1} << 20;
constexpr uint64_t kAlignment = 64;
constexpr uint64_t kHugePageBytes = uint64_t{1} << 21;
// Smaller data take small pages: a huge one costs as much memory as 512.
constexpr uint64_t kHugePageDataBytesMin = uint64_t{1} << 18;

uint64_t RoundUp(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

uint8_t GuardByte(uint64_t index) {
  return static_cast<uint8_t>(167 * index + 13);
}

// One mapping: inaccessible, accessible (zone, data, zone), inaccessible.
struct Region {
  std::string name;
  uint8_t* mapping = nullptr;
  uint64_t mapping_bytes = 0;
  uint8_t* open = nullptr;  // First accessible byte.
  uint64_t open_bytes = 0;
  uint8_t* data = nullptr;
  uint64_t data_bytes = 0;

  uint64_t before_bytes() const { return static_cast<uint64_t>(data - open); }
  const uint8_t* after() const { return data + data_bytes; }
  uint64_t after_bytes() const {
    return open_bytes - before_bytes() - data_bytes;
  }
};

Error NoMemory(const std::string& name, uint64_t bytes) {
  return Error{ErrorKind::kIo,
               "no memory for buffer '" + name + "' of " +
                   std::to_string(bytes) + " bytes: " + strerror(errno),
               "Free memory or choose a smaller case."};
}

// Asks for huge pages under `region` and takes them. What they reach over at
// its start becomes inaccessible: that part is then mapped in small pieces, but
// stays one piece of memory. A system without huge pages refuses, at no cost.
Status TakeHugePages(const Region& region, uint64_t reach_bytes) {
  uint8_t* first = region.open - reach_bytes;
  uint64_t bytes = region.open_bytes + reach_bytes;
  if (mprotect(first, bytes, PROT_READ | PROT_WRITE) != 0) {
    return NoMemory(region.name, region.data_bytes);
  }
  (void)madvise(first, bytes, MADV_HUGEPAGE);
  for (uint8_t* page = region.open; page < region.open + region.open_bytes;
       page += kHugePageBytes) {
    *static_cast<volatile uint8_t*>(page) = 0;
  }
  if (reach_bytes > 0 && mprotect(first, reach_bytes, PROT_NONE) != 0) {
    return NoMemory(region.name, region.data_bytes);
  }
  return Ok();
}

// Maps room for `data_bytes` with `zone_bytes` or more on each side. With no
// zones the data ends less than 64 bytes before the inaccessible pages.
Result<Region> Map(const std::string& name, uint64_t data_bytes,
                   uint64_t zone_bytes) {
  uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  Region region;
  region.name = name;
  region.data_bytes = data_bytes;
  region.open_bytes = RoundUp(
      std::max<uint64_t>(RoundUp(data_bytes, kAlignment) + 2 * zone_bytes, 1),
      page);
  uint64_t closed = RoundUp(kInaccessibleBytes, page);
  bool huge = data_bytes >= kHugePageDataBytesMin;
  uint64_t unit = huge ? kHugePageBytes : page;
  uint64_t reach = RoundUp(region.open_bytes, unit) - region.open_bytes;
  // One unit more, so that a boundary of it can be chosen.
  region.mapping_bytes = region.open_bytes + reach + 2 * closed + unit;
  void* mapping = mmap(nullptr, region.mapping_bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return NoMemory(name, data_bytes);
  region.mapping = static_cast<uint8_t*>(mapping);
  uint64_t address = reinterpret_cast<uintptr_t>(region.mapping);
  uint64_t end = RoundUp(address + closed + reach + region.open_bytes, unit);
  region.open = region.mapping + (end - region.open_bytes - address);
  Status opened = Ok();
  if (huge) {
    opened = TakeHugePages(region, reach);
  } else if (mprotect(region.open, region.open_bytes, PROT_READ | PROT_WRITE) !=
             0) {
    opened = NoMemory(name, data_bytes);
  }
  if (!opened.ok()) {
    munmap(region.mapping, region.mapping_bytes);
    return opened.error();
  }
  region.data = region.open + region.open_bytes - zone_bytes -
                RoundUp(data_bytes, kAlignment);
  return region;
}

void NameFaults(const Region& region, const std::string& what) {
  RegisterFaultRange(region.mapping,
                     static_cast<uint64_t>(region.open - region.mapping),
                     "before the start of " + what);
  const uint8_t* end = region.open + region.open_bytes;
  RegisterFaultRange(
      end, region.mapping_bytes - static_cast<uint64_t>(end - region.mapping),
      "past the end of " + what);
}

Status MakeReadOnly(const Region& region) {
  if (mprotect(region.open, region.open_bytes, PROT_READ) != 0) {
    return Error{
        ErrorKind::kIo,
        "cannot protect buffer '" + region.name + "': " + strerror(errno), ""};
  }
  return Ok();
}

void FillZones(const Region& region) {
  for (uint64_t i = 0; i < region.before_bytes(); ++i) {
    region.open[i] = GuardByte(i);
  }
  uint8_t* after = region.data + region.data_bytes;
  for (uint64_t i = 0; i < region.after_bytes(); ++i) {
    after[i] = GuardByte(region.before_bytes() + i);
  }
}

bool ZonesIntact(const Region& region) {
  uint8_t difference = 0;
  for (uint64_t i = 0; i < region.before_bytes(); ++i) {
    difference |= static_cast<uint8_t>(region.open[i] ^ GuardByte(i));
  }
  for (uint64_t i = 0; i < region.after_bytes(); ++i) {
    difference |= static_cast<uint8_t>(region.after()[i] ^
                                       GuardByte(region.before_bytes() + i));
  }
  return difference == 0;
}

// Fills the data of `region` from the buffer's file.
Status ReadInto(const Region& region, const CallBuffer& buffer) {
  uint64_t done = 0;
  while (done < region.data_bytes) {
    ssize_t count =
        pread(buffer.fd, region.data + done, region.data_bytes - done,
              static_cast<off_t>(buffer.offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Error{ErrorKind::kIo,
                   "cannot read the values of input '" + region.name +
                       "': " + strerror(errno),
                   ""};
    }
    if (count == 0) {
      return Error{ErrorKind::kCorrupt,
                   "the values of input '" + region.name + "' end after " +
                       std::to_string(done) + " of " +
                       std::to_string(region.data_bytes) + " bytes",
                   ""};
    }
    done += static_cast<uint64_t>(count);
  }
  return Ok();
}

Error Illegal(const std::string& message) {
  return Error{ErrorKind::kInvalidArgument, message, ""};
}

// The bytes of an array of that shape.
Result<uint64_t> BytesOfBuffer(const CallBuffer& buffer) {
  EXHIBIT_ASSIGN_OR_RETURN(uint64_t count, ElementCount(buffer.shape));
  return count * DTypeBytes(buffer.dtype);  // 2^53 * 8 fits.
}

Status CheckList(const std::vector<CallBuffer>& list, const CallShape& shape) {
  if (list.size() > kBufferCountMax) {
    return Error{ErrorKind::kLimitExceeded,
                 std::to_string(list.size()) + " buffers, at most " +
                     std::to_string(kBufferCountMax),
                 ""};
  }
  if (shape.dispatch == 0 || shape.workers_per_block == 0) {
    return Illegal("dispatch " + std::to_string(shape.dispatch) +
                   " in blocks of " + std::to_string(shape.workers_per_block) +
                   ": both must be positive");
  }
  std::set<std::string> names;
  uint64_t total_bytes = shape.workspace_bytes;
  for (const CallBuffer& buffer : list) {
    if (buffer.name.empty() || !names.insert(buffer.name).second) {
      return Illegal("empty or repeated buffer name '" + buffer.name + "'");
    }
    if (buffer.role != "input" && buffer.role != "output") {
      return Illegal("buffer '" + buffer.name + "' has role '" + buffer.role +
                     "'");
    }
    if (buffer.role == "output" && buffer.dtype != DType::kF32) {
      return Error{ErrorKind::kUnsupported,
                   "output '" + buffer.name + "' is " +
                       std::string(DTypeName(buffer.dtype)) + ", not f32",
                   ""};
    }
    EXHIBIT_ASSIGN_OR_RETURN(uint64_t bytes, BytesOfBuffer(buffer));
    bool in_file = buffer.fd >= 0 && buffer.bytes.empty();
    if (buffer.role == "input" && !in_file && buffer.bytes.size() != bytes) {
      return Illegal("input '" + buffer.name + "' has " +
                     std::to_string(buffer.bytes.size()) +
                     " bytes, its shape " + std::to_string(bytes));
    }
    if (bytes > kCallBytesMax || total_bytes > kCallBytesMax - bytes) {
      total_bytes = kCallBytesMax + 1;
      break;
    }
    total_bytes += bytes;
  }
  if (total_bytes > kCallBytesMax) {
    return Error{ErrorKind::kLimitExceeded,
                 "buffers and workspace pass " + std::to_string(kCallBytesMax) +
                     " bytes",
                 ""};
  }
  return Ok();
}

}  // namespace

struct GuardedBuffers::State {
  std::vector<Region> inputs;
  std::vector<Region> outputs;
  std::vector<std::vector<uint64_t>> output_shapes;
  std::vector<Region> workspace;   // None or one.
  std::vector<Region> structures;  // One.

  ~State() {
    for (auto* regions : {&inputs, &outputs, &workspace, &structures}) {
      for (const Region& region : *regions) {
        ForgetFaultRanges(region.mapping, region.mapping_bytes);
        munmap(region.mapping, region.mapping_bytes);
      }
    }
  }

  // Whether `address` is in the accessible part of a buffer.
  bool Holds(uint64_t address) const {
    for (const auto* regions : {&inputs, &outputs, &workspace}) {
      for (const Region& region : *regions) {
        uintptr_t first = reinterpret_cast<uintptr_t>(region.open);
        if (address >= first && address < first + region.open_bytes) {
          return true;
        }
      }
    }
    return false;
  }

  Status AddInput(const CallBuffer& buffer) {
    EXHIBIT_ASSIGN_OR_RETURN(uint64_t bytes, BytesOfBuffer(buffer));
    EXHIBIT_ASSIGN_OR_RETURN(Region region, Map(buffer.name, bytes, 0));
    inputs.push_back(region);
    if (buffer.bytes.empty() && buffer.fd >= 0) {
      EXHIBIT_RETURN_IF_ERROR(ReadInto(region, buffer));
    } else {
      std::memcpy(region.data, buffer.bytes.data(), buffer.bytes.size());
    }
    std::string what = "input buffer '" + buffer.name + "'";
    NameFaults(region, what);
    RegisterFaultRange(region.open, region.open_bytes, what);
    return MakeReadOnly(region);
  }

  Status AddOutput(const CallBuffer& buffer) {
    EXHIBIT_ASSIGN_OR_RETURN(uint64_t bytes, BytesOfBuffer(buffer));
    EXHIBIT_ASSIGN_OR_RETURN(Region region,
                             Map(buffer.name, bytes, kGuardBytesMin));
    outputs.push_back(region);
    output_shapes.push_back(buffer.shape);
    FillZones(region);
    NameFaults(region, "buffer '" + buffer.name + "'");
    return Ok();
  }

  Status AddWorkspace(uint64_t bytes) {
    EXHIBIT_ASSIGN_OR_RETURN(Region region,
                             Map("workspace", bytes, kGuardBytesMin));
    workspace.push_back(region);
    FillZones(region);
    NameFaults(region, "the workspace");
    return Ok();
  }

  const Region& Output(std::string_view name, size_t* index) const {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name == name) {
        *index = i;
        return outputs[i];
      }
    }
    throw std::logic_error("no output '" + std::string(name) + "'");
  }

  // The structures that the entry takes, in read-only memory: the entry must
  // not change them, and one that does is found out.
  Status AddStructures(const std::vector<CallBuffer>& list,
                       const CallShape& shape) {
    uint64_t launch_offset =
        RoundUp(list.size() * sizeof(exhibit_buffer), kAlignment);
    EXHIBIT_ASSIGN_OR_RETURN(
        Region region,
        Map("structures", launch_offset + sizeof(exhibit_launch), 0));
    structures.push_back(region);
    auto* entries = reinterpret_cast<exhibit_buffer*>(region.data);
    size_t input = 0;
    size_t output = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      const Region& of =
          list[i].role == "input" ? inputs[input++] : outputs[output++];
      entries[i] = exhibit_buffer{of.data, of.data_bytes};
    }
    uint32_t block = shape.workers_per_block;
    uint32_t grid =
        static_cast<uint32_t>((uint64_t{shape.dispatch} + block - 1) / block);
    exhibit_launch launch = {};
    launch.dispatch_size[0] = shape.dispatch;
    launch.block_size[0] = block;
    launch.grid_size[0] = grid;
    for (int axis : {1, 2}) {
      launch.dispatch_size[axis] = 1;
      launch.block_size[axis] = 1;
      launch.grid_size[axis] = 1;
    }
    launch.workspace = workspace.empty() ? nullptr : workspace[0].data;
    std::memcpy(region.data + launch_offset, &launch, sizeof(launch));
    NameFaults(region, "the launch structures");
    RegisterFaultRange(region.open, region.open_bytes, "the launch structures");
    return MakeReadOnly(region);
  }
};

Result<GuardedBuffers> GuardedBuffers::Create(
    const std::vector<CallBuffer>& list, const CallShape& shape) {
  EXHIBIT_RETURN_IF_ERROR(CheckList(list, shape));
  auto state = std::make_unique<State>();
  for (const CallBuffer& buffer : list) {
    EXHIBIT_RETURN_IF_ERROR(buffer.role == "input" ? state->AddInput(buffer)
                                                   : state->AddOutput(buffer));
  }
  if (shape.workspace_bytes > 0) {
    EXHIBIT_RETURN_IF_ERROR(state->AddWorkspace(shape.workspace_bytes));
  }
  EXHIBIT_RETURN_IF_ERROR(state->AddStructures(list, shape));
  GuardedBuffers buffers(std::move(state));
  buffers.Poison();
  return buffers;
}

GuardedBuffers::GuardedBuffers(std::unique_ptr<State> state)
    : state_(std::move(state)) {
  const Region& structures = state_->structures[0];
  uint64_t launch_offset = structures.data_bytes - sizeof(exhibit_launch);
  buffers_ = reinterpret_cast<const exhibit_buffer*>(structures.data);
  launch_ =
      reinterpret_cast<const exhibit_launch*>(structures.data + launch_offset);
  block_count_ = launch_->grid_size[0];
}

GuardedBuffers::GuardedBuffers(GuardedBuffers&&) noexcept = default;
GuardedBuffers& GuardedBuffers::operator=(GuardedBuffers&&) noexcept = default;
GuardedBuffers::~GuardedBuffers() = default;

std::optional<int64_t> GuardedBuffers::HugePageBytes() const {
  // A line of an area starts with "first-last "; its fields follow it.
  std::unique_ptr<FILE, int (*)(FILE*)> smaps(fopen("/proc/self/smaps", "re"),
                                              fclose);
  if (smaps == nullptr) return std::nullopt;
  bool ours = false;
  bool stated = false;
  int64_t bytes = 0;
  char line[512];
  while (fgets(line, sizeof(line), smaps.get()) != nullptr) {
    unsigned long long first = 0;
    unsigned long long last = 0;
    unsigned long long kilobytes = 0;
    if (sscanf(line, "%llx-%llx ", &first, &last) == 2) {
      ours = state_->Holds(first);
    } else if (sscanf(line, "AnonHugePages: %llu kB", &kilobytes) == 1) {
      stated = true;
      if (ours) bytes += static_cast<int64_t>(kilobytes) * 1024;
    }
  }
  if (!stated) return std::nullopt;
  return bytes;
}

void GuardedBuffers::Poison() {
  for (const Region& region : state_->outputs) {
    uint32_t* values = reinterpret_cast<uint32_t*>(region.data);
    std::fill_n(values, region.data_bytes / sizeof(uint32_t), kPoisonFloat);
  }
  for (const Region& region : state_->workspace) {
    std::memset(region.data, kPoisonWorkspace, region.data_bytes);
  }
}

bool GuardedBuffers::GuardsIntact() const {
  bool intact = true;
  for (const Region& region : state_->outputs) intact &= ZonesIntact(region);
  for (const Region& region : state_->workspace) intact &= ZonesIntact(region);
  return intact;
}

std::vector<GuardState> GuardedBuffers::Guards() const {
  std::vector<GuardState> guards;
  for (const auto* regions : {&state_->outputs, &state_->workspace}) {
    for (const Region& region : *regions) {
      GuardState guard;
      guard.buffer = region.name;
      guard.bytes.assign(reinterpret_cast<const char*>(region.open),
                         region.before_bytes());
      guard.bytes.append(reinterpret_cast<const char*>(region.after()),
                         region.after_bytes());
      guard.intact = ZonesIntact(region);
      guards.push_back(std::move(guard));
    }
  }
  return guards;
}

std::span<const float> GuardedBuffers::OutputFloats(
    std::string_view name) const {
  size_t index = 0;
  const Region& region = state_->Output(name, &index);
  return {reinterpret_cast<const float*>(region.data),
          region.data_bytes / sizeof(float)};
}

Array GuardedBuffers::OutputArray(std::string_view name) const {
  size_t index = 0;
  const Region& region = state_->Output(name, &index);
  Array array;
  array.dtype = DType::kF32;
  array.shape = state_->output_shapes[index];
  array.bytes.assign(reinterpret_cast<const char*>(region.data),
                     region.data_bytes);
  return array;
}

}  // namespace exhibit
