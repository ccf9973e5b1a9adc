#include "audit/report.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "audit/json_view.h"

namespace exhibit {
namespace {

std::string MarkdownAt(const Json& value, std::string_view path) {
  return MarkdownText(TextAt(value, path));
}

std::string Row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += " ";
    row += MarkdownText(cell);
    row += " |";
  }
  return row + "\n";
}

std::string Rule(size_t columns) {
  std::string rule = "|";
  for (size_t i = 0; i < columns; ++i) rule += "---|";
  return rule + "\n";
}

std::string List(const Json& audit, const char* heading, const char* path) {
  const Json::Array& elements = ListAt(audit, path);
  if (elements.empty()) return "";
  std::string text = std::string("\n## ") + heading + "\n\n";
  for (const Json& element : elements) {
    const Json::Object wrapped{{"text", element}};
    text += "- ";
    text += MarkdownAt(wrapped, "text") + "\n";
  }
  return text;
}

// The report is sealed before anybody signs, and must read the same afterwards.
constexpr char kSignatureNotRead[] =
    "not looked at; `exhibit-audit --key PUBLIC-KEY` tells who signed. The "
    "verdict is about integrity, not about who stands behind the run";

std::string Heading(const Json& audit) {
  std::string text = "# " + MarkdownAt(audit, "name") + "\n\n";
  const bool* exploratory = JsonAt(audit, "exploratory").AsBool();
  if (exploratory != nullptr && *exploratory) {
    text += "**exploratory**: not a test of anything declared beforehand\n\n";
  }
  text += MarkdownAt(audit, "question") + "\n\n";
  text += "Verdict: **" + MarkdownAt(audit, "verdict") + "**  \n";
  text += "Measured: " + MarkdownAt(audit, "measured") + "  \n";
  text += "Content id: `" + TextAt(audit, "content_id") + "`  \n";
  text += "Manifest: `" + TextAt(audit, "manifest_sha256") + "`  \n";
  const Json& signature = JsonAt(audit, "signature");
  text += "Signature: " +
          (signature.is_null() ? std::string(kSignatureNotRead)
                               : MarkdownText(SignatureText(signature))) +
          "\n";
  return text;
}

bool AnyOptions(const Json& audit) {
  const Json::Array& cases = ListAt(audit, "cases");
  return std::any_of(cases.begin(), cases.end(), [](const Json& c) {
    return PairsAt(c, "options") != "-";
  });
}

std::string CaseTable(const Json& audit) {
  const bool options = AnyOptions(audit);
  std::vector<std::string> headings = {"case"};
  if (options) headings.emplace_back("options");
  for (const char* heading :
       {"baseline us", "candidate us", "paired ratio", "min-max of pairs",
        "noise floor", "outcome", "evidence", "remarks"}) {
    headings.emplace_back(heading);
  }
  std::string text = "\n## Cases\n\n" + Row(headings) + Rule(headings.size());
  for (const Json& c : ListAt(audit, "cases")) {
    std::vector<std::string> cells = {CaseLabel(c)};
    if (options) cells.push_back(PairsAt(c, "options"));
    const std::string remarks = JoinedAt(c, "remarks");
    cells.insert(
        cells.end(),
        {MicrosecondsAt(c, "baseline.time_ns"),
         MicrosecondsAt(c, "candidate.time_ns"), FixedAt(c, "ratios.median", 4),
         RangeOf(c), FixedAt(c, "ratios.noise_floor", 4), OutcomeOf(c),
         TextAt(c, "evidence_level"), remarks.empty() ? "-" : remarks});
    text += Row(cells);
  }
  text += "\n";
  for (const std::string& note : TableNotes(audit)) {
    text += "- ";
    text += MarkdownText(note) + "\n";
  }
  return text;
}

std::string IntervalText(const Json& c) {
  if (!NumberAt(c, "ratios.interval.low")) return "none";
  return FixedAt(c, "ratios.interval.low", 4) + " to " +
         FixedAt(c, "ratios.interval.high", 4) + ", coverage " +
         FixedAt(c, "ratios.interval.coverage", 4);
}

