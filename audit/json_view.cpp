#include "audit/json_view.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace exhibit {
namespace {

// What a terminal or a browser does not show but obeys, in UTF-8: controls
// U+0080 to U+009F, marks that turn the order of the text around (U+061C,
// U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), ends of lines and
// paragraphs (U+2028, U+2029), and the byte-order mark. Returns its length, or
// 0 where `text` begins with nothing of the kind.
size_t ObeyedBytes(std::string_view text) {
  const auto between = [&](std::string_view first, std::string_view last) {
    const std::string_view head = text.substr(0, first.size());
    return head.size() == first.size() && head >= first && head <= last;
  };
  if (between("\xC2\x80", "\xC2\x9F") || between("\xD8\x9C", "\xD8\x9C")) {
    return 2;
  }
  if (between("\xE2\x80\x8E", "\xE2\x80\x8F") ||
      between("\xE2\x80\xA8", "\xE2\x80\xAE") ||
      between("\xE2\x81\xA6", "\xE2\x81\xA9") ||
      between("\xEF\xBB\xBF", "\xEF\xBB\xBF")) {
    return 3;
  }
  return 0;
}

std::string WithoutControls(std::string_view text) {
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t obeyed = ObeyedBytes(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    clean += obeyed > 0 || byte < 0x20 || byte == 0x7F ? '?' : text[i];
    if (obeyed > 0) i += obeyed - 1;
  }
  return clean;
}

std::string TextOf(const Json& value) {
  if (value.is_null()) return "-";
  if (const std::string* text = value.AsString()) {
    return WithoutControls(*text);
  }
  std::string encoded = EncodeJson(value);
  encoded.pop_back();  // The line feed.
  return WithoutControls(encoded);
}

bool IsNullCase(const Json& c) {
  const std::string* null_of = JsonAt(c, "null_of").AsString();
  return null_of != nullptr && !null_of->empty();
}

}  // namespace

const Json& JsonAt(const Json& value, std::string_view path) {
  static const Json kNothing;
  const Json* at = &value;
  while (true) {
    const Json::Object* object = at->AsObject();
    if (object == nullptr) return kNothing;
    const size_t dot = path.find('.');
    const auto member = object->find(std::string(path.substr(0, dot)));
    if (member == object->end()) return kNothing;
    at = &member->second;
    if (dot == std::string_view::npos) return *at;
    path.remove_prefix(dot + 1);
  }
}

std::string TextAt(const Json& value, std::string_view path) {
  return TextOf(JsonAt(value, path));
}

std::string FixedText(double value, int decimals) {
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::fixed, decimals);
  return std::string(buffer, end.ptr);
}

std::optional<double> NumberAt(const Json& value, std::string_view path) {
  const Json& number = JsonAt(value, path);
  if (const double* d = number.AsDouble()) return *d;
  if (const int64_t* i = number.AsInteger()) return static_cast<double>(*i);
  return std::nullopt;
}

std::string FixedAt(const Json& value, std::string_view path, int decimals) {
  const std::optional<double> number = NumberAt(value, path);
  return number ? FixedText(*number, decimals) : "-";
}

const Json::Array& ListAt(const Json& value, std::string_view path) {
  static const Json::Array kNone;
  const Json::Array* array = JsonAt(value, path).AsArray();
  return array == nullptr ? kNone : *array;
}

std::string PairsAt(const Json& value, std::string_view path) {
  const Json::Object* object = JsonAt(value, path).AsObject();
  if (object == nullptr || object->empty()) return "-";
  std::string text;
  for (const auto& [key, member] : *object) {
    text += (text.empty() ? "" : ", ") + key + " " + TextOf(member);
  }
  return WithoutControls(text);
}

std::string MicrosecondsAt(const Json& value, std::string_view path) {
  const std::optional<double> ns = NumberAt(value, path);
  return ns ? FixedText(*ns / 1000, 3) : "-";
}

std::vector<std::string> TextsAt(const Json& value, std::string_view path) {
  std::vector<std::string> texts;
  for (const Json& element : ListAt(value, path)) {
    texts.push_back(TextOf(element));
  }
  return texts;
}

std::string JoinedAt(const Json& value, std::string_view path) {
  std::string joined;
  for (const std::string& text : TextsAt(value, path)) {
    joined += (joined.empty() ? "" : ", ") + text;
  }
  return joined;
}

std::vector<std::string> KeysAt(const Json& value, std::string_view path) {
  std::vector<std::string> keys;
  const Json::Object* object = JsonAt(value, path).AsObject();
  if (object == nullptr) return keys;
  for (const auto& [key, member] : *object) keys.push_back(key);
  return keys;
}

std::string RangeOf(const Json& c) {
  if (!NumberAt(c, "ratios.min") || !NumberAt(c, "ratios.max")) return "-";
  return FixedAt(c, "ratios.min", 4) + "-" + FixedAt(c, "ratios.max", 4);
}

std::string CaseLabel(const Json& c) {
  const std::string name = TextAt(c, "name");
  return IsNullCase(c) ? name + " (null of " + TextAt(c, "null_of") + ")"
                       : name;
}

std::string CaseLabel(const Json& audit, const std::string& name) {
  for (const Json& c : ListAt(audit, "cases")) {
    if (TextAt(c, "name") == name) return CaseLabel(c);
  }
  return name;
}

