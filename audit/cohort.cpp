// The part of stage declaration that looks at all records together: one host,
// boot and build, in one order of time, every attempt accounted for, and the
// frozen sources.

#include <algorithm>
#include <map>
#include <tuple>

#include "audit/declaration.h"
#include "manifests/content_id.h"
#include "manifests/run_layout.h"

namespace exhibit {
namespace {

constexpr char kCaptureTool[] = "exhibit-capture";
constexpr char kReplayTool[] = "exhibit-replay";
constexpr char kArchitecture[] = "x86_64";
constexpr char kOwnSourceFolder[] = "sources/exhibit/";
constexpr char kManifestSourceFolder[] = "sources/manifest/";

// Who wrote a record and when.
struct Written {
  std::string path;
  ToolIdentity tool;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t attempt = -1;  // -1: the record names none.
  std::string stage;     // capture, replay
};

template <typename Record>
Written Describe(const Filed<Record>& filed, const char* stage) {
  return {filed.path,
          filed.record->tool,
          filed.record->start_ns,
          filed.record->end_ns,
          -1,
          stage};
}

template <typename Record>
Written DescribeMade(const Filed<Record>& filed, const char* stage) {
  Written written = Describe(filed, stage);
  written.attempt = filed.record->attempt;
  return written;
}

// Every record of one case, cited ones before those that cite them.
std::vector<Written> RecordsOf(const CaseEvidence& c) {
  std::vector<Written> records;
  if (c.record.record) records.push_back(Describe(c.record, "capture"));
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.capture.record) continue;
    records.push_back(DescribeMade(capture.capture, "capture"));
  }
  if (c.plan.record) records.push_back(Describe(c.plan, "replay"));
  for (const auto* visits : {&c.calibrations, &c.visits}) {
    for (const Filed<VisitRecord>& visit : *visits) {
      if (visit.record) records.push_back(DescribeMade(visit, "replay"));
    }
  }
  return records;
}

class CohortCheck {
 public:
  CohortCheck(const Evidence& evidence, Checker check)
      : evidence_(evidence), check_(std::move(check)) {
    if (!evidence.attempts.record) return;
    for (const AttemptRecord& line : *evidence.attempts.record) {
      if (line.event == "start") {
        starts_[line.attempt] = &line;
      } else {
        ends_[line.attempt] = &line;
      }
    }
  }

  // `first` is the tool that each record's must equal, by name.
  void Add(const Written& record, std::map<std::string, ToolIdentity>& first) {
    const char* name = record.stage == "capture" ? kCaptureTool : kReplayTool;
    check_.Equal({"cohort-mixed", record.path, "tool.name",
                  "another tool writes this record"},
                 name, record.tool.name);
    const ToolIdentity& freeze = evidence_.freeze.record->tool;
    check_.Equal({"cohort-mixed", record.path, "tool.source_sha256",
                  "one cohort is made by one build"},
                 freeze.source_sha256, record.tool.source_sha256);
    const auto known = first.emplace(record.tool.name, record.tool).first;
    check_.Equal({"cohort-mixed", record.path, "tool.sha256",
                  "one cohort is made by one build"},
                 known->second.sha256, record.tool.sha256);
    check_.Equal({"cohort-mixed", record.path, "tool.version",
                  "one cohort is made by one build"},
                 freeze.version, record.tool.version);
    check_.True({"time-disordered", record.path, "end_ns",
                 "it ends before it starts, or before freeze.json was whole"},
                record.start_ns <= record.end_ns &&
                    record.start_ns >= evidence_.freeze.record->start_ns &&
                    record.end_ns >= evidence_.freeze.record->end_ns);
    if (record.attempt >= 0 && evidence_.attempts.record) CheckAttempt(record);
  }

 private:
  void CheckAttempt(const Written& record) {
    const auto start = starts_.find(record.attempt);
    if (!check_.True(
            {"attempt-unknown", record.path, "attempt",
             "attempts.jsonl has no start of this attempt and stage"},
            start != starts_.end() && start->second->stage == record.stage)) {
      return;
    }
    check_.Equal({"cohort-mixed", record.path, "tool.sha256",
                  "another build started its attempt"},
                 start->second->tool.sha256, record.tool.sha256);
    const auto end = ends_.find(record.attempt);
    check_.True(
        {"time-disordered", record.path, "attempt",
         "it was not made while its attempt ran"},
        record.start_ns >= start->second->time_ns &&
            (end == ends_.end() || record.end_ns <= end->second->time_ns));
  }

  const Evidence& evidence_;
  Checker check_;
  std::map<int64_t, const AttemptRecord*> starts_;
  std::map<int64_t, const AttemptRecord*> ends_;
};

void CheckOrderOfTime(const CaseEvidence& c, Checker& check) {
  if (!c.plan.record) return;
  const auto after = [&](const std::string& path, int64_t start_ns,
                         int64_t before_ns, const std::string& before) {
    check.True({"time-disordered", path, "start_ns",
                "it starts before " + before + " ends"},
               start_ns >= before_ns);
  };
  for (const auto& [variant, capture] : c.captures) {
    if (!capture.capture.record) continue;
    after(c.plan.path, c.plan.record->start_ns, capture.capture.record->end_ns,
          capture.capture.path);
    if (!c.record.record) continue;
    after(capture.capture.path, capture.capture.record->start_ns,
          c.record.record->end_ns, c.record.path);
  }
  std::string path = c.plan.path;
  int64_t end_ns = c.plan.record->end_ns;
  for (const auto* visits : {&c.calibrations, &c.visits}) {
    for (const Filed<VisitRecord>& visit : *visits) {
      if (!visit.record) continue;
      after(visit.path, visit.record->start_ns, end_ns, path);
      path = visit.path;
      end_ns = visit.record->end_ns;
    }
  }
}

