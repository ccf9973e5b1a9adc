#include "archive/provenance.h"

#include <map>
#include <string>
#include <utility>

#include "archive/gzip.h"
#include "archive/xz.h"
#include "manifests/sha256.h"

#ifndef EXHIBIT_BUILD_COMPILER
#error "the build passes EXHIBIT_BUILD_COMPILER, _TYPE and _SANITIZERS"
#endif

namespace exhibit {
namespace {

constexpr char kSchema[] = "exhibit.provenance/1";

// Takes fields from an object and remembers that one was missing or of
// another type; comparing the encoding afterwards finds everything else.
class Fields {
 public:
  explicit Fields(const Json& value) : object_(value.AsObject()) {}

  void Take(const char* name, std::string& to) {
    const Json* const field = Find(name);
    const std::string* const text = field ? field->AsString() : nullptr;
    if (text) to = *text;
    if (!text) Miss(name, "a string");
  }
  void Take(const char* name, int64_t& to) {
    const Json* const field = Find(name);
    const int64_t* const number = field ? field->AsInteger() : nullptr;
    if (number) to = *number;
    if (!number) Miss(name, "an integer");
  }
  // Missing: null, whose own fields are missing in turn.
  const Json& Child(const char* name) {
    static const Json null;
    const Json* const field = Find(name);
    if (!field) Miss(name, "a value");
    return field ? *field : null;
  }
  const std::string& missing() const { return missing_; }

 private:
  const Json* Find(const char* name) const {
    if (!object_) return nullptr;
    const auto at = object_->find(name);
    return at == object_->end() ? nullptr : &at->second;
  }
  void Miss(const char* name, const char* type) {
    if (missing_.empty()) missing_ = std::string(name) + " is not " + type;
  }

