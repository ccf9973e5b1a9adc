// Whether an expected output could tell a right answer from no answer.
//
// A tolerance that accepts zero, or one number everywhere, accepts a kernel
// that computes nothing. Capture refuses such an oracle and audit says so.

#ifndef EXHIBIT_AUDIT_REFERENCE_VACUITY_H_
#define EXHIBIT_AUDIT_REFERENCE_VACUITY_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "manifests/result.h"
#include "manifests/tolerance.h"

namespace exhibit {

// Fails with kInvalidArgument when `expected` is empty or has an element that
// is not finite, when zero would be accepted for more than 5% of its elements,
// or when one and the same number would be accepted for all of them.
// Element e accepts x iff |x - e| <= absolute + relative * |e|.
Status CheckNotVacuous(std::span<const double> expected,
                       const Tolerance& tolerance);

// The same for elements that come in pieces: all by Look, then Judge.
class Vacuity {
 public:
  explicit Vacuity(const Tolerance& tolerance) : tolerance_(tolerance) {}
  void Look(std::span<const double> piece);
  Status Judge() const;

 private:
  const Tolerance tolerance_;
  uint64_t count_ = 0;
  std::optional<uint64_t> not_finite_;  // Index of the first.
  uint64_t accept_zero_ = 0;
  // Of the intervals that the elements accept: the largest lower end and the
  // smallest upper one.
  double most_of_least_ = -std::numeric_limits<double>::infinity();
  double least_of_most_ = std::numeric_limits<double>::infinity();
};

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REFERENCE_VACUITY_H_
