#include "audit/report.h"

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
  text += "Manifest: `" + TextAt(audit, "manifest_sha256") + "`\n";
  return text;
}

std::string CaseTable(const Json& audit) {
  std::string text = "\n## Cases\n\n";
  text += Row(CaseHeadings()) + Rule(CaseHeadings().size());
  for (const Json& c : ListAt(audit, "cases")) text += Row(CaseCells(c));
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
    text += Row({TextAt(c, "name"), FixedAt(c, "ratios.p_value", 5),
                 FixedAt(c, "ratios.estimate", 4), IntervalText(c),
                 FixedAt(c, "ratios.noise_floor", 4), JoinedAt(c, "reasons")});
  }
  return text;
}

// Counts of code are shown as code shape, not as an explanation of a time.
std::string CodeTable(const Json& audit) {
  std::string rows;
  for (const Json& c : ListAt(audit, "cases")) {
    for (const char* arm : {"baseline", "candidate"}) {
      const std::string path = std::string(arm) + ".code";
      if (JsonAt(c, path).is_null()) continue;
      rows += Row({TextAt(c, "name"), TextAt(c, std::string(arm) + ".variant"),
                   PairsAt(c, path)});
    }
  }
  if (rows.empty()) return "";
  const std::vector<std::string> headings = {"case", "variant", "code shape"};
  return std::string("\n## Code shape\n\n") + Row(headings) +
         Rule(headings.size()) + rows;
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

std::string HostLines(const Json& audit) {
  if (JsonAt(audit, "host").is_null()) return "";
  return std::string("\n## As the run recorded them\n\n- host: ") +
         MarkdownText(PairsAt(audit, "host")) +
         "\n- tools: " + MarkdownText(PairsAt(audit, "tool")) +
         "\n- replay: " + MarkdownText(PairsAt(audit, "replay")) + "\n";
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
  return Heading(audit) + CaseTable(audit) + EvidenceTable(audit) +
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
