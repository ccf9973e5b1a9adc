// What a replay and its worker say to each other about one visit.
//
// Both directions use the records of a run (manifests/records.h), so there is
// no second definition of any field. The messages live in memory only and are
// read by the very program that wrote them.

#ifndef EXHIBIT_REPLAY_VISIT_MESSAGE_H_
#define EXHIBIT_REPLAY_VISIT_MESSAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "manifests/records.h"
#include "manifests/result.h"
#include "manifests/tolerance.h"

namespace exhibit {

struct VisitTask {
  std::string run;  // The run's folder; the worker's working directory.
  Tolerance tolerance;
  PlanRecord plan;
  CaseRecord case_record;
  CaptureRecord capture;  // Of the arm's variant.
  // The record with everything filled in that is known beforehand.
  VisitRecord draft;
};

std::string EncodeVisitTask(const VisitTask& task);
Result<VisitTask> DecodeVisitTask(std::string_view bytes);

struct VisitReport {
  // The draft with what was measured; the process's mapped files are not in.
  VisitRecord record;
  std::string maps;  // /proc/self/maps with the library loaded.
  // Every array that the record names, as .npy files.
  std::vector<std::string> arrays;
};

std::string EncodeVisitReport(const VisitReport& report);
Result<VisitReport> DecodeVisitReport(std::string_view bytes);

// Several byte strings as one: a line with the number of parts, a line with
// the length of each, then the parts.
std::string PackParts(const std::vector<std::string>& parts);
// Accepts exactly what PackParts writes; kCorrupt otherwise.
Result<std::vector<std::string>> UnpackParts(std::string_view bytes);

}  // namespace exhibit

#endif  // EXHIBIT_REPLAY_VISIT_MESSAGE_H_
