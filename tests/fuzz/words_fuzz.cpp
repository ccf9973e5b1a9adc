// Single words: what the kernel states of a machine, and what is typed on a
// command line.

#include <charconv>

#include "manifests/host/host.h"
#include "manifests/host/system_text.h"
#include "manifests/npy.h"
#include "replay/plan_table.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

constexpr size_t kRecordedBytesMax = 1024 + 3;  // And "...".

void RequireRecordable(std::string_view text) {
  for (const char c : text) {
    fuzz::Require(c >= ' ' && c <= '~', "what is recorded is printable");
  }
}

void CheckSystemText(std::string_view text) {
  const std::string recorded = RecordableText(text);
  RequireRecordable(recorded);
  fuzz::Require(recorded.size() <= kRecordedBytesMax, "a record has an end");
  fuzz::Require(
      text.size() > kRecordedBytesMax - 3 || recorded.size() == text.size(),
      "what is short is not cut");
  const std::string value = SystemField(text, "model name");
  fuzz::Require(value.empty() || (text.find(value) != std::string_view::npos &&
                                  value.find('\n') == std::string::npos),
                "a value stands on its line");
  const std::optional<int64_t> number = ParseSystemInteger(text);
  if (!number) return;
  const std::string written = std::to_string(*number);
  fuzz::Require(
      text.ends_with(*number < 0 ? written.substr(1) : written) || *number == 0,
      "an integer is the one that is stated");
}

void CheckTyped(const std::string& text) {
  const std::vector<std::string> words = CommandWithoutPaths({text, text});
  fuzz::Require(words.size() == 2 && words[0] == words[1],
                "a command keeps its words");
  RequireRecordable(words[0]);
  constexpr std::string_view kPath = "<path>/";
  std::string_view shown = words[0];
  if (shown.starts_with(kPath)) shown.remove_prefix(kPath.size());
  fuzz::Require(shown.find('/') == std::string_view::npos,
                "a command shows no folder");
  const Result<double> percent = ParsePercent(text);
  if (percent.ok()) {
    fuzz::Require(*percent > 0 && *percent <= 1, "an effect is a part of one");
  } else {
    fuzz::Require(percent.error().kind == ErrorKind::kInvalidArgument,
                  "what is mistyped is told");
  }
  const Result<DType> dtype = ParseDType(text);
  if (!dtype.ok()) fuzz::RequireSound(dtype.error());
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  CheckSystemText(text);
  CheckTyped(std::string(text));
  return 0;
}
