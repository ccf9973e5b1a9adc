#include "capture/orphan_arrays.h"

#include <unistd.h>

#include <cerrno>
#include <set>
#include <vector>

#include "manifests/file.h"
#include "manifests/records.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

// The bytes of a record, or "" where it was not written yet.
Result<std::string> ReadIfThere(const std::string& run,
                                const std::string& path) {
  if (!PathExists(run + "/" + path)) return std::string();
  return ReadFile(run + "/" + path, kRecordBytesMax);
}

Status NameArraysOfCase(const std::string& run, const std::string& path,
                        std::set<std::string>& named) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes, ReadIfThere(run, path));
  if (bytes.empty()) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const CaseRecord record, DecodeCase(bytes, path));
  for (const CaseArray& array : record.arrays) {
    named.insert(ArrayPath(array.sha256));
  }
  return Ok();
}

Status NameArraysOfCapture(const std::string& run, const std::string& path,
                           std::set<std::string>& named) {
  EXHIBIT_ASSIGN_OR_RETURN(const std::string bytes, ReadIfThere(run, path));
  if (bytes.empty()) return Ok();
  EXHIBIT_ASSIGN_OR_RETURN(const CaptureRecord record,
                           DecodeCapture(bytes, path));
  for (const CaptureOutput& output : record.outputs) {
    named.insert(ArrayPath(output.prepared_sha256));
  }
  return Ok();
}

}  // namespace

Status RemoveOrphanArrays(const Manifest& manifest, const std::string& run) {
  if (!PathExists(run + "/arrays")) return Ok();
  std::set<std::string> named;
  for (const ManifestCase& manifest_case : manifest.cases) {
    EXHIBIT_RETURN_IF_ERROR(
        NameArraysOfCase(run, CasePath(manifest_case.name), named));
    for (const ManifestVariant& variant : manifest.variants) {
      EXHIBIT_RETURN_IF_ERROR(NameArraysOfCapture(
          run, CapturePath(manifest_case.name, variant.name), named));
    }
  }
  EXHIBIT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListFiles(run + "/arrays"));
  for (const std::string& name : names) {
    if (named.count("arrays/" + name) != 0) continue;
    const std::string path = run + "/arrays/" + name;
    if (::unlink(path.c_str()) != 0) {
      return Error{ErrorKind::kIo,
                   "cannot remove " + path + ": errno " + std::to_string(errno),
                   ""};
    }
  }
  return Ok();
}

}  // namespace exhibit
