#include "manifests/record_fields.h"

#include <algorithm>

#include "manifests/content_id.h"
#include "manifests/near_name.h"

namespace exhibit {

bool TextFits(TextRule rule, std::string_view text) {
  switch (rule) {
    case TextRule::kAny:
      return true;
    case TextRule::kSha256:
      return IsSha256Hex(text);
    case TextRule::kSha256OrEmpty:
      return text.empty() || IsSha256Hex(text);
    case TextRule::kRunPath:
      return IsRunPath(text);
    case TextRule::kName:
      return !text.empty() && text.size() <= 64 && text[0] != '.' &&
             text[0] != '-' &&
             std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                      c == '-';
             });
  }
  return false;
}

std::string_view TextRuleName(TextRule rule) {
  switch (rule) {
    case TextRule::kAny:
      return "a string";
    case TextRule::kSha256:
      return "a SHA-256 in 64 lower-case hexadecimal digits";
    case TextRule::kSha256OrEmpty:
      return "a SHA-256 in 64 lower-case hexadecimal digits, or \"\"";
    case TextRule::kRunPath:
      return "a relative path of [A-Za-z0-9._/-]";
    case TextRule::kName:
      return "a name of [A-Za-z0-9._-], at most 64 long";
  }
  return "";
}

FieldReader::FieldReader(const Json& value, std::string place)
    : object_(value.AsObject()), place_(std::move(place)) {
  if (!object_) {
    error_ =
        Error{ErrorKind::kCorrupt,
              place_ + ": expected an object, found " + QuoteJson(value), ""};
  }
}

const Json* FieldReader::Take(const char* name) {
  if (!ok()) return nullptr;
  const auto found = object_->find(name);
  if (found == object_->end()) {
    const std::string near = NearName(name, Unread());
    error_ = Error{ErrorKind::kCorrupt,
                   place_ + ": field \"" + name + "\" is missing" +
                       (near.empty() ? "" : "; there is " + QuoteText(near)),
                   near.empty() ? ""
                                : "Write \"" + std::string(name) +
                                      "\" if that is what " + QuoteText(near) +
                                      " is meant to be."};
    return nullptr;
  }
  taken_.insert(name);
  return &found->second;
}

void FieldReader::Wrong(const std::string& name, const Json& value,
                        std::string_view expected) {
  if (!ok()) return;
  error_ = Error{ErrorKind::kCorrupt,
                 place_ + ": field " + QuoteText(name) + ": expected " +
                     std::string(expected) + ", found " + QuoteJson(value),
                 ""};
}

const Json::Array* FieldReader::TakeArray(const char* name) {
  const Json* member = Take(name);
  if (!member) return nullptr;
  if (!member->AsArray()) Wrong(name, *member, "an array");
  return member->AsArray();
}

const Json::Object* FieldReader::TakeObject(const char* name) {
  const Json* member = Take(name);
  if (!member) return nullptr;
  if (!member->AsObject()) Wrong(name, *member, "an object");
  return member->AsObject();
}

void FieldReader::Text(const char* name, std::string& v, TextRule rule) {
  const Json* member = Take(name);
  if (!member) return;
  const std::string* text = member->AsString();
  if (!text || !TextFits(rule, *text))
    return Wrong(name, *member, TextRuleName(rule));
  v = *text;
}

void FieldReader::OneOf(const char* name, std::string& v,
                        const std::vector<std::string>& legal) {
  const Json* member = Take(name);
  if (!member) return;
  const std::string* text = member->AsString();
  if (!text || std::find(legal.begin(), legal.end(), *text) == legal.end()) {
    std::string list = "one of";
    for (const auto& word : legal) list += " " + word;
    return Wrong(name, *member, list);
  }
  v = *text;
}

bool FieldReader::ReadCount(const std::string& name, const Json& value,
                            int64_t& v) {
  const int64_t* integer = value.AsInteger();
  if (!integer || *integer < 0) {
    Wrong(name, value, "an integer of at least 0");
    return false;
  }
  v = *integer;
  return true;
}

void FieldReader::Count(const char* name, int64_t& v) {
  if (const Json* member = Take(name)) ReadCount(name, *member, v);
}

void FieldReader::Flag(const char* name, bool& v) {
  const Json* member = Take(name);
  if (!member) return;
  if (!member->AsBool()) return Wrong(name, *member, "true or false");
  v = *member->AsBool();
}

void FieldReader::Value(const char* name, Json& v) {
  if (const Json* member = Take(name)) v = *member;
}

void FieldReader::OptionalCount(const char* name, std::optional<int64_t>& v) {
  const Json* member = Take(name);
  if (!member) return;
  v.reset();
  if (member->is_null()) return;
  int64_t count = 0;
  if (ReadCount(name, *member, count)) v = count;
}

void FieldReader::OptionalNumber(const char* name, std::optional<double>& v) {
  const Json* member = Take(name);
  if (!member) return;
  v.reset();
  if (member->is_null()) return;
  if (!member->AsDouble())
    return Wrong(name, *member, "a number with a fraction, or null");
  v = *member->AsDouble();
}

void FieldReader::Texts(const char* name, std::vector<std::string>& v) {
  const Json::Array* array = TakeArray(name);
  if (!array) return;
  v.clear();
  for (const Json& element : *array) {
    if (!element.AsString()) return Wrong(name, element, "strings");
    v.push_back(*element.AsString());
  }
}

void FieldReader::Counts(const char* name, std::vector<int64_t>& v) {
  const Json::Array* array = TakeArray(name);
  if (!array) return;
  v.clear();
  for (const Json& element : *array) {
    int64_t count = 0;
    if (!ReadCount(name, element, count)) return;
    v.push_back(count);
  }
}

void FieldReader::TextMap(const char* name,
                          std::map<std::string, std::string>& v) {
  const Json::Object* object = TakeObject(name);
  if (!object) return;
  v.clear();
  for (const auto& [key, member] : *object) {
    if (!member.AsString())
      return Wrong(std::string(name) + "." + key, member, "a string");
    v[key] = *member.AsString();
  }
}

void FieldReader::ValueMap(const char* name, std::map<std::string, Json>& v) {
  if (const Json::Object* object = TakeObject(name))
    v = {object->begin(), object->end()};
}

void FieldReader::CountMap(const char* name,
                           std::map<std::string, std::optional<int64_t>>& v) {
  const Json::Object* object = TakeObject(name);
  if (!object) return;
  v.clear();
  for (const auto& [key, member] : *object) {
    int64_t count = 0;
    if (!member.is_null() &&
        !ReadCount(std::string(name) + "." + key, member, count))
      return;
    v[key] = member.is_null() ? std::nullopt : std::optional<int64_t>(count);
  }
}

std::vector<std::string> FieldReader::Unread() const {
  std::vector<std::string> keys;
  for (const auto& [key, member] : *object_) {
    if (taken_.count(key) == 0 && key.substr(0, 2) != "x-") keys.push_back(key);
  }
  return keys;
}

Status FieldReader::Finish() {
  if (error_) return *error_;
  const std::vector<std::string> unread = Unread();
  if (unread.empty()) return Ok();
  const std::string& key = unread.front();
  const std::string near = NearName(key, absent_);
  return Error{ErrorKind::kCorrupt,
               place_ + ": unknown field " + QuoteText(key) + ": " +
                   QuoteJson(object_->at(key)),
               (near.empty() ? "" : "Did you mean \"" + near + "\"? ") +
                   std::string("A private field starts with \"x-\".")};
}

}  // namespace exhibit