std::string ReasonsCell(const Json& c) {
  const std::string reasons = JoinedAt(c, "reasons");
  if (!NumberAt(c, "cycles_to_decide")) return reasons;
  return reasons + "; " + TextAt(c, "cycles_to_decide") +
         " cycles would decide";
}

std::string EvidenceTable(const Json& audit) {
  const std::vector<std::string> headings = {
      "case", "sign test p", "estimate", "interval", "noise floor", "reasons"};
  std::string text = std::string("\n## Decisions\n\nRule ") +
                     MarkdownAt(audit, "decision.rule") + ", alpha " +
                     MarkdownAt(audit, "decision.alpha") + ", minimum effect " +
                     MarkdownAt(audit, "decision.minimum_effect") +
                     ". The interval assumes that the logarithms of the "
                     "ratios are independent and symmetric about one value; "
                     "the floor cannot see a bias of code placement.\n\n";
  text += Row(headings) + Rule(headings.size());
  for (const Json& c : ListAt(audit, "cases")) {
    text += Row({CaseLabel(c), FixedAt(c, "ratios.p_value", 5),
                 FixedAt(c, "ratios.estimate", 4), IntervalText(c),
                 FixedAt(c, "ratios.noise_floor", 4), ReasonsCell(c)});
  }
  return text;
}

// Marks of a case by kind: "unsteady-samples 8 9 10".
std::string MarksText(const Json& c) {
  std::map<std::string, std::string> visits;
  for (const Json& visit : ListAt(c, "marked_visits")) {
    for (const Json& mark : ListAt(visit, "marks")) {
      const std::string* name = mark.AsString();
      if (name != nullptr) visits[*name] += " " + TextAt(visit, "visit");
    }
  }
  std::string text;
  for (const auto& [mark, which] : visits) {
    text += (text.empty() ? "" : "; ") + mark + which;
  }
  return text.empty() ? "-" : text;
}

std::string SelfRangeText(const Json& c) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0.0;
  for (const Json& ratio : ListAt(c, "ratios.self_pairs")) {
    if (const double* value = ratio.AsDouble()) {
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
  }
  if (high == 0.0) return "-";
  return FixedText(low, 4) + "-" + FixedText(high, 4);
}

// What the run says about itself where nothing differed.
std::string ControlTable(const Json& audit) {
  const std::vector<std::string> headings = {
      "case",  "self pairs",  "min-max of self pairs", "self sign test p",
      "drift", "null effect", "marked visits"};
  std::string text =
      "\n## Null controls and disturbances\n\n"
      "Self pairs are adjacent visits of one arm, later / earlier. Drift: the "
      "median of late / early visits of one arm. Null effect: the largest of "
      "the case's null cases, which its own must exceed. A marked visit is "
      "counted like any other.\n\n" +
      Row(headings) + Rule(headings.size());
  for (const Json& c : ListAt(audit, "cases")) {
    text += Row(
        {CaseLabel(c), std::to_string(ListAt(c, "ratios.self_pairs").size()),
         SelfRangeText(c), FixedAt(c, "ratios.self_sign_test.p_value", 4),
         FixedAt(c, "ratios.drift", 4), FixedAt(c, "ratios.null_effect", 4),
         MarksText(c)});
  }
  return text;
}

constexpr struct {
  const char* heading;
  const char* key;
} kCodeColumns[] = {
    {"code bytes", "code_bytes"},
    {"constant bytes", "constant_bytes"},
    {"snapshot bytes / worker", "static_snapshot_bytes_per_worker"},
    {"snapshots", "static_snapshot_allocations"},
    {"private workspace bytes", "private_workspace_bytes"},
    {"blocked mmas", "blocked_mmas"},
    {"2-D mmas", "two_dimensional_mmas"},
    {"rolled mmas", "rolled_mmas"},
    {"clone", "full_packet_specializations"},
    {"cloned instructions", "full_packet_cloned_instructions"},
    {"full packets", "full_packets_dispatched"},
    {"tail packets", "tail_packets_dispatched"},
};

bool IsCodeColumn(const std::string& key) {
  return std::any_of(std::begin(kCodeColumns), std::end(kCodeColumns),
                     [&](const auto& column) { return key == column.key; });
}

