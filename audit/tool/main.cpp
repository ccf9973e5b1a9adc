// exhibit-audit: run or bundle -> audit.json, table or report.

#include <string>
#include <string_view>
#include <utility>

#include "archive/bundle.h"
#include "archive/run_order.h"
#include "audit/audit.h"
#include "audit/beside.h"
#include "audit/json_view.h"
#include "audit/quality.h"
#include "audit/report.h"
#include "audit/sandbox.h"
#include "audit/table.h"
#include "manifests/file.h"
#include "manifests/json.h"
#include "manifests/sha256.h"
#include "manifests/signature.h"
#include "manifests/tool/command.h"
#include "manifests/tool/talk.h"

namespace exhibit {
namespace {

constexpr uint64_t kKeyFileBytesMax = uint64_t{64} << 10;

struct Words {
  std::string subject;
  ExpectedDigests expected;
  std::string claims;
  std::string key;
  bool unsealed = false;
  std::string beside;
  bool table = false;
  bool report = false;
  bool check = false;
  bool json = false;
};

void Describe(CommandLine& command, Words& words) {
  command.RequiredText("SUBJECT", words.subject,
                       "Folder of a run or of a bundle");
  command.Text("--expect-manifest", words.expected.manifest_sha256,
               "SHA-256 of the manifest, as it was published beforehand");
  command.Text("--expect-content", words.expected.content_id,
               "Content id, as a report cites it");
  command.Text("--claims", words.claims,
               "File of numbers that a report quotes, to be checked as well");
  command.Text("--key", words.key,
               "Ed25519 public key in PEM form whose signature the bundle "
               "must have");
  command.Flag("--unsealed", words.unsealed,
               "The bundle is to be sealed next: do not warn that it is not");
  command.Flag("--table", words.table, "Print a table instead of audit.json");
  command.Flag("--report", words.report,
               "Print report.md instead of audit.json");
  command.Flag("--check", words.check,
               "Print what a careful reviewer would remark about the data, and "
               "what would mend it");
  command.Flag("--json", words.json, "With --check: as JSON");
  command.Text("--beside", words.beside,
               "Another run or bundle of the same manifest: print both side by "
               "side, the other first");
}

Status CheckWords(const Words& words) {
  for (const auto& [option, digest] :
       {std::pair("--expect-manifest", &words.expected.manifest_sha256),
        std::pair("--expect-content", &words.expected.content_id)}) {
    if (digest->empty() || IsSha256Hex(*digest)) continue;
    return Error{ErrorKind::kInvalidArgument,
                 std::string(option) + " is no digest: " + QuoteText(*digest),
                 "A digest is 64 hexadecimal digits in lower case."};
  }
  const int products = int{words.table} + int{words.report} + int{words.check} +
                       int{!words.beside.empty()};
  if (products > 1) {
    return Error{ErrorKind::kInvalidArgument,
                 "--table, --report, --check and --beside exclude each other",
                 "Ask for one of them at a time."};
  }
  const bool speaks_of_one = !words.key.empty() || !words.claims.empty() ||
                             !words.expected.manifest_sha256.empty() ||
                             !words.expected.content_id.empty();
  if (!words.beside.empty() && speaks_of_one) {
    return Error{ErrorKind::kInvalidArgument,
                 "--key, --claims and --expect-* speak of one subject, and "
                 "--beside prints two",
                 "Audit each by itself with them; --beside then says who "
                 "signed, by whatever key."};
  }
  if (words.json && !words.check) {
    return Error{ErrorKind::kInvalidArgument, "--json goes with --check",
                 "audit.json is what is printed without any option."};
  }
  return Ok();
}

// A table, and runs side by side, also say who signed, with or without a key;
// audit.json, and so the report, cannot.
Json WithSignature(const AuditResult& result) {
  Json shown = result.json;
  (*shown.AsObject())["signature"] = result.signature;
  return shown;
}

std::string Product(const Words& words, const AuditResult& result) {
  const Json& audit = result.json;
  if (words.table) return RenderTable(WithSignature(result));
  if (words.report) return RenderReport(audit);
  if (words.check && words.json) return EncodeJson(QualityJson(audit));
  if (words.check) return RenderQuality(audit);
  return EncodeJson(audit);
}

Result<BroughtAlong> ReadBroughtAlong(const Words& words) {
  BroughtAlong brought;
  if (!words.claims.empty()) {
    EXHIBIT_ASSIGN_OR_RETURN(brought.claims,
                             ReadFile(words.claims, kClaimsFileBytesMax));
  }
  if (!words.key.empty()) {
    EXHIBIT_ASSIGN_OR_RETURN(const std::string pem,
                             ReadFile(words.key, kKeyFileBytesMax));
    EXHIBIT_ASSIGN_OR_RETURN(brought.key, ReadPublicKey(pem, words.key));
  }
  return brought;
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

Result<Subject> Load(const std::string& path) {
  Result<Subject> subject = LoadSubject(path);
  if (subject.ok()) return subject;
  return InFolder(path, subject.error());
}

// Not where a table says it itself, and not of a run, which nobody signs.
void SaySignature(const Words& words, SubjectKind kind,
                  const AuditResult& result) {
  const bool nobody_can = kind == SubjectKind::kRun && words.key.empty();
  if (words.table || !words.beside.empty() || nobody_can || IsQuiet()) return;
  SayLine("signature: " + SignatureText(result.signature));
}

// The other subject, judged and printed beside `second`.
Exit PrintBeside(const Words& words, const AuditResult& second) {
  const Result<Subject> other = Load(words.beside);
  if (!other.ok()) return ReportError(other.error());
  const AuditResult first = Audit(*other);
  if (*other->failure) {
    return ReportError(InFolder(words.beside, **other->failure));
  }
  const Result<std::string> text =
      RenderBeside(WithSignature(first), WithSignature(second));
  if (!text.ok()) return ReportUsage(text.error());
  const Status printed = PrintProduct(*text);
  if (!printed.ok()) return ReportError(printed.error());
  for (const Verdict verdict : {first.verdict, second.verdict}) {
    if (verdict != Verdict::kVerified) return ExitOf(verdict);
  }
  return Exit::kDone;
}

Exit Run(const Words& words) {
  const Status usable = CheckWords(words);
  if (!usable.ok()) return ReportUsage(usable.error());
  // The digest library sets itself up at its first use; that belongs before
  // the door closes.
  Sha256Hex("");
  const Status sandbox = EnterSandbox();
  if (!sandbox.ok()) Warn(sandbox.error().message);
  const Result<BroughtAlong> brought = ReadBroughtAlong(words);
  if (!brought.ok()) return ReportError(brought.error());
  const Result<Subject> subject = Load(words.subject);
  if (!subject.ok()) return ReportError(subject.error());
  if (subject->kind == SubjectKind::kBundle &&
      subject->seal == Subject::Seal::kNone && !words.unsealed) {
    Warn("the bundle is not sealed");
  }
  const AuditResult result = Audit(*subject, words.expected, *brought);
  if (*subject->failure) {
    return ReportError(InFolder(words.subject, **subject->failure));
  }
  SaySignature(words, subject->kind, result);
  if (!words.beside.empty()) return PrintBeside(words, result);
  const Status printed = PrintProduct(Product(words, result));
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
       "exhibit-audit --table bundle", "exhibit-audit --check bundle",
       "exhibit-audit --beside bundle-1 bundle-2"});
  exhibit::Describe(command, words);
  return exhibit::RunTool(argc, argv, command,
                          [&] { return exhibit::Run(words); });
}
