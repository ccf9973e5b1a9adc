#include "audit/beside.h"

#include <utility>
#include <vector>

#include "audit/json_view.h"
#include "audit/table.h"

namespace exhibit {
namespace {

constexpr size_t kWidth = 118;

const Json& CaseNamed(const Json& audit, const std::string& name) {
  static const Json kNone;
  for (const Json& c : ListAt(audit, "cases")) {
    if (TextAt(c, "name") == name) return c;
  }
  return kNone;
}

std::string RunLines(const char* letter, const Json& audit) {
  std::string text =
      Wrapped(std::string(letter) + "  " + TextAt(audit, "verdict") +
                  ", content id " + TextAt(audit, "content_id"),
              kWidth, 3);
  std::string host = "   host: " + TextAt(audit, "host.cpu_model");
  for (const char* fact : {"microcode", "kernel", "governor"}) {
    const std::string value = TextAt(audit, std::string("host.") + fact);
    if (value.empty() || value == "-") continue;
    host += std::string(", ") + fact + " " + value;
  }
  const std::string boot = TextAt(audit, "host.boot_id_sha256");
  if (boot != "-") host += ", boot " + boot.substr(0, 8);
  text += Wrapped(host, kWidth, 3);
  const Json& signature = JsonAt(audit, "signature");
  if (!signature.is_null()) {
    text += Wrapped("   signature: " + SignatureText(signature), kWidth, 3);
  }
  const std::string against = CodesHeldAgainst(audit);
  if (!against.empty()) {
    text += Wrapped("   held against it: " + against +
                        " (its own audit says what and where)",
                    kWidth, 3);
  }
  return text;
}

// Whether two outcomes say the same: of a case that has no ratio in one of the
// runs, nothing. A claim and "same" or "inconclusive" do not contradict each
// other as two opposite claims do.
std::string Agreement(const Json& c, const Json& d) {
  if (JsonAt(c, "ratios").is_null() || JsonAt(d, "ratios").is_null()) {
    return "-";
  }
  const std::string a = OutcomeOf(c);
  const std::string b = OutcomeOf(d);
  if (a == b) return "yes";
  if ((a == "faster" && b == "slower") || (a == "slower" && b == "faster")) {
    return "opposite";
  }
  return "no";
}

// No two measurements give the same ratios to the last digit.
bool IsOneMeasurement(const Json& a, const Json& b) {
  bool any = false;
  for (const Json& c : ListAt(a, "cases")) {
    const Json& pairs = JsonAt(c, "ratios.pairs");
    if (pairs.is_null()) continue;
    const Json& other = CaseNamed(b, TextAt(c, "name"));
    if (!(pairs == JsonAt(other, "ratios.pairs"))) return false;
    any = true;
  }
  return any;
}

}  // namespace

Result<std::string> RenderBeside(const Json& a, const Json& b) {
  const std::string manifest = TextAt(a, "manifest_sha256");
  const std::string other = TextAt(b, "manifest_sha256");
  for (const auto& [letter, audit] : {std::pair("A", &a), std::pair("B", &b)}) {
    const std::string sha256 = TextAt(*audit, "manifest_sha256");
    const Json::Array& findings = ListAt(*audit, "findings");
    if ((!sha256.empty() && sha256 != "-") || findings.empty()) continue;
    return Error{ErrorKind::kInvalidArgument,
                 std::string(letter) + " has no manifest that can be read: " +
                     TextAt(findings.front(), "code") + " " +
                     TextAt(findings.front(), "path") + ": " +
                     TextAt(findings.front(), "message"),
                 "Audit it alone first."};
  }
  if (manifest != other || manifest.empty() || manifest == "-") {
    return Error{ErrorKind::kInvalidArgument,
                 "not two runs of one manifest: its SHA-256 is " +
                     (manifest.empty() ? "missing" : manifest) + " in A and " +
                     (other.empty() ? "missing" : other) + " in B",
                 "Only runs that declare the same, byte for byte, can stand "
                 "beside each other."};
  }
  const std::string content_id = TextAt(a, "content_id");
  if (content_id == TextAt(b, "content_id")) {
    return Error{ErrorKind::kInvalidArgument,
                 "one and the same run, content id " + content_id,
                 "A run agrees with itself; give another run of its manifest."};
  }
  if (IsOneMeasurement(a, b)) {
    return Error{ErrorKind::kInvalidArgument,
                 "one measurement twice: every ratio of every pair is the same",
                 "The content ids differ, but not what was measured; give "
                 "another run of the manifest."};
  }
  std::string text =
      Wrapped("experiment " + TextAt(a, "name") + ": " + TextAt(a, "question"),
              kWidth, 2);
  text += ExploratoryLine(a);
  text +=
      "two runs, each judged by itself; nothing of one is divided by "
      "anything of the other\n";
  text += RunLines("A", a) + RunLines("B", b) + "\n";
  std::vector<std::vector<std::string>> rows = {
      {"case", "A ratio", "A min-max", "A outcome", "B ratio", "B min-max",
       "B outcome", "agree"}};
  for (const Json& c : ListAt(a, "cases")) {
    const Json& d = CaseNamed(b, TextAt(c, "name"));
    rows.push_back({CaseLabel(c), FixedAt(c, "ratios.median", 4), RangeOf(c),
                    OutcomeOf(c), FixedAt(d, "ratios.median", 4), RangeOf(d),
                    OutcomeOf(d), Agreement(c, d)});
  }
  text += AlignColumns(rows) +
          "agree: whether the outcomes are the same; - where a run has no "
          "ratio; a null case is no result\n" +
          Wrapped(RuleText(a), kWidth, 2);
  for (const std::string& limit : LimitNotes(a)) {
    text += Wrapped(limit, kWidth, 2);
  }
  return text;
}

}  // namespace exhibit