// What has no column of its own and is not empty.
std::string OtherCode(const Json& arm) {
  std::string text;
  for (const std::string& key : KeysAt(arm, "code")) {
    if (IsCodeColumn(key)) continue;
    const std::string value = TextAt(arm, "code." + key);
    if (value.empty() || value == "[]" || value == "-") continue;
    text += (text.empty() ? "" : ", ") + key + " " + value;
  }
  return text.empty() ? "-" : text;
}

// Counts of code are shown as code shape, not as an explanation of a time.
std::string CodeTable(const Json& audit) {
  std::vector<std::string> headings = {"case", "variant"};
  for (const auto& column : kCodeColumns) headings.emplace_back(column.heading);
  headings.emplace_back("else");
  std::string rows;
  for (const Json& c : ListAt(audit, "cases")) {
    for (const char* name : {"baseline", "candidate"}) {
      const Json& arm = JsonAt(c, name);
      if (JsonAt(arm, "code").is_null()) continue;
      std::vector<std::string> cells = {CaseLabel(c), TextAt(arm, "variant")};
      for (const auto& column : kCodeColumns) {
        cells.push_back(TextAt(arm, std::string("code.") + column.key));
      }
      cells.push_back(OtherCode(arm));
      rows += Row(cells);
    }
  }
  if (rows.empty()) return "";
  return "\n## Code shape\n\nBytes of code and constants are counted in the "
         "objects; the rest follows from the plan or is stated by the "
         "compiler. No explanation of a time.\n\n" +
         Row(headings) + Rule(headings.size()) + rows;
}

std::string WorkTable(const Json& audit) {
  const std::vector<std::string> headings = {
      "case", "variant", "flop", "exp", "bytes", "GFLOP/s", "GB/s", "M exp/s"};
  std::string rows;
  for (const Json& c : ListAt(audit, "cases")) {
    for (const char* name : {"baseline", "candidate"}) {
      const Json& arm = JsonAt(c, name);
      if (JsonAt(arm, "work").is_null()) continue;
      const WorkCells cells = WorkCellsOf(arm);
      const double bytes = NumberAt(arm, "work.bytes_loaded").value_or(0.0) +
                           NumberAt(arm, "work.bytes_stored").value_or(0.0);
      rows +=
          Row({CaseLabel(c), TextAt(arm, "variant"), TextAt(arm, "work.flops"),
               TextAt(arm, "work.exps"), FixedText(bytes, 0), cells.gflops,
               cells.gbytes, cells.mexps});
    }
  }
  if (rows.empty()) return "";
  return "\n## Work\n\nPer call, counted from the program text: two per term "
         "of an mma, one per f32 operation of another kind, exp apart; each "
         "buffer once, in full. Rates are these counts over the times above; "
         "no counter of the processor is in them.\n\n" +
         Row(headings) + Rule(headings.size()) + rows;
}

std::string ClaimTable(const Json& audit) {
  const std::string summary = ClaimsSummary(audit);
  if (summary.empty()) return "";
  const std::vector<std::string> headings = {"file",       "case",   "variant",
                                             "quantity",   "unit",   "quoted",
                                             "re-derived", "status", "why"};
  std::string text = "\n## Claims: " + summary + "\n\n" + Row(headings) +
                     Rule(headings.size());
  for (const Json& claim : ListAt(audit, "claims")) {
    std::vector<std::string> cells = {TextAt(claim, "file"),
                                      CaseLabel(audit, TextAt(claim, "case"))};
    for (const char* part : {"variant", "quantity", "unit", "claimed", "found",
                             "status", "reason"}) {
      cells.push_back(TextAt(claim, part));
    }
    text += Row(cells);
  }
  return text;
}

std::string CountsTable(const Json& audit) {
  const std::vector<std::string> headings = {"", "declared", "found"};
  std::string text =
      "\n## What was there\n\n" + Row(headings) + Rule(headings.size());
  for (const char* what :
       {"captures", "oracles", "outputs", "visits", "samples", "sources"}) {
    text += Row({what, TextAt(audit, std::string("counts.declared.") + what),
                 TextAt(audit, std::string("counts.found.") + what)});
  }
  text += "\nAttempts: " + MarkdownAt(audit, "attempts.started") +
          " started, " + MarkdownAt(audit, "attempts.done") + " done.\n";
  return text;
}

