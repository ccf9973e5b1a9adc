#include "audit/json_view.h"

#include <charconv>

namespace exhibit {
namespace {

std::string WithoutControls(std::string_view text) {
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are controls too; UTF-8 spells them C2 80 to C2 9F.
    const bool c1 = byte == 0xC2 && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) ++i;
    clean += c1 || byte < 0x20 || byte == 0x7F ? '?' : text[i];
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

std::string Fixed(double value, int decimals) {
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::fixed, decimals);
  return std::string(buffer, end.ptr);
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

std::optional<double> NumberAt(const Json& value, std::string_view path) {
  const Json& number = JsonAt(value, path);
  if (const double* d = number.AsDouble()) return *d;
  if (const int64_t* i = number.AsInteger()) return static_cast<double>(*i);
  return std::nullopt;
}

std::string FixedAt(const Json& value, std::string_view path, int decimals) {
  const std::optional<double> number = NumberAt(value, path);
  return number ? Fixed(*number, decimals) : "-";
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
  return ns ? Fixed(*ns / 1000, 3) : "-";
}

std::string JoinedAt(const Json& value, std::string_view path) {
  std::string text;
  for (const Json& element : ListAt(value, path)) {
    text += (text.empty() ? "" : ", ") + TextOf(element);
  }
  return text;
}

const std::vector<std::string>& CaseHeadings() {
  static const std::vector<std::string> kHeadings = {
      "case",         "options",      "measured",         "baseline us",
      "candidate us", "paired ratio", "min-max of pairs", "outcome",
      "evidence",     "remarks"};
  return kHeadings;
}

std::vector<std::string> CaseCells(const Json& c) {
  std::string range = "-";
  if (NumberAt(c, "ratios.min") && NumberAt(c, "ratios.max")) {
    range = FixedAt(c, "ratios.min", 4) + "-" + FixedAt(c, "ratios.max", 4);
  }
  std::string outcome = TextAt(c, "outcome");
  if (outcome == "-") outcome = "not judged";
  if (NumberAt(c, "cycles_to_decide")) {
    outcome += " (" + TextAt(c, "cycles_to_decide") + " cycles would decide)";
  }
  std::string remarks = JoinedAt(c, "remarks");
  if (outcome == "invalid" || outcome == "not-comparable") {
    const std::string reasons = JoinedAt(c, "reasons");
    if (!remarks.empty() && !reasons.empty()) remarks += ", ";
    remarks += reasons;
  }
  return {TextAt(c, "name"),
          PairsAt(c, "options"),
          TextAt(c, "measured"),
          MicrosecondsAt(c, "baseline.time_ns"),
          MicrosecondsAt(c, "candidate.time_ns"),
          FixedAt(c, "ratios.median", 4),
          range,
          outcome,
          TextAt(c, "evidence_level"),
          remarks.empty() ? "-" : remarks};
}

std::vector<std::string> TableNotes(const Json& audit) {
  std::vector<std::string> notes = {
      "times: microseconds per call; ratio: candidate / baseline, the median "
      "of the pairs"};
  for (const Json& limit : ListAt(audit, "limits")) {
    notes.push_back("limit: " + TextOf(limit));
  }
  for (const Json& earlier : ListAt(audit, "continues")) {
    notes.push_back("continues: " + TextOf(earlier));
  }
  notes.push_back("timing scope: " + TextAt(audit, "timing_scope") +
                  ": not cycles, not GPU time");
  notes.push_back("cases tried: " + TextAt(audit, "cases_tried") +
                  "; chance of at least one false claim: " +
                  FixedAt(audit, "chance_of_false_claim", 4) +
                  " (family correction: " + TextAt(audit, "decision.family") +
                  ")");
  return notes;
}

}  // namespace exhibit
