#include "manifests/options.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "manifests/near_name.h"

namespace exhibit {
namespace {

constexpr int64_t kThresholdMax = int64_t{1} << 20;
constexpr int64_t kSnapshotBytesMax = int64_t{16} << 20;

// An option is an integer, a flag or a word; exactly one member is set.
struct OptionRule {
  OptionInfo info;
  int64_t TileOptions::*integer = nullptr;
  bool TileOptions::*flag = nullptr;
  std::string TileOptions::*word = nullptr;
  std::function<bool(int64_t)> legal_integer;
  std::vector<std::string> legal_words;
};

bool InThresholdRange(int64_t v) { return v >= 0 && v <= kThresholdMax; }

OptionRule Threshold(std::string name, int64_t TileOptions::*field,
                     std::string default_value, std::string meaning) {
  return {{std::move(name), std::move(default_value), "0..1048576",
           std::move(meaning)},
          field,
          nullptr,
          nullptr,
          InThresholdRange,
          {}};
}

OptionRule Integer(std::string name, int64_t TileOptions::*field,
                   OptionInfo info, std::function<bool(int64_t)> legal) {
  info.name = std::move(name);
  return {std::move(info), field, nullptr, nullptr, std::move(legal), {}};
}

OptionRule Flag(std::string name, bool TileOptions::*field,
                std::string default_value, std::string meaning) {
  return {{std::move(name), std::move(default_value), "false, true",
           std::move(meaning)},
          nullptr,
          field,
          nullptr,
          {},
          {}};
}

OptionRule Word(std::string name, std::string TileOptions::*field,
                std::vector<std::string> legal, std::string meaning) {
  std::string list;
  for (const auto& word : legal) list += (list.empty() ? "" : ", ") + word;
  return {{std::move(name), legal.front(), list, std::move(meaning)},
          nullptr,
          nullptr,
          field,
          {},
          std::move(legal)};
}

std::vector<OptionRule> MakeRules() {
  using O = TileOptions;
  std::vector<OptionRule> rules = {
      Threshold(
          "max_unrolled_tile_elements", &O::max_unrolled_tile_elements, "64",
          "larger tile traversals become run-time loops; 0 expands everything"),
      Threshold("max_unrolled_region_work", &O::max_unrolled_region_work,
                "4096",
                "work budget of one mma output group; 0 checks nothing"),
      Integer("mma_output_block", &O::mma_output_block,
              {"", "1", "1, 2, 4", "accumulators that share one K traversal"},
              [](int64_t v) { return v == 1 || v == 2 || v == 4; }),
      Threshold(
          "max_unrolled_mma_terms", &O::max_unrolled_mma_terms, "0",
          "extra cap on unrolled mma K; 0 inherits max_unrolled_tile_elements"),
      Flag("indexable_mma_snapshots", &O::indexable_mma_snapshots, "true",
           "operands of a K loop that only the cap made become arrays"),
      Flag("enable_mma_2d_blocking", &O::enable_mma_2d_blocking, "false",
           "2x2 groups instead of 1x4 where mma_output_block is 4"),
      Flag("full_packet", &O::full_packet, "false",
           "clone the packet body for packets whose lanes are all inside"),
      Threshold("max_full_packet_instructions",
                &O::max_full_packet_instructions, "4096",
                "largest packet body, in LLVM instructions, that is cloned"),
      Integer("packet_width", &O::packet_width,
              {"", "8", "2, 4, 8, 16",
               "lanes of a packet, one program instance each"},
              [](int64_t v) { return v == 2 || v == 4 || v == 8 || v == 16; }),
      Integer("workers_per_block", &O::workers_per_block,
              {"", "32", "1..1024, a multiple of packet_width",
               "program instances of a block"},
              [](int64_t v) { return v >= 1 && v <= 1024; }),
      Integer("local_lanes", &O::local_lanes,
              {"", "1", "1", "lanes that share one program instance"},
              [](int64_t v) { return v == 1; }),
      Integer("snapshot_budget", &O::snapshot_budget,
              {"", "0", "0..16777216",
               "bytes of arrays per worker; 0: 16 MiB / packet_width"},
              [](int64_t v) { return v >= 0 && v <= kSnapshotBytesMax; }),
      Word("qk", &O::qk, {"mma", "reduce"},
           "how attention contracts query with key"),
      Word("pv", &O::pv, {"mma", "reduce"},
           "how attention contracts weights with value"),
      Word("math", &O::math, {"precise"},
           "exp: at most 1 ULP, no fused operation"),
      Word("fusion", &O::fusion, {"none"}, "multiply-then-add is never fused"),
  };
  std::sort(rules.begin(), rules.end(),
            [](const OptionRule& a, const OptionRule& b) {
              return a.info.name < b.info.name;
            });
  return rules;
}

const std::vector<OptionRule>& Rules() {
  static const std::vector<OptionRule> rules = MakeRules();
  return rules;
}

Error Illegal(const OptionRule& rule, const Json& value) {
  return {
      ErrorKind::kInvalidArgument,
      "option " + rule.info.name + ": " + QuoteJson(value) + " is not legal",
      "Legal: " + rule.info.legal + "."};
}

}  // namespace

int64_t TileOptions::SnapshotBudgetBytes() const {
  return snapshot_budget != 0 ? snapshot_budget
                              : kSnapshotBytesMax / packet_width;
}

const std::vector<OptionInfo>& TileOptionTable() {
  static const std::vector<OptionInfo> table = [] {
    std::vector<OptionInfo> infos;
    for (const auto& rule : Rules()) infos.push_back(rule.info);
    return infos;
  }();
  return table;
}

Status SetTileOption(std::string_view name, const Json& value,
                     TileOptions& options) {
  for (const auto& rule : Rules()) {
    if (rule.info.name != name) continue;
    if (rule.integer) {
      const int64_t* v = value.AsInteger();
      if (!v || !rule.legal_integer(*v)) return Illegal(rule, value);
      options.*rule.integer = *v;
    } else if (rule.flag) {
      const bool* v = value.AsBool();
      if (!v) return Illegal(rule, value);
      options.*rule.flag = *v;
    } else {
      const std::string* v = value.AsString();
      if (!v || std::find(rule.legal_words.begin(), rule.legal_words.end(),
                          *v) == rule.legal_words.end()) {
        return Illegal(rule, value);
      }
      options.*rule.word = *v;
    }
    return Ok();
  }
  std::vector<std::string> names;
  for (const auto& rule : Rules()) names.push_back(rule.info.name);
  const std::string near = NearName(name, names);
  return Error{
      ErrorKind::kUnsupported, "unknown option " + QuoteText(name),
      (near.empty() ? "" : "Did you mean \"" + near + "\"? ") +
          std::string(
              "exhibit-compile --list-options shows what this compiler has.")};
}

Status CheckTileOptions(const TileOptions& options) {
  if (options.workers_per_block % options.packet_width != 0) {
    return Error{ErrorKind::kInvalidArgument,
                 "option workers_per_block: " +
                     std::to_string(options.workers_per_block) +
                     " is not a multiple of packet_width " +
                     std::to_string(options.packet_width),
                 "Legal: 1..1024, a multiple of packet_width."};
  }
  return Ok();
}

Result<Json> ParseOptionText(std::string_view text) {
  if (text == "true") return Json(true);
  if (text == "false") return Json(false);
  int64_t value = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  // Beyond that no record could hold it.
  constexpr int64_t kIntegerMax = int64_t{1} << 53;
  if (code == std::errc() && end == text.data() + text.size() &&
      value >= -kIntegerMax && value <= kIntegerMax)
    return Json(value);
  if (code == std::errc::result_out_of_range ||
      (code == std::errc() && end == text.data() + text.size())) {
    return Error{ErrorKind::kInvalidArgument,
                 "integer " + QuoteText(text) + " is beyond 2^53",
                 "--list-options shows the legal values."};
  }
  const bool word =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || c == '_';
      });
  if (word) return Json(text);
  return Error{ErrorKind::kInvalidArgument,
               "option value " + QuoteText(text) + " is not legal",
               "Give true, false, a decimal integer or a word."};
}

std::map<std::string, Json> TileOptionValues(const TileOptions& options) {
  std::map<std::string, Json> values;
  for (const auto& rule : Rules()) {
    Json value;
    if (rule.integer) value = Json(options.*rule.integer);
    if (rule.flag) value = Json(options.*rule.flag);
    if (rule.word) value = Json(options.*rule.word);
    values.emplace(rule.info.name, std::move(value));
  }
  return values;
}

}  // namespace exhibit
