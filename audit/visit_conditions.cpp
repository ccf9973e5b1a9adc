#include "audit/visit_conditions.h"

#include <algorithm>
#include <map>

#include "audit/finding.h"

namespace exhibit {
namespace {

// The variants' own code, which differs between the arms.
constexpr char kKernelName[] = "kernel.so";

std::map<std::string, std::string> SystemFiles(const VisitRecord& record) {
  std::map<std::string, std::string> files;
  for (const MappedFile& file : record.process.mapped_files) {
    if (file.name != kKernelName) files[file.name] = file.sha256;
  }
  return files;
}

// The first name that one of the two lacks or has with another digest.
std::string FirstDifference(const std::map<std::string, std::string>& a,
                            const std::map<std::string, std::string>& b) {
  for (const auto* files : {&a, &b}) {
    const auto* other = files == &a ? &b : &a;
    for (const auto& [name, sha256] : *files) {
      const auto found = other->find(name);
      if (found == other->end() || found->second != sha256) return name;
    }
  }
  return "";
}

}  // namespace

VisitConditions ConditionsOf(const VisitRecord& record) {
  VisitConditions conditions;
  conditions.voluntary_switches = record.counts.voluntary_switches;
  conditions.involuntary_switches = record.counts.involuntary_switches;
  conditions.minor_faults = record.counts.minor_faults;
  conditions.major_faults = record.counts.major_faults;
  conditions.migrations = record.counts.migrations;
  const auto task_clock = record.counters.find("task_clock_ns");
  if (task_clock != record.counters.end()) {
    conditions.cpu_time_ns = task_clock->second;
  }
  conditions.frequency_before_khz = record.before.frequency_khz;
  conditions.frequency_after_khz = record.after.frequency_khz;
  return conditions;
}

// Each visit measures the least step that it sees, now and then a larger one;
// another source of time has one that is many times as large.
bool IsOtherClock(const ClockFacts& a, const ClockFacts& b) {
  constexpr int64_t kTimes = 4;
  return a.name != b.name || a.resolution_ns / kTimes > b.resolution_ns ||
         b.resolution_ns / kTimes > a.resolution_ns;
}

std::vector<std::string> HostChanges(const CaseEvidence& c) {
  // By arm: a library may need files that the other arm does not.
  std::map<std::string, const VisitRecord*> first;
  const auto changed = [](const VisitRecord& visit, const std::string& what) {
    return std::vector<std::string>{"host-changed: " + Printable(what) +
                                    " differs from visit " +
                                    std::to_string(visit.index) + " on"};
  };
  for (const Filed<VisitRecord>& visit : c.visits) {
    const VisitRecord& now = *visit.record;
    const VisitRecord& then = *first.emplace(now.arm, &now).first->second;
    const std::string other =
        FirstDifference(SystemFiles(then), SystemFiles(now));
    if (!other.empty()) return changed(now, other);
    if (IsOtherClock(now.clock, then.clock)) return changed(now, "the clock");
  }
  return {};
}

std::optional<CaseTiming> TimingOf(const CaseEvidence& c) {
  std::optional<CaseTiming> timing;
  for (const Filed<VisitRecord>& visit : c.visits) {
    if (!visit.record || visit.record->samples_ns.empty()) continue;
    const VisitRecord& record = *visit.record;
    const int64_t shortest =
        *std::min_element(record.samples_ns.begin(), record.samples_ns.end());
    if (!timing) timing = CaseTiming{0, 0, record.repetitions, shortest, {}};
    timing->clock_resolution_ns =
        std::max(timing->clock_resolution_ns, record.clock.resolution_ns);
    timing->clock_overhead_ns =
        std::max(timing->clock_overhead_ns, record.clock.overhead_ns);
    timing->shortest_sample_ns = std::min(timing->shortest_sample_ns, shortest);
    if (record.before.load_1m) {
      timing->load_1m_max =
          std::max(timing->load_1m_max.value_or(0.0), *record.before.load_1m);
    }
  }
  return timing;
}

}  // namespace exhibit
