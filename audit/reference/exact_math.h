// Correctly rounded exp and sine: the same bits on every machine.
//
// The C library's differ between processors, because it picks an algorithm by
// CPU. Here a value is computed with basic operations only, to far more digits
// than are wanted and with a stated error bound; where both ends of the bound
// round to one number that number is the answer (Ziv 1991), and MPFR decides
// the rest. No fused operation: the products of double-double numbers are
// Dekker's (1971), exact in plain binary64.
//
// Assumes the default rounding mode, and subnormal numbers not flushed.

#ifndef EXHIBIT_AUDIT_REFERENCE_EXACT_MATH_H_
#define EXHIBIT_AUDIT_REFERENCE_EXACT_MATH_H_

#include <cstdint>

namespace exhibit {

// exp(x) rounded to nearest, ties to even, subnormal results included;
// +infinity above the range, 0 below it; NaN for NaN.
double ExpRounded(double x);

// What one costs at most, in operations of a nanosecond, where MPFR decides
// about half as often as not.
inline constexpr int64_t kExpOperations = 512;

// The sine of the binary32 number x, rounded to binary32 likewise. The sign of
// a zero is kept; NaN for NaN and for an infinity.
float SinRounded(float x);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REFERENCE_EXACT_MATH_H_
