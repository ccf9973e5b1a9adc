#include "audit/declaration.h"

#include <algorithm>

#include "manifests/run_layout.h"

namespace exhibit {
namespace {

struct EndRule {
  std::string path;
  const ProcessEnd& end;
};

void CheckEnd(const EndRule& rule, Checker& check) {
  const ProcessEnd& end = rule.end;
  const bool completed = end.status == "completed";
  check.True({"end-inconsistent", rule.path, "end",
              "a completed end has no reason, signal or exit status, and any "
              "other end has a reason"},
             completed
                 ? end.reason.empty() && end.signal == 0 && end.exit_status == 0
                 : !end.reason.empty());
  check.True({"end-inconsistent", rule.path, "end.signal",
              "exactly a crash has a signal"},
             (end.status == "crashed") == (end.signal != 0) ||
                 end.status == "timed-out");
}

void CheckEnds(const CaseEvidence& c, Checker& check) {
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.capture.record) continue;
    CheckEnd({capture.capture.path, capture.capture.record->end}, check);
  }
  for (const auto* visits : {&c.calibrations, &c.visits}) {
    for (const Filed<VisitRecord>& visit : *visits) {
      if (visit.record) CheckEnd({visit.path, visit.record->end}, check);
    }
  }
}

}  // namespace

std::vector<DeclaredBuffer> DeclaredBuffers(const Manifest& manifest,
                                            const CaseEvidence& c) {
  const ManifestCase& declared = *c.declared;
  std::vector<DeclaredBuffer> buffers;
  const auto from_file = [&](const std::string& name) {
    return declared.files.contains(name);
  };
  if (manifest.program == "attention") {
    // B, Hq, Hkv, Q, K, D, Dv.
    const std::vector<int64_t>& s = declared.shape;
    buffers = {{"query", false, {s[0], s[1], s[3], s[5]}, from_file("query")},
               {"key", false, {s[0], s[2], s[4], s[5]}, from_file("key")},
               {"value", false, {s[0], s[2], s[4], s[6]}, from_file("value")},
               {"output", true, {s[0], s[1], s[3], s[6]}, from_file("output")}};
    return buffers;
  }
  for (const ManifestBuffer& buffer :
       c.program ? c.program->buffers : declared.buffers) {
    buffers.push_back({buffer.name, buffer.role == "output", buffer.shape,
                       from_file(buffer.name)});
  }
  return buffers;
}

void CheckArray(const Evidence& evidence, const ArrayClaim& claim,
                Checker& check) {
  const auto facts = evidence.arrays.find(claim.sha256);
  if (facts == evidence.arrays.end()) return;
  const DType dtype = facts->second.dtype;
  const bool dtype_fits =
      dtype == DType::kF32 ||
      (dtype == DType::kF64 && claim.type == ArrayClaim::Type::kF32OrF64);
  const std::vector<uint64_t>& shape = facts->second.shape;
  const bool shape_fits = std::equal(
      shape.begin(), shape.end(), claim.shape.begin(), claim.shape.end(),
      [](uint64_t found, int64_t declared) {
        return declared >= 0 && found == static_cast<uint64_t>(declared);
      });
  check.True({"arrays-differ", ArrayPath(claim.sha256), claim.buffer,
              "the array's type or shape is not that of the buffer"},
             dtype_fits && shape_fits);
}

void CheckDeclaration(const Subject& subject, Evidence& evidence,
                      FindingList& findings) {
  std::vector<CaseEvidence*> cases;
  for (CaseEvidence& c : evidence.cases) {
    if (c.sound) cases.push_back(&c);
  }
  for (CaseEvidence* c : cases) {
    Checker check(findings, *c);
    CheckCaseDeclaration(subject, evidence, *c, check);
    CheckEnds(*c, check);
    if (c->plan.record) CheckReplayDeclaration(evidence, *c, check);
  }
  CheckCohort(evidence, cases, findings);
}

}  // namespace exhibit
