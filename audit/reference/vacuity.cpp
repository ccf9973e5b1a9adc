#include "audit/reference/vacuity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace exhibit {
namespace {

uint64_t CountAccepting(std::span<const double> expected, double value,
                        const Tolerance& tolerance) {
  uint64_t count = 0;
  for (double e : expected) {
    const double error = std::fabs(value - e);
    if (error <= tolerance.absolute + tolerance.relative * std::fabs(e)) {
      ++count;
    }
  }
  return count;
}

}  // namespace

void Vacuity::Look(std::span<const double> piece) {
  for (const double value : piece) {
    if (!std::isfinite(value) && !not_finite_) not_finite_ = count_;
    const double bound =
        tolerance_.absolute + tolerance_.relative * std::fabs(value);
    most_of_least_ = std::max(most_of_least_, value - bound);
    least_of_most_ = std::min(least_of_most_, value + bound);
    ++count_;
  }
  accept_zero_ += CountAccepting(piece, 0.0, tolerance_);
}

Status Vacuity::Judge() const {
  const std::string hint =
      "Choose inputs with larger outputs or a smaller tolerance.";
  if (count_ == 0) {
    return Error{ErrorKind::kInvalidArgument, "expected output is empty", ""};
  }
  if (not_finite_) {
    return Error{ErrorKind::kInvalidArgument,
                 "expected output is not finite at element " +
                     std::to_string(*not_finite_),
                 ""};
  }
  if (accept_zero_ * 20 > count_) {
    return Error{ErrorKind::kInvalidArgument,
                 "expected output is vacuous: " + std::to_string(accept_zero_) +
                     " of " + std::to_string(count_) +
                     " elements would accept zero",
                 hint};
  }
  if (most_of_least_ <= least_of_most_) {
    return Error{ErrorKind::kInvalidArgument,
                 "expected output is vacuous: one number would be accepted for "
                 "every element",
                 hint};
  }
  return Ok();
}

Status CheckNotVacuous(std::span<const double> expected,
                       const Tolerance& tolerance) {
  Vacuity vacuity(tolerance);
  vacuity.Look(expected);
  return vacuity.Judge();
}

}  // namespace exhibit
