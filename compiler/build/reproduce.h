// Whether an object of a run comes from the program text beside it.
//
// The text is compiled again under the options that capture.json records, for
// the target that realization.json records and not for this machine, and every
// file of the folder that the compiler makes is compared byte for byte. The
// same LLVM makes the same bytes on every machine; of another LLVM nothing is
// said. Whether text, options and digests are those declared is the audit's.

#ifndef EXHIBIT_COMPILER_BUILD_REPRODUCE_H_
#define EXHIBIT_COMPILER_BUILD_REPRODUCE_H_

#include <string>

#include "manifests/manifest.h"
#include "manifests/result.h"

namespace exhibit {

enum class ReproductionVerdict {
  kIdentical,
  kDifferent,
  kOtherLlvm,    // Made by another LLVM, or it is not recorded by which.
  kNotCompiled,  // A library variant.
};

struct Reproduction {
  ReproductionVerdict verdict = ReproductionVerdict::kIdentical;
  std::string reason;  // What differs, by which LLVM; empty when identical.
};

// Makes the object of one case and variant of `run` again. An empty `cpu` takes
// the recorded target; a name of CompileOptions::cpu takes that one instead,
// and the report is then not compared.
//
// A file that is missing, malformed or too large, or text that is no program,
// is a difference. Fails with kIo, and with kUnsupported for a schema, option,
// CPU or feature that this build does not have.
Result<Reproduction> ReproduceVariant(const std::string& run,
                                      const std::string& case_name,
                                      const ManifestVariant& variant,
                                      const std::string& cpu);

}  // namespace exhibit

#endif  // EXHIBIT_COMPILER_BUILD_REPRODUCE_H_
