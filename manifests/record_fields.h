// One definition of a record's fields for both directions.
//
// A record names its fields once, in a function `Fields(F&, Record&)`; with a
// FieldWriter that function encodes, with a FieldReader it decodes. Private to
// this room.

#ifndef EXHIBIT_MANIFESTS_RECORD_FIELDS_H_
#define EXHIBIT_MANIFESTS_RECORD_FIELDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "manifests/json.h"
#include "manifests/result.h"
#include "manifests/sha256.h"

namespace exhibit {

// What a text field may hold, beyond being a string.
enum class TextRule {
  kAny,
  kSha256,         // 64 hexadecimal digits.
  kSha256OrEmpty,  // Or "": absent.
  kRunPath,        // IsRunPath (content_id.h).
  kName,           // [A-Za-z0-9._-]{1,64}, not starting with '.' or '-'.
};

// True when `text` may stand where `rule` is asked for.
bool TextFits(TextRule rule, std::string_view text);
std::string_view TextRuleName(TextRule rule);

class FieldWriter {
 public:
  static constexpr bool kReads = false;

  void Text(const char* name, std::string& v, TextRule = TextRule::kAny) {
    Put(name, v);
  }
  void OneOf(const char* name, std::string& v,
             const std::vector<std::string>&) {
    Put(name, v);
  }
  void Count(const char* name, int64_t& v) { Put(name, v); }  // >= 0
  void Flag(const char* name, bool& v) { Put(name, v); }
  void Value(const char* name, Json& v) { Put(name, v); }
  void OptionalCount(const char* name, std::optional<int64_t>& v) {
    Put(name, v ? Json(*v) : Json());
  }
  void OptionalNumber(const char* name, std::optional<double>& v) {
    Put(name, v ? Json(*v) : Json());
  }
  void Texts(const char* name, std::vector<std::string>& v) {
    Put(name, Json::Array(v.begin(), v.end()));
  }
  void Counts(const char* name, std::vector<int64_t>& v) {
    Put(name, Json::Array(v.begin(), v.end()));
  }
  void TextMap(const char* name, std::map<std::string, std::string>& v) {
    Put(name, Json::Object(v.begin(), v.end()));
  }
  void ValueMap(const char* name, std::map<std::string, Json>& v) {
    Put(name, Json::Object(v.begin(), v.end()));
  }
  void CountMap(const char* name,
                std::map<std::string, std::optional<int64_t>>& v) {
    Json::Object object;
    for (const auto& [key, count] : v)
      object[key] = count ? Json(*count) : Json();
    Put(name, std::move(object));
  }
  template <typename T>
  void Part(const char* name, T& v) {
    FieldWriter writer;
    Fields(writer, v);
    Put(name, writer.Take());
  }
  template <typename T>
  void Parts(const char* name, std::vector<T>& v) {
    Json::Array array;
    for (T& part : v) {
      FieldWriter writer;
      Fields(writer, part);
      array.push_back(writer.Take());
    }
    Put(name, std::move(array));
  }

  Json Take() { return Json(std::move(object_)); }

 private:
  void Put(const char* name, Json value) { object_[name] = std::move(value); }
  Json::Object object_;
};

// Reads the fields of one object and remembers the first thing that is wrong.
class FieldReader {
 public:
  static constexpr bool kReads = true;

  // `place` is "freeze.json" or "freeze.json: host".
  FieldReader(const Json& value, std::string place);

  void Text(const char* name, std::string& v, TextRule rule = TextRule::kAny);
  void OneOf(const char* name, std::string& v,
             const std::vector<std::string>& legal);
  void Count(const char* name, int64_t& v);
  void Flag(const char* name, bool& v);
  void Value(const char* name, Json& v);
  void OptionalCount(const char* name, std::optional<int64_t>& v);
  void OptionalNumber(const char* name, std::optional<double>& v);
  void Texts(const char* name, std::vector<std::string>& v);
  void Counts(const char* name, std::vector<int64_t>& v);
  void TextMap(const char* name, std::map<std::string, std::string>& v);
  void ValueMap(const char* name, std::map<std::string, Json>& v);
  void CountMap(const char* name,
                std::map<std::string, std::optional<int64_t>>& v);

  template <typename T>
  void Part(const char* name, T& v) {
    if (const Json* member = Take(name)) Nested(*member, name, v);
  }
  template <typename T>
  void Parts(const char* name, std::vector<T>& v) {
    const Json::Array* array = TakeArray(name);
    if (!array) return;
    v.clear();
    for (size_t i = 0; i < array->size() && ok(); ++i) {
      v.emplace_back();
      Nested((*array)[i], std::string(name) + "[" + std::to_string(i) + "]",
             v.back());
    }
  }

  bool ok() const { return !error_.has_value(); }
  // For fields that may be left out: manifests only, records have none.
  bool Has(const char* name) {
    const bool has = object_ && object_->count(name) != 0;
    if (!has) absent_.push_back(name);
    return has;
  }
  // Remembers `error` unless something was wrong before.
  void Fail(Error error) {
    if (ok()) error_ = std::move(error);
  }
  const std::string& place() const { return place_; }
  // The first error, or an unknown field if there is one, and what it may be
  // meant to be.
  Status Finish();

 private:
  template <typename T>
  void Nested(const Json& value, const std::string& name, T& v) {
    FieldReader reader(value, place_ + ": " + name);
    Fields(reader, v);
    const Status status = reader.Finish();
    if (!status.ok() && ok()) error_ = status.error();
  }
  const Json* Take(const char* name);
  const Json::Array* TakeArray(const char* name);
  const Json::Object* TakeObject(const char* name);
  void Wrong(const std::string& name, const Json& value,
             std::string_view expected);
  bool ReadCount(const std::string& name, const Json& value, int64_t& v);
  // Keys of the object that no field was read from.
  std::vector<std::string> Unread() const;

  const Json::Object* object_ = nullptr;
  std::string place_;
  std::set<std::string> taken_;
  std::vector<std::string> absent_;  // What may be left out, and is.
  std::optional<Error> error_;
};

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_RECORD_FIELDS_H_
