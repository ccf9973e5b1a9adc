// realization.json, read strictly and compared with the plan made again.
//
// Normative: compiler/REALIZATION.md. The fields that follow from program and
// options are computed here from compiler/plan and written by other code than
// the compiler's; the rest is what the emitter and LLVM did and can only be
// checked for its form and against the object.

#ifndef EXHIBIT_AUDIT_REALIZATION_H_
#define EXHIBIT_AUDIT_REALIZATION_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/plan/plan.h"
#include "compiler/tile/program.h"
#include "manifests/json.h"
#include "manifests/options.h"
#include "manifests/result.h"

namespace exhibit {

// As of a record (manifests/RECORDS.md), and for the same reason.
inline constexpr uint64_t kRealizationValuesMax = 50'000;

struct RealizationReport {
  Json::Object fields;
  // Not given by the plan.
  int64_t full_packet_specializations = 0;
  int64_t full_packet_cloned_instructions = 0;
  std::string math_helper_sha256;
  std::string llvm_version;
  std::string target_cpu;
  std::string target_features;
  std::vector<std::string> required_cpu_flags;
  // Name of an emitted function to its instructions before optimisation.
  std::map<std::string, int64_t> functions;
};

// Accepts canonical JSON with exactly the documented fields. Fails with
// kUnsupported on another schema, else with kCorrupt.
Result<RealizationReport> DecodeRealization(std::string_view bytes,
                                            std::string_view where);

// The fields that follow from program, options and plan, with their values.
Json::Object PlannedFields(const tile::Program& program,
                           const TileOptions& options, const Plan& plan);

// The realised options that follow likewise: all but full_packet.
Json::Object PlannedOptions(const TileOptions& options, const Plan& plan);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REALIZATION_H_
