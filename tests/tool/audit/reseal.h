// Forging for tests: every digest of a real run computed again after an edit.

#ifndef EXHIBIT_TESTS_TOOL_AUDIT_RESEAL_H_
#define EXHIBIT_TESTS_TOOL_AUDIT_RESEAL_H_

#include <functional>
#include <string>

#include "manifests/records.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {

// All files below `root`.
RunFiles ReadRunFiles(const std::string& root);

// What a forger edits of a run with one case.
struct Edits {
  // Files of captures/<case>/<variant>/ and any other, before digests.
  std::function<void(RunFiles&)> files;
  // The capture of `variant`, before it is written.
  std::string variant;
  std::function<void(CaptureRecord&)> capture;
  // Every visit of that variant, likewise.
  std::function<void(VisitRecord&)> visit;
};

// Applies `edits`, then computes the lists of files and every digest down the
// chain from the captures on.
void Reseal(const std::string& case_name, const Edits& edits, RunFiles& files);

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_TOOL_AUDIT_RESEAL_H_
