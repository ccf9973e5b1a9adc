// The one tar header this project writes and reads.
//
// A header is a function of a path and a size and of nothing else; the reader
// accepts exactly what that function returns. So links, devices, sparse files,
// GNU and pax extensions, other owners, modes or times do not exist here.
// Normative: archive/FORMAT.md, "Tar layer".

#ifndef EXHIBIT_ARCHIVE_TAR_HEADER_H_
#define EXHIBIT_ARCHIVE_TAR_HEADER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "manifests/result.h"

namespace exhibit {

inline constexpr size_t kTarBlockBytes = 512;
// Eleven octal digits.
inline constexpr uint64_t kTarMemberBytesMax = (uint64_t{1} << 33) - 1;
inline constexpr std::string_view kIndexMember = "index.sha256";
inline constexpr std::string_view kRunPrefix = "run/";

using TarBlock = std::array<char, kTarBlockBytes>;

struct TarMember {
  std::string path;
  uint64_t size_bytes = 0;

  bool operator==(const TarMember&) const = default;
};

// "index.sha256", or "run/" and a path that may stand in a run.
bool IsTarPath(std::string_view path);

// An illegal path or size is a bug of the caller.
TarBlock EncodeTarHeader(const TarMember& member);

// Fails with kCorrupt, naming the first field that differs from what
// EncodeTarHeader would have written and what stands there. `where` opens the
// message.
Result<TarMember> DecodeTarHeader(const TarBlock& block,
                                  const std::string& where);

// Bytes that follow contents of `size_bytes` up to the next block.
uint64_t TarPaddingBytes(uint64_t size_bytes);

}  // namespace exhibit

#endif  // EXHIBIT_ARCHIVE_TAR_HEADER_H_
