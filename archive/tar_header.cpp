#include "archive/tar_header.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "manifests/content_id.h"
#include "manifests/json.h"

namespace exhibit {
namespace {

struct Field {
  const char* name;
  size_t offset;
  size_t size;
};

constexpr Field kName = {"name", 0, 100};
constexpr Field kSize = {"size", 124, 12};
constexpr Field kChecksum = {"chksum", 148, 8};
// In the order in which a difference is reported: what says most comes first,
// and the checksum, which follows from the others, last.
constexpr Field kFields[] = {
    {"magic", 257, 6},
    {"version", 263, 2},
    {"typeflag", 156, 1},
    kName,
    kSize,
    {"linkname", 157, 100},
    {"mode", 100, 8},
    {"uid", 108, 8},
    {"gid", 116, 8},
    {"mtime", 136, 12},
    {"uname", 265, 32},
    {"gname", 297, 32},
    {"devmajor", 329, 8},
    {"devminor", 337, 8},
    {"prefix", 345, 155},
    {"(unused)", 500, 12},
    kChecksum,
};

void Put(TarBlock& block, const Field& field, std::string_view text) {
  std::copy(text.begin(), text.end(), block.begin() + field.offset);
}

std::string_view Get(const TarBlock& block, const Field& field) {
  return std::string_view(block.data() + field.offset, field.size);
}

std::string Octal(uint64_t value, size_t digits) {
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0; value /= 8) {
    text[i] = static_cast<char>('0' + value % 8);
  }
  return text;
}

std::optional<uint64_t> ParseSize(std::string_view field) {
  uint64_t value = 0;
  for (const char digit : field.substr(0, kSize.size - 1)) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value * 8 + static_cast<uint64_t>(digit - '0');
  }
  return value;
}

// The sum of all bytes, the checksum's own taken as spaces.
uint64_t Checksum(const TarBlock& block) {
  uint64_t sum = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    const bool own =
        i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    sum += own ? uint64_t{' '} : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

TarBlock Fill(const TarMember& member) {
  TarBlock block = {};
  Put(block, kName, member.path);
  Put(block, {"mode", 100, 8}, "0000644");
  Put(block, {"uid", 108, 8}, "0000000");
  Put(block, {"gid", 116, 8}, "0000000");
  Put(block, kSize, Octal(member.size_bytes, kSize.size - 1));
  Put(block, {"mtime", 136, 12}, "00000000000");
  Put(block, {"typeflag", 156, 1}, "0");
  Put(block, {"magic", 257, 6}, "ustar");
  Put(block, {"version", 263, 2}, "00");
  Put(block, {"devmajor", 329, 8}, "0000000");
  Put(block, {"devminor", 337, 8}, "0000000");
  Put(block, kChecksum, Octal(Checksum(block), 6));
  block[kChecksum.offset + 7] = ' ';
  return block;
}

Error FieldError(const TarBlock& block, const Field& field,
                 const std::string& where, const std::string& expected) {
  return Error{ErrorKind::kCorrupt,
               where + ": tar header field " + field.name + " is " +
                   QuoteText(Get(block, field)) + ", expected " + expected,
               "only regular files in plain ustar form are accepted"};
}

}  // namespace

bool IsTarPath(std::string_view path) {
  if (path == kIndexMember) return true;
  return path.starts_with(kRunPrefix) &&
         IsRunPath(path.substr(kRunPrefix.size()));
}

TarBlock EncodeTarHeader(const TarMember& member) {
  if (!IsTarPath(member.path) || member.size_bytes > kTarMemberBytesMax) {
    throw std::logic_error("tar header for " + member.path);
  }
  return Fill(member);
}

Result<TarMember> DecodeTarHeader(const TarBlock& block,
                                  const std::string& where) {
  const std::string_view name = Get(block, kName);
  TarMember member;
  member.path = std::string(name.substr(0, name.find('\0')));
  const std::optional<uint64_t> size = ParseSize(Get(block, kSize));
  member.size_bytes = size.value_or(0);
  const TarBlock expected = Fill(member);
  for (const Field& field : kFields) {
    if (Get(block, field) == Get(expected, field)) continue;
    return FieldError(block, field, where, QuoteText(Get(expected, field)));
  }
  if (!IsTarPath(member.path)) {
    return FieldError(block, kName, where,
                      "index.sha256 or run/ and a relative path of at most "
                      "100 bytes of A-Z a-z 0-9 . _ / -");
  }
  return member;
}

uint64_t TarPaddingBytes(uint64_t size_bytes) {
  return (kTarBlockBytes - size_bytes % kTarBlockBytes) % kTarBlockBytes;
}

}  // namespace exhibit
