// Whether an expected output could tell a right answer from no answer.
//
// A tolerance that accepts zero, or one number everywhere, accepts a kernel
// that computes nothing. Capture refuses such an oracle and audit says so.

#ifndef EXHIBIT_AUDIT_REFERENCE_VACUITY_H_
#define EXHIBIT_AUDIT_REFERENCE_VACUITY_H_

#include <span>

#include "manifests/result.h"
#include "manifests/tolerance.h"

namespace exhibit {

// Fails with kInvalidArgument when `expected` is empty or has an element that
// is not finite, when zero would be accepted for more than 5% of its elements,
// or when their mean (summed in order) would be accepted for all of them.
// Element e accepts x iff |x - e| <= absolute + relative * |e|.
Status CheckNotVacuous(std::span<const double> expected,
                       const Tolerance& tolerance);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REFERENCE_VACUITY_H_
