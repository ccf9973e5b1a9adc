// What the tests of capture share: a scratch folder, a manifest over the test
// kernels, and a capture of it in this process.

#ifndef EXHIBIT_TESTS_UNIT_CAPTURE_CAPTURE_FIXTURE_H_
#define EXHIBIT_TESTS_UNIT_CAPTURE_CAPTURE_FIXTURE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "manifests/records.h"

namespace exhibit {

// A new folder that is removed with all it holds.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Both fail the running test when they cannot.
std::string MustRead(const std::string& path);
void MustWrite(const std::string& path, const std::string& bytes);
void MustReplace(const std::string& path, const std::string& bytes);

// Every file below `root`, by relative path, with its bytes.
std::map<std::string, std::string> Snapshot(const std::string& root);

inline constexpr int64_t kElements = 64;

// A custom experiment: y = 2 * x for 64 elements, x from the sine generator.
struct CustomExperiment {
  std::string baseline_symbol = "twice";
  std::string candidate_symbol = "twice";
  std::string library = "kernels.so";
  int64_t workspace_bytes = 0;  // Of both.
  std::string outputs = "within-tolerance";
  std::string capacity = "any";
  double absolute = 1e-6;
  std::string input_file;  // "" for the generator.
  std::vector<std::string> sources;
  std::vector<std::string> attachments;
  int64_t timeout_s = 1;
};

// The variants are named "a" (baseline) and "b" (candidate), the case "only".
std::string ManifestText(const CustomExperiment& experiment);

// Writes manifest.json, y.npy (what is expected) and a copy of the kernels into
// `folder`; returns the manifest's path.
std::string WriteExperiment(const std::string& folder,
                            const CustomExperiment& experiment);

// The expected y, as an .npy file of f64.
std::string ExpectedFile();

// A valid identity that names no real tool.
ToolIdentity TestTool();

CaptureRecord MustReadCapture(const std::string& run,
                              const std::string& case_name,
                              const std::string& variant);

}  // namespace exhibit

#endif  // EXHIBIT_TESTS_UNIT_CAPTURE_CAPTURE_FIXTURE_H_
