#include "manifests/manifest.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "manifests/content_id.h"
#include "manifests/record_fields.h"

namespace exhibit {
namespace {

constexpr char kSchema[] = "exhibit.manifest/1";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Names stand in paths, and paths in a run are at most 96 bytes.
bool IsShortName(std::string_view text) {
  return !text.empty() && text.size() <= 32 && IsLower(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsLower(c) || IsDigit(c) || c == '-';
         });
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && text.size() <= 32 && IsLower(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsLower(c) || IsDigit(c) || c == '_';
         });
}

bool IsSymbol(std::string_view text) {
  return !text.empty() && text.size() <= 128 && !IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z') ||
                  c == '_' || c == '.' || c == '$';
         });
}

Error Invalid(const FieldReader& f, const std::string& field,
              const std::string& found, std::string hint) {
  return {ErrorKind::kInvalidArgument,
          f.place() + ": field \"" + field + "\": " + found, std::move(hint)};
}

void ShortName(FieldReader& f, const char* field, std::string& v) {
  f.Text(field, v);
  if (f.ok() && !IsShortName(v)) {
    f.Fail(Invalid(f, field, QuoteText(v) + " is not a name",
                   "A name is [a-z][a-z0-9-]*, at most 32 long."));
  }
}

struct Range {
  int64_t low;
  int64_t high;
};

void InRange(FieldReader& f, const char* field, int64_t& v, Range range) {
  f.Count(field, v);
  if (f.ok() && (v < range.low || v > range.high)) {
    f.Fail(Invalid(f, field, std::to_string(v) + " is out of range",
                   "Legal: " + std::to_string(range.low) + ".." +
                       std::to_string(range.high) + "."));
  }
}

void OptionalInRange(FieldReader& f, const char* field, int64_t& v,
                     Range range) {
  if (f.Has(field)) InRange(f, field, v, range);
}

// A number in [0, high], typed as an integer or with a fraction.
void Number(FieldReader& f, const char* field, double& v, double high) {
  Json value;
  f.Value(field, value);
  if (!f.ok()) return;
  if (const int64_t* i = value.AsInteger())
    v = static_cast<double>(*i);
  else if (const double* d = value.AsDouble())
    v = *d;
  else
    v = -1;
  if (!(v >= 0 && v <= high)) {
    f.Fail(Invalid(f, field,
                   QuoteJson(value) + " is not a number from 0 to " +
                       QuoteJson(Json(high)),
                   ""));
  }
}

// A word of which this build knows some; another is refused by its name.
void KnownWord(FieldReader& f, const char* field, std::string& v,
               const std::vector<std::string>& known) {
  f.Text(field, v);
  if (!f.ok() || std::find(known.begin(), known.end(), v) != known.end())
    return;
  std::string list;
  for (const auto& word : known) list += (list.empty() ? "" : ", ") + word;
  f.Fail({ErrorKind::kUnsupported,
          f.place() + ": field \"" + field + "\": this build has no " +
              QuoteText(v),
          "It has: " + list + "."});
}

void OptionalKnownWord(FieldReader& f, const char* field, std::string& v,
                       const std::vector<std::string>& known) {
  if (f.Has(field)) KnownWord(f, field, v, known);
}

void RelativePath(FieldReader& f, const std::string& field,
                  const std::string& path) {
  if (f.ok() && !IsRunPath(path)) {
    f.Fail(
        Invalid(f, field,
                QuoteText(path) + " is not a path below the manifest's folder",
                "Use a relative path of [A-Za-z0-9._/-] without \"..\"."));
  }
}

void CheckOptions(FieldReader& f, const std::map<std::string, Json>& options) {
  TileOptions scratch;
  for (const auto& [name, value] : options) {
    const Status status = SetTileOption(name, value, scratch);
    if (status.ok()) continue;
    Error error = status.error();
    error.message = f.place() + ": " + error.message;
    f.Fail(std::move(error));
    return;
  }
}

}  // namespace

void Fields(FieldReader& f, ManifestBuffer& r) {
  f.Text("name", r.name);
  if (f.ok() && !IsIdentifier(r.name)) {
    f.Fail(Invalid(f, "name", QuoteText(r.name) + " is not a buffer name",
                   "A buffer is [a-z][a-z0-9_]*, at most 32 long."));
  }
  f.OneOf("role", r.role, {"input", "output"});
  KnownWord(f, "dtype", r.dtype, {"f32"});
  f.Counts("shape", r.shape);
  int64_t elements = 1;
  for (int64_t extent : r.shape) {
    if (extent < 1 || extent > ManifestLimits::kElementsMax / elements) {
      f.Fail(Invalid(
          f, "shape", "extent " + std::to_string(extent) + " is out of range",
          "Extents are at least 1 and an array has at most 2^28 elements."));
      return;
    }
    elements *= extent;
  }
}

