#include "manifests/npy.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "manifests/json.h"
#include "manifests/little_endian.h"
#include "manifests/npy_header.h"

namespace exhibit {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::string_view kVersion("\x01\x00", 2);
constexpr size_t kPrefixBytes = 10;  // Magic, version, 16-bit header length.
constexpr size_t kAlignmentBytes = 64;
// NumPy keeps room for the first axis to grow to this many digits in place.
constexpr size_t kGrowthDigits = 21;
constexpr uint64_t kElementCountMax = uint64_t{1} << 53;

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::string_view descr;  // As in the header.
  uint64_t bytes;
};
constexpr DTypeRow kDTypes[] = {{DType::kF32, "f32", "<f4", 4},
                                {DType::kF64, "f64", "<f8", 8},
                                {DType::kI64, "i64", "<i8", 8},
                                {DType::kU8, "u8", "|u1", 1}};

const DTypeRow& RowOf(DType dtype) {
  for (const DTypeRow& row : kDTypes) {
    if (row.dtype == dtype) return row;
  }
  throw std::logic_error("no such dtype");
}

// Magic, version, length and header: everything before the data.
std::string EncodePrefix(DType dtype, const std::vector<uint64_t>& shape) {
  std::string header = "{'descr': '" + std::string(RowOf(dtype).descr) +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis > 0) header += ", ";
    header += std::to_string(shape[axis]);
  }
  header += shape.size() == 1 ? ",), }" : "), }";
  if (!shape.empty()) {
    const size_t digits = std::to_string(shape[0]).size();
    header.append(kGrowthDigits - digits, ' ');
  }
  // An aligned header still gets a whole unit of spaces, as from NumPy.
  const size_t unpadded = kPrefixBytes + header.size() + 1;
  header.append(kAlignmentBytes - unpadded % kAlignmentBytes, ' ');
  header += '\n';
  if (header.size() > 0xFFFF) throw std::logic_error("npy header too long");
  std::string prefix(kMagic);
  prefix += kVersion;
  prefix += static_cast<char>(header.size() & 0xFF);
  prefix += static_cast<char>(header.size() >> 8);
  return prefix + header;
}

// Walks over one file and words its failures: what, at which offset, and the
// bytes that stand there.
class Reader {
 public:
  Reader(std::string_view bytes, std::string_view where)
      : bytes_(bytes), where_(where) {}

  size_t offset() const { return offset_; }
  std::string_view rest() const { return bytes_.substr(offset_); }

  bool Take(std::string_view expected) {
    if (!rest().starts_with(expected)) return false;
    offset_ += expected.size();
    return true;
  }
  // What stands before the next `end`, which is taken as well.
  bool TakeUntil(char end, std::string_view& text) {
    const size_t at = rest().find(end);
    if (at == std::string_view::npos) return false;
    text = rest().substr(0, at);
    offset_ += at + 1;
    return true;
  }
  bool TakeNumber(uint64_t& number) {
    const char* begin = bytes_.data() + offset_;
    const auto [end, code] =
        std::from_chars(begin, bytes_.data() + bytes_.size(), number);
    if (code != std::errc()) return false;
    offset_ += static_cast<size_t>(end - begin);
    return true;
  }
  Error Fail(ErrorKind kind, const std::string& what) const {
    return Error{kind,
                 std::string(where_) + ": " + what + " at offset " +
                     std::to_string(offset_) + ", read " +
                     QuoteText(rest().substr(0, 24)),
                 ""};
  }

 private:
  std::string_view bytes_;
  std::string_view where_;
  size_t offset_ = 0;
};

// Magic, version and length; leaves the reader at the header and returns the
// offset at which the data starts.
Result<size_t> ReadPrefix(std::string_view bytes, Reader& reader) {
  if (!reader.Take(kMagic)) {
    return reader.Fail(ErrorKind::kCorrupt, "not a NumPy array file");
  }
  if (reader.rest().size() < 4) {
    return reader.Fail(ErrorKind::kCorrupt, "the file ends in its header");
  }
  if (!reader.Take(kVersion)) {
    return reader.Fail(ErrorKind::kUnsupported,
                       "format version other than 1.0");
  }
  const size_t header_bytes =
      static_cast<unsigned char>(bytes[8]) +
      size_t{static_cast<unsigned char>(bytes[9])} * 256;
  if (!reader.Take(bytes.substr(8, 2)) || reader.rest().size() < header_bytes) {
    return reader.Fail(ErrorKind::kCorrupt, "the file ends in its header");
  }
  return kPrefixBytes + header_bytes;
}

Result<DType> ReadDType(Reader& reader) {
  std::string_view descr;
  if (!reader.Take("{'descr': ")) {
    return reader.Fail(ErrorKind::kCorrupt, "no descr first in the header");
  }
  // A structured type has a list here.
  if (!reader.Take("'")) {
    return reader.Fail(ErrorKind::kUnsupported, "structured element type");
  }
  const Reader at_descr = reader;
  if (!reader.TakeUntil('\'', descr)) {
    return reader.Fail(ErrorKind::kCorrupt, "descr does not end");
  }
  for (const DTypeRow& row : kDTypes) {
    if (row.descr == descr) return row.dtype;
  }
  return at_descr.Fail(ErrorKind::kUnsupported,
                       "element type other than <f4, <f8, <i8 and |u1");
}

Status ReadOrder(Reader& reader) {
  if (!reader.Take(", 'fortran_order': ")) {
    return reader.Fail(ErrorKind::kCorrupt,
                       "no fortran_order second in the header");
  }
  if (reader.rest().starts_with("True")) {
    return reader.Fail(ErrorKind::kUnsupported, "Fortran order");
  }
  if (!reader.Take("False")) {
    return reader.Fail(ErrorKind::kCorrupt,
                       "fortran_order is neither True nor False");
  }
  return Ok();
}

