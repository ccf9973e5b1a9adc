#include "audit/reference/exact_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "audit/reference/mpfr_math.h"

namespace exhibit {
namespace {

static_assert(std::numeric_limits<double>::is_iec559 &&
              std::numeric_limits<float>::is_iec559);

// A number as an unevaluated sum, |low| at most half an ulp of high.
struct DoubleDouble {
  double high;
  double low;
};

// a + b exactly (Knuth).
constexpr DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// a + b exactly where |a| >= |b| (Dekker).
constexpr DoubleDouble FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a * b exactly (Dekker, Veltkamp); no overflow for what is used here.
constexpr DoubleDouble TwoProduct(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1.0;
  const double a_scaled = kSplit * a;
  const double a_high = a_scaled - (a_scaled - a);
  const double a_low = a - a_high;
  const double b_scaled = kSplit * b;
  const double b_high = b_scaled - (b_scaled - b);
  const double b_low = b - b_high;
  const double product = a * b;
  const double error =
      ((a_high * b_high - product) + a_high * b_low + a_low * b_high) +
      a_low * b_low;
  return {product, error};
}

constexpr DoubleDouble Add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = TwoSum(a.high, b.high);
  const DoubleDouble low = TwoSum(a.low, b.low);
  const DoubleDouble sum = FastTwoSum(high.high, high.low + low.high);
  return FastTwoSum(sum.high, sum.low + low.low);
}

constexpr DoubleDouble Multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = TwoProduct(a.high, b.high);
  return FastTwoSum(product.high,
                    product.low + (a.high * b.low + a.low * b.high));
}

// 1 / n! for n small enough that n! is exact.
constexpr DoubleDouble InverseFactorial(int n) {
  double factorial = 1.0;
  for (int i = 2; i <= n; ++i) factorial *= i;
  const double high = 1.0 / factorial;
  const DoubleDouble back = TwoProduct(high, factorial);
  return {high, ((1.0 - back.high) - back.low) / factorial};
}

// `x` rounded to the nearest integer, for |x| < 2^51, without a call.
double Nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

// x - k * (p[0] + p[1] + ...), each k * p[i] but the last exact.
DoubleDouble Subtract(double x, double k, double p0, double p1,
                      double low_parts) {
  const DoubleDouble first = TwoSum(x, -k * p0);
  const DoubleDouble second = TwoSum(first.high, -k * p1);
  return FastTwoSum(second.high, (first.low + second.low) - low_parts);
}

// exp(r) for |r| <= 0.35: the Taylor polynomial of degree 9 at r / 256 (what
// it leaves out is below 2^-116), squared eight times. Each operation errs by
// less than 2^-100 of its result and each squaring doubles the error, so the
// whole errs by less than 2^-90; kExpError leaves ten bits to spare.
constexpr double kExpError = 0x1p-80;
constexpr int kExpDegree = 9;
constexpr int kExpSquarings = 8;

DoubleDouble ExpReduced(DoubleDouble r) {
  const DoubleDouble small = {r.high / (1 << kExpSquarings),
                              r.low / (1 << kExpSquarings)};
  DoubleDouble sum = InverseFactorial(kExpDegree);
  for (int n = kExpDegree - 1; n >= 0; --n) {
    sum = Add(Multiply(sum, small), InverseFactorial(n));
  }
  for (int i = 0; i < kExpSquarings; ++i) sum = Multiply(sum, sum);
  return sum;
}

// 2^k as a double, -1022 <= k <= 1023.
double PowerOfTwo(int64_t k) {
  return std::bit_cast<double>(static_cast<uint64_t>(k + 1023) << 52);
}

// Sine and cosine on |r| <= pi/4 by Taylor polynomials of degree 17 and 16;
// what those leave out is below 2^-58 of the value and the roundings add a few
// 2^-53, so kSinError has more than three bits to spare.
constexpr double kSinError = 0x1p-48;

double SinReduced(DoubleDouble r) {
  const double z = r.high * r.high;
  double sum = 1.0 / 355687428096000.0;
  sum = sum * z - 1.0 / 1307674368000.0;
  sum = sum * z + 1.0 / 6227020800.0;
  sum = sum * z - 1.0 / 39916800.0;
  sum = sum * z + 1.0 / 362880.0;
  sum = sum * z - 1.0 / 5040.0;
  sum = sum * z + 1.0 / 120.0;
  sum = sum * z - 1.0 / 6.0;
  return r.high + (r.high * z * sum + r.low * (1.0 - z / 2.0));
}

double CosReduced(DoubleDouble r) {
  const double z = r.high * r.high;
  double sum = 1.0 / 20922789888000.0;
  sum = sum * z - 1.0 / 87178291200.0;
  sum = sum * z + 1.0 / 479001600.0;
  sum = sum * z - 1.0 / 3628800.0;
  sum = sum * z + 1.0 / 40320.0;
  sum = sum * z - 1.0 / 720.0;
  sum = sum * z + 1.0 / 24.0;
  return 1.0 - (z / 2.0 - (z * z * sum - r.low * r.high));
}

}  // namespace

double ExpRounded(double x) {
  if (std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x > 710.0) return std::numeric_limits<double>::infinity();
  if (x < -746.0) return 0.0;  // Below half the least subnormal.
  if (x == 0.0) return 1.0;    // The only exact case.
  // Subnormal results would be rounded twice, and overflow needs its edge.
  if (x < -708.0 || x > 709.0) return ExpByMpfr(x);
  const double k = Nearest(x * 0x1.71547652b82fep+0);
  // ln 2 in parts of 40, 40 and 53 bits.
  const DoubleDouble r = Subtract(x, k, 0x1.62e42fefa2p-1, 0x1.9ef35793c6p-41,
                                  k * 0x1.673007e5ed5e8p-81);
  const DoubleDouble value = ExpReduced(r);
  const double error = value.high * kExpError;
  const double least = value.high + (value.low - error);
  const double most = value.high + (value.low + error);
  if (least != most) return ExpByMpfr(x);
  return least * PowerOfTwo(static_cast<int64_t>(k));
}

float SinRounded(float x) {
  if (!std::isfinite(x)) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0.0f) return x;
  const double wide = x;
  if (std::fabs(wide) > 0x1p23) return SinByMpfr(x);
  const double k = Nearest(wide * 0x1.45f306dc9c883p-1);
  // pi / 2 in parts of 30, 30, 30 and 53 bits.
  const DoubleDouble r =
      Subtract(wide, k, 0x1.921fb54p+0, 0x1.10b46118p-30,
               k * 0x1.313198ap-61 + k * 0x1.701b839a25205p-92);
  // Near a multiple of pi / 2 the digits that are left would not suffice.
  if (k != 0.0 && std::fabs(r.high) < 0x1p-32) return SinByMpfr(x);
  const int64_t quadrant = static_cast<int64_t>(k) & 3;
  double value = quadrant % 2 == 0 ? SinReduced(r) : CosReduced(r);
  if (quadrant >= 2) value = -value;
  const float least = static_cast<float>(value - value * kSinError);
  const float most = static_cast<float>(value + value * kSinError);
  return least == most ? least : SinByMpfr(x);
}

}  // namespace exhibit
