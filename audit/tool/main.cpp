// exhibit-audit: run or bundle -> audit.json, table or report.

#include <string>

#include "audit/audit.h"
#include "audit/report.h"
#include "audit/sandbox.h"
#include "audit/table.h"
#include "manifests/json.h"
#include "manifests/sha256.h"
#include "manifests/tool/command.h"

namespace exhibit {
namespace {

struct Words {
  std::string subject;
  ExpectedDigests expected;
  bool table = false;
  bool report = false;
};

void Describe(CommandLine& command, Words& words) {
  command.RequiredText("SUBJECT", words.subject,
                       "Folder of a run or of a bundle");
  command.Text("--expect-manifest", words.expected.manifest_sha256,
               "SHA-256 of the manifest, as it was published beforehand");
  command.Text("--expect-content", words.expected.content_id,
               "Content id, as a report cites it");
  command.Flag("--table", words.table, "Print a table instead of audit.json");
  command.Flag("--report", words.report,
               "Print report.md instead of audit.json");
}

Status CheckWords(const Words& words) {
  for (const std::string& digest :
       {words.expected.manifest_sha256, words.expected.content_id}) {
    if (digest.empty() || IsSha256Hex(digest)) continue;
    return Error{ErrorKind::kInvalidArgument,
                 "not a digest: " + QuoteText(digest),
                 "A digest is 64 hexadecimal digits in lower case."};
  }
  if (words.table && words.report) {
    return Error{ErrorKind::kInvalidArgument,
                 "--table and --report exclude each other",
                 "Ask for one of them at a time."};
  }
  return Ok();
}

std::string Product(const Words& words, const Json& audit) {
  if (words.table) return RenderTable(audit);
  if (words.report) return RenderReport(audit);
  return EncodeJson(audit);
}

Exit ExitOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kVerified:
      return Exit::kDone;
    case Verdict::kFailed:
      return Exit::kDoesNotHold;
    case Verdict::kCannotVerify:
      return Exit::kUnsupported;
  }
  return Exit::kBug;
}

Exit Run(const Words& words) {
  const Status usable = CheckWords(words);
  if (!usable.ok()) return ReportUsage(usable.error());
  // The digest library sets itself up at its first use; that belongs before
  // the door closes.
  Sha256Hex("");
  const Status sandbox = EnterSandbox();
  if (!sandbox.ok()) Warn(sandbox.error().message);
  const Result<Subject> subject = LoadSubject(words.subject);
  if (!subject.ok()) return ReportError(subject.error());
  if (subject->kind == SubjectKind::kBundle &&
      subject->seal == Subject::Seal::kNone) {
    Warn("the bundle is not sealed");
  }
  const AuditResult result = Audit(*subject, words.expected);
  const Status printed = PrintProduct(Product(words, result.json));
  if (!printed.ok()) return ReportError(printed.error());
  return ExitOf(result.verdict);
}

}  // namespace
}  // namespace exhibit

int main(int argc, char** argv) {
  exhibit::Words words;
  exhibit::CommandLine command(
      "exhibit-audit",
      "Judge a run or a bundle; print audit.json and exit 0 when it is "
      "verified, 1 when it is not, 4 when this version cannot tell",
      {"exhibit-audit bundle | cmp - bundle/audit.json",
       "exhibit-audit --table bundle"});
  exhibit::Describe(command, words);
  return exhibit::RunTool(argc, argv, command,
                          [&] { return exhibit::Run(words); });
}
