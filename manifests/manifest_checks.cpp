#include "manifests/manifest_checks.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace exhibit {
namespace {

Status CheckArms(const Manifest& m, const std::string& place) {
  auto fail = [&](const std::string& message, const std::string& hint) {
    return Error{ErrorKind::kInvalidArgument, place + ": " + message, hint};
  };
  if (m.baseline == m.candidate)
    return fail("baseline and candidate are both " + QuoteText(m.baseline),
                "Name two variants; they may be copies.");
  for (const std::string& arm : {m.baseline, m.candidate}) {
    if (!m.FindVariant(arm))
      return fail("there is no variant " + QuoteText(arm),
                  "Baseline and candidate each name one of \"variants\".");
  }
  return Ok();
}

Status CheckAttentionCase(const ManifestCase& c, const std::string& place) {
  auto fail = [&](const std::string& message, const std::string& hint) {
    return Error{ErrorKind::kInvalidArgument, place + ": " + message, hint};
  };
  if (c.shape.size() != 7)
    return fail("field \"shape\": " + std::to_string(c.shape.size()) +
                    " extents, attention has 7",
                "B,Hq,Hkv,Q,K,D,Dv");
  if (c.tile.size() != 2)
    return fail("field \"tile\": " + std::to_string(c.tile.size()) +
                    " extents, attention has 2",
                "query block, key block");
  if (!c.text.empty()) return fail("\"text\" belongs to program \"tile\"", "");
  if (!c.buffers.empty() || c.dispatch != 0)
    return fail("\"buffers\" and \"dispatch\" belong to program \"custom\"",
                "");
  for (int64_t extent : c.shape) {
    if (extent < 1 || extent > (1 << 20))
      return fail("field \"shape\": extent " + std::to_string(extent) +
                      " is out of range",
                  "Legal: 1..1048576.");
  }
  for (int64_t extent : c.tile) {
    if (extent < 1 || extent > 4096)
      return fail("field \"tile\": extent " + std::to_string(extent) +
                      " is out of range",
                  "Legal: 1..4096.");
  }
  const auto& s = c.shape;
  if (s[1] % s[2] != 0)
    return fail("field \"shape\": Hq " + std::to_string(s[1]) +
                    " is not a multiple of Hkv " + std::to_string(s[2]),
                "");
  if (s[4] < s[3])
    return fail("field \"shape\": K " + std::to_string(s[4]) +
                    " is less than Q " + std::to_string(s[3]),
                "");
  const double largest = static_cast<double>(s[0]) * static_cast<double>(s[1]) *
                         static_cast<double>(s[4]) *
                         static_cast<double>(std::max(s[5], s[6]));
  if (largest > static_cast<double>(ManifestLimits::kElementsMax))
    return fail("field \"shape\": an array has more than 2^28 elements", "");
  for (const auto& [buffer, path] : c.files) {
    static const std::set<std::string> kBuffers = {"query", "key", "value",
                                                   "output"};
    if (kBuffers.count(buffer) == 0)
      return fail(
          "field \"files\": attention has no buffer " + QuoteText(buffer),
          "It has query, key, value and output.");
  }
  return Ok();
}

Status CheckCustomCase(const ManifestCase& c, const std::string& place) {
  auto fail = [&](const std::string& message, const std::string& hint) {
    return Error{ErrorKind::kInvalidArgument, place + ": " + message, hint};
  };
  if (!c.shape.empty() || !c.tile.empty())
    return fail("\"shape\" and \"tile\" belong to program \"attention\"", "");
  if (!c.text.empty()) return fail("\"text\" belongs to program \"tile\"", "");
  if (c.buffers.empty() ||
      c.buffers.size() > static_cast<size_t>(ManifestLimits::kBuffersMax)) {
    return fail(
        "field \"buffers\": " + std::to_string(c.buffers.size()) + " buffers",
        "Legal: 1..16.");
  }
  if (c.dispatch == 0)
    return fail("field \"dispatch\" is missing",
                "The number of program instances.");
  std::set<std::string> names;
  bool output = false;
  for (const auto& buffer : c.buffers) {
    if (!names.insert(buffer.name).second)
      return fail("buffer " + QuoteText(buffer.name) + " is declared twice",
                  "");
    output = output || buffer.role == "output";
    if (buffer.role == "output" && c.files.count(buffer.name) == 0) {
      return fail("field \"files\": output " + QuoteText(buffer.name) +
                      " has no expected values",
                  "Name an .npy file: a custom program has no oracle.");
    }
  }
  if (!output) return fail("field \"buffers\": there is no output", "");
  for (const auto& [buffer, path] : c.files) {
    if (names.count(buffer) == 0)
      return fail("field \"files\": there is no buffer " + QuoteText(buffer),
                  "");
  }
  return Ok();
}

// What the text says of buffers is checked by who reads it.
Status CheckTileCase(const ManifestCase& c, const std::string& place) {
  auto fail = [&](const std::string& message, const std::string& hint) {
    return Error{ErrorKind::kInvalidArgument, place + ": " + message, hint};
  };
  if (c.text.empty())
    return fail("field \"text\" is missing", "The path of a .tile file.");
  if (!c.shape.empty() || !c.tile.empty())
    return fail("\"shape\" and \"tile\" belong to program \"attention\"", "");
  if (!c.buffers.empty() || c.dispatch != 0)
    return fail("\"buffers\" and \"dispatch\" belong to program \"custom\"",
                "The text declares buffers and domain.");
  return Ok();
}

Status CheckCase(const Manifest& m, const ManifestCase& c,
                 const std::string& place) {
  if (m.program == "attention") return CheckAttentionCase(c, place);
  if (m.program == "tile") return CheckTileCase(c, place);
  return CheckCustomCase(c, place);
}

// Where the value that a case builds with was typed.
std::string PlaceOfOption(const std::string& option, const Manifest& m,
                          const ManifestCase& c,
                          const ManifestVariant& variant) {
  if (variant.options.count(option) != 0) return "variants." + variant.name;
  if (c.options.count(option) != 0) return "case " + QuoteText(c.name);
  return m.controls.count(option) != 0 ? "controls" : "the default";
}

// Of values each of which is legal by itself, only a width of packets and a
// block can contradict each other.
Result<TileOptions> OptionsInPlace(const Manifest& m, const ManifestCase& c,
                                   const ManifestVariant& variant,
                                   const std::string& place) {
  Result<TileOptions> options = OptionsFor(m, c, variant);
  if (options.ok()) return options;
  Error error = options.error();
  error.message =
      place + ": " + PlaceOfOption("workers_per_block", m, c, variant) + ": " +
      error.message + " (" + PlaceOfOption("packet_width", m, c, variant) + ")";
  return error;
}

// `qk` and `pv` say how attention is written; another program is written as it
// is.
Status CheckUsableOptions(const Manifest& m, const ManifestCase& c,
                          const ManifestVariant& variant,
                          const std::string& place) {
  EXHIBIT_ASSIGN_OR_RETURN(const TileOptions options,
                           OptionsInPlace(m, c, variant, place));
  if (m.program != "tile") return Ok();
  const TileOptions defaults;
  for (const auto& [name, found, usable] :
       {std::tuple{"qk", options.qk, defaults.qk},
        std::tuple{"pv", options.pv, defaults.pv}}) {
    if (found == usable) continue;
    return Error{ErrorKind::kInvalidArgument,
                 place + ": option " + name + " is " + QuoteText(found) +
                     " for case " + QuoteText(c.name) +
                     ", but only program \"attention\" can use it",
                 "Leave it out, and write the contraction in the text."};
  }
  return Ok();
}

// An option stands in exactly one place, and only where something reads it.
Status CheckOptionPlaces(const Manifest& m, const ManifestCase& c,
                         const std::string& place) {
  for (const auto& variant : c.variants) {
    for (const auto& [name, value] : variant.options) {
      if (m.controls.count(name) == 0 && c.options.count(name) == 0) continue;
      return Error{
          ErrorKind::kInvalidArgument,
          place + ": option " + name + " stands in variant " +
              QuoteText(variant.name) + " and in " +
              (m.controls.count(name) ? "controls"
                                      : "case " + QuoteText(c.name)),
          "An option stands in exactly one of controls, case and variant."};
    }
    EXHIBIT_RETURN_IF_ERROR(CheckUsableOptions(m, c, variant, place));
  }
  for (const auto& [name, value] : c.options) {
    if (m.controls.count(name) == 0) continue;
    return Error{
        ErrorKind::kInvalidArgument,
        place + ": option " + name + " stands in controls and in case " +
            QuoteText(c.name),
        "An option stands in exactly one of controls, case and variant."};
  }
  return Ok();
}

// Only a tile program reads options; a library has its block size at most.
Status CheckOptionsAreRead(const Manifest& m, const std::string& place) {
  for (const auto& variant : m.variants) {
    if (variant.kind == "tile") return Ok();
  }
  std::vector<const std::map<std::string, Json>*> places = {&m.controls};
  for (const auto& c : m.cases) places.push_back(&c.options);
  for (const auto* options : places) {
    for (const auto& [name, value] : *options) {
      if (name == "workers_per_block") continue;
      return Error{ErrorKind::kInvalidArgument,
                   place + ": option " + name +
                       " stands in a manifest of \"library\" variants, which "
                       "do not read it",
                   "Only workers_per_block has a meaning for libraries."};
    }
  }
  return Ok();
}

Status CheckCases(const Manifest& m, const std::string& place) {
  const bool tile = std::any_of(m.variants.begin(), m.variants.end(),
                                [](const auto& v) { return v.kind == "tile"; });
  if (tile && m.program == "custom") {
    return Error{ErrorKind::kInvalidArgument,
                 place + ": a custom program has only \"library\" variants",
                 ""};
  }
  std::set<std::string> names;
  for (const auto& c : m.cases) {
    const std::string case_place = place + ": case " + QuoteText(c.name);
    if (!names.insert(c.name).second)
      return Error{ErrorKind::kInvalidArgument,
                   case_place + " is declared twice",
                   "Give each case a name of its own."};
    // What is wrong of a null case is wrong of the case that it is of.
    if (c.null_of.empty()) {
      EXHIBIT_RETURN_IF_ERROR(CheckCase(m, c, case_place));
    }
    EXHIBIT_RETURN_IF_ERROR(CheckOptionPlaces(m, c, place));
  }
  return Ok();
}

// Two-sided sign test: even when all n pairs agree, p is 2^(1-n).
Status CheckAlphaIsReachable(const Manifest& m, const std::string& place) {
  // Null cases claim nothing and so do not belong to the family.
  const auto compared =
      std::count_if(m.cases.begin(), m.cases.end(),
                    [](const auto& c) { return c.null_of.empty(); });
  const double family =
      m.family == "holm" ? static_cast<double>(compared) : 1.0;
  auto reaches = [&](int64_t cycles) {
    return std::ldexp(1.0, static_cast<int>(1 - 2 * cycles)) < m.alpha / family;
  };
  if (reaches(m.cycles)) return Ok();
  int64_t needed = m.cycles;
  while (needed < ManifestLimits::kCyclesMax && !reaches(needed)) ++needed;
  return Error{ErrorKind::kInvalidArgument,
               place + ": replay.cycles " + std::to_string(m.cycles) +
                   " gives " + std::to_string(2 * m.cycles) +
                   " pairs, which can never reach alpha " +
                   QuoteJson(Json(m.alpha)),
               "At least " + std::to_string(needed) + " cycles are needed."};
}

}  // namespace