std::string ClaimsSummary(const Json& audit) {
  if (JsonAt(audit, "claims").is_null()) return "";
  const Json::Array& claims = ListAt(audit, "claims");
  if (claims.empty()) return "none judged";
  const auto supported = std::count_if(
      claims.begin(), claims.end(),
      [](const Json& claim) { return TextAt(claim, "status") == "supported"; });
  return std::to_string(supported) + " of " + std::to_string(claims.size()) +
         " supported";
}

std::string OutcomeOf(const Json& c) {
  const std::string outcome = TextAt(c, "outcome");
  return outcome == "-" ? "not judged" : outcome;
}

WorkCells WorkCellsOf(const Json& arm) {
  const std::optional<double> time_ns = NumberAt(arm, "time_ns");
  const auto rate = [&](std::optional<double> count, double unit) {
    return count && time_ns ? FixedText(*count / *time_ns * unit, 2)
                            : std::string("-");
  };
  const std::optional<double> loaded = NumberAt(arm, "work.bytes_loaded");
  const std::optional<double> stored = NumberAt(arm, "work.bytes_stored");
  const std::optional<double> clones =
      NumberAt(arm, "code.full_packet_specializations");
  return {
      rate(NumberAt(arm, "work.flops"), 1.0),
      rate(loaded && stored ? std::optional(*loaded + *stored) : std::nullopt,
           1.0),
      rate(NumberAt(arm, "work.exps"), 1e3),
      !clones ? "-" : (*clones > 0 ? "yes" : "no")};
}

size_t CodePoints(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string Wrapped(const std::string& text, size_t width, size_t indent) {
  std::string wrapped;
  size_t used = 0;
  for (size_t start = 0; start <= text.size();) {
    const size_t space = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, space - start);
    if (used > 0 && used + 1 + CodePoints(word) > width) {
      wrapped += "\n" + std::string(indent, ' ') + word;
      used = indent + CodePoints(word);
    } else {
      wrapped += (start > 0 ? " " : "") + word;
      used += (start > 0 ? 1 : 0) + CodePoints(word);
    }
    start = space + 1;
  }
  return wrapped + "\n";
}

std::string SignatureText(const Json& signature) {
  const std::string status = TextAt(signature, "status");
  const std::string signer = "signed by key " + TextAt(signature, "key_sha256");
  if (status == "holds") return signer + ", the one given with --key";
  if (status == "of-another-key") {
    return signer + ", not by the one given with --key, " +
           TextAt(signature, "trusted_key_sha256");
  }
  if (status == "not-checked") {
    return signer + "; key not given, so nothing tells whose it is (--key)";
  }
  if (status == "unsound") {
    return "does not hold; nothing tells who stands behind the run";
  }
  return "unsigned; nothing tells who stands behind the run";
}

std::string CodesHeldAgainst(const Json& audit) {
  std::set<std::string> codes;
  for (const Json& finding : ListAt(audit, "findings")) {
    codes.insert(TextAt(finding, "code"));
  }
  std::string text;
  for (const std::string& code : codes) {
    text += (text.empty() ? "" : ", ") + code;
  }
  const size_t obstacles = ListAt(audit, "obstacles").size();
  if (obstacles == 0) return text;
  return text + (text.empty() ? "" : ", ") + std::to_string(obstacles) +
         (obstacles == 1 ? " obstacle" : " obstacles");
}

std::string ExploratoryLine(const Json& audit) {
  const bool* exploratory = JsonAt(audit, "exploratory").AsBool();
  if (exploratory == nullptr || !*exploratory) return "";
  return "exploratory: not a test of anything declared beforehand\n";
}

std::string RuleText(const Json& audit) {
  return "rule " + TextAt(audit, "decision.rule") + ": alpha " +
         TextAt(audit, "decision.alpha") + ", minimum effect " +
         TextAt(audit, "decision.minimum_effect") +
         "; no effect within the latter is called faster or slower";
}

std::vector<std::string> LimitNotes(const Json& audit) {
  std::vector<std::string> notes;
  for (const Json& limit : ListAt(audit, "limits")) {
    notes.push_back("limit: " + TextOf(limit));
  }
  return notes;
}

std::vector<std::string> TableNotes(const Json& audit) {
  std::vector<std::string> notes = {
      "times: microseconds per call; ratio: candidate / baseline, the median "
      "of the pairs; floor: spread of that median if nothing differed"};
  for (std::string& limit : LimitNotes(audit)) {
    notes.push_back(std::move(limit));
  }
  for (const Json& earlier : ListAt(audit, "continues")) {
    notes.push_back("continues: " + TextOf(earlier));
  }
  const Json::Array& cases = ListAt(audit, "cases");
  if (std::any_of(cases.begin(), cases.end(), IsNullCase)) {
    notes.push_back(
        "null of a case: its baseline measured against itself; such a row is "
        "no result but what placement and noise alone do");
  }
  notes.push_back("timing scope: " + TextAt(audit, "timing_scope") +
                  ": not cycles, not GPU time");
  const std::string tried = TextAt(audit, "cases_tried");
  notes.push_back(tried + (tried == "1" ? " case" : " cases") +
                  " tried; chance of at least one false claim: " +
                  FixedAt(audit, "chance_of_false_claim", 4) +
                  " (family correction: " + TextAt(audit, "decision.family") +
                  ")");
  return notes;
}

}  // namespace exhibit
