// From a case of the manifest to its arrays and its record.
//
// Inputs come from the manifest's generator or from .npy files; what is
// expected of an output comes from the FP64 oracle of attention, from the
// program text evaluated in FP64, or from an .npy file. An expectation that
// would accept zero or a constant is refused: no capture starts with it.

#ifndef EXHIBIT_CAPTURE_CASE_ARRAYS_H_
#define EXHIBIT_CAPTURE_CASE_ARRAYS_H_

#include <string>
#include <vector>

#include "manifests/manifest.h"
#include "manifests/records.h"
#include "manifests/result.h"

namespace exhibit {

// Reads every file that the case names, program text and .npy, so that a
// missing file or a wrong shape shows before a run exists. Fails as
// ReadCaseProgram, ReadFile and DecodeNpy do and, with kInvalidArgument naming
// file, expected and found, on another dtype or shape.
Status CheckSuppliedFiles(const Manifest& manifest,
                          const ManifestCase& manifest_case,
                          const std::string& manifest_folder);

struct CaseRequest {
  std::string run;  // Folder.
  const Manifest* manifest = nullptr;
  std::string manifest_folder;
  std::string freeze_sha256;
  ToolIdentity tool;
};

// Publishes the arrays of a case and then its case.json, or, where case.json
// is there, checks that this manifest's files are still what it lists. Returns
// the digest of case.json. Program texts are read from the run, where they are
// frozen.
//
// Fails with kInvalidArgument, naming the case, on a vacuous expectation and
// on a supplied file that changed.
Result<std::string> MakeCase(const CaseRequest& request,
                             const ManifestCase& manifest_case);

}  // namespace exhibit

#endif  // EXHIBIT_CAPTURE_CASE_ARRAYS_H_