Status CheckCounts(const Manifest& m, const std::string& place) {
  if (m.variants.size() > 2) {
    return Error{ErrorKind::kUnsupported,
                 place + ": " + std::to_string(m.variants.size()) +
                     " variants, this build compares one pair",
                 "Declare the baseline and the candidate only."};
  }
  if (m.cases.empty() ||
      m.cases.size() > static_cast<size_t>(ManifestLimits::kCasesMax)) {
    return Error{ErrorKind::kInvalidArgument,
                 place + ": field \"cases\": " +
                     std::to_string(m.cases.size()) + " cases",
                 "Legal: 1..64."};
  }
  for (const ManifestCase& c : m.cases) {
    const auto check = [&](const char* field, size_t count) -> Status {
      if (count <= static_cast<size_t>(ManifestLimits::kBuffersMax)) {
        return Ok();
      }
      return Error{ErrorKind::kInvalidArgument,
                   place + ": case " + QuoteText(c.name) + ": field \"" +
                       field + "\": " + std::to_string(count) + " entries",
                   "A case lists at most 16."};
    };
    EXHIBIT_RETURN_IF_ERROR(check("shape", c.shape.size()));
    EXHIBIT_RETURN_IF_ERROR(check("tile", c.tile.size()));
    EXHIBIT_RETURN_IF_ERROR(check("buffers", c.buffers.size()));
    EXHIBIT_RETURN_IF_ERROR(check("files", c.files.size()));
  }
  return Ok();
}

Status CheckManifest(const Manifest& manifest, const std::string& place) {
  EXHIBIT_RETURN_IF_ERROR(CheckArms(manifest, place));
  EXHIBIT_RETURN_IF_ERROR(CheckOptionsAreRead(manifest, place));
  EXHIBIT_RETURN_IF_ERROR(CheckCases(manifest, place));
  return CheckAlphaIsReachable(manifest, place);
}

}  // namespace exhibit
