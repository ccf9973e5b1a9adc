#include "manifests/run_layout.h"

namespace exhibit {

std::string ArrayPath(const std::string& sha256) {
  return "arrays/" + sha256 + ".npy";
}

std::string CasePath(const std::string& case_name) {
  return "cases/" + case_name + "/case.json";
}

std::string CaptureFolder(const std::string& case_name,
                          const std::string& variant) {
  return "captures/" + case_name + "/" + variant;
}

std::string CapturePath(const std::string& case_name,
                        const std::string& variant) {
  return CaptureFolder(case_name, variant) + "/capture.json";
}

std::string LibraryPath(const std::string& case_name,
                        const std::string& variant) {
  return CaptureFolder(case_name, variant) + "/kernel.so";
}

std::string ReplayFolder(const std::string& case_name) {
  return "replays/" + case_name;
}

std::string PlanPath(const std::string& case_name) {
  return ReplayFolder(case_name) + "/plan.json";
}

std::string CalibrationPath(const std::string& case_name, int64_t index) {
  return ReplayFolder(case_name) + "/calibration-" + std::to_string(index) +
         ".json";
}

std::string VisitPath(const std::string& case_name, int64_t index) {
  std::string number = std::to_string(index);
  if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
  return ReplayFolder(case_name) + "/visit-" + number + ".json";
}

}  // namespace exhibit
