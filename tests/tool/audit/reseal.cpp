#include "tests/tool/audit/reseal.h"

#include <filesystem>

#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/tool/audit/tool_run.h"

namespace exhibit::testing {
namespace {

void SealCapture(CaptureRecord& capture, const RunFiles& files) {
  for (FileEntry& file : capture.files) {
    const std::string& bytes = files.at(file.path);
    file.sha256 = Sha256Hex(bytes);
    file.bytes = static_cast<int64_t>(bytes.size());
  }
}

void SealVisits(const PlanRecord& plan, const Edits& edits, RunFiles& files) {
  const std::string& case_name = plan.case_name;
  const std::string plan_sha256 = Sha256Hex(files.at(PlanPath(case_name)));
  std::string previous = plan_sha256;
  const auto seal = [&](const std::string& path) {
    if (!files.contains(path)) return false;
    VisitRecord visit = *DecodeVisit(files.at(path), path);
    if (edits.visit && edits.variant == visit.variant) edits.visit(visit);
    visit.plan_sha256 = plan_sha256;
    visit.previous_sha256 = previous;
    visit.library_sha256 = visit.arm == "baseline"
                               ? plan.baseline.library_sha256
                               : plan.candidate.library_sha256;
    for (MappedFile& file : visit.process.mapped_files) {
      if (file.name == "kernel.so") file.sha256 = visit.library_sha256;
    }
    files[path] = EncodeVisit(visit);
    previous = Sha256Hex(files.at(path));
    return true;
  };
  for (int64_t i = 0; seal(CalibrationPath(case_name, i)); ++i) {
  }
  for (int64_t i = 0; seal(VisitPath(case_name, i)); ++i) {
  }
}

}  // namespace

RunFiles ReadRunFiles(const std::string& root) {
  RunFiles files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string path =
        std::filesystem::relative(entry.path(), root).string();
    files[path] = ReadBytes(entry.path().string());
  }
  return files;
}

void Reseal(const std::string& case_name, const Edits& edits, RunFiles& files) {
  if (edits.files) edits.files(files);
  PlanRecord plan = *DecodePlan(files.at(PlanPath(case_name)), "plan.json");
  for (PlanArm* arm : {&plan.baseline, &plan.candidate}) {
    const std::string path = CapturePath(case_name, arm->variant);
    CaptureRecord capture = *DecodeCapture(files.at(path), path);
    if (edits.capture && edits.variant == arm->variant) edits.capture(capture);
    SealCapture(capture, files);
    files[path] = EncodeCapture(capture);
    arm->capture_sha256 = Sha256Hex(files.at(path));
    arm->library_sha256 =
        Sha256Hex(files.at(LibraryPath(case_name, arm->variant)));
  }
  files[PlanPath(case_name)] = EncodePlan(plan);
  SealVisits(plan, edits, files);
}

}  // namespace exhibit::testing