std::string StageTable(const Json& audit) {
  const std::vector<std::string> headings = {"stage", "status", "findings"};
  std::string text =
      std::string("\n## Stages\n\n") + Row(headings) + Rule(headings.size());
  for (const Json& stage : ListAt(audit, "stages")) {
    text += Row({TextAt(stage, "name"), TextAt(stage, "status"),
                 TextAt(stage, "findings")});
  }
  return text;
}

std::string FindingTable(const Json& audit) {
  const Json::Array& findings = ListAt(audit, "findings");
  if (findings.empty()) return "";
  const std::vector<std::string> headings = {"code",    "file",     "field",
                                             "finding", "expected", "found"};
  std::string text =
      "\n## Findings\n\n" + Row(headings) + Rule(headings.size());
  for (const Json& finding : findings) {
    text += Row({TextAt(finding, "code"), TextAt(finding, "path"),
                 TextAt(finding, "field"), TextAt(finding, "message"),
                 TextAt(finding, "expected"), TextAt(finding, "found")});
  }
  return text;
}

// "key value, ..." of what is recorded, then what is not.
std::string RecordedPairs(const Json& audit, const char* path) {
  std::string recorded;
  std::string missing;
  for (const std::string& key : KeysAt(audit, path)) {
    const std::string value = TextAt(audit, std::string(path) + "." + key);
    const bool empty = value.empty() || value == "-";
    std::string& text = empty ? missing : recorded;
    text += (text.empty() ? "" : ", ") + key;
    if (!empty) text += " " + value;
  }
  if (!missing.empty()) {
    recorded += (recorded.empty() ? "not recorded: " : "; not recorded: ");
    recorded += missing;
  }
  return MarkdownText(recorded);
}

std::string HostLines(const Json& audit) {
  if (JsonAt(audit, "host").is_null()) return "";
  std::string text = "\n## As the run recorded them\n\n";
  const struct {
    const char* heading;
    const char* path;
  } kParts[] = {{"host", "host"},
                {"tools", "tool"},
                {"replay", "replay"},
                {"controls", "controls"}};
  for (const auto& [heading, path] : kParts) {
    const std::string pairs = RecordedPairs(audit, path);
    if (!pairs.empty()) {
      text += std::string("- ") + heading + ": " + pairs + "\n";
    }
  }
  return text;
}

std::string AttachmentTable(const Json& audit) {
  const Json::Array& files = ListAt(audit, "attachments");
  if (files.empty()) return "";
  const std::vector<std::string> headings = {"path", "role", "note"};
  std::string text =
      std::string("\n## Attachments: supplied, not checked\n\n") +
      Row(headings) + Rule(headings.size());
  for (const Json& file : files) {
    text +=
        Row({TextAt(file, "path"), TextAt(file, "role"), TextAt(file, "note")});
  }
  return text;
}

constexpr char kByHand[] = R"(
## Without Exhibit

In the folder of the bundle:

    sha256sum -c SHA256SUMS
    mkdir ../review
    tar -xJf evidence.tar.xz -C ../review
    tar -xzf sources.tar.gz -C ../review
    cd ../review/run && find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum

The last line prints the content id. Arrays are NumPy files named by their
digests; records are JSON.
)";

}  // namespace

std::string MarkdownText(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]<>#|!~&$";
  std::string escaped;
  for (const char c : text) {
    if (kMarkup.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string RenderReport(const Json& audit) {
  return Heading(audit) + CaseTable(audit) + ClaimTable(audit) +
         EvidenceTable(audit) + ControlTable(audit) + WorkTable(audit) +
         CodeTable(audit) + CountsTable(audit) + StageTable(audit) +
         FindingTable(audit) +
         List(audit, "What keeps this version from judging", "obstacles") +
         List(audit, "Not verified", "not_verified") +
         List(audit, "Checks that share code with the producer",
              "shares_code_with_producer") +
         List(audit, "Checks that share none", "shares_no_code_with_producer") +
         HostLines(audit) + AttachmentTable(audit) + kByHand;
}

}  // namespace exhibit
