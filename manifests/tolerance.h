// When an output is accepted: the one definition that capture, replay and
// audit share.
//
// Element i passes iff |actual - expected| <= absolute + relative * |expected|,
// evaluated in FP64 and written so that a NaN on either side fails; an actual
// value that is not finite fails as well.

#ifndef EXHIBIT_MANIFESTS_TOLERANCE_H_
#define EXHIBIT_MANIFESTS_TOLERANCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace exhibit {

struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

struct ToleranceResult {
  int64_t failed_elements = 0;
  int64_t first_failed = -1;        // Index, or -1 when all pass.
  std::optional<double> max_error;  // Absent when an error is not finite.
  bool ok() const { return failed_elements == 0; }
};

// Both spans have the same length (a bug otherwise).
ToleranceResult CheckTolerance(std::span<const float> actual,
                               std::span<const double> expected,
                               const Tolerance& tolerance);

// "output: 3 of 640 elements outside tolerance, first [17]: got 1.25,
// expected 1.5"; `name` is the buffer.
std::string DescribeFailure(const std::string& name,
                            std::span<const float> actual,
                            std::span<const double> expected,
                            const ToleranceResult& result);

// The same where the elements are not at hand: how many there are, and the
// first that failed.
struct FirstFailure {
  int64_t element_count = 0;
  double actual = 0;
  double expected = 0;
};
std::string DescribeFailure(const std::string& name,
                            const FirstFailure& failure,
                            const ToleranceResult& result);

}  // namespace exhibit

#endif  // EXHIBIT_MANIFESTS_TOLERANCE_H_
