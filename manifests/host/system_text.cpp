#include "manifests/host/system_text.h"

#include <algorithm>
#include <charconv>

#include "manifests/file.h"

namespace exhibit {
namespace {

constexpr uint64_t kSystemTextBytesMax = uint64_t{16} << 20;
constexpr size_t kRecordableBytesMax = 1024;
constexpr std::string_view kBlanks = " \t\n";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::string ReadSystemText(const std::string& path) {
  const Result<std::string> text = ReadFile(path, kSystemTextBytesMax);
  return text.ok() ? std::string(Trim(*text)) : "";
}

std::string SystemField(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (Trim(line.substr(0, colon)) == key) {
      return std::string(Trim(line.substr(colon + 1)));
    }
  }
  return "";
}

std::optional<int64_t> ParseSystemInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string RecordableText(std::string_view text) {
  std::string recordable(text.substr(0, kRecordableBytesMax));
  for (char& c : recordable) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  if (text.size() > kRecordableBytesMax) recordable += "...";
  return recordable;
}

}  // namespace exhibit