  const Json::Object* object_;
  std::string missing_;
};

Json LibraryJson(const LibraryIdentity& library) {
  return Json::Object{{"name", library.name},
                      {"sha256", library.sha256},
                      {"version", library.version}};
}

Json ToJson(const Provenance& p) {
  Json::Array libraries;
  for (const auto& library : p.producer.libraries) {
    libraries.push_back(LibraryJson(library));
  }
  Json::Array left_out;
  for (const auto& item : p.left_out) {
    left_out.push_back(Json::Object{{"what", item.what}, {"why", item.why}});
  }
  const ToolIdentity& tool = p.producer.tool;
  return Json::Object{
      {"build", Json::Object{{"compiler", p.compiler},
                             {"sanitizers", p.sanitizers},
                             {"type", p.build_type}}},
      {"content_id", p.content_id},
      {"gzip", Json::Object{{"level", p.gzip_level}}},
      {"left_out", left_out},
      {"libraries", libraries},
      {"manifest_sha256", p.manifest_sha256},
      {"schema", kSchema},
      {"source_commit", p.producer.source_commit},
      {"tool", Json::Object{{"name", tool.name},
                            {"sha256", tool.sha256},
                            {"source_sha256", tool.source_sha256},
                            {"version", tool.version}}},
      {"xz", Json::Object{{"block_bytes", p.xz_block_bytes},
                          {"check", p.xz_check},
                          {"preset", p.xz_preset}}}};
}

// Returns what is wrong with `value`, or "".
std::string FromJson(const Json& value, Provenance& p) {
  Fields top(value);
  std::vector<std::string> wrong;
  const auto close = [&wrong](const Fields& fields) {
    if (!fields.missing().empty()) wrong.push_back(fields.missing());
  };
  top.Take("content_id", p.content_id);
  top.Take("manifest_sha256", p.manifest_sha256);
  top.Take("source_commit", p.producer.source_commit);
  Fields build(top.Child("build"));
  build.Take("compiler", p.compiler);
  build.Take("sanitizers", p.sanitizers);
  build.Take("type", p.build_type);
  Fields tool(top.Child("tool"));
  tool.Take("name", p.producer.tool.name);
  tool.Take("sha256", p.producer.tool.sha256);
  tool.Take("source_sha256", p.producer.tool.source_sha256);
  tool.Take("version", p.producer.tool.version);
  Fields xz(top.Child("xz"));
  xz.Take("block_bytes", p.xz_block_bytes);
  xz.Take("check", p.xz_check);
  xz.Take("preset", p.xz_preset);
  Fields gzip(top.Child("gzip"));
  gzip.Take("level", p.gzip_level);
  if (const auto* const items = top.Child("libraries").AsArray()) {
    for (const Json& item : *items) {
      Fields fields(item);
      LibraryIdentity& library = p.producer.libraries.emplace_back();
      fields.Take("name", library.name);
      fields.Take("version", library.version);
      fields.Take("sha256", library.sha256);
      close(fields);
    }
  }
  if (const auto* const items = top.Child("left_out").AsArray()) {
    for (const Json& item : *items) {
      Fields fields(item);
      LeftOut& left_out = p.left_out.emplace_back();
      fields.Take("what", left_out.what);
      fields.Take("why", left_out.why);
      close(fields);
    }
  }
  for (const Fields* fields : {&top, &build, &tool, &xz, &gzip}) close(*fields);
  return wrong.empty() ? "" : wrong.front();
}

bool IsCommit(std::string_view text) {
  if (text == "unknown") return true;
  if (text.ends_with("-dirty")) text.remove_suffix(6);
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Returns which value is none of those that its field may have, or "".
std::string OddValue(const Provenance& p) {
  const ToolIdentity& tool = p.producer.tool;
  for (const auto& [name, digest] :
       {std::pair("content_id", &p.content_id),
        std::pair("manifest_sha256", &p.manifest_sha256),
        std::pair("tool.sha256", &tool.sha256),
        std::pair("tool.source_sha256", &tool.source_sha256)}) {
    if (!IsSha256Hex(*digest)) {
      return std::string(name) + " is no SHA-256: " + QuoteText(*digest);
    }
  }
  const std::string* before = nullptr;
  for (const LibraryIdentity& library : p.producer.libraries) {
    if (!library.sha256.empty() && !IsSha256Hex(library.sha256)) {
      return "sha256 of library " + QuoteText(library.name) +
             " is no SHA-256: " + QuoteText(library.sha256);
    }
    if (before != nullptr && !(*before < library.name)) {
      return "libraries are not sorted by name, or one stands twice: " +
             QuoteText(library.name);
    }
    before = &library.name;
  }
  if (!IsCommit(p.producer.source_commit)) {
    return "source_commit is no commit: " + QuoteText(p.producer.source_commit);
  }
  for (const auto& [name, number] :
       {std::pair("xz.block_bytes", p.xz_block_bytes),
        std::pair("xz.preset", p.xz_preset),
        std::pair("gzip.level", p.gzip_level)}) {
    if (number < 0) {
      return std::string(name) + " is negative: " + std::to_string(number);
    }
  }
  return "";
}

}  // namespace

Provenance DescribePacking(const std::string& content_id,
                           const std::string& manifest_sha256,
                           const Producer& producer) {
  Provenance p;
  p.content_id = content_id;
  p.manifest_sha256 = manifest_sha256;
  p.producer = producer;
  p.compiler = EXHIBIT_BUILD_COMPILER;
  p.build_type = EXHIBIT_BUILD_TYPE;
  p.sanitizers = EXHIBIT_BUILD_SANITIZERS;
  p.xz_block_bytes = static_cast<int64_t>(kXzBlockBytes);
  p.xz_preset = kXzPreset;
  p.xz_check = kXzCheckName;
  p.gzip_level = kGzipLevel;
  // Every file of a run is packed or packing fails, so this list is fixed.
  p.left_out = {
      {"folders, and owners, permissions and times of files",
       "only paths and contents are evidence; so packing a run again gives "
       "the same bytes"}};
  return p;
}

std::string EncodeProvenance(const Provenance& provenance) {
  return EncodeJson(ToJson(provenance));
}

Result<Provenance> DecodeProvenance(std::string_view bytes,
                                    std::string_view where) {
  const auto corrupt = [&where](const std::string& what) {
    return Error{ErrorKind::kCorrupt, std::string(where) + ": " + what, ""};
  };
  EXHIBIT_ASSIGN_OR_RETURN(Json value, ParseJson(bytes, where));
  if (EncodeJson(value) != bytes) {
    const bool converted = bytes.find('\r') != std::string_view::npos;
    return corrupt(converted ? "is not canonical JSON: it has carriage returns"
                             : "is not canonical JSON");
  }
  Json::Object* const object = value.AsObject();
  if (!object) return corrupt("is not an object but " + QuoteJson(value));
  if (!object->contains("schema")) {
    return corrupt("field \"schema\" is missing");
  }
  const Json schema = object->at("schema");
  if (schema != Json(kSchema)) {
    return Error{ErrorKind::kUnsupported,
                 std::string(where) + ": schema is " + QuoteJson(schema) +
                     ", expected " + kSchema,
                 "use the version of Exhibit that knows this schema"};
  }
  std::erase_if(*object,
                [](const auto& item) { return item.first.starts_with("x-"); });
  Provenance provenance;
  const std::string wrong = FromJson(value, provenance);
  if (!wrong.empty()) return corrupt(wrong);
  if (ToJson(provenance) != value) return corrupt("has an unknown field");
  const std::string odd = OddValue(provenance);
  if (!odd.empty()) return corrupt(odd);
  return provenance;
}

}  // namespace exhibit
