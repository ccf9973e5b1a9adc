#include "manifests/manifest.h"

#include <algorithm>
#include <set>

#include "manifests/content_id.h"
#include "manifests/manifest_checks.h"
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

// A number up to `high`, typed as an integer or with a fraction.
struct NumberRange {
  enum class Least { kZero, kAboveZero };
  double high;
  Least least = Least::kZero;
  const char* hint = "";
};

void Number(FieldReader& f, const char* field, double& v,
            const NumberRange& range) {
  Json value;
  f.Value(field, value);
  if (!f.ok()) return;
  if (const int64_t* i = value.AsInteger())
    v = static_cast<double>(*i);
  else if (const double* d = value.AsDouble())
    v = *d;
  else
    v = -1;
  const bool above = range.least == NumberRange::Least::kAboveZero;
  if (!(above ? v > 0 : v >= 0) || !(v <= range.high)) {
    f.Fail(Invalid(f, field,
                   QuoteJson(value) + " is not a number " +
                       (above ? "above 0 and up to " : "from 0 to ") +
                       QuoteJson(Json(range.high)),
                   range.hint));
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
  if (f.ok() && !IsBufferName(r.name)) {
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

// What a null case is of says all the rest.
void NullCaseFields(FieldReader& f, ManifestCase& r) {
  for (const char* taken :
       {"shape", "tile", "options", "text", "buffers", "dispatch", "files"}) {
    if (!f.Has(taken)) continue;
    f.Fail(Invalid(f, taken,
                   "may not stand in a null case, which takes it from the case "
                   "that it is of",
                   "Leave it out, or \"null_of\" if this is no null case."));
  }
  f.Text("null_of", r.null_of);
  if (f.ok() && !IsShortName(r.null_of)) {
    f.Fail(Invalid(f, "null_of", QuoteText(r.null_of) + " is no case", ""));
  }
  OptionalInRange(f, "placement_bytes", r.placement_bytes,
                  {0, ManifestLimits::kPlacementMax});
  if (f.ok() && r.placement_bytes % ManifestLimits::kPlacementStep != 0) {
    f.Fail(Invalid(f, "placement_bytes",
                   std::to_string(r.placement_bytes) +
                       " is no multiple of 16, to which functions are aligned",
                   "Legal: 0, 16, 32 .. 4080."));
  }
}

void Fields(FieldReader& f, ManifestCase& r) {
  ShortName(f, "name", r.name);
  if (f.Has("null_of")) return NullCaseFields(f, r);
  if (f.Has("shape")) f.Counts("shape", r.shape);
  if (f.Has("tile")) f.Counts("tile", r.tile);
  if (f.Has("options")) f.ValueMap("options", r.options);
  CheckOptions(f, r.options);
  if (f.Has("text")) {
    f.Text("text", r.text);
    RelativePath(f, "text", r.text);
    if (f.ok() && !r.text.ends_with(".tile")) {
      f.Fail(Invalid(f, "text", QuoteText(r.text) + " does not end in .tile",
                     "A tile program stands in a .tile file."));
    }
  }
  if (f.Has("buffers")) f.Parts("buffers", r.buffers);
  OptionalInRange(f, "dispatch", r.dispatch, {1, ManifestLimits::kDispatchMax});
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
  Number(f, "absolute", r.m.absolute_tolerance, {.high = 1e30});
  Number(f, "relative", r.m.relative_tolerance,
         {.high = 1,
          .hint = "A fraction: 0.00001 is a thousandth of a per "
                  "cent of what is expected."});
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
  Number(f, "alpha", r.m.alpha,
         {.high = 0.999999,
          .least = NumberRange::Least::kAboveZero,
          .hint = "A fraction: 5%, which is usual, is 0.05."});
  Number(f, "minimum_effect", r.m.minimum_effect,
         {.high = 1, .hint = "A fraction: 1% is 0.01."});
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
  KnownWord(f, "program", m.program, {"attention", "custom", "tile"});
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

template <typename T>
const T* FindNamed(const std::vector<T>& all, std::string_view name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

// Fills a null case from the case that it is of.
Status FillNullCase(const Manifest& m, const std::string& place,
                    ManifestCase& c) {
  const ManifestCase* of = FindNamed(m.cases, c.null_of);
  const std::string at =
      place + ": case " + QuoteText(c.name) + ": field \"null_of\": ";
  if (of == nullptr || !of->null_of.empty()) {
    return Error{ErrorKind::kInvalidArgument,
                 at + QuoteText(c.null_of) + " is " +
                     (of == nullptr ? "no case" : "a null case itself"),
                 "Name a case that compares the two variants."};
  }
  ManifestCase filled = *of;
  filled.name = c.name;
  filled.null_of = c.null_of;
  filled.placement_bytes = c.placement_bytes;
  c = std::move(filled);
  return Ok();
}

// The variants as each case builds them.
Status FillVariants(const std::string& place, Manifest& m) {
  for (ManifestCase& c : m.cases) {
    c.variants = m.variants;
    if (c.null_of.empty()) continue;
    const ManifestVariant* baseline = m.FindVariant(m.baseline);
    for (ManifestVariant& variant : c.variants) {
      if (baseline == nullptr || variant.name != m.candidate) continue;
      variant = *baseline;
      variant.name = m.candidate;
      variant.placement_bytes = c.placement_bytes;
      if (c.placement_bytes == 0 || !variant.library.ends_with(".so")) continue;
      return Error{ErrorKind::kInvalidArgument,
                   place + ": case " + QuoteText(c.name) + ": the code of " +
                       variant.library +
                       " cannot be placed, as it is linked already",
                   "Give the baseline as .o, or leave placement_bytes out."};
    }
  }
  return Ok();
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
               "Use the version of Exhibit that knows this schema."};
}

}  // namespace

const ManifestVariant* Manifest::FindVariant(std::string_view variant) const {
  return FindNamed(variants, variant);
}

const ManifestVariant* ManifestCase::FindVariant(
    std::string_view variant) const {
  return FindNamed(variants, variant);
}

const ManifestCase* Manifest::FindCase(std::string_view case_name) const {
  return FindNamed(cases, case_name);
}

namespace {

Result<Manifest> ReadManifestText(std::string_view text,
                                  std::string_view where) {
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
  EXHIBIT_RETURN_IF_ERROR(CheckCounts(m, place));
  for (ManifestCase& c : m.cases) {
    if (c.null_of.empty()) continue;
    EXHIBIT_RETURN_IF_ERROR(FillNullCase(m, place, c));
  }
  EXHIBIT_RETURN_IF_ERROR(FillVariants(place, m));
  EXHIBIT_RETURN_IF_ERROR(CheckManifest(m, place));
  return m;
}

}  // namespace

Result<Manifest> ParseManifest(std::string_view text, std::string_view where) {
  Result<Manifest> manifest = ReadManifestText(text, where);
  if (manifest.ok() || !manifest.error().hint.empty()) return manifest;
  Error error = manifest.error();
  error.hint = "manifests/MANIFEST.md has every field and what it may hold.";
  return error;
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

std::string WhatIsMeasured(const Manifest& manifest, const ManifestCase& c) {
  if (c.null_of.empty()) return WhatIsMeasured(manifest);
  std::string text = "nothing: the baseline against itself";
  if (c.placement_bytes != 0) {
    text +=
        ", its code " + std::to_string(c.placement_bytes) + " bytes further on";
  }
  return text;
}

std::vector<std::string> FrozenSources(const Manifest& manifest) {
  std::vector<std::string> paths = manifest.sources;
  for (const ManifestCase& c : manifest.cases) {
    if (c.text.empty() ||
        std::find(paths.begin(), paths.end(), c.text) != paths.end()) {
      continue;
    }
    paths.push_back(c.text);
  }
  return paths;
}

bool IsBufferName(std::string_view text) {
  return !text.empty() && text.size() <= 32 && IsLower(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsLower(c) || IsDigit(c) || c == '_';
         });
}

int64_t AttentionInstances(const ManifestCase& c) {
  return c.shape[0] * c.shape[1] * ((c.shape[3] + c.tile[0] - 1) / c.tile[0]);
}

}  // namespace exhibit