// One text for three, such that no other three give it.
std::string AttachmentText(const std::string& path, const std::string& role,
                           const std::string& note) {
  return EncodeJson(Json::Array{path, role, note});
}

// The sources that freeze.json lists are Exhibit's own tree, whose content id
// the tools have compiled in, and what the manifest names.
void CheckSources(const Manifest& manifest, const FreezeRecord& freeze,
                  Checker& check) {
  FileDigests own;
  std::vector<std::string> found;
  std::vector<std::string> expected = FrozenSources(manifest);
  for (const FileEntry& source : freeze.sources) {
    if (source.path.starts_with(kOwnSourceFolder)) {
      own[source.path.substr(sizeof kOwnSourceFolder - 1)] = source.sha256;
    } else if (source.path.starts_with(kManifestSourceFolder)) {
      found.push_back(source.path.substr(sizeof kManifestSourceFolder - 1));
    } else {
      check.Report({.code = "sources-differ",
                    .path = kFreezePath,
                    .field = "sources",
                    .message = "a source lies in no folder of sources",
                    .found = source.path});
    }
  }
  check.Equal({"sources-differ", kFreezePath, "sources",
               "sources/exhibit is not the tree that the tools were built "
               "from"},
              freeze.tool.source_sha256, ContentId(own));
  check.True({"sources-differ", kFreezePath, "sources",
              "sources/exhibit holds nothing"},
             !own.empty());
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  check.Equal({"sources-differ", kFreezePath, "sources",
               "the manifest names other sources"},
              expected, found);
  std::vector<std::string> attached;
  std::vector<std::string> declared;
  for (const Attachment& file : freeze.attachments) {
    attached.push_back(AttachmentText(file.path, file.role, file.note));
  }
  for (const ManifestAttachment& file : manifest.attachments) {
    declared.push_back(
        AttachmentText("attachments/" + file.path, file.role, file.note));
  }
  std::sort(declared.begin(), declared.end());
  std::sort(attached.begin(), attached.end());
  check.Equal({"sources-differ", kFreezePath, "attachments",
               "the manifest names other attachments"},
              declared, attached);
}

// attempts.jsonl is written as it happens, and an attempt ends as what it began
// as.
void CheckAttempts(const Filed<std::vector<AttemptRecord>>& attempts,
                   Checker& check) {
  if (!attempts.record) return;
  const AttemptRecord* before = nullptr;
  for (const AttemptRecord& line : *attempts.record) {
    const std::string field = "attempt " + std::to_string(line.attempt);
    check.True({"time-disordered", attempts.path, field,
                "a line is older than the one before it"},
               before == nullptr || line.time_ns >= before->time_ns);
    // An end follows its start: the decoder has seen to that.
    if (line.event == "end" && before != nullptr) {
      check.Equal({"attempt-unknown", attempts.path, field,
                   "it ends as another stage than it began as"},
                  before->stage, line.stage);
      check.Equal({"cohort-mixed", attempts.path, field,
                   "another build ended the attempt"},
                  before->tool.sha256, line.tool.sha256);
    }
    before = &line;
  }
}

// Captures and visits of one run are made one after the other, whatever their
// case.
void CheckNoOverlap(const std::vector<Written>& made, Checker& check) {
  std::vector<const Written*> order;
  for (const Written& record : made) order.push_back(&record);
  std::sort(order.begin(), order.end(), [](const Written* a, const Written* b) {
    return std::tie(a->start_ns, a->end_ns, a->path) <
           std::tie(b->start_ns, b->end_ns, b->path);
  });
  for (size_t i = 1; i < order.size(); ++i) {
    check.True({"time-disordered", order[i]->path, "start_ns",
                "it overlaps " + order[i - 1]->path},
               order[i]->start_ns >= order[i - 1]->end_ns);
  }
}

}  // namespace

void CheckCohort(const Evidence& evidence,
                 const std::vector<CaseEvidence*>& cases,
                 FindingList& findings) {
  const FreezeRecord& freeze = *evidence.freeze.record;
  Checker check(findings);
  CheckSources(*evidence.manifest, freeze, check);
  if (freeze.host.architecture != kArchitecture) {
    findings.AddObstacle(kFreezePath, "host.architecture is " +
                                          freeze.host.architecture +
                                          ", known here is x86_64");
  }
  std::map<std::string, ToolIdentity> first;
  CohortCheck(evidence, check).Add(Describe(evidence.freeze, "capture"), first);
  CheckAttempts(evidence.attempts, check);
  std::vector<Written> made;
  for (CaseEvidence* c : cases) {
    Checker of_case(findings, *c);
    CohortCheck cohort(evidence, of_case);
    for (const Written& record : RecordsOf(*c)) {
      cohort.Add(record, first);
      if (record.attempt >= 0) made.push_back(record);
    }
    CheckOrderOfTime(*c, of_case);
  }
  CheckNoOverlap(made, check);
}

}  // namespace exhibit
