#include "manifests/json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace exhibit {
namespace {

constexpr int64_t kIntegerMax = int64_t{1} << 53;

// What the tokeniser quotes may be the very bytes that are not UTF-8, and a
// message may have to stand in a record.
std::string AsUtf8(const std::string& text) {
  return nlohmann::json::parse(nlohmann::json(text).dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Collects values as nlohmann's tokeniser reports them, and refuses what the
// library would accept: repeated keys, deep nesting, integers that would turn
// into doubles.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return Add(Json()); }
  bool boolean(bool v) override { return Add(Json(v)); }
  bool number_integer(number_integer_t v) override {
    if (v < -kIntegerMax || v > kIntegerMax)
      return OutOfRange(std::to_string(v));
    return Add(Json(int64_t{v}));
  }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > static_cast<uint64_t>(kIntegerMax))
      return OutOfRange(std::to_string(v));
    return Add(Json(static_cast<int64_t>(v)));
  }
  bool number_float(number_float_t v, const string_t& text) override {
    // An integer too large for 64 bits arrives here as a double.
    if (text.find_first_of(".eE") == std::string::npos) return OutOfRange(text);
    if (!std::isfinite(v))
      return Fail(ErrorKind::kCorrupt, "number out of range: " + text);
    return Add(Json(v));
  }
  bool string(string_t& v) override { return Add(Json(v)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Json(Json::Object())); }
  bool key(string_t& key) override {
    if (stack_.back().value.AsObject()->count(key) != 0) {
      return Fail(ErrorKind::kCorrupt, "repeated key " + QuoteText(key));
    }
    stack_.back().key = key;
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json(Json::Array())); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& e) override {
    position_ = position;
    // "[json.exception.x.n] parse error at line 1, column 2: reason": the place
    // is ours to say.
    std::string reason = e.what();
    const size_t bracket = reason.find("] ");
    if (bracket != std::string::npos) reason.erase(0, bracket + 2);
    const size_t colon = reason.find(": ");
    if (reason.starts_with("parse error") && colon != std::string::npos) {
      reason.erase(0, colon + 2);
    }
    error_ = {ErrorKind::kCorrupt, AsUtf8(reason), ""};
    return false;
  }

  bool failed() const { return !error_.message.empty(); }
  const Error& error() const { return error_; }
  std::optional<size_t> position() const { return position_; }
  Json TakeRoot() { return std::move(root_); }

 private:
  struct Level {
    Json value;
    std::string key;
  };

  bool Fail(ErrorKind kind, std::string message) {
    error_ = {kind, std::move(message), ""};
    return false;
  }
  bool OutOfRange(const std::string& text) {
    return Fail(ErrorKind::kCorrupt,
                "integer beyond 2^53: " + text.substr(0, 80));
  }
  bool Count() {
    if (++count_ > limits_.value_count_max) {
      return Fail(
          ErrorKind::kLimitExceeded,
          "more than " + std::to_string(limits_.value_count_max) + " values");
    }
    return true;
  }
  bool Add(Json value) {
    if (!Count()) return false;
    return Place(std::move(value));
  }
  bool Place(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (auto* array = stack_.back().value.AsArray()) {
      array->push_back(std::move(value));
    } else {
      stack_.back().value.AsObject()->emplace(stack_.back().key,
                                              std::move(value));
    }
    return true;
  }
  bool Open(Json value) {
    if (!Count()) return false;
    if (static_cast<int>(stack_.size()) >= limits_.depth_max) {
      return Fail(ErrorKind::kLimitExceeded,
                  "nested deeper than " + std::to_string(limits_.depth_max) +
                      " levels");
    }
    stack_.push_back({std::move(value), ""});
    return true;
  }
  bool Close() {
    Json value = std::move(stack_.back().value);
    stack_.pop_back();
    return Place(std::move(value));
  }

  const JsonLimits limits_;
  std::vector<Level> stack_;
  Json root_;
  uint64_t count_ = 0;
  Error error_{ErrorKind::kCorrupt, "", ""};
  std::optional<size_t> position_;
};

