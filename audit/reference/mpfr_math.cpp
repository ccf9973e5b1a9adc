#include "audit/reference/mpfr_math.h"

#include <mpfr.h>

namespace exhibit {
namespace {

// The exponent range of an IEEE format, for as long as it stands. MPFR writes
// a number as 0.1xxx * 2^e, hence the bounds: the least subnormal of binary64
// is 2^-1074 = 0.1 * 2^-1073. The range is the thread's own and is put back.
class ExponentRange {
 public:
  ExponentRange(mpfr_exp_t low, mpfr_exp_t high)
      : old_low_(mpfr_get_emin()), old_high_(mpfr_get_emax()) {
    mpfr_set_emin(low);
    mpfr_set_emax(high);
  }
  ~ExponentRange() {
    mpfr_set_emin(old_low_);
    mpfr_set_emax(old_high_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t old_low_;
  mpfr_exp_t old_high_;
};

class Number {
 public:
  explicit Number(mpfr_prec_t bits) { mpfr_init2(value, bits); }
  ~Number() { mpfr_clear(value); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  mpfr_t value;
};

}  // namespace

double ExpByMpfr(double x) {
  const ExponentRange range(-1073, 1024);
  Number number(53);
  mpfr_set_d(number.value, x, MPFR_RNDN);
  const int inexact = mpfr_exp(number.value, number.value, MPFR_RNDN);
  mpfr_subnormalize(number.value, inexact, MPFR_RNDN);
  return mpfr_get_d(number.value, MPFR_RNDN);
}

float SinByMpfr(float x) {
  const ExponentRange range(-148, 128);
  Number number(24);
  mpfr_set_flt(number.value, x, MPFR_RNDN);
  const int inexact = mpfr_sin(number.value, number.value, MPFR_RNDN);
  mpfr_subnormalize(number.value, inexact, MPFR_RNDN);
  return mpfr_get_flt(number.value, MPFR_RNDN);
}

}  // namespace exhibit
