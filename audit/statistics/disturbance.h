// What ran beside a visit, and the marks that follow from it.
//
// A mark stands beside a visit and never removes it: every sample counts,
// whoever disturbed it. Where more than half of a case's visits lost their
// processor, its times are not those of the code, and the case is
// not-comparable. Thresholds are constants of the rule, so that nobody can
// choose them after the results. Normative: audit/DECISION.md, "Marks".

#ifndef EXHIBIT_AUDIT_STATISTICS_DISTURBANCE_H_
#define EXHIBIT_AUDIT_STATISTICS_DISTURBANCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace exhibit {

// As the record of a visit holds it. Absent: the host did not say.
struct VisitConditions {
  // Over warm-up and samples.
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  std::optional<int64_t> migrations;
  std::optional<int64_t> cpu_time_ns;  // Over the samples.
  std::optional<int64_t> frequency_before_khz;
  std::optional<int64_t> frequency_after_khz;
};

namespace marks {
inline constexpr char kSwitches[] = "context-switches";
inline constexpr char kTimeLost[] = "cpu-time-lost";
inline constexpr char kMigrated[] = "migrated";
inline constexpr char kMajorFaults[] = "major-faults";
inline constexpr char kMinorFaults[] = "minor-faults";
inline constexpr char kFrequency[] = "frequency-changed";
inline constexpr char kUnsteady[] = "unsteady-samples";
}  // namespace marks

// Context switches, of either kind, per sample: from one in every second
// sample on, the median of the samples may be one that was interrupted. Fewer
// are withstood by the median.
inline constexpr double kSwitchesPerSample = 0.5;
// The processor was away for more than this share of the sampled time. An
// undisturbed pinned thread has it for 0.995 and more; a neighbour that takes
// turns with it leaves about half.
inline constexpr double kTimeLostShare = 0.05;
// A minor fault costs about this much; marked when all together could have
// taken more than a hundredth of the sampled time, the least effect that is
// commonly claimed. A page that a disk must bring costs milliseconds: any
// major fault is marked.
inline constexpr double kMinorFaultNs = 1000.0;
inline constexpr double kMinorFaultShare = 0.01;
// Of the clock frequency, before against after, and after against the median
// of the case's visits: steps of a governor are larger, jitter is smaller.
inline constexpr double kFrequencyShare = 0.05;
// Upper over lower quartile of a visit's samples. Code that does the same work
// each time spreads by some per cent; what shares the core, the cache or the
// memory without the kernel's knowing shows here and nowhere else.
inline constexpr double kUnsteadySpread = 0.10;

// The marks of one visit, sorted. `samples_ns` is not empty and all positive;
// `usual_khz` is the median frequency after the visits of the case, if known.
std::vector<std::string> MarksOf(const VisitConditions& conditions,
                                 std::span<const int64_t> samples_ns,
                                 std::optional<double> usual_khz);

// Whether the median sample of a visit with these marks may be one without its
// processor: migrated, or cpu-time-lost together with context-switches. Time
// lost in fewer samples is what the median withstands. The other marks can come
// from the code itself (faults), from a reading at the wrong moment
// (frequency), or are visible in the ratios.
bool LostItsProcessor(const std::vector<std::string>& visit_marks);

// The two middle quarters of the sorted values: values[n / 4] and
// values[n - 1 - n / 4]. More than a quarter of the values lie at or below the
// first and at or above the second. Not empty.
struct Quartiles {
  double low = 0.0;
  double high = 0.0;
};
Quartiles QuartilesOf(std::vector<double> values);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_STATISTICS_DISTURBANCE_H_
