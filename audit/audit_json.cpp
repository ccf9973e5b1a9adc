#include "audit/audit_json.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "audit/case_json.h"
#include "audit/declaration.h"
#include "audit/fixed_statements.h"
#include "audit/stages.h"

namespace exhibit {
namespace {

std::string_view StatusName(StageStatus status) {
  switch (status) {
    case StageStatus::kDone:
      return "done";
    case StageStatus::kNotReached:
      return "not-reached";
  }
  throw std::logic_error("unknown stage status");
}

Json StagesJson(const AuditState& state) {
  Json::Array stages;
  for (const StageReport& stage : state.stages) {
    stages.emplace_back(Json::Object{
        {"name", stage.name},
        {"status", StatusName(stage.status)},
        {"findings", state.findings.CountOf(stage.name)},
    });
  }
  return stages;
}

Json FindingsJson(const FindingList& findings) {
  Json::Array array;
  for (const Finding& finding : findings.Sorted()) {
    array.emplace_back(Json::Object{
        {"code", finding.code},
        {"stage", finding.stage},
        {"path", finding.path},
        {"field", finding.field},
        {"message", finding.message},
        {"expected", finding.expected},
        {"found", finding.found},
    });
  }
  return array;
}

template <typename Texts>
Json TextsJson(const Texts& texts) {
  Json::Array array;
  for (const auto& text : texts) array.emplace_back(text);
  return array;
}

struct Counts {
  int64_t captures = 0;
  int64_t oracles = 0;
  int64_t outputs = 0;
  int64_t visits = 0;
  int64_t samples = 0;
  int64_t sources = 0;
};

Json CountsJson(const Counts& counts) {
  return Json::Object{
      {"captures", counts.captures}, {"oracles", counts.oracles},
      {"outputs", counts.outputs},   {"visits", counts.visits},
      {"samples", counts.samples},   {"sources", counts.sources},
  };
}

// What the manifest asks for, and freeze.json for sources.
Counts DeclaredCounts(const Evidence& evidence) {
  Counts counts;
  if (evidence.freeze.record) {
    counts.sources =
        static_cast<int64_t>(evidence.freeze.record->sources.size());
  }
  if (!evidence.manifest) return counts;
  const Manifest& manifest = *evidence.manifest;
  for (const CaseEvidence& c : evidence.cases) {
    const std::vector<DeclaredBuffer> buffers = DeclaredBuffers(manifest, c);
    const int64_t outputs = std::count_if(
        buffers.begin(), buffers.end(),
        [](const DeclaredBuffer& buffer) { return buffer.is_output; });
    const auto captures = static_cast<int64_t>(manifest.variants.size());
    const int64_t visits = 4 * manifest.cycles;
    counts.captures += captures;
    counts.oracles += outputs;
    counts.outputs += (captures + visits) * outputs;
    counts.visits += visits;
    counts.samples += visits * manifest.samples;
  }
  return counts;
}

Counts FoundCounts(const Subject& subject, const Evidence& evidence) {
  Counts counts;
  for (const auto& [path, file] : subject.files) {
    if (path.starts_with("sources/")) ++counts.sources;
  }
  for (const CaseEvidence& c : evidence.cases) {
    if (c.record.record) {
      for (const CaseArray& array : c.record.record->arrays) {
        if (array.role == "output") ++counts.oracles;
      }
    }
    for (const auto& [variant, capture] : c.captures) {
      if (!capture.capture.record) continue;
      ++counts.captures;
      counts.outputs +=
          static_cast<int64_t>(capture.capture.record->outputs.size());
    }
    for (const Filed<VisitRecord>& visit : c.visits) {
      if (!visit.record) continue;
      ++counts.visits;
      counts.outputs += static_cast<int64_t>(visit.record->outputs.size());
      counts.samples += static_cast<int64_t>(visit.record->samples_ns.size());
    }
  }
  return counts;
}

Json VariantsJson(const Manifest& manifest) {
  Json::Object variants;
  for (const ManifestVariant& variant : manifest.variants) {
    Json::Object object{{"kind", variant.kind}};
    if (variant.kind == "library") {
      object["library"] = variant.library;
      object["symbol"] = variant.symbol;
    } else {
      object["options"] =
          Json::Object(variant.options.begin(), variant.options.end());
    }
    variants[variant.name] = std::move(object);
  }
  return variants;
}

void AddManifest(const Manifest& manifest, Json::Object& root) {
  root["name"] = manifest.name;
  root["question"] = manifest.question;
  root["program"] = manifest.program;
  root["exploratory"] = manifest.exploratory;
  root["baseline"] = manifest.baseline;
  root["candidate"] = manifest.candidate;
  root["measured"] = WhatIsMeasured(manifest);
  root["controls"] =
      Json::Object(manifest.controls.begin(), manifest.controls.end());
  root["variants"] = VariantsJson(manifest);
  root["limits"] = TextsJson(manifest.limits);
  root["continues"] = TextsJson(manifest.continues);
  root["tolerance"] = Json::Object{
      {"absolute", manifest.absolute_tolerance},
      {"relative", manifest.relative_tolerance},
  };
  root["expect"] = Json::Object{
      {"outputs", manifest.expect_outputs},
      {"capacity", manifest.expect_capacity},
  };
  root["replay"] = Json::Object{
      {"cycles", manifest.cycles},       {"samples", manifest.samples},
      {"warmup_ms", manifest.warmup_ms}, {"target_ms", manifest.target_ms},
      {"timeout_s", manifest.timeout_s}, {"isolation", manifest.isolation},
      {"seed", manifest.seed},
  };
  root["decision"] = Json::Object{
      {"rule", manifest.rule},
      {"alpha", manifest.alpha},
      {"minimum_effect", manifest.minimum_effect},
      {"family", manifest.family},
  };
}

// As the run recorded it; nothing of the machine that audits.
void AddFreeze(const FreezeRecord& freeze, Json::Object& root) {
  const HostFacts& host = freeze.host;
  root["host"] = Json::Object{
      {"architecture", Printable(host.architecture)},
      {"cpu_model", Printable(host.cpu_model)},
      {"microcode", Printable(host.microcode)},
      {"kernel", Printable(host.kernel)},
      {"boot_id_sha256", host.boot_id_sha256},
      {"clock_source", Printable(host.clock_source)},
      {"governor", Printable(host.governor)},
      {"boost", Printable(host.boost)},
      {"smt_siblings", Printable(host.smt_siblings)},
      {"cpu_count", host.cpu_count},
      {"memory_bytes", host.memory_bytes},
  };
  root["tool"] = Json::Object{
      {"version", freeze.tool.version},
      {"source_sha256", freeze.tool.source_sha256},
  };
  Json::Array attachments;
  for (const Attachment& file : freeze.attachments) {
    attachments.emplace_back(Json::Object{
        {"path", file.path},
        {"sha256", file.sha256},
        {"role", Printable(file.role)},
        {"note", Printable(file.note)},
    });
  }
  root["attachments"] = std::move(attachments);
}

Json AttemptsJson(const Evidence& evidence) {
  int64_t starts = 0;
  int64_t done = 0;
  if (evidence.attempts.record) {
    for (const AttemptRecord& line : *evidence.attempts.record) {
      if (line.event == "start") ++starts;
      if (line.event == "end" && line.result == "done") ++done;
    }
  }
  return Json::Object{{"started", starts}, {"done", done}};
}

}  // namespace

Verdict VerdictOf(const AuditState& state) {
  if (!state.findings.empty()) return Verdict::kFailed;
  if (!state.findings.Obstacles().empty()) return Verdict::kCannotVerify;
  return Verdict::kVerified;
}

Json BuildAuditJson(const AuditState& state) {
  const Evidence& evidence = state.evidence();
  Json::Object root;
  root["schema"] = "exhibit.audit/1";
  root["verdict"] = VerdictName(VerdictOf(state));
  root["content_id"] = state.subject.content_id;
  root["manifest_sha256"] = evidence.manifest_sha256;
  root["counts"] = Json::Object{
      {"declared", CountsJson(DeclaredCounts(evidence))},
      {"found", CountsJson(FoundCounts(state.subject, evidence))},
  };
  root["stages"] = StagesJson(state);
  root["findings"] = FindingsJson(state.findings);
  root["findings_count"] = state.findings.count();
  root["obstacles"] = TextsJson(state.findings.Obstacles());
  root["attempts"] = AttemptsJson(evidence);
  root["cohort_complete"] = !evidence.CohortInvalid();
  root["timing_scope"] = "native-entry-host-wall";
  root["cases_tried"] = state.judgement.cases_tried;
  root["chance_of_false_claim"] = state.judgement.chance_of_false_claim;
  if (evidence.manifest) AddManifest(*evidence.manifest, root);
  if (evidence.freeze.record) AddFreeze(*evidence.freeze.record, root);
  Json::Array cases;
  for (const CaseEvidence& c : evidence.cases) {
    cases.push_back(CaseJson(state, c));
  }
  root["cases"] = std::move(cases);
  if (state.claims) root["claims"] = *state.claims;
  if (state.signature) root["signature"] = *state.signature;
  root["shares_code_with_producer"] = TextsJson(kSharedWithProducer);
  root["shares_no_code_with_producer"] = TextsJson(kNotSharedWithProducer);
  root["not_verified"] = TextsJson(kNotVerified);
  return root;
}

}  // namespace exhibit
