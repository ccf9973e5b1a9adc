// A small honest run, made by hand from the record encoders: one attention
// case, two library variants, three cycles. Tests edit its records and seal it
// again, as a forger would who can compute every digest.

#ifndef EXHIBIT_TESTS_UNIT_AUDIT_RUN_FIXTURE_H_
#define EXHIBIT_TESTS_UNIT_AUDIT_RUN_FIXTURE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "audit/subject.h"
#include "manifests/json.h"
#include "manifests/records.h"

namespace exhibit::testing {

using RunFiles = std::map<std::string, std::string>;  // Path -> bytes.

inline constexpr char kCaseName[] = "tiny";
inline constexpr char kBaseline[] = "old";
inline constexpr char kCandidate[] = "new";
inline constexpr int64_t kFixtureCycles = 3;
inline constexpr int64_t kFixtureSamples = 3;

struct SyntheticRun {
  std::string manifest;
  RunFiles sources;  // By path in the run.
  FreezeRecord freeze;
  std::vector<AttemptRecord> attempts;
  CaseRecord c;
  std::map<std::string, CaptureRecord> captures;  // By variant.
  std::map<std::string, std::string> libraries;   // By variant.
  std::map<std::string, std::string> objects;     // Of variants that have one.
  PlanRecord plan;
  std::vector<VisitRecord> calibrations;
  std::vector<VisitRecord> visits;

  // Adds an array and returns its digest.
  std::string AddArray(const std::string& npy);
  // Repeats the last cycle as the next one, later in time.
  void AppendCycle();
  // Makes visits from `first` on those of a second replay, as if the first had
  // been interrupted before them.
  void InterruptBefore(size_t first);
  // Every file, with each digest down the chain computed from what it names.
  // Arrays that no record refers to are left out.
  RunFiles Seal();

 private:
  void SealCaptures(RunFiles& files);
  void SealReplay(RunFiles& files);
  RunFiles ReferredArrays() const;

  std::map<std::string, std::string> arrays_;  // By digest.
};

// A run of which every check holds; the candidate takes 0.9 of the time.
SyntheticRun HonestRun();

// What LoadSubject would make of these files.
Subject SubjectOf(const RunFiles& files);

// Writes the files below the folder `root`, which must exist.
void WriteRun(const RunFiles& files, const std::string& root);

// The object that the baseline's library was made of.
std::string BaselineObject();

// The codes of all findings, sorted, with repetitions.
std::vector<std::string> CodesOf(const AuditResult& result);
// Findings as one text, for failure messages.
std::string DescribeFindings(const AuditResult& result);

// A float array of the output's shape, as a .npy file.
std::string OutputNpy(const std::vector<float>& values);
// What is expected of the output, rounded to f32.
std::vector<float> ExpectedOutput();
// The largest error of such an output against what is expected.
std::optional<double> MaxErrorOf(const std::vector<float>& output);

}  // namespace exhibit::testing

#endif  // EXHIBIT_TESTS_UNIT_AUDIT_RUN_FIXTURE_H_
