// The small text files in which the kernel states facts.

#ifndef EXHIBIT_MANIFESTS_HOST_SYSTEM_TEXT_H_
#define EXHIBIT_MANIFESTS_HOST_SYSTEM_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace exhibit {

// The text of a file under /proc or /sys without the spaces and newlines at
// its end; "" when it cannot be read or passes 16 MiB.
std::string ReadSystemText(const std::string& path);

// The value of the first line "key : value" of `text`; "" when absent.
std::string SystemField(std::string_view text, std::string_view key);

// The whole of `text` as a decimal integer.
std::optional<int64_t> ParseSystemInteger(std::string_view text);

// `text` as a record may hold it: bytes that are not printable ASCII become
// "?", and what passes 1024 bytes is cut and ends in "...".
std::string RecordableText(std::string_view text);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_HOST_SYSTEM_TEXT_H_