void Fields(FieldReader& f, ManifestCase& r) {
  ShortName(f, "name", r.name);
  if (f.Has("shape")) f.Counts("shape", r.shape);
  if (f.Has("tile")) f.Counts("tile", r.tile);
  if (f.Has("options")) f.ValueMap("options", r.options);
  CheckOptions(f, r.options);
  if (f.Has("buffers")) f.Parts("buffers", r.buffers);
  OptionalInRange(f, "dispatch", r.dispatch, {1, int64_t{1} << 30});
  if (f.Has("files")) f.TextMap("files", r.files);
  for (const auto& [buffer, path] : r.files)
    RelativePath(f, "files." + buffer, path);
}

void Fields(FieldReader& f, ManifestAttachment& r) {
  f.Text("path", r.path);
  RelativePath(f, "path", r.path);
  f.Text("role", r.role);
  if (f.Has("note")) f.Text("note", r.note);
}

namespace {

// The parts of a manifest that are objects of their own.
struct Target {
  Manifest& m;
};
struct Inputs {
  Manifest& m;
};
struct ToleranceField {
  Manifest& m;
};
struct Expect {
  Manifest& m;
};
struct Replay {
  Manifest& m;
};
struct Decision {
  Manifest& m;
};

void Fields(FieldReader& f, Target& r) {
  KnownWord(f, "cpu", r.m.cpu,
            {"native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"});
}
void Fields(FieldReader& f, Inputs& r) {
  KnownWord(f, "generator", r.m.generator, {"sine"});
}
void Fields(FieldReader& f, ToleranceField& r) {
  Number(f, "absolute", r.m.absolute_tolerance, 1e30);
  Number(f, "relative", r.m.relative_tolerance, 1);
}
void Fields(FieldReader& f, Expect& r) {
  OptionalKnownWord(f, "outputs", r.m.expect_outputs,
                    {"bitwise-equal", "within-tolerance"});
  OptionalKnownWord(f, "capacity", r.m.expect_capacity, {"equal", "any"});
}
void Fields(FieldReader& f, Replay& r) {
  InRange(f, "cycles", r.m.cycles, {1, ManifestLimits::kCyclesMax});
  InRange(f, "samples", r.m.samples, {1, ManifestLimits::kSamplesMax});
  OptionalInRange(f, "warmup_ms", r.m.warmup_ms, {1, 60'000});
  OptionalInRange(f, "target_ms", r.m.target_ms, {1, 60'000});
  OptionalInRange(f, "timeout_s", r.m.timeout_s, {1, 86'400});
  OptionalKnownWord(f, "isolation", r.m.isolation, {"process"});
  OptionalInRange(f, "seed", r.m.seed, {0, int64_t{1} << 53});
}
void Fields(FieldReader& f, Decision& r) {
  KnownWord(f, "rule", r.m.rule, {"pairs/1"});
  Number(f, "alpha", r.m.alpha, 0.999999);
  if (f.ok() && r.m.alpha == 0)
    f.Fail(Invalid(f, "alpha", "0 can never be reached", "0.05 is usual."));
  Number(f, "minimum_effect", r.m.minimum_effect, 1);
  OptionalKnownWord(f, "family", r.m.family, {"none", "holm"});
}

void ReadVariant(FieldReader& f, ManifestVariant& r) {
  for (const char* later : {"source", "llvm_ir", "command"}) {
    if (f.Has(later)) {
      f.Fail(
          {ErrorKind::kUnsupported,
           f.place() + ": this build has no variants of kind \"" + later + "\"",
           "A variant is a set of tile options or a \"library\"."});
    }
  }
  if (!f.Has("library")) return;  // Tile options, read as a whole.
  r.kind = "library";
  f.Text("library", r.library);
  RelativePath(f, "library", r.library);
  f.Text("symbol", r.symbol);
  if (f.ok() && !IsSymbol(r.symbol))
    f.Fail(Invalid(f, "symbol", QuoteText(r.symbol) + " is not a symbol", ""));
  OptionalInRange(f, "workspace_bytes", r.workspace_bytes,
                  {0, int64_t{1} << 30});
  const bool object = r.library.ends_with(".o");
  if (f.ok() && !object && !r.library.ends_with(".so")) {
    f.Fail(Invalid(f, "library",
                   QuoteText(r.library) + " is neither .so nor .o", ""));
  }
}

void ReadVariants(FieldReader& f, Manifest& m) {
  Json value;
  f.Value("variants", value);
  if (!f.ok()) return;
  if (!value.AsObject())
    return f.Fail(Invalid(f, "variants",
                          "expected an object, found " + QuoteJson(value), ""));
  for (const auto& [name, body] : *value.AsObject()) {
    FieldReader variant(body, f.place() + ": variants." + name);
    ManifestVariant v;
    v.name = name;
    v.kind = "tile";
    if (variant.ok() && !IsShortName(name)) {
      variant.Fail(Invalid(f, "variants", QuoteText(name) + " is not a name",
                           "A name is [a-z][a-z0-9-]*, at most 32 long."));
    }
    if (variant.ok()) ReadVariant(variant, v);
    if (variant.ok() && v.kind == "tile") {
      v.options = *body.AsObject();
      CheckOptions(variant, v.options);
    }
    if (v.kind == "tile" && variant.ok()) {
      m.variants.push_back(std::move(v));
      continue;  // Every field is an option; the table knows them.
    }
    const Status status = variant.Finish();
    if (!status.ok()) return f.Fail(status.error());
    m.variants.push_back(std::move(v));
  }
}

Status CheckArms(const Manifest& m, const std::string& place) {
  auto fail = [&](const std::string& message, const std::string& hint) {
    return Error{ErrorKind::kInvalidArgument, place + ": " + message, hint};
  };
  if (m.baseline == m.candidate)
    return fail("baseline and candidate are both " + QuoteText(m.baseline),
                "Name two variants; they may be copies.");
  for (const std::string& arm : {m.baseline, m.candidate}) {
    if (!m.FindVariant(arm))
      return fail("there is no variant " + QuoteText(arm), "");
  }
  if (m.variants.size() > 2) {
    return Error{ErrorKind::kUnsupported,
                 place + ": " + std::to_string(m.variants.size()) +
                     " variants, this build compares one pair",
                 "Declare the baseline and the candidate only."};
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

// An option stands in exactly one place, and only where something reads it.
Status CheckOptionPlaces(const Manifest& m, const ManifestCase& c,
                         const std::string& place) {
  for (const auto& variant : m.variants) {
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
    EXHIBIT_RETURN_IF_ERROR(OptionsFor(m, c, variant));
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

Status CheckCases(const Manifest& m, const std::string& place) {
  if (m.cases.empty() ||
      m.cases.size() > static_cast<size_t>(ManifestLimits::kCasesMax)) {
    return Error{ErrorKind::kInvalidArgument,
                 place + ": field \"cases\": " +
                     std::to_string(m.cases.size()) + " cases",
                 "Legal: 1..64."};
  }
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
                   case_place + " is declared twice", ""};
    EXHIBIT_RETURN_IF_ERROR(m.program == "attention"
                                ? CheckAttentionCase(c, case_place)
                                : CheckCustomCase(c, case_place));
    EXHIBIT_RETURN_IF_ERROR(CheckOptionPlaces(m, c, place));
  }
  return Ok();
}

// Two-sided sign test: even when all n pairs agree, p is 2^(1-n).
Status CheckAlphaIsReachable(const Manifest& m, const std::string& place) {
  const double family =
      m.family == "holm" ? static_cast<double>(m.cases.size()) : 1.0;
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

void ReadLists(FieldReader& f, Manifest& m) {
  if (f.Has("sources")) f.Texts("sources", m.sources);
  for (const auto& path : m.sources) RelativePath(f, "sources", path);
  if (f.Has("attachments")) f.Parts("attachments", m.attachments);
  if (f.Has("limits")) f.Texts("limits", m.limits);
  if (f.Has("continues")) f.Texts("continues", m.continues);
  for (const auto& id : m.continues) {
    if (!IsSha256Hex(id))
      f.Fail(Invalid(f, "continues", QuoteText(id) + " is not a content id",
                     "64 hexadecimal digits."));
  }
  if (f.Has("exploratory")) f.Flag("exploratory", m.exploratory);
}

void ReadManifest(FieldReader& f, Manifest& m) {
  std::string schema;
  f.Text("schema", schema);
  ShortName(f, "name", m.name);
  f.Text("question", m.question);
  KnownWord(f, "program", m.program, {"attention", "custom"});
  Target target{m};
  if (f.Has("target")) f.Part("target", target);
  if (f.Has("controls")) f.ValueMap("controls", m.controls);
  CheckOptions(f, m.controls);
  ReadVariants(f, m);
  f.Text("baseline", m.baseline);
  f.Text("candidate", m.candidate);
  f.Parts("cases", m.cases);
  Inputs inputs{m};
  if (f.Has("inputs")) f.Part("inputs", inputs);
  ToleranceField tolerance{m};
  f.Part("tolerance", tolerance);
  Expect expect{m};
  if (f.Has("expect")) f.Part("expect", expect);
  Replay replay{m};
  f.Part("replay", replay);
  Decision decision{m};
  f.Part("decision", decision);
  ReadLists(f, m);
}

// What is left out means this.
Manifest Defaults() {
  Manifest m;
  m.cpu = "native";
  m.generator = "sine";
  m.expect_outputs = "within-tolerance";
  m.expect_capacity = "any";
  m.warmup_ms = 30;
  m.target_ms = 15;
  m.timeout_s = 60;
  m.isolation = "process";
  m.seed = 1;
  m.family = "none";
  return m;
}

Status CheckManifestSchema(const Json& json, const std::string& place) {
  const Json::Object* object = json.AsObject();
  if (!object)
    return Error{ErrorKind::kInvalidArgument,
                 place + ": expected an object, found " + QuoteJson(json), ""};
  const auto found = object->find("schema");
  if (found == object->end()) {
    return Error{ErrorKind::kInvalidArgument,
                 place + ": field \"schema\" is missing",
                 "A manifest starts with \"schema\": \"exhibit.manifest/1\"."};
  }
  if (found->second == Json(kSchema)) return Ok();
  return Error{ErrorKind::kUnsupported,
               place + ": schema " + QuoteJson(found->second) +
                   " is unknown here, expected \"" + kSchema + "\"",
               ""};
}

}  // namespace

const ManifestVariant* Manifest::FindVariant(std::string_view variant) const {
  for (const auto& v : variants) {
    if (v.name == variant) return &v;
  }
  return nullptr;
}

const ManifestCase* Manifest::FindCase(std::string_view case_name) const {
  for (const auto& c : cases) {
    if (c.name == case_name) return &c;
  }
  return nullptr;
}

Result<Manifest> ParseManifest(std::string_view text, std::string_view where) {
  const std::string place(where);
  EXHIBIT_ASSIGN_OR_RETURN(
      Json json, ParseJson(text, where,
                           {.text_bytes_max = ManifestLimits::kTextBytesMax}));
  EXHIBIT_RETURN_IF_ERROR(CheckManifestSchema(json, place));
  Manifest m = Defaults();
  FieldReader reader(json, place);
  ReadManifest(reader, m);
  const Status status = reader.Finish();
  if (!status.ok()) {
    Error error = status.error();
    // Well-formed JSON that is no manifest is the author's to mend.
    if (error.kind == ErrorKind::kCorrupt)
      error.kind = ErrorKind::kInvalidArgument;
    return error;
  }
  EXHIBIT_RETURN_IF_ERROR(CheckArms(m, place));
  EXHIBIT_RETURN_IF_ERROR(CheckCases(m, place));
  EXHIBIT_RETURN_IF_ERROR(CheckAlphaIsReachable(m, place));
  return m;
}

Result<TileOptions> OptionsFor(const Manifest& manifest, const ManifestCase& c,
                               const ManifestVariant& variant) {
  TileOptions options;
  for (const auto* source :
       {&manifest.controls, &c.options, &variant.options}) {
    for (const auto& [name, value] : *source)
      EXHIBIT_RETURN_IF_ERROR(SetTileOption(name, value, options));
  }
  EXHIBIT_RETURN_IF_ERROR(CheckTileOptions(options));
  return options;
}

std::string WhatIsMeasured(const Manifest& manifest) {
  const ManifestVariant& a = *manifest.FindVariant(manifest.baseline);
  const ManifestVariant& b = *manifest.FindVariant(manifest.candidate);
  if (a.kind == "library" || b.kind == "library") {
    auto describe = [](const ManifestVariant& v) {
      return v.kind == "library" ? v.library + ":" + v.symbol : "tile program";
    };
    return describe(a) + " -> " + describe(b) + ", as a whole";
  }
  const std::map<std::string, Json> defaults = TileOptionValues(TileOptions());
  std::set<std::string> names;
  for (const auto* v : {&a, &b}) {
    for (const auto& [name, value] : v->options) names.insert(name);
  }
  std::string text;
  for (const auto& name : names) {
    auto value = [&](const ManifestVariant& v) {
      const auto found = v.options.find(name);
      return QuoteJson(found != v.options.end() ? found->second
                                                : defaults.at(name));
    };
    if (value(a) == value(b)) continue;
    text +=
        (text.empty() ? "" : ", ") + name + " " + value(a) + " -> " + value(b);
  }
  return text.empty() ? "nothing: both arms are built alike"
                      : text + ", as a whole";
}

int64_t AttentionInstances(const ManifestCase& c) {
  return c.shape[0] * c.shape[1] * ((c.shape[3] + c.tile[0] - 1) / c.tile[0]);
}

}  // namespace exhibit
