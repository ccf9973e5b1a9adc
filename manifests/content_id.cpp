#include "manifests/content_id.h"

#include <stdexcept>

#include "manifests/json.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

constexpr size_t kRunPathBytesMax = 96;
constexpr size_t kDigestBytes = 64;

bool IsPathCharacter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool IsComponent(std::string_view component) {
  if (component.empty() || component == "." || component == "..") return false;
  if (component.front() == '-') return false;
  for (char c : component) {
    if (!IsPathCharacter(c)) return false;
  }
  return true;
}

Error BadLine(std::string_view where, size_t line_number, std::string_view line,
              const std::string& what) {
  return Error{ErrorKind::kCorrupt,
               std::string(where) + ": line " + std::to_string(line_number) +
                   ": " + what + ", read " + QuoteText(line),
               ""};
}

}  // namespace

bool IsRunPath(std::string_view path) {
  if (path.size() > kRunPathBytesMax) return false;
  while (true) {
    const size_t slash = path.find('/');
    if (!IsComponent(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::string EncodeIndex(const FileDigests& digests) {
  std::string text;
  for (const auto& [path, sha256] : digests) {
    if (!IsRunPath(path) || !IsSha256Hex(sha256)) {
      throw std::logic_error("index entry " + QuoteText(path) +
                             " with digest " + QuoteText(sha256));
    }
    text += sha256 + "  " + path + "\n";
  }
  return text;
}

Result<FileDigests> DecodeIndex(std::string_view text, std::string_view where) {
  FileDigests digests;
  std::string_view previous;
  for (size_t line_number = 1; !text.empty(); ++line_number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (end == std::string_view::npos) {
      return BadLine(where, line_number, line, "does not end with a newline");
    }
    text.remove_prefix(end + 1);
    if (!IsSha256Hex(line.substr(0, kDigestBytes))) {
      return BadLine(where, line_number, line, "does not start with a digest");
    }
    if (line.substr(kDigestBytes, 2) != "  ") {
      return BadLine(where, line_number, line,
                     "no two spaces after the digest");
    }
    const std::string_view path = line.substr(kDigestBytes + 2);
    if (path.ends_with('\r')) {
      return BadLine(where, line_number, line, "ends in a carriage return");
    }
    if (!IsRunPath(path)) {
      return BadLine(where, line_number, line, "not a path of a run");
    }
    if (path <= previous) {
      return BadLine(where, line_number, line,
                     "paths are repeated or not in bytewise order");
    }
    previous = path;
    digests.emplace_hint(digests.end(), std::string(path),
                         std::string(line.substr(0, kDigestBytes)));
  }
  return digests;
}

std::string ContentId(const FileDigests& digests) {
  return Sha256Hex(EncodeIndex(digests));
}

}  // namespace exhibit