Result<std::vector<uint64_t>> ReadShape(Reader& reader, uint64_t axis_max) {
  if (!reader.Take(", 'shape': (")) {
    return reader.Fail(ErrorKind::kCorrupt, "no shape third in the header");
  }
  std::vector<uint64_t> shape;
  while (!reader.Take("), }")) {
    if (shape.size() >= axis_max) {
      return reader.Fail(ErrorKind::kLimitExceeded,
                         "more than " + std::to_string(axis_max) + " axes");
    }
    uint64_t extent = 0;
    if (!reader.TakeNumber(extent)) {
      return reader.Fail(ErrorKind::kCorrupt, "no extent of an axis");
    }
    shape.push_back(extent);
    if (!reader.Take(", ")) reader.Take(",");
  }
  return shape;
}

template <typename T>
std::vector<T> CopyIn(const Array& array, DType dtype) {
  if (array.dtype != dtype) throw std::logic_error("array of another dtype");
  if (array.bytes.size() % sizeof(T) != 0) {
    throw std::logic_error("array of a broken number of bytes");
  }
  return FromLittleEndian<T>(array.bytes);
}

}  // namespace

std::string_view DTypeName(DType dtype) { return RowOf(dtype).name; }

Result<DType> ParseDType(std::string_view name) {
  for (const DTypeRow& row : kDTypes) {
    if (row.name == name) return row.dtype;
  }
  return Error{ErrorKind::kUnsupported,
               "unknown element type " + QuoteText(name),
               "the element types are f32, f64, i64 and u8"};
}

uint64_t DTypeBytes(DType dtype) { return RowOf(dtype).bytes; }

Result<uint64_t> ElementCount(const std::vector<uint64_t>& shape) {
  // With an empty axis the product is 0 in whatever order it is taken.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return uint64_t{0};
  }
  uint64_t count = 1;
  for (const uint64_t extent : shape) {
    if (extent > kElementCountMax / count) {
      return Error{ErrorKind::kLimitExceeded,
                   "a shape of more than 2^53 elements, with an axis of " +
                       std::to_string(extent),
                   ""};
    }
    count *= extent;
  }
  return count;
}

std::string EncodeNpy(const Array& array) {
  const Result<uint64_t> count = ElementCount(array.shape);
  if (!count.ok() || *count * DTypeBytes(array.dtype) != array.bytes.size()) {
    throw std::logic_error("array of " + std::to_string(array.bytes.size()) +
                           " bytes disagrees with its shape");
  }
  return EncodePrefix(array.dtype, array.shape) + array.bytes;
}

std::string EncodeNpyHeader(DType dtype, const std::vector<uint64_t>& shape) {
  return EncodePrefix(dtype, shape);
}

Result<NpyHeader> DecodeNpyHeader(std::string_view bytes, uint64_t file_bytes,
                                  std::string_view where,
                                  const NpyLimits& limits) {
  Reader reader(bytes, where);
  EXHIBIT_ASSIGN_OR_RETURN(const size_t data_offset, ReadPrefix(bytes, reader));
  // The header is read alone, so that no number can run on into the data.
  Reader header(bytes.substr(0, data_offset), where);
  header.Take(bytes.substr(0, reader.offset()));
  NpyHeader read;
  read.data_offset = data_offset;
  EXHIBIT_ASSIGN_OR_RETURN(read.dtype, ReadDType(header));
  EXHIBIT_RETURN_IF_ERROR(ReadOrder(header));
  EXHIBIT_ASSIGN_OR_RETURN(read.shape,
                           ReadShape(header, limits.axis_count_max));
  if (bytes.substr(0, data_offset) != EncodePrefix(read.dtype, read.shape)) {
    return header.Fail(ErrorKind::kCorrupt,
                       "the header is not spelled as NumPy spells it");
  }
  const Result<uint64_t> count = ElementCount(read.shape);
  if (!count.ok()) {
    return header.Fail(ErrorKind::kLimitExceeded, count.error().message);
  }
  const uint64_t element_bytes = DTypeBytes(read.dtype);
  if (*count > limits.data_bytes_max / element_bytes) {
    return header.Fail(ErrorKind::kLimitExceeded,
                       "more than " + std::to_string(limits.data_bytes_max) +
                           " bytes of data declared");
  }
  const uint64_t data_bytes = file_bytes - data_offset;
  if (data_bytes != *count * element_bytes) {
    return header.Fail(
        ErrorKind::kCorrupt,
        "the shape takes " + std::to_string(*count * element_bytes) +
            " bytes of data, the file has " + std::to_string(data_bytes));
  }
  return read;
}

Result<Array> DecodeNpy(std::string_view bytes, std::string_view where,
                        const NpyLimits& limits) {
  EXHIBIT_ASSIGN_OR_RETURN(NpyHeader header,
                           DecodeNpyHeader(bytes, bytes.size(), where, limits));
  return Array{header.dtype, std::move(header.shape),
               std::string(bytes.substr(header.data_offset))};
}

std::string BytesOf(const std::vector<float>& values) {
  return LittleEndianBytes<float>(values);
}
std::string BytesOf(const std::vector<double>& values) {
  return LittleEndianBytes<double>(values);
}
std::vector<float> FloatsOf(const Array& array) {
  return CopyIn<float>(array, DType::kF32);
}
std::vector<double> DoublesOf(const Array& array) {
  return CopyIn<double>(array, DType::kF64);
}

}  // namespace exhibit
