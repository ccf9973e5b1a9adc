#include "manifests/tolerance.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace exhibit {
namespace {

std::string Shortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::general)
                       .ptr;
  return std::string(buffer, end);
}

}  // namespace

ToleranceResult CheckTolerance(std::span<const float> actual,
                               std::span<const double> expected,
                               const Tolerance& tolerance) {
  if (actual.size() != expected.size()) {
    throw std::logic_error("tolerance check of two lengths");
  }
  ToleranceResult result;
  double max_error = 0;
  bool finite = true;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double value = actual[i];
    const double error = std::fabs(value - expected[i]);
    const double bound =
        tolerance.absolute + tolerance.relative * std::fabs(expected[i]);
    if (!(error <= bound) || !std::isfinite(value)) {
      if (result.failed_elements++ == 0)
        result.first_failed = static_cast<int64_t>(i);
    }
    if (std::isfinite(error)) {
      if (error > max_error) max_error = error;
    } else {
      finite = false;
    }
  }
  if (finite) result.max_error = max_error;
  return result;
}

std::string DescribeFailure(const std::string& name,
                            std::span<const float> actual,
                            std::span<const double> expected,
                            const ToleranceResult& result) {
  const auto first = static_cast<size_t>(result.first_failed);
  return DescribeFailure(
      name,
      {static_cast<int64_t>(actual.size()), actual[first], expected[first]},
      result);
}

std::string DescribeFailure(const std::string& name,
                            const FirstFailure& failure,
                            const ToleranceResult& result) {
  return name + ": " + std::to_string(result.failed_elements) + " of " +
         std::to_string(failure.element_count) +
         " elements outside tolerance, first [" +
         std::to_string(result.first_failed) + "]: got " +
         Shortest(failure.actual) + ", expected " + Shortest(failure.expected);
}

}  // namespace exhibit
