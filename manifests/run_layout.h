// Where each file of a run lies. Paths are relative to the run.

#ifndef EXHIBIT_MANIFESTS_RUN_LAYOUT_H_
#define EXHIBIT_MANIFESTS_RUN_LAYOUT_H_

#include <cstdint>
#include <string>

namespace exhibit {

inline constexpr char kManifestPath[] = "manifest.json";
inline constexpr char kFreezePath[] = "freeze.json";
inline constexpr char kAttemptsPath[] = "attempts.jsonl";

std::string ArrayPath(const std::string& sha256);    // arrays/<sha256>.npy
std::string CasePath(const std::string& case_name);  // cases/<case>/case.json
std::string CaptureFolder(
    const std::string& case_name,
    const std::string& variant);  // captures/<case>/<variant>
std::string CapturePath(const std::string& case_name,
                        const std::string& variant);
std::string LibraryPath(const std::string& case_name,
                        const std::string& variant);
std::string ReplayFolder(const std::string& case_name);  // replays/<case>
std::string PlanPath(const std::string& case_name);
std::string CalibrationPath(const std::string& case_name, int64_t index);
std::string VisitPath(const std::string& case_name,
                      int64_t index);  // visit-0000.json

// Limits that writers keep and readers check.
inline constexpr uint64_t kRecordBytesMax = uint64_t{64} << 20;
inline constexpr uint64_t kLibraryBytesMax = uint64_t{256} << 20;
inline constexpr uint64_t kArrayFileBytesMax = (uint64_t{1} << 31) + 4096;
inline constexpr uint64_t kSourceFileBytesMax = uint64_t{64} << 20;

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_RUN_LAYOUT_H_