std::string LineAndColumn(std::string_view text, size_t position) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < position && i < text.size(); ++i) {
    ++column;
    if (text[i] == '\n') ++line, column = 1;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

void AppendString(std::string& out, const std::string& text) {
  // The library's writer escapes exactly what must be escaped, in the short
  // form, and refuses text that is not UTF-8.
  out += nlohmann::json(text).dump();
}

void AppendNumber(std::string& out, double value) {
  if (!std::isfinite(value))
    throw std::logic_error("a record number is not finite");
  // An integral double keeps a mark of its type, so that it reads back as one.
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void Append(std::string& out, const Json& value) {
  if (const bool* b = value.AsBool()) {
    out += *b ? "true" : "false";
  } else if (const int64_t* i = value.AsInteger()) {
    if (*i < -kIntegerMax || *i > kIntegerMax)
      throw std::logic_error("a record integer is beyond 2^53");
    out += std::to_string(*i);
  } else if (const double* d = value.AsDouble()) {
    AppendNumber(out, *d);
  } else if (const std::string* s = value.AsString()) {
    AppendString(out, *s);
  } else if (const Json::Array* array = value.AsArray()) {
    out += '[';
    for (size_t n = 0; n < array->size(); ++n) {
      if (n != 0) out += ',';
      Append(out, (*array)[n]);
    }
    out += ']';
  } else if (const Json::Object* object = value.AsObject()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ',';
      first = false;
      AppendString(out, key);
      out += ':';
      Append(out, member);
    }
    out += '}';
  } else {
    out += "null";
  }
}

std::string Cut(std::string text) {
  constexpr size_t kQuoteBytesMax = 80;
  if (text.size() <= kQuoteBytesMax) return text;
  size_t end = kQuoteBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + "...";
}

}  // namespace

std::string_view Json::TypeName() const {
  if (AsBool()) return "bool";
  if (AsInteger()) return "integer";
  if (AsDouble()) return "number";
  if (AsString()) return "string";
  if (AsArray()) return "array";
  if (AsObject()) return "object";
  return "null";
}

Result<Json> ParseJson(std::string_view text, std::string_view where,
                       const JsonLimits& limits) {
  const std::string file(where);
  if (text.size() > limits.text_bytes_max) {
    return Error{ErrorKind::kLimitExceeded,
                 file + ": " + std::to_string(text.size()) +
                     " bytes of JSON, at most " +
                     std::to_string(limits.text_bytes_max),
                 ""};
  }
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    return Error{ErrorKind::kCorrupt, file + ": starts with a byte-order mark",
                 "Save it as UTF-8 without one."};
  }
  Builder builder(limits);
  // The tokeniser takes a NUL byte for the end of the text.
  const size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    return Error{ErrorKind::kCorrupt,
                 file + ": NUL byte at offset " + std::to_string(nul), ""};
  }
  const bool ok = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  if (ok && !builder.failed()) return builder.TakeRoot();
  Error error = builder.error();
  if (error.message.empty()) error.message = "not JSON";
  std::string place;
  if (builder.position())
    place =
        LineAndColumn(text, *builder.position() - (*builder.position() > 0)) +
        ": ";
  std::string hint;
  if (text.empty()) {
    hint = "The file is empty.";
  } else if (error.message.starts_with("repeated key")) {
    hint = "Keep one of the two.";
  } else if (builder.position()) {
    hint =
        "Correct the text there or just before; JSON has no comments and no "
        "comma after the last item.";
  }
  return Error{error.kind, file + ": " + place + error.message, hint};
}

std::string EncodeJson(const Json& value) {
  std::string out;
  Append(out, value);
  out += '\n';
  return out;
}

std::string QuoteJson(const Json& value) {
  std::string text;
  Append(text, value);
  return Cut(std::move(text));
}

std::string QuoteText(std::string_view text) {
  // Bytes that are not UTF-8 become the replacement character.
  return Cut(
      nlohmann::json(std::string(text.substr(0, 256)))
          .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

}  // namespace exhibit
