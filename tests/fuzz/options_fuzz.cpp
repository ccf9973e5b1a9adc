// Options as they are typed, `name=value` a line: what is accepted is legal,
// and what is refused changes nothing.

#include "manifests/options.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

void SetTyped(std::string_view name, std::string_view text,
              TileOptions& options) {
  const Result<Json> value = ParseOptionText(text);
  if (!value.ok()) return fuzz::RequireSound(value.error());
  const TileOptions before = options;
  const Status status = SetTileOption(name, *value, options);
  if (!status.ok()) {
    fuzz::RequireSound(status.error());
    fuzz::Require(options == before, "a refused option changes nothing");
    return;
  }
  fuzz::Require(TileOptionValues(options).at(std::string(name)) == *value,
                "an accepted option has the value that was typed");
}

// Setting every value of `options` on new ones gives the same again.
void CheckValues(const TileOptions& options) {
  TileOptions again;
  for (const auto& [name, value] : TileOptionValues(options)) {
    fuzz::Require(SetTileOption(name, value, again).ok(),
                  "a value that options have is legal");
  }
  fuzz::Require(again == options, "options follow from their values");
  fuzz::Require(options.SnapshotBudgetBytes() > 0, "there is a budget");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text = fuzz::TextOf(data, size);
  TileOptions options;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    SetTyped(line.substr(0, equals), line.substr(equals + 1), options);
  }
  CheckValues(options);
  const Status status = CheckTileOptions(options);
  if (!status.ok()) fuzz::RequireSound(status.error());
  return 0;
}
