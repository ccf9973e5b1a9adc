// The realisation report: what was asked for, and what became of it.
//
// Normative: compiler/REALIZATION.md.

#ifndef EXHIBIT_COMPILER_BUILD_REALIZATION_H_
#define EXHIBIT_COMPILER_BUILD_REALIZATION_H_

#include <string>

#include "compiler/build/target_cpu.h"
#include "compiler/emit/emit.h"
#include "compiler/plan/plan.h"
#include "compiler/tile/program.h"
#include "manifests/json.h"
#include "manifests/options.h"

namespace exhibit {

struct RealizationInputs {
  const tile::Program& program;
  const TileOptions& options;
  const Plan& plan;
  const EmittedModule& emitted;
  const TargetCpu& target;
  std::string llvm_version;
};

// Depends on nothing but `inputs`: no time, path or process.
Json Realization(const RealizationInputs& inputs);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_BUILD_REALIZATION_H_
