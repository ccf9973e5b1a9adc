#include "compiler/tool/input.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>

#include "compiler/tile/attention.h"
#include "compiler/tile/experiment.h"
#include "compiler/tile/text.h"
#include "manifests/file.h"
#include "manifests/named_file.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// "1,8,2" as exactly `count` decimal integers.
Outcome<std::vector<int64_t>> ParseList(const std::string& flag,
                                        const std::string& text, size_t count) {
  std::vector<int64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    if (stop == end && numbers.size() == count) return numbers;
    if (stop == end || *stop != ',') break;
    at = stop + 1;
  }
  return UsageFailure(flag + " needs " + std::to_string(count) +
                          " integers with commas, read \"" + text + "\"",
                      flag == "--tile"
                          ? "such as --tile 1,16"
                          : "such as --attention 1,8,2,1,2053,80,96");
}

}  // namespace

Outcome<TileOptions> ReadSettings(const std::vector<std::string>& settings) {
  TileOptions options;
  std::vector<std::string> seen;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return UsageFailure("--set needs option=value, read \"" + setting + "\"",
                          "--list-options shows the options");
    }
    const std::string name = setting.substr(0, equals);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return UsageFailure("--set gives " + name + " twice", "keep one of them");
    }
    seen.push_back(name);
    Result<Json> value =
        ParseOptionText(std::string_view(setting).substr(equals + 1));
    if (!value.ok()) {
      Error error = value.error();
      error.message = "--set " + name + ": " + error.message;
      return Failure{std::move(error), true};
    }
    const Status set = SetTileOption(name, *value, options);
    if (!set.ok()) {
      return Failure{set.error(),
                     set.error().kind == ErrorKind::kInvalidArgument};
    }
  }
  const Status checked = CheckTileOptions(options);
  if (!checked.ok()) return Failure{checked.error(), true};
  return options;
}

Outcome<tile::Program> ReadAttention(const std::string& shape,
                                     const std::string& tile,
                                     const TileOptions& options) {
  auto extents = ParseList("--attention", shape, 7);
  if (auto* failure = std::get_if<Failure>(&extents)) return *failure;
  auto blocks = ParseList("--tile", tile, 2);
  if (auto* failure = std::get_if<Failure>(&blocks)) return *failure;
  ManifestCase attention;
  attention.shape = std::get<std::vector<int64_t>>(extents);
  attention.tile = std::get<std::vector<int64_t>>(blocks);
  Result<tile::Program> program =
      tile::BuildAttention(tile::AttentionSpecOf(attention, options));
  if (!program.ok()) return Failure{program.error(), true};
  return std::move(*program);
}

Outcome<tile::Program> ReadProgramText(const std::string& path) {
  const auto limit = static_cast<uint64_t>(tile::TileLimits().text_bytes_max);
  std::string text;
  std::string where = path;
  if (path == "-") {
    where = "standard input";
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    Result<std::string> bytes = ReadFile(path, limit);
    if (!bytes.ok()) return Failure{bytes.error()};
    text = std::move(*bytes);
  }
  Result<tile::Program> program = tile::ReadProgram(text, where);
  if (!program.ok()) return Failure{program.error()};
  return std::move(*program);
}

Outcome<CommandManifest> ReadManifest(const std::string& path) {
  Result<std::string> bytes = ReadFile(path, kRecordBytesMax);
  if (!bytes.ok()) return Failure{bytes.error()};
  Result<Manifest> manifest = ParseManifest(*bytes, path);
  if (!manifest.ok()) return Failure{manifest.error()};
  const size_t slash = path.rfind('/');
  return CommandManifest{std::move(*manifest), slash == std::string::npos
                                                   ? "."
                                                   : path.substr(0, slash)};
}

Outcome<tile::Program> ReadCase(const CommandManifest& command,
                                const ManifestCase& manifest_case,
                                const TileOptions& options) {
  const std::string& kind = command.manifest.program;
  if (kind == "tile") {
    Outcome<tile::Program> program =
        ReadProgramText(command.folder + "/" + manifest_case.text);
    Failure* failure = std::get_if<Failure>(&program);
    if (failure != nullptr && failure->error.kind == ErrorKind::kNotFound) {
      failure->error = AboutNamedFile(
          {command.folder, "text", manifest_case.text}, failure->error);
      failure->error.message =
          "case " + manifest_case.name + ": " + failure->error.message;
    }
    return program;
  }
  if (kind != "attention") {
    return Failure{{ErrorKind::kUnsupported,
                    "manifest " + command.manifest.name + ": program " + kind +
                        " has no program text",
                    "only tile programs and attention are planned here"}};
  }
  Result<tile::Program> program =
      tile::BuildAttention(tile::AttentionSpecOf(manifest_case, options));
  if (!program.ok()) return Failure{program.error()};
  return std::move(*program);
}

}  // namespace exhibit
