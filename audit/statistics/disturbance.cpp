#include "audit/statistics/disturbance.h"

#include <algorithm>
#include <cstddef>

namespace exhibit {
namespace {

bool Differ(double a, double b, double share) {
  return std::max(a, b) > (1.0 + share) * std::min(a, b);
}

bool FrequencyChanged(const VisitConditions& c,
                      std::optional<double> usual_khz) {
  if (!c.frequency_after_khz) return false;
  const auto after = static_cast<double>(*c.frequency_after_khz);
  if (c.frequency_before_khz &&
      Differ(static_cast<double>(*c.frequency_before_khz), after,
             kFrequencyShare)) {
    return true;
  }
  return usual_khz && Differ(*usual_khz, after, kFrequencyShare);
}

}  // namespace

Quartiles QuartilesOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t quarter = values.size() / 4;
  return {values[quarter], values[values.size() - 1 - quarter]};
}

std::vector<std::string> MarksOf(const VisitConditions& c,
                                 std::span<const int64_t> samples_ns,
                                 std::optional<double> usual_khz) {
  std::vector<double> samples(samples_ns.begin(), samples_ns.end());
  double sampled_ns = 0.0;
  for (const double sample : samples) sampled_ns += sample;
  const auto switches = static_cast<double>(c.voluntary_switches) +
                        static_cast<double>(c.involuntary_switches);
  std::vector<std::string> found;
  if (switches >= kSwitchesPerSample * static_cast<double>(samples.size())) {
    found.emplace_back(marks::kSwitches);
  }
  if (c.cpu_time_ns && static_cast<double>(*c.cpu_time_ns) <
                           (1.0 - kTimeLostShare) * sampled_ns) {
    found.emplace_back(marks::kTimeLost);
  }
  if (FrequencyChanged(c, usual_khz)) found.emplace_back(marks::kFrequency);
  if (c.major_faults > 0) found.emplace_back(marks::kMajorFaults);
  if (static_cast<double>(c.minor_faults) * kMinorFaultNs >
      kMinorFaultShare * sampled_ns) {
    found.emplace_back(marks::kMinorFaults);
  }
  if (c.migrations.value_or(0) > 0) found.emplace_back(marks::kMigrated);
  const Quartiles middle = QuartilesOf(std::move(samples));
  if (Differ(middle.low, middle.high, kUnsteadySpread)) {
    found.emplace_back(marks::kUnsteady);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool LostItsProcessor(const std::vector<std::string>& visit_marks) {
  const auto has = [&](const char* mark) {
    return std::find(visit_marks.begin(), visit_marks.end(), mark) !=
           visit_marks.end();
  };
  return has(marks::kMigrated) ||
         (has(marks::kTimeLost) && has(marks::kSwitches));
}

}  // namespace exhibit
