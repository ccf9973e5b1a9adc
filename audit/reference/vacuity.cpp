#include "audit/reference/vacuity.h"

#include <cmath>
#include <cstddef>
#include <string>

namespace exhibit {
namespace {

size_t CountAccepting(std::span<const double> expected, double value,
                      const Tolerance& tolerance) {
  size_t count = 0;
  for (double e : expected) {
    const double error = std::fabs(value - e);
    if (error <= tolerance.absolute + tolerance.relative * std::fabs(e)) {
      ++count;
    }
  }
  return count;
}

}  // namespace

Status CheckNotVacuous(std::span<const double> expected,
                       const Tolerance& tolerance) {
  const std::string hint =
      "Choose inputs with larger outputs or a smaller tolerance.";
  if (expected.empty()) {
    return Error{ErrorKind::kInvalidArgument, "expected output is empty", ""};
  }
  double sum = 0.0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i])) {
      return Error{
          ErrorKind::kInvalidArgument,
          "expected output is not finite at element " + std::to_string(i), ""};
    }
    sum += expected[i];
  }
  const size_t zeros = CountAccepting(expected, 0.0, tolerance);
  if (zeros * 20 > expected.size()) {
    return Error{ErrorKind::kInvalidArgument,
                 "expected output is vacuous: " + std::to_string(zeros) +
                     " of " + std::to_string(expected.size()) +
                     " elements would accept zero",
                 hint};
  }
  const double mean = sum / static_cast<double>(expected.size());
  if (CountAccepting(expected, mean, tolerance) == expected.size()) {
    return Error{ErrorKind::kInvalidArgument,
                 "expected output is vacuous: every element would accept the "
                 "mean of all",
                 hint};
  }
  return Ok();
}

}  // namespace exhibit
