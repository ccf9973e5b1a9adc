// The arbiter of audit/reference/exact_math.h: correct, and a hundred times
// slower. The only includer of mpfr.h is mpfr_math.cpp.

#ifndef EXHIBIT_AUDIT_REFERENCE_MPFR_MATH_H_
#define EXHIBIT_AUDIT_REFERENCE_MPFR_MATH_H_

namespace exhibit {

// As ExpRounded and SinRounded, by MPFR alone. Any argument.
double ExpByMpfr(double x);
float SinByMpfr(float x);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REFERENCE_MPFR_MATH_H_
