// The records of a subject, decoded, and where each came from.
//
// Everything is decoded once, from the bytes that were hashed; what did not
// decode is absent here and is a finding of the decoding stage. A stage works
// on the cases that are still sound and takes away that word from a case when
// it finds something.

#ifndef EXHIBIT_AUDIT_EVIDENCE_H_
#define EXHIBIT_AUDIT_EVIDENCE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/finding.h"
#include "audit/subject.h"
#include "compiler/tile/experiment.h"
#include "manifests/json.h"
#include "manifests/manifest.h"
#include "manifests/npy.h"
#include "manifests/records.h"

namespace exhibit {

// One file and the record in it.
template <typename Record>
struct Filed {
  std::string path;
  std::string sha256;  // "" when the file is missing.
  std::optional<Record> record;

  bool present() const { return !sha256.empty(); }
};

// One variant of one case.
struct CaptureEvidence {
  const ManifestVariant* variant = nullptr;
  Filed<CaptureRecord> capture;

  bool Completed() const {
    return capture.record && capture.record->end.status == "completed";
  }
};

// How far the numbers of a case could be followed.
enum class EvidenceLevel {
  kReceiptsOnly,          // Records only.
  kComparedWithSupplied,  // Outputs compared with what the author supplied.
  kRecomputed,            // Inputs, oracle and comparisons recomputed.
};
// "receipts-only", "compared-with-supplied", "numerically-recomputed".
std::string_view EvidenceLevelName(EvidenceLevel level);

struct CaseEvidence {
  const ManifestCase* declared = nullptr;
  // Of manifest program `tile`: the frozen text that the case names; null where
  // it names none or none that is sound. Cases of one text share it.
  std::shared_ptr<const tile::Experiment> program;
  Filed<CaseRecord> record;
  std::map<std::string, CaptureEvidence> captures;  // By variant.
  Filed<PlanRecord> plan;
  std::vector<Filed<VisitRecord>> calibrations;
  std::vector<Filed<VisitRecord>> visits;

  bool sound = true;  // No stage so far holds anything against it.
  EvidenceLevel level = EvidenceLevel::kReceiptsOnly;
  // Expectations of the manifest that the arms do not meet: sentences.
  std::vector<std::string> unmet_expectations;
  std::vector<std::string> remarks;
  // Of each variant, what identity and numbers learnt: for the row's details.
  std::map<std::string, Json::Object> details;
  // Of each variant, the digest of what the loader takes from kernel.so.
  std::map<std::string, std::string> loaded_sha256;
  // Of each tile variant, what its text asks for (work.h), or null.
  std::map<std::string, Json> work;

  const std::string& name() const { return declared->name; }
  // Of the program that tile variants compile, which its symbols begin with.
  std::string ProgramName() const {
    return program ? program->program.name : "attention";
  }
  // The arm's capture; the variants are declared, so both exist.
  const CaptureEvidence& Baseline(const Manifest& manifest) const;
  const CaptureEvidence& Candidate(const Manifest& manifest) const;
  // All captures and visits completed.
  bool Completed() const;
};

// What an array file holds.
struct ArrayFacts {
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;
};

// Cases point into the manifest, so evidence is moved and never copied.
struct Evidence {
  Evidence() = default;
  Evidence(Evidence&&) = default;
  Evidence& operator=(Evidence&&) = default;

  std::optional<Manifest> manifest;
  std::string manifest_sha256;  // "" when there is none.
  Filed<FreezeRecord> freeze;
  Filed<std::vector<AttemptRecord>> attempts;
  std::vector<CaseEvidence> cases;  // As the manifest declares them.
  // By digest: the arrays that are what their names say and that decode.
  std::map<std::string, ArrayFacts> arrays;

  // A capture or a visit somewhere ended otherwise than completed, or an
  // expectation was not met, so that what comes after may be missing.
  bool CohortInvalid() const;
};

// What the decoding found, to be handed in when its stage has its turn.
struct DecodedEvidence {
  Evidence evidence;
  FindingList findings;
};

// Decodes the manifest, then every record that it lets expect.
DecodedEvidence DecodeEvidence(const Subject& subject);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_EVIDENCE_H_
