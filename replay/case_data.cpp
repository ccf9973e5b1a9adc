#include "replay/case_data.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "replay/run_array.h"

namespace exhibit {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

// Where one array lies in the file.
struct Section {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct Layout {
  std::vector<Section> sections;  // One per array of the record.
  uint64_t bytes = 0;
};

Error Failed(const std::string& what) {
  return Error{ErrorKind::kIo, what + ": " + strerror(errno), ""};
}

std::vector<uint64_t> ShapeOf(const CaseArray& array) {
  return {array.shape.begin(), array.shape.end()};
}

Result<Layout> LayoutOf(const CaseRecord& record) {
  Layout layout;
  for (const CaseArray& array : record.arrays) {
    EXHIBIT_ASSIGN_OR_RETURN(DType dtype, ParseDType(array.dtype));
    EXHIBIT_ASSIGN_OR_RETURN(uint64_t count, ElementCount(ShapeOf(array)));
    uint64_t element_bytes =
        array.role == "input" ? DTypeBytes(dtype) : sizeof(double);
    if (count > kCallBytesMax / element_bytes ||
        layout.bytes > kCallBytesMax - count * element_bytes) {
      return Error{ErrorKind::kLimitExceeded,
                   "the arrays of case '" + record.case_name + "' pass " +
                       std::to_string(kCallBytesMax) + " bytes",
                   ""};
    }
    layout.sections.push_back({layout.bytes, count * element_bytes});
    layout.bytes += count * element_bytes;
    layout.bytes = (layout.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return layout;
}

Status WriteAt(int fd, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t count =
        pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failed("cannot fill the memory file of a case");
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return Ok();
}

Error Misfit(const CaseArray& array) {
  return Error{ErrorKind::kCorrupt,
               ArrayPath(array.sha256) + ": not of the type and shape of " +
                   array.role + " '" + array.name + "'",
               ""};
}

// The bytes of `array` as the file holds them.
Result<std::string> ContentsOf(const std::string& run, const CaseArray& array) {
  EXHIBIT_ASSIGN_OR_RETURN(Array values, ReadRunArray(run, array.sha256));
  if (values.shape != ShapeOf(array)) return Misfit(array);
  if (array.role == "input") {
    if (DTypeName(values.dtype) != array.dtype) return Misfit(array);
    return std::move(values.bytes);
  }
  // An output without elements would pass every check.
  if (values.bytes.empty()) return Misfit(array);
  if (values.dtype == DType::kF64) return std::move(values.bytes);
  if (values.dtype != DType::kF32) return Misfit(array);
  std::vector<float> floats = FloatsOf(values);
  return BytesOf(std::vector<double>(floats.begin(), floats.end()));
}

// Whether `fd` can no longer change and has `bytes` bytes.
Status CheckSealed(int fd, uint64_t bytes) {
  struct stat facts = {};
  if (fstat(fd, &facts) != 0) return Failed("cannot stat the file of a case");
  if ((fcntl(fd, F_GET_SEALS) & kSeals) != kSeals ||
      static_cast<uint64_t>(facts.st_size) != bytes) {
    return Error{ErrorKind::kCorrupt,
                 "the memory file of a case is not sealed or not of its size",
                 ""};
  }
  return Ok();
}

Result<std::vector<double>> ReadDoubles(int fd, const Section& section) {
  std::vector<double> values(section.bytes / sizeof(double));
  auto* out = reinterpret_cast<char*>(values.data());
  uint64_t done = 0;
  while (done < section.bytes) {
    ssize_t count = pread(fd, out + done, section.bytes - done,
                          static_cast<off_t>(section.offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failed("cannot read the memory file of a case");
    done += static_cast<uint64_t>(count);
  }
  return values;
}

}  // namespace

Result<CaseData> CaseData::Load(const std::string& run,
                                const CaseRecord& record) {
  EXHIBIT_ASSIGN_OR_RETURN(Layout layout, LayoutOf(record));
  CaseData data(memfd_create("exhibit-case", MFD_CLOEXEC | MFD_ALLOW_SEALING),
                layout.bytes);
  if (data.fd_ < 0 ||
      ftruncate(data.fd_, static_cast<off_t>(layout.bytes)) != 0) {
    return Failed("cannot make the memory file of a case");
  }
  for (size_t i = 0; i < record.arrays.size(); ++i) {
    EXHIBIT_ASSIGN_OR_RETURN(std::string contents,
                             ContentsOf(run, record.arrays[i]));
    if (contents.size() != layout.sections[i].bytes) {
      return Misfit(record.arrays[i]);
    }
    EXHIBIT_RETURN_IF_ERROR(
        WriteAt(data.fd_, contents, layout.sections[i].offset));
  }
  if (fcntl(data.fd_, F_ADD_SEALS, kSeals) != 0) {
    return Failed("cannot seal the memory file of a case");
  }
  return data;
}

CaseData::CaseData(CaseData&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), bytes_(other.bytes_) {}

CaseData& CaseData::operator=(CaseData&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

CaseData::~CaseData() {
  if (fd_ >= 0) close(fd_);
}

Result<CaseContents> ReadCaseContents(int fd, const CaseRecord& record) {
  EXHIBIT_ASSIGN_OR_RETURN(Layout layout, LayoutOf(record));
  EXHIBIT_RETURN_IF_ERROR(CheckSealed(fd, layout.bytes));
  CaseContents contents;
  for (size_t i = 0; i < record.arrays.size(); ++i) {
    const CaseArray& array = record.arrays[i];
    CallBuffer buffer;
    buffer.name = array.name;
    buffer.role = array.role;
    EXHIBIT_ASSIGN_OR_RETURN(buffer.dtype, ParseDType(array.dtype));
    buffer.shape = ShapeOf(array);
    if (array.role == "input") {
      buffer.fd = fd;
      buffer.offset = layout.sections[i].offset;
    } else {
      EXHIBIT_ASSIGN_OR_RETURN(std::vector<double> values,
                               ReadDoubles(fd, layout.sections[i]));
      contents.expected.push_back({array.name, std::move(values)});
    }
    contents.buffers.push_back(std::move(buffer));
  }
  return contents;
}

}  // namespace exhibit
